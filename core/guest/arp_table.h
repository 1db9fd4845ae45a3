// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/value/mac_address.h"

#include <QByteArray>
#include <QString>

namespace vitrine {

// The address a neighbour on this computer's networks has, from the text of /proc/net/arp: columns
// "IP address, HW type, flags, HW address, mask, device". Incomplete entries and lines of another
// form are passed over (M4); empty when there is none.
[[nodiscard]] QString addressFromArpTable(const QByteArray& table, const MacAddress& mac);
// The same of this computer's table as it is now: of that file or, on macOS, of `arp -an`. Waits
// two seconds at most. Any thread but the window's.
[[nodiscard]] QString addressFromArp(const MacAddress& mac);

} // namespace vitrine
