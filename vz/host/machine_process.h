// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "vz/host/services.h"

namespace vitrine::vz {

// The machine's process of contract 1, without a window: takes the locks, runs the machine, answers
// on vitrine.sock and returns when everything is released. Main thread, with a QCoreApplication
// that serves the main dispatch queue.
//
// Signals: SIGINT, SIGTERM and SIGHUP shut the guest down, and force it off when it has not ended
// after request.forceOffAfterSeconds (0: never); a second SIGINT forces it off at once. SIGUSR2
// shuts down without a time limit. SIGUSR1 suspends, or says why it cannot.
//
// Returns 0 when the guest shut down, was suspended or was forced off on request, 2 when there is
// no such machine or it runs already, 1 when it could not start or crashed. The sentence is on
// stderr and among the events.
[[nodiscard]] int runMachine(const Services& services, const Hypervisor::RunRequest& request);

} // namespace vitrine::vz
