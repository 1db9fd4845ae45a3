// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "core/result/result.h"

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace vitrine::cli {

// Options of `tart run` that this release cannot honour on this kind of host. They are understood
// and refused with the reason, never ignored.
class UnavailableOptions final {
public:
    void addTo(CLI::App& app);
    // Unsupported for the first one that was typed. The hypervisor is asked for the reason only
    // then.
    [[nodiscard]] Result<> check(const Hypervisor& hypervisor) const;

private:
    struct Typed {
        const struct UnavailableOption* option = nullptr;
        CLI::Option* parsed = nullptr; // owned by the parser
    };
    std::vector<Typed> m_options;
};

} // namespace vitrine::cli
