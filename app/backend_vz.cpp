// SPDX-License-Identifier: Apache-2.0
#include "app/backend.h"
#include "vz/host/vz_hypervisor.h"
#include "vz/host/vz_machine_host.h"
#include "vz/host/vz_screens.h"
#include "vz/native/native_services.h"
#include "vz/view/hosted_surface.h"

namespace vitrine::app {

Backend makeBackend() {
    Backend backend;
    backend.hypervisor = vz::makeHypervisor(vz::nativeServices());
    backend.machineHost = backend.hypervisor->makeMachineHost();
    if (auto* const host = qobject_cast<vz::VzMachineHost*>(backend.machineHost.get())) {
        const auto screens = std::make_shared<vz::VzScreens>(host);
        backend.openHostedSurface = [screens](const QString& machine) {
            return vz::makeHostedSurface(screens.get(), machine, vz::makeViewHost());
        };
    }
    return backend;
}

} // namespace vitrine::app
