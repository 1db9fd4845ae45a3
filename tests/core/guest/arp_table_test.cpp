// SPDX-License-Identifier: Apache-2.0
#include "core/guest/arp_table.h"

#include <gtest/gtest.h>

using namespace vitrine;

namespace {

QString find(const char* mac, const QByteArray& table) {
    return addressFromArpTable(table, *MacAddress::fromText(QString::fromLatin1(mac)));
}

const QByteArray table =
    "IP address       HW type     Flags       HW address            Mask     Device\n"
    "192.168.64.9     0x1         0x0         00:00:00:00:00:00     *        br0\n"
    "nonsense\n"
    "192.168.64.8     0x1         0x0         5a:94:ef:00:00:01     *        br0\n"
    "300.1.1.1        0x1         0x2         5a:94:ef:00:00:02     *        br0\n"
    "192.168.64.7     0x1         0x2         5A:94:EF:00:00:02     *        br0\n"
    "192.168.64.6     0x1         0x2         5a:94:ef:00:00:02     *        br0\n";

} // namespace

TEST(ArpTable, TellsTheFirstCompleteEntryOfTheMachine) {
    EXPECT_EQ(find("5a:94:ef:00:00:02", table), QStringLiteral("192.168.64.7"));
}

TEST(ArpTable, PassesOverIncompleteEntriesAndOtherMachines) {
    EXPECT_EQ(find("5a:94:ef:00:00:01", table), QString());
    EXPECT_EQ(find("5a:94:ef:00:00:03", table), QString());
    EXPECT_EQ(find("5a:94:ef:00:00:02", {}), QString());
}
