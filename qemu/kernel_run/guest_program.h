// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/machine_config.h"
#include "core/result/result.h"

#include <QString>

#include <optional>

namespace vitrine::qemu {

// What the head of a program's file says.
struct GuestProgram {
    bool isElf = false;                       // false: a script
    std::optional<Architecture> architecture; // nullopt: neither amd64 nor arm64
    bool isStatic = false;                    // needs no loader

    // `path` is relative to `root`, whose links are followed as if it were "/". NotFound,
    // Permission. Any thread.
    [[nodiscard]] static Result<GuestProgram> read(const QString& root, const QString& path);
};

} // namespace vitrine::qemu
