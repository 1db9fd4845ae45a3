// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"
#include "qemu/launch_plan.h"

namespace vitrine::qemu {

// Root disk, extra disks and boot order of a plan whose guest and kernel are known. Looks at files
// and devices, changes nothing. What a kind of disk cannot do is refused with the reason
// (docs/disks.md has the table), never dropped.
Result<> planDisks(const MachineInfo& machine, const RunOptions& options, LaunchPlan& plan);

} // namespace vitrine::qemu
