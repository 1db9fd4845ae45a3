// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"
#include "qemu/host_info.h"
#include "qemu/launch_plan.h"

#include <vector>

namespace vitrine::qemu {

// How the machine is attached. What vitrine-softnet or a bridge lacks here is refused with the
// reason: NAT of QEMU's own would open this computer's loopback to the guest.
Result<> planNetwork(const RunOptions& options, const ProgramPaths& paths, LaunchPlan& plan);

// What a host lacks for bridged machines, with the remedy; empty when it lacks nothing. Bridges are
// made by the administrator: QEMU's helper, which has to be set-uid, lets users in on those that
// bridge.conf allows.
[[nodiscard]] QString whyNotBridged(const ProgramPaths& paths);
// The same for one bridge of this computer: also whether bridge.conf allows it, as far as it may be
// read.
[[nodiscard]] QString whyNotBridge(const ProgramPaths& paths, const QString& bridge);
// Bridges of this computer, sorted.
[[nodiscard]] QStringList bridges(const ProgramPaths& paths);

// Runs the helper for each bridged card and puts the descriptors into the plan. They are closed
// with the returned values; QEMU has to inherit them. At most 5 s for each card.
[[nodiscard]] Result<std::vector<FileDescriptor>> openTaps(const ProgramPaths& paths,
                                                           LaunchPlan& plan);

} // namespace vitrine::qemu
