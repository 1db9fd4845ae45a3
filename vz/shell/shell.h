// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/plan/host_services.h"
#include "vz/plan/machine.h"

#include <memory>

// What the portable part is given on a Mac: its seams over Apple's frameworks. Free of their types.
namespace vitrine::vz {

[[nodiscard]] std::unique_ptr<HostProbe> makeHostProbe();
[[nodiscard]] std::unique_ptr<MachineFactory> makeMachineFactory();
[[nodiscard]] std::unique_ptr<RestoreImages> makeRestoreImages();
[[nodiscard]] std::unique_ptr<MacFiles> makeMacFiles();
[[nodiscard]] std::unique_ptr<Installer> makeInstaller();
[[nodiscard]] std::unique_ptr<Rosetta> makeRosetta();

// VZVirtualMachine of a machine that makeMachineFactory() made, not retained: for a view.
[[nodiscard]] void* nativeMachine(const Machine& machine);

} // namespace vitrine::vz
