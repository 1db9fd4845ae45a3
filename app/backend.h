// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/machine_host.h"
#include "ui/console/console_surface.h"

#include <functional>
#include <memory>

namespace vitrine::app {

// The one backend of this system and what of it only the window needs. All of it outlives every
// surface that was opened.
struct Backend {
    std::unique_ptr<Hypervisor> hypervisor;
    std::unique_ptr<MachineHost> machineHost; // null: machines have processes of their own
    // Goes before the host.
    std::function<std::unique_ptr<ui::ConsoleSurface>(const QString& machine)> openHostedSurface;
};

// On the window's thread, after the application was made. Implemented once for each system.
[[nodiscard]] Backend makeBackend();

} // namespace vitrine::app
