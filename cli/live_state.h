// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"

#include <QList>

namespace vitrine::cli {

// Asks the processes of the running machines, all at once, what the locks do not tell: one that is
// paused becomes Paused, with the reason (or nothing) in `brokenReason`. A process that does not
// answer soon leaves its machine as it was.
void addLiveStates(const Library& library, QList<MachineInfo>& machines);
void addLiveState(const Library& library, MachineInfo& machine);

// "\"web\" is paused. …", for people.
[[nodiscard]] QString pausedText(const MachineInfo& machine);

} // namespace vitrine::cli
