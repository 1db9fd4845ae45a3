// SPDX-License-Identifier: Apache-2.0
#include "cli/backend_rules.h"

#include "qemu/launch_planner.h"
#include "qemu/sharing/take_ownership.h"

namespace vitrine::cli {

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
