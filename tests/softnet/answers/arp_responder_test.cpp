// SPDX-License-Identifier: Apache-2.0
#include "softnet/answers/arp_responder.h"
#include "softnet/frames.h"

#include <gtest/gtest.h>

namespace vitrine::softnet {
namespace {

using frames::arp;
using frames::ip;
using frames::vm;

const Ipv4 guest = ip("10.0.2.15");

Network network() {
    Network result;
    result.guestMac = vm;
    return result;
}

TEST(ArpResponderTest, TheGuestLearnsWhereGatewayAndDnsAre) {
    for (const auto& [text, mac] :
         {std::pair{"10.0.2.2", "52:55:0a:00:02:02"}, std::pair{"10.0.2.3", "52:55:0a:00:02:03"}}) {
        for (const Ipv4 sender : {guest, Ipv4{}}) {
            const auto answer =
                answerGuestArp(network(), arp({.sender = sender, .target = ip(text)}));
            ASSERT_TRUE(answer);
            EXPECT_EQ(answer->size(), 60U);
            const auto ethernet = EthernetFrame::parse(*answer).value();
            EXPECT_EQ(ethernet.destination, vm);
            EXPECT_EQ(ethernet.source.text(), mac);
            const auto packet = ArpPacket::parse(ethernet.payload).value();
            EXPECT_TRUE(packet.isEthernetIpv4());
            EXPECT_EQ(packet.operation, 2);
            EXPECT_EQ(macAt(packet.senderHardware, 0).text(), mac);
            EXPECT_EQ(be32(packet.senderProtocol, 0), ip(text).value);
            EXPECT_EQ(macAt(packet.targetHardware, 0), vm);
            EXPECT_EQ(be32(packet.targetProtocol, 0), sender.value);
        }
    }
}

TEST(ArpResponderTest, TheGuestGetsNoOtherAnswer) {
    for (const auto text : {"10.0.2.15", "10.0.2.1", "8.8.8.8", "255.255.255.255"}) {
        EXPECT_FALSE(answerGuestArp(network(), arp({.sender = guest, .target = ip(text)}))) << text;
    }
    EXPECT_FALSE(answerGuestArp(network(), arp({.operation = 2, .target = ip("10.0.2.2")})));
    EXPECT_FALSE(
        answerGuestArp(network(), arp({.senderMac = frames::other, .target = ip("10.0.2.2")})));
    EXPECT_FALSE(answerGuestArp(network(), frames::arpWithAddressLength(3)));
    EXPECT_FALSE(answerGuestArp(network(), {}));
}

TEST(ArpResponderTest, TheHostIsToldWhereTheGuestIsBeforeItAsks) {
    const Frame frame = announceGuest(network());
    const auto packet = ArpPacket::parse(EthernetFrame::parse(frame)->payload).value();
    EXPECT_TRUE(packet.isEthernetIpv4());
    EXPECT_EQ(packet.operation, 2);
    EXPECT_EQ(macAt(packet.senderHardware, 0), vm);
    EXPECT_EQ(be32(packet.senderProtocol, 0), guest.value);
}

TEST(ArpResponderTest, TheHostLearnsTheGuestsReservedAddressOnly) {
    const auto ask = [](Ipv4 target) {
        return answerHostArp(
            network(),
            arp({.senderMac = frames::other, .sender = ip("10.0.2.2"), .target = target}));
    };
    const auto answer = ask(guest);
    ASSERT_TRUE(answer);
    const auto packet = ArpPacket::parse(EthernetFrame::parse(*answer)->payload).value();
    EXPECT_EQ(macAt(packet.senderHardware, 0), vm);
    EXPECT_EQ(be32(packet.senderProtocol, 0), guest.value);
    EXPECT_FALSE(ask(ip("10.0.2.16")));
}

} // namespace
} // namespace vitrine::softnet
