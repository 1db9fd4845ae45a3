// SPDX-License-Identifier: Apache-2.0
#include "cli/backend.h"

#include "qemu/launch_planner.h"
#include "qemu/qemu_hypervisor.h"
#include "qemu/sharing/take_ownership.h"

namespace vitrine::cli {

std::unique_ptr<Hypervisor> makeHypervisor() {
    return qemu::makeHypervisor();
}

bool suspendsOnlyOnWish() {
    return false;
}

bool screensStayInTheirProcess() {
    return false;
}

Result<QString> checkHardwareToStore(const MachineInfo& machine) {
    return qemu::checkHardwareToStore(machine);
}

Result<> checkOptionsToStore(const MachineInfo& machine, const RunOptions& options) {
    return qemu::checkOptionsToStore(machine, options);
}

Result<quint64> takeOwnership(const QString& folder) {
    return qemu::takeOwnership(folder);
}

} // namespace vitrine::cli
