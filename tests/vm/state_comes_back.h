// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "running_guest.h"

namespace vitrine::test {

// For a guest that was booted by firmware and is ready: suspends it, lets it go on, goes back to a
// snapshot with memory, and then to the same one without. Programs go on, files and the variables
// of the firmware come back. At the end it runs, freshly booted. Expectations are GoogleTest's.
void expectStateComesBack(RunningGuest& guest);

} // namespace vitrine::test
