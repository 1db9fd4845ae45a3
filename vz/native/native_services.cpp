// SPDX-License-Identifier: Apache-2.0
#include "vz/native/native_services.h"

#include "vz/host/guest_services.h"
#include "vz/shell/shell.h"

namespace vitrine::vz {

Services nativeServices() {
    Services services;
    services.probe = makeHostProbe();
    services.machines = makeMachineFactory();
    services.restoreImages = makeRestoreImages();
    services.macFiles = makeMacFiles();
    services.makeInstaller = makeInstaller;
    services.rosetta = makeRosetta();
    services.openServices = [](const OpenedMachine& machine) {
        return std::make_unique<GuestServices>(machine);
    };
    return services;
}

} // namespace vitrine::vz
