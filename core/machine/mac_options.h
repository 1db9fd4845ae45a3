// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"

namespace vitrine {

// Run options that only a Mac can honour. They are kept in vitrine.json like the others and go with
// the machine; RunOptions itself carries them as keys that it does not interpret.
struct MacOptions {
    QString rosetta;      // tag of the share with Rosetta, for Linux guests; empty: without
    bool trackpad = true; // of a macOS guest
    // Of a macOS guest: only devices whose state can be saved (--suspendable). On Linux every
    // machine can be suspended and this says nothing.
    bool suspendable = false;
    // Keys that macOS keeps otherwise, like Command-Tab, go to the guest while its screen has the
    // keyboard (--capture-system-keys).
    bool captureSystemKeys = false;

    // A value of another type is none.
    [[nodiscard]] static MacOptions of(const RunOptions& options);
    void storeIn(RunOptions& options) const;
    friend bool operator==(const MacOptions&, const MacOptions&) = default;
};

} // namespace vitrine
