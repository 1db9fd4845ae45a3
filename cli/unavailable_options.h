// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "core/result/result.h"

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace vitrine::cli {

// Options of `tart run` that not every kind of host can honour, and some that none does here. Where
// they are not available they are understood and refused with the reason, never ignored.
class UnavailableOptions final {
public:
    void addTo(CLI::App& app);
    // Unsupported for the first one that was typed and is not available. The hypervisor is asked
    // only then.
    [[nodiscard]] Result<> check(const Hypervisor& hypervisor) const;

    // `name` with its dashes. The value of the last one, for options that have one.
    [[nodiscard]] bool isTyped(const char* name) const;
    [[nodiscard]] QString value(const char* name) const;
    // One is typed that a suspended machine cannot go on with.
    [[nodiscard]] bool changesGuest() const;

private:
    struct Typed {
        const struct UnavailableOption* option = nullptr;
        CLI::Option* parsed = nullptr; // owned by the parser
    };
    std::vector<Typed> m_options;
};

} // namespace vitrine::cli
