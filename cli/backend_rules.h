// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"

#include <QString>

namespace vitrine::cli {

// What this system's backend says of options that `set` stores, and does for `share`. One file for
// each backend. Any thread; reads files of this computer.

// Refuses hardware that no computer can run; the sentence why this one cannot, else an empty one.
[[nodiscard]] Result<QString> checkHardwareToStore(const MachineInfo& machine);
// Files, devices, bridges.
[[nodiscard]] Result<> checkOptionsToStore(const MachineInfo& machine, const RunOptions& options);
// Gives what guests left in a shared folder to the user; how many files and folders those were.
// Blocking, with an event loop of its own.
[[nodiscard]] Result<quint64> takeOwnership(const QString& folder);

} // namespace vitrine::cli
