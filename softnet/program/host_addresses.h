// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/address.h"

#include <vector>

namespace vitrine::softnet {

// The computer's own IPv4 addresses but for 127/8, which no rule opens anyway, and what becomes of
// them. Opens its socket when it is made, so it is made before the sandbox.
class HostAddresses final {
public:
    static constexpr std::size_t most = 65536;

    HostAddresses();
    HostAddresses(HostAddresses&& other) noexcept;
    HostAddresses& operator=(HostAddresses&&) = delete;
    ~HostAddresses();

    [[nodiscard]] const std::vector<Ipv4>& list() const { return m_list; }
    // Readable when something may have changed; -1 if the system tells nothing.
    [[nodiscard]] int descriptor() const { return m_socket; }
    // Whether the system could not even be asked yet: to be tried again before long.
    [[nodiscard]] bool isBehind() const { return m_socket >= 0 && m_again && !m_asking; }
    // Whether the list is another one now. Never waits.
    [[nodiscard]] bool refresh();

private:
    void ask();
    void take(Bytes message);

    int m_socket = -1;
    std::uint32_t m_question = 0; // the number of the last one
    bool m_asking = false;
    bool m_again = false; // it changed while the answer was on its way
    bool m_changed = false;
    std::vector<Ipv4> m_list;
    std::vector<Ipv4> m_next; // of the answer so far
};

} // namespace vitrine::softnet
