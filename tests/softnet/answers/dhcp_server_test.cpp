// SPDX-License-Identifier: Apache-2.0
#include "softnet/answers/dhcp_server.h"
#include "softnet/frames.h"

#include <gtest/gtest.h>

#include <map>

namespace vitrine::softnet {
namespace {

using frames::dhcp;
using frames::ip;
using frames::vm;

const Ipv4 guest = ip("10.0.2.15");
const Ipv4 gateway = ip("10.0.2.2");

Network network() {
    Network result;
    result.guestMac = vm;
    return result;
}

// An answer taken apart, with its lengths and sums checked on the way.
struct Answer {
    Mac destinationMac;
    Ipv4 destination;
    int type = 0;
    std::uint32_t transaction = 0;
    Ipv4 yours;
    Ipv4 client;
    std::map<int, frames::Frame> options;
};

std::optional<Answer> ask(const frames::Frame& question, DhcpServer::Terms terms = {}) {
    const DhcpServer server(network(), frames::other, terms);
    const auto frame = server.answer(question);
    if (!frame) {
        return std::nullopt;
    }
    const auto ethernet = EthernetFrame::parse(*frame).value();
    EXPECT_EQ(ethernet.source, frames::other);
    EXPECT_EQ(internetChecksum(ethernet.payload.first(20)), 0);
    const auto packet = Ipv4Packet::parse(ethernet.payload).value();
    EXPECT_EQ(packet.source, gateway);
    EXPECT_EQ(packet.payload.size() + 34, frame->size()) << "no trailing bytes";
    std::uint32_t pseudo = protocol::udp + static_cast<std::uint32_t>(packet.payload.size());
    for (const Ipv4 address : {packet.source, packet.destination}) {
        pseudo += (address.value >> 16) + (address.value & 0xffff);
    }
    EXPECT_EQ(internetChecksum(packet.payload, pseudo), 0);
    const auto datagram = UdpDatagram::parse(packet.payload).value();
    EXPECT_EQ(datagram.sourcePort, 67);
    EXPECT_EQ(datagram.destinationPort, 68);
    const Bytes message = datagram.payload;
    EXPECT_GE(message.size(), 300U);
    EXPECT_EQ(message[0], 2);
    EXPECT_EQ(macAt(message, 28), vm);
    Answer answer;
    answer.destinationMac = ethernet.destination;
    answer.destination = packet.destination;
    answer.transaction = be32(message, 4);
    answer.client = {be32(message, 12)};
    answer.yours = {be32(message, 16)};
    EXPECT_EQ(be32(message, 236), 0x63825363U);
    std::size_t at = 240;
    for (; message[at] != 255; at += 2U + message[at + 1]) {
        const Bytes value = message.subspan(at + 2, message[at + 1]);
        EXPECT_FALSE(answer.options.contains(message[at]));
        answer.options[message[at]].assign(value.begin(), value.end());
    }
    answer.type = answer.options.at(53).at(0);
    return answer;
}

frames::Frame bytes32(std::uint32_t value) {
    frames::Frame result;
    frames::put32(result, value);
    return result;
}
frames::Frame option32(std::uint8_t code, Ipv4 value) {
    frames::Frame result = {code, 4};
    frames::put32(result, value.value);
    return result;
}
frames::Frame both(frames::Frame left, const frames::Frame& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

TEST(DhcpServerTest, ADiscoveryIsOfferedTheReservedAddress) {
    const auto offer = ask(dhcp({}));
    ASSERT_TRUE(offer);
    EXPECT_EQ(offer->type, 2);
    EXPECT_EQ(offer->transaction, 0x12345678U);
    EXPECT_EQ(offer->yours, guest);
    EXPECT_EQ(offer->destination, guest);
    EXPECT_EQ(offer->destinationMac, vm);
    EXPECT_EQ(offer->options.at(54), bytes32(gateway.value));
    EXPECT_EQ(offer->options.at(51), bytes32(600));
    EXPECT_EQ(offer->options.at(1), bytes32(0xffffff00));
    EXPECT_EQ(offer->options.at(3), bytes32(gateway.value));
    EXPECT_EQ(offer->options.at(6), bytes32(ip("10.0.2.3").value));
    EXPECT_EQ(offer->options.at(26), (frames::Frame{0x05, 0xdc}));
    EXPECT_FALSE(offer->options.contains(61));
}

TEST(DhcpServerTest, TermsAreThoseGiven) {
    const auto offer = ask(dhcp({}), {86'400, 9000});
    EXPECT_EQ(offer->options.at(51), bytes32(86'400));
    EXPECT_EQ(offer->options.at(26), (frames::Frame{0x23, 0x28}));
}

TEST(DhcpServerTest, TheClientIdentifierComesBack) {
    const auto offer = ask(dhcp({.options = {61, 3, 1, 2, 3}}));
    EXPECT_EQ(offer->options.at(61), (frames::Frame{1, 2, 3}));
    frames::Frame longest = {61, 255};
    longest.resize(257, 9);
    EXPECT_EQ(ask(dhcp({.options = longest}))->options.at(61), frames::Frame(255, 9));
}

TEST(DhcpServerTest, AClientThatCannotHearUnicastGetsABroadcast) {
    const auto offer = ask(dhcp({.broadcastFlag = true}));
    EXPECT_EQ(offer->destination, Ipv4::broadcast());
    EXPECT_EQ(offer->destinationMac, Mac::broadcast());
}

TEST(DhcpServerTest, TheReservedAddressIsAcknowledged) {
    const auto selecting =
        ask(dhcp({.type = 3, .options = both(option32(50, guest), option32(54, gateway))}));
    ASSERT_TRUE(selecting);
    EXPECT_EQ(selecting->type, 5);
    EXPECT_EQ(selecting->yours, guest);
    EXPECT_TRUE(selecting->options.contains(51));
    EXPECT_EQ(ask(dhcp({.type = 3, .options = option32(50, guest)}))->type, 5) << "after a reboot";
    const auto renewing =
        ask(dhcp({.type = 3, .broadcastFlag = true, .client = guest}, guest, gateway));
    EXPECT_EQ(renewing->type, 5);
    EXPECT_EQ(renewing->destination, guest);
    EXPECT_EQ(renewing->client, guest);
}

TEST(DhcpServerTest, EveryOtherAddressIsRefusedByBroadcast) {
    const Ipv4 wrong = ip("10.0.2.200");
    for (const auto& question : {dhcp({.type = 3, .options = option32(50, wrong)}),
                                 dhcp({.type = 3, .client = wrong}, wrong),
                                 dhcp({.type = 3})}) {
        const auto refusal = ask(question);
        ASSERT_TRUE(refusal);
        EXPECT_EQ(refusal->type, 6);
        EXPECT_EQ(refusal->yours, Ipv4{});
        EXPECT_EQ(refusal->destination, Ipv4::broadcast());
        EXPECT_FALSE(refusal->options.contains(51));
    }
}

TEST(DhcpServerTest, AnInquiryGetsNoLease) {
    const auto answer = ask(dhcp({.type = 8, .client = guest}, guest));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->type, 5);
    EXPECT_EQ(answer->yours, Ipv4{});
    EXPECT_FALSE(answer->options.contains(51));
    EXPECT_TRUE(answer->options.contains(6));
}

TEST(DhcpServerTest, WhatNeedsNoAnswerGetsNone) {
    EXPECT_FALSE(ask(dhcp({.type = 4, .options = option32(50, guest)})));
    EXPECT_FALSE(ask(dhcp({.type = 7, .client = guest}, guest)));
    EXPECT_FALSE(ask(dhcp({.type = 3, .options = option32(54, ip("10.0.2.9"))})))
        << "it chose another server";
    EXPECT_FALSE(ask(dhcp({.mac = frames::other})));
    EXPECT_FALSE(ask(frames::udp(guest, 68, Ipv4::broadcast(), 67)));
    EXPECT_FALSE(ask({}));
}

TEST(DhcpServerTest, MalformedMessagesGetNoAnswer) {
    EXPECT_FALSE(ask(dhcp({.op = 2})));
    EXPECT_FALSE(ask(dhcp({.type = 5})));
    EXPECT_FALSE(ask(dhcp({.type = 99})));
    EXPECT_FALSE(ask(dhcp({.options = {50, 3, 1, 2, 3}})));
    EXPECT_FALSE(ask(dhcp({.options = {61, 200}}))) << "runs over the end";
    const auto change = [](std::size_t at, std::uint8_t to) {
        frames::Frame frame = dhcp({});
        frame.at(14 + 20 + 8 + at) = to;
        return frame;
    };
    EXPECT_FALSE(ask(change(1, 6))) << "not Ethernet";
    EXPECT_FALSE(ask(change(2, 16)));
    EXPECT_FALSE(ask(change(24, 1))) << "through a relay";
    EXPECT_FALSE(ask(change(236, 0))) << "no cookie";
    EXPECT_FALSE(ask(change(241, 2))) << "a type of two bytes";
    for (std::size_t length = 0; length < 300; ++length) { // cut, with lengths that agree
        const auto message = frames::dhcpMessage({});
        const Bytes part(message.data(), std::min(length, message.size()));
        const auto frame =
            frames::ipv4({{}, Ipv4::broadcast(), 17}, frames::udpPayload(68, 67, part));
        EXPECT_EQ(ask(frame).has_value(), length >= 243);
    }
}

} // namespace
} // namespace vitrine::softnet
