// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/display.h"

#include <memory>

namespace vitrine::vz {

// In place of a screen that can only be shown by the process that runs the machine: says so when it
// is to be connected, and stays disconnected.
[[nodiscard]] std::unique_ptr<Display> makeNoDisplay();

} // namespace vitrine::vz
