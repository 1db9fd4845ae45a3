// SPDX-License-Identifier: Apache-2.0
#include "core/guest/apple_network.h"

#include <QTemporaryFile>

#include <gtest/gtest.h>

using namespace vitrine;

namespace {

MacAddress card(const char* text) {
    return *MacAddress::fromText(QString::fromLatin1(text));
}

const QByteArray output = "? (192.168.64.9) at (incomplete) on bridge100 ifscope [ethernet]\n"
                          "? (192.168.64.3) at 5e:1:a:b:c:d on bridge100 ifscope [bridge]\n"
                          "router.local (192.168.64.1) at a2:78:17:3:9a:64 on bridge100 [bridge]\n"
                          "? (999.1.1.1) at 5e:1:a:b:c:e on bridge100 [bridge]\n"
                          "at at at at\n";

const QByteArray leases = "{\n"
                          "\tname=old\n"
                          "\tip_address=192.168.64.4\n"
                          "\thw_address=1,5e:1:a:b:c:d\n"
                          "\tidentifier=1,5e:1:a:b:c:d\n"
                          "\tlease=0x65000000\n"
                          "}\n"
                          "{\n"
                          "\tname=new\n"
                          "\tip_address=192.168.64.5\n"
                          "\thw_address=1,5e:1:a:b:c:d\n"
                          "\tlease=0x66000000\n"
                          "}\n"
                          "{\n"
                          "\tip_address=192.168.64.6\n"
                          "\thw_address=1,5e:1:a:b:c:d\n"
                          "\tlease=0x64000000\n"
                          "}\n"
                          "{\n"
                          "\tip_address=192.168.64.7\n"
                          "\thw_address=ff,f1:f5:dd:7f:0:2:0:1:2f:aa\n"
                          "\tlease=0x66000000\n"
                          "}\n"
                          "{\n"
                          "\tip_address=192.168.64.8\n"
                          "\thw_address=1,aa:bb:cc:dd:ee:ff\n"; // cut off

constexpr qint64 earlier = 0x63000000; // seconds since 1970
constexpr qint64 later = 0x65800000;

// One entry that ends at 0x70000000.
QByteArray lease(const QByteArray& address, const QByteArray& client) {
    return "{\n\n\tname=\n  ip_address=" + address + "\n\thw_address=" + client +
           "\n\tlease=0x70000000\n}\n";
}

} // namespace

TEST(AppleNetwork, ArpTellsTheAddressOfACardWrittenWithoutZeros) {
    EXPECT_EQ(addressFromArpOutput(output, card("5e:01:0a:0b:0c:0d")),
              QStringLiteral("192.168.64.3"));
    EXPECT_EQ(addressFromArpOutput(output, card("a2:78:17:03:9a:64")),
              QStringLiteral("192.168.64.1"));
}

TEST(AppleNetwork, ArpPassesOverWhatIsNoAddressAndOtherCards) {
    EXPECT_EQ(addressFromArpOutput(output, card("5e:01:0a:0b:0c:0e")), QString());
    EXPECT_EQ(addressFromArpOutput(output, card("5e:01:0a:0b:0c:0f")), QString());
    EXPECT_EQ(addressFromArpOutput({}, card("5e:01:0a:0b:0c:0d")), QString());
}

TEST(AppleNetwork, OfSeveralLeasesTheOneThatEndsLastCounts) {
    EXPECT_EQ(addressFromDhcpLeases(leases, card("5e:01:0a:0b:0c:0d"), earlier),
              QStringLiteral("192.168.64.5"));
    EXPECT_EQ(addressFromDhcpLeases(lease("10.0.0.1", "1,5e:1:a:b:c:d") +
                                        lease("10.0.0.2", "1,5e:1:a:b:c:d"),
                                    card("5e:01:0a:0b:0c:0d"),
                                    later),
              QStringLiteral("10.0.0.2"));
}

TEST(AppleNetwork, LeasesThatHaveEndedDoNotCount) {
    EXPECT_EQ(addressFromDhcpLeases(leases, card("5e:01:0a:0b:0c:0d"), later),
              QStringLiteral("192.168.64.5"));
    EXPECT_EQ(addressFromDhcpLeases(leases, card("5e:01:0a:0b:0c:0d"), 0x66000000), QString());
}

TEST(AppleNetwork, ALeaseEndsAtAHexadecimalNumberWithOrWithoutItsMark) {
    QByteArray text = lease("10.0.0.1", "1,5e:1:a:b:c:d");
    text.replace("0x70000000", "6565da9e");
    const MacAddress ours = card("5e:01:0a:0b:0c:0d");
    EXPECT_EQ(addressFromDhcpLeases(text, ours, 0x6565da9d), QStringLiteral("10.0.0.1"));
    EXPECT_EQ(addressFromDhcpLeases(text, ours, 0x6565da9e), QString());
}

TEST(AppleNetwork, LeasesAreThoseOfTheFileWhereThereIsOne) {
    QTemporaryFile file;
    ASSERT_TRUE(file.open());
    file.write(lease("10.0.0.1", "1,5e:1:a:b:c:d").replace("0x70000000", "0x7fffffffff"));
    file.close();
    const MacAddress ours = card("5e:01:0a:0b:0c:0d");
    EXPECT_EQ(addressFromLeases(ours, file.fileName()), QStringLiteral("10.0.0.1"));
    EXPECT_EQ(addressFromLeases(ours, file.fileName() + QLatin1String(".none")), QString());
}

TEST(AppleNetwork, OnlyCardsOfEthernetCount) {
    const MacAddress ours = card("5e:01:0a:0b:0c:0d");
    EXPECT_EQ(addressFromDhcpLeases(lease("10.0.0.1", "ff,5e:1:a:b:c:d"), ours, later),
              QStringLiteral("10.0.0.1"));
    for (const char* other : {"7,5e:1:a:b:c:d",
                              "5e:1:a:b:c:d",
                              ",5e:1:a:b:c:d",
                              "1,5e:1:a:b:c",
                              "1,5e:1:a:b:c:d:e",
                              "1,zz:1:a:b:c:d",
                              "ff,f1:f5:5e:1:a:b:c:d",
                              "1,"})
        EXPECT_EQ(addressFromDhcpLeases(lease("10.0.0.1", other), ours, later), QString()) << other;
}

TEST(AppleNetwork, LeasesThatAreCutOffOrOfAnotherKindAreNone) {
    EXPECT_EQ(addressFromDhcpLeases(leases, card("aa:bb:cc:dd:ee:ff"), earlier), QString());
    EXPECT_EQ(addressFromDhcpLeases(leases, card("f1:f5:dd:7f:00:02"), earlier), QString());
    EXPECT_EQ(addressFromDhcpLeases("}\n=\n{", card("aa:bb:cc:dd:ee:ff"), earlier), QString());
}
