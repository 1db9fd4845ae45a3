// SPDX-License-Identifier: Apache-2.0
#include "core/library/machine_info.h"

namespace vitrine {

QString toText(MachineState state) {
    switch (state) {
    case MachineState::Stopped:
        return Tr::tr("Stopped");
    case MachineState::Starting:
        return Tr::tr("Starting");
    case MachineState::Running:
        return Tr::tr("Running");
    case MachineState::Paused:
        return Tr::tr("Paused");
    case MachineState::ShuttingDown:
        return Tr::tr("Shutting down");
    case MachineState::Suspending:
        return Tr::tr("Suspending");
    case MachineState::Suspended:
        return Tr::tr("Suspended");
    case MachineState::RunningElsewhere:
        return Tr::tr("Running elsewhere");
    case MachineState::Broken:
        return Tr::tr("Broken");
    }
    return {};
}

QString toTartText(MachineState state) {
    switch (state) {
    case MachineState::Stopped:
        return QStringLiteral("stopped");
    case MachineState::Suspended:
        return QStringLiteral("suspended");
    case MachineState::Broken:
        return QStringLiteral("broken");
    case MachineState::Starting:
    case MachineState::Running:
    case MachineState::Paused:
    case MachineState::ShuttingDown:
    case MachineState::Suspending:
    case MachineState::RunningElsewhere:
        break;
    }
    return QStringLiteral("running");
}

} // namespace vitrine
