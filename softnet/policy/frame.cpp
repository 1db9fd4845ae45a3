// SPDX-License-Identifier: Apache-2.0
#include "softnet/policy/frame.h"

#include <algorithm>

namespace vitrine::softnet {

Mac macAt(Bytes bytes, std::size_t at) {
    Mac mac;
    std::copy_n(
        bytes.begin() + static_cast<std::ptrdiff_t>(at), mac.bytes.size(), mac.bytes.begin());
    return mac;
}

std::optional<EthernetFrame> EthernetFrame::parse(Bytes frame) {
    if (frame.size() < headerLength) {
        return std::nullopt;
    }
    return EthernetFrame{
        macAt(frame, 0), macAt(frame, 6), be16(frame, 12), frame.subspan(headerLength)};
}

std::optional<ArpPacket> ArpPacket::parse(Bytes payload) {
    if (payload.size() < 8) {
        return std::nullopt;
    }
    const std::size_t hardware = payload[4];
    const std::size_t address = payload[5];
    if (payload.size() < 8 + 2 * (hardware + address)) {
        return std::nullopt;
    }
    ArpPacket packet;
    packet.hardwareType = be16(payload, 0);
    packet.protocolType = be16(payload, 2);
    packet.operation = be16(payload, 6);
    packet.senderHardware = payload.subspan(8, hardware);
    packet.senderProtocol = payload.subspan(8 + hardware, address);
    packet.targetHardware = payload.subspan(8 + hardware + address, hardware);
    packet.targetProtocol = payload.subspan(8 + 2 * hardware + address, address);
    return packet;
}

bool ArpPacket::isEthernetIpv4() const {
    return hardwareType == 1 && protocolType == ethertype::ipv4 && senderHardware.size() == 6 &&
           senderProtocol.size() == 4 && (operation == request || operation == reply);
}

std::optional<Ipv4Packet> Ipv4Packet::parse(Bytes payload) {
    if (payload.size() < 20) {
        return std::nullopt;
    }
    Ipv4Packet packet;
    packet.version = payload[0] >> 4;
    packet.headerLength = std::size_t{4} * (payload[0] & 0xf);
    const std::size_t total = be16(payload, 2);
    if (packet.headerLength < 20 || packet.headerLength > total || total > payload.size()) {
        return std::nullopt;
    }
    const std::uint16_t fragment = be16(payload, 6);
    packet.moreFragments = (fragment & 0x2000) != 0;
    packet.fragmentOffset = fragment & 0x1fff;
    packet.protocol = payload[9];
    packet.source = {be32(payload, 12)};
    packet.destination = {be32(payload, 16)};
    packet.payload = payload.subspan(packet.headerLength, total - packet.headerLength);
    return packet;
}

std::optional<UdpDatagram> UdpDatagram::parse(Bytes payload) {
    if (payload.size() < 8) {
        return std::nullopt;
    }
    const std::size_t length = be16(payload, 4);
    if (length < 8 || length > payload.size()) {
        return std::nullopt;
    }
    return UdpDatagram{be16(payload, 0), be16(payload, 2), payload.subspan(8, length - 8)};
}

std::optional<TcpSegment> TcpSegment::parse(Bytes payload) {
    if (payload.size() < 20) {
        return std::nullopt;
    }
    const std::size_t header = std::size_t{4} * (payload[12] >> 4);
    if (header < 20 || header > payload.size()) {
        return std::nullopt;
    }
    return TcpSegment{
        be16(payload, 0), be16(payload, 2), (payload[13] & 0x02) != 0, (payload[13] & 0x10) != 0};
}

} // namespace vitrine::softnet
