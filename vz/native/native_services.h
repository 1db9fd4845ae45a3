// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/host/services.h"

namespace vitrine::vz {

// Apple's frameworks, for makeHypervisor().
[[nodiscard]] Services nativeServices();

} // namespace vitrine::vz
