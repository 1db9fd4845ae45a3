// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/value/mac_address.h"

namespace vitrine {

// Address of a machine's card by its number: the first has the machine's own, the others ones that
// follow from it, locally administered and the same at each start (M9: Tart gives all the same).
[[nodiscard]] MacAddress cardAddress(const MacAddress& first, int card);

} // namespace vitrine
