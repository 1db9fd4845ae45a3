// SPDX-License-Identifier: Apache-2.0
#include "softnet/answers/arp_responder.h"

namespace vitrine::softnet {

namespace {

std::optional<ArpPacket> request(Bytes frame) {
    const auto ethernet = EthernetFrame::parse(frame);
    if (!ethernet || ethernet->type != ethertype::arp) {
        return std::nullopt;
    }
    const auto arp = ArpPacket::parse(ethernet->payload);
    if (!arp || !arp->isEthernetIpv4() || arp->operation != ArpPacket::request) {
        return std::nullopt;
    }
    return arp;
}

// From `mac`, which has `address`, to the one with the other two.
Frame reply(Mac mac, Ipv4 address, Mac toMac, Ipv4 to) {
    Frame frame;
    append(frame, toMac.bytes);
    append(frame, mac.bytes);
    append16(frame, ethertype::arp);
    append16(frame, 1);
    append16(frame, ethertype::ipv4);
    frame.push_back(6);
    frame.push_back(4);
    append16(frame, ArpPacket::reply);
    append(frame, mac.bytes);
    append32(frame, address.value);
    append(frame, toMac.bytes);
    append32(frame, to.value);
    frame.resize(60); // Ethernet's smallest, without the check sum
    return frame;
}

Frame reply(const ArpPacket& to, Mac mac, Ipv4 address) {
    return reply(mac, address, macAt(to.senderHardware, 0), Ipv4{be32(to.senderProtocol, 0)});
}

} // namespace

Mac aliasMac(Ipv4 address) {
    return {{0x52,
             0x55,
             static_cast<std::uint8_t>(address.value >> 24),
             static_cast<std::uint8_t>(address.value >> 16 & 0xff),
             static_cast<std::uint8_t>(address.value >> 8 & 0xff),
             static_cast<std::uint8_t>(address.value & 0xff)}};
}

std::optional<Frame> answerGuestArp(const Network& network, Bytes frame) {
    const auto arp = request(frame);
    if (!arp || macAt(arp->senderHardware, 0) != network.guestMac) {
        return std::nullopt;
    }
    const Ipv4 target{be32(arp->targetProtocol, 0)};
    return network.isAlias(target) ? std::optional(reply(*arp, aliasMac(target), target))
                                   : std::nullopt;
}

Frame announceGuest(const Network& network) {
    return reply(network.guestMac, network.guest, aliasMac(network.gateway), network.gateway);
}

std::optional<Frame> answerHostArp(const Network& network, Bytes frame) {
    const auto arp = request(frame);
    if (!arp || Ipv4{be32(arp->targetProtocol, 0)} != network.guest) {
        return std::nullopt;
    }
    return reply(*arp, network.guestMac, network.guest);
}

} // namespace vitrine::softnet
