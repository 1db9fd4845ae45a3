// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/guest_shell.h"

#include <functional>

namespace vitrine::bench {

struct GuestDoor {
    MachineClient* client = nullptr; // must outlive the shell
    QString machineDirectory;
    QString folder;             // for a small program, which is removed with the folder
    std::function<bool()> isUp; // false: the machine has ended
    int patience = 10 * 60'000; // ms that a guest has to start
    int agentPatience = 30'000; // ms of silence until ssh is tried too
};

// The first way that opens: the guest agent, else ssh with a key of this user's, else with the
// password of Tart's images (admin). Runs the event loop meanwhile. Timeout when none does.
[[nodiscard]] Result<std::unique_ptr<GuestShell>> reachGuest(const GuestDoor& door,
                                                             const std::stop_token& stop);

} // namespace vitrine::bench
