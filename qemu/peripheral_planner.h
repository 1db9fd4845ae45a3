// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"
#include "core/result/result.h"
#include "qemu/host_info.h"
#include "qemu/launch_plan.h"

namespace vitrine::qemu {

// Sound card, serial line and VNC server. The emulator of the plan is known.
Result<> planPeripherals(const RunOptions& options, const ProgramPaths& paths, LaunchPlan& plan);

// What carries a guest's sound here: "pa", or "none" with the reason why nobody hears it. May run
// the emulator for a moment.
struct AudioChoice {
    QString backend;
    QString reason; // translated; empty when it is heard
};
[[nodiscard]] AudioChoice chooseAudio(const ProgramPaths& paths, const QString& emulator);

} // namespace vitrine::qemu
