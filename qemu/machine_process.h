// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"

namespace vitrine::qemu {

// The machine's process of contract 1: takes the locks, starts QEMU, answers on vitrine.sock and
// returns when QEMU is gone and everything is released. Main thread, with a QCoreApplication.
//
// Signals: SIGINT, SIGTERM and SIGHUP shut the guest down, and force it off when it has not ended
// after request.forceOffAfterSeconds (0: never); a second SIGINT forces it off at once. SIGUSR2
// shuts down without a time limit. SIGUSR1 (suspend) is refused with a message.
//
// Returns 0 when the guest shut down or was forced off on request, 2 when there is no such machine
// or it runs already, 1 when it could not start, crashed or was ended from outside. The sentence is
// on stderr and among the events.
[[nodiscard]] int runMachine(const Hypervisor::RunRequest& request);

} // namespace vitrine::qemu
