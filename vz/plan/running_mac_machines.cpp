// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/running_mac_machines.h"

namespace vitrine::vz {

namespace {

bool isUp(const MachineInfo& machine) {
    switch (machine.state) {
    case MachineState::Stopped:
    case MachineState::Suspended:
    case MachineState::Broken:
        return false;
    default:
        return true;
    }
}

} // namespace

QStringList runningMacMachines(const QList<MachineInfo>& machines, const QString& except) {
    QStringList names;
    for (const MachineInfo& machine : machines)
        if (machine.name != except && !machine.isImage && isUp(machine) && machine.config &&
            machine.config->system == GuestSystem::Darwin)
            names << machine.name;
    names.sort();
    return names;
}

QStringList machinesOfSameIdentifier(const QList<MachineInfo>& machines,
                                     const MachineInfo& machine) {
    const QStringList running = runningMacMachines(machines, machine.name);
    QStringList names;
    for (const MachineInfo& other : machines)
        if (machine.config && !other.isImage && running.contains(other.name) &&
            other.config->ecid == machine.config->ecid)
            names << other.name;
    names.sort();
    return names;
}

} // namespace vitrine::vz
