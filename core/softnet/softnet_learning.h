// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/softnet/softnet_values.h"

namespace vitrine {

// The tightest rules under which everything goes on that the guest was seen to open: one address
// and port each, and the rest of what it may open blocked. What comes in is left alone. An address
// of which the guest used more than eight ports is allowed whole. What was blocked although
// everything passed is left out, and of this computer, on
// whichever of its addresses, nothing is opened but looking up names.
[[nodiscard]] SoftnetPolicy proposeRules(const QList<SoftnetDestination>& seen);

} // namespace vitrine
