// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"

#include <QList>
#include <QStringList>

namespace vitrine::vz {

// Names of the macOS machines among them that run, by whichever program, sorted; without `except`.
// The framework lets only so many run and tells of none by name.
[[nodiscard]] QStringList runningMacMachines(const QList<MachineInfo>& machines,
                                             const QString& except);

// The running ones among them that are the same Mac as `machine` to macOS: of the same machine
// identifier, as clones that Tart makes are.
[[nodiscard]] QStringList machinesOfSameIdentifier(const QList<MachineInfo>& machines,
                                                   const MachineInfo& machine);

} // namespace vitrine::vz
