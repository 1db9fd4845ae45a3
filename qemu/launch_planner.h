// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/library/saved_state.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"
#include "qemu/accelerator_probe.h"
#include "qemu/host_info.h"
#include "qemu/launch_plan.h"

namespace vitrine::qemu {

// Decides everything QEMU is told: emulator, accelerator, processor model, firmware, disks. Reads
// files, writes nothing. Every refusal is a sentence with the reason and a remedy. The state of the
// machine's lock is the caller's business.
[[nodiscard]] Result<LaunchPlan> checkLaunch(const MachineInfo& machine,
                                             const RunOptions& options,
                                             const ProgramPaths& paths = {},
                                             const HostInfo& host = HostInfo::read());

// Parts of that for `set`, which stores for later runs and other computers. Of the hardware:
// refuses what no computer can run; the sentence why this one cannot, else an empty one.
[[nodiscard]] Result<QString> checkHardwareToStore(const MachineInfo& machine,
                                                   const HostInfo& host = HostInfo::read());
// Of the options: files, devices, bridges. A disk that is in use now is none of their faults.
[[nodiscard]] Result<> checkOptionsToStore(const MachineInfo& machine,
                                           const RunOptions& options,
                                           const ProgramPaths& paths = {});

// As checkLaunch() and makes the private copy of the firmware's variables. Only for the holder of
// the machine's lock.
[[nodiscard]] Result<LaunchPlan> planLaunch(const MachineInfo& machine,
                                            const RunOptions& options,
                                            const ProgramPaths& paths = {},
                                            const HostInfo& host = HostInfo::read());

// For a machine that was suspended: it goes on with the accelerator and the NAT of `saved`,
// whatever would be chosen now, and the plan's notes say why it has them.
[[nodiscard]] Result<LaunchPlan> planToGoOn(const MachineInfo& machine,
                                            const RunOptions& options,
                                            const StateFingerprint& saved,
                                            const ProgramPaths& paths = {},
                                            const HostInfo& host = HostInfo::read());

} // namespace vitrine::qemu
