// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace vitrine::qemu {

// Called with the name of each step of suspending, resuming and taking a snapshot as it is
// reached, in this order:
//   suspend: asked, checked, stopped, descriptor sent, saving, saved, synced, fingerprint written,
//            state in place, quit sent, ended, fingerprint renewed
//   resume:  found, opened, started, loaded, used, used synced, going on, state deleted,
//            fingerprint deleted
// For tests that kill the process half-way. Any thread calls it; set it before the machine starts.
void setStepObserver(std::function<void(const char* step)> observer);
void stepReached(const char* step);

} // namespace vitrine::qemu
