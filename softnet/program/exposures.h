// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/program/slirp_stack.h"

namespace vitrine::softnet {

// The ports of the host that lead to the guest. What cannot be is refused with the port and why.
class Exposures final {
public:
    static constexpr std::size_t most = 256;

    explicit Exposures(SlirpStack& stack)
        : m_stack(stack) {}

    // Once more the same is no failure.
    [[nodiscard]] Checked<void> add(const Exposure& exposure);
    // No new connections; open ones live on.
    [[nodiscard]] Checked<void> remove(const Exposure& exposure);
    [[nodiscard]] const std::vector<Exposure>& list() const { return m_list; }

private:
    SlirpStack& m_stack;
    std::vector<Exposure> m_list;
};

} // namespace vitrine::softnet
