// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "qemu/host_info.h"
#include "qemu/launch_plan.h"

namespace vitrine::qemu {

// Why a guest cannot run virtual machines of its own here: its kind, the accelerator, the
// processor, or the parameter of the kernel's module. Empty when it can. Reads /proc and /sys.
[[nodiscard]] QString whyNotNested(Architecture guest,
                                   Accelerator accelerator,
                                   const ProgramPaths& paths,
                                   const HostInfo& host);

} // namespace vitrine::qemu
