// SPDX-License-Identifier: Apache-2.0
#include "app/backend.h"
#include "vz/host/vz_hypervisor.h"
#include "vz/plan/hosted_screens.h"
#include "vz/view/hosted_surface.h"

namespace vitrine::app {

Backend makeBackend() {
    Backend backend;
    backend.hypervisor = vz::makeHypervisor();
    backend.machineHost = backend.hypervisor->makeMachineHost();
    if (vz::HostedScreens* const screens = vz::hostedScreens(backend.machineHost.get()))
        backend.openHostedSurface = [screens](const QString& machine) {
            return vz::makeHostedSurface(screens, machine, vz::makeViewHost());
        };
    return backend;
}

} // namespace vitrine::app
