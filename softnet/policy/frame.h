// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/address.h"

namespace vitrine::softnet {

// Views of the parts of a frame. They point into it and check nothing but lengths: what a value may
// be is the filter's business.

[[nodiscard]] constexpr std::uint16_t be16(Bytes bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}
[[nodiscard]] constexpr std::uint32_t be32(Bytes bytes, std::size_t at) {
    return std::uint32_t{be16(bytes, at)} << 16 | be16(bytes, at + 2);
}
[[nodiscard]] Mac macAt(Bytes bytes, std::size_t at);

namespace ethertype {
constexpr std::uint16_t ipv4 = 0x0800;
constexpr std::uint16_t arp = 0x0806;
constexpr std::uint16_t vlan = 0x8100;
constexpr std::uint16_t ipv6 = 0x86dd;
constexpr std::uint16_t serviceVlan = 0x88a8;
} // namespace ethertype

namespace protocol {
constexpr std::uint8_t icmp = 1;
constexpr std::uint8_t tcp = 6;
constexpr std::uint8_t udp = 17;
} // namespace protocol

struct EthernetFrame {
    static constexpr std::size_t headerLength = 14;

    Mac destination;
    Mac source;
    std::uint16_t type = 0;
    Bytes payload;

    [[nodiscard]] static std::optional<EthernetFrame> parse(Bytes frame);
};

// At least 8 bytes, and as many as its own length fields claim.
struct ArpPacket {
    static constexpr std::uint16_t request = 1;
    static constexpr std::uint16_t reply = 2;

    std::uint16_t hardwareType = 0;
    std::uint16_t protocolType = 0;
    std::uint16_t operation = 0;
    Bytes senderHardware;
    Bytes senderProtocol;
    Bytes targetHardware;
    Bytes targetProtocol;

    [[nodiscard]] static std::optional<ArpPacket> parse(Bytes payload);
    // Ethernet and IPv4, request or reply: the only ones that the shipped filter takes.
    [[nodiscard]] bool isEthernetIpv4() const;
};

// At least 20 bytes, 20 <= header <= total length <= bytes present. The version is not looked at,
// as Softnet does not; padding after the total length is cut off.
struct Ipv4Packet {
    std::uint8_t version = 0;
    std::uint8_t protocol = 0;
    std::size_t headerLength = 0;
    bool moreFragments = false;
    std::uint16_t fragmentOffset = 0; // in units of 8 bytes
    Ipv4 source;
    Ipv4 destination;
    Bytes payload;

    [[nodiscard]] static std::optional<Ipv4Packet> parse(Bytes payload);
    [[nodiscard]] bool isFragment() const { return moreFragments || fragmentOffset != 0; }
};

// The length field is at least 8 and at most what is there.
struct UdpDatagram {
    std::uint16_t sourcePort = 0;
    std::uint16_t destinationPort = 0;
    Bytes payload;

    [[nodiscard]] static std::optional<UdpDatagram> parse(Bytes payload);
};

// A whole header (data offset at least 5 and within the segment).
struct TcpSegment {
    std::uint16_t sourcePort = 0;
    std::uint16_t destinationPort = 0;
    bool syn = false;
    bool ack = false;

    [[nodiscard]] static std::optional<TcpSegment> parse(Bytes payload);
    [[nodiscard]] bool opens() const { return syn && !ack; }
};

} // namespace vitrine::softnet
