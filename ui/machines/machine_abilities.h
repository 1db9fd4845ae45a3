// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "core/hypervisor/machine_client.h"

#include <QString>

namespace vitrine::ui {

// Whether a verb can be used now, and if not why; the reason is a translated sentence.
struct Ability {
    bool possible = false;
    QString reason; // empty when possible
    explicit operator bool() const { return possible; }
};

// Verbs of one machine or image. Everything is decided here, so that tool bar, menus, context menu
// and pages agree.
struct MachineAbilities {
    Ability start;
    Ability startRecovery; // of a macOS guest
    Ability pause;
    Ability resume;
    Ability suspend;
    Ability discardState; // of a suspended machine
    Ability shutDown;
    Ability forceOff;
    Ability clone;
    Ability rename;
    Ability remove;
    Ability openTerminal;
    Ability console;
    Ability settings;
};

// `status` is null when the machine's process is not connected; `host` is null while it is being
// found out.
[[nodiscard]] MachineAbilities
abilitiesOf(const MachineInfo& info, const MachineStatus* status, const HypervisorInfo* host);

} // namespace vitrine::ui
