// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/plan/host_caps.h"

#import <Virtualization/Virtualization.h>

namespace vitrine::vz {

[[nodiscard]] RosettaState rosettaState(); // any thread

} // namespace vitrine::vz
