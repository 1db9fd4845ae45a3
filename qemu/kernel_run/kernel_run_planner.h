// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "qemu/host_info.h"
#include "qemu/kernel_run/kernel_run_plan.h"
#include "qemu/kernel_run/kernel_run_request.h"

namespace vitrine::qemu {

// Decides everything of a kernel run: reads files, asks programs for their version, writes nothing.
// `caller` is the folder that the command starts in where the guest has it too. Every refusal is a
// sentence with the reason and a remedy. Blocking for some milliseconds; any thread.
[[nodiscard]] Result<KernelRunPlan> planKernelRun(const KernelRunRequest& request,
                                                  const QString& caller,
                                                  const ProgramPaths& paths = {},
                                                  const HostInfo& host = HostInfo::read());

} // namespace vitrine::qemu
