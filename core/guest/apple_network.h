// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/value/mac_address.h"

#include <QByteArray>
#include <QString>

namespace vitrine {

// What macOS tells of its neighbours, as text. It writes MAC addresses without leading zeros
// ("5e:1:a:b:c:d"). Lines of another form are passed over; empty when there is no address.

// From the output of `arp -an`: "? (192.168.64.2) at 5e:1:a:b:c:d on bridge100 ifscope [bridge]".
// Incomplete entries have no address of a card.
[[nodiscard]] QString addressFromArpOutput(const QByteArray& output, const MacAddress& mac);

// From the text of /var/db/dhcpd_leases (bootpd(8)): entries in braces, a line for each of
// ip_address, hw_address ("1,5e:1:a:b:c:d") and lease (hexadecimal, seconds since 1970, its end).
// Of several entries for one card that with the latest end, and of those the last; entries that
// ended before `now` (seconds since 1970) do not count. A client that asked with a DUID
// ("ff,f1:f5:…") has no card in its entry and is not found: ARP knows it.
[[nodiscard]] QString
addressFromDhcpLeases(const QByteArray& text, const MacAddress& mac, qint64 now);

// The same of this computer's file as it is now; empty where there is none. Any thread but the
// window's.
[[nodiscard]] QString
addressFromLeases(const MacAddress& mac,
                  const QString& file = QStringLiteral("/var/db/dhcpd_leases"));

} // namespace vitrine
