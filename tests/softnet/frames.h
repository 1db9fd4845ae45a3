// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/frame.h"

#include <string>
#include <vector>

// Frames as a guest or its network would send them, and as they would not.
namespace vitrine::softnet::frames {

using Frame = std::vector<std::uint8_t>;

constexpr Mac vm{{0x02, 0, 0, 0, 0, 0x01}};
constexpr Mac other{{0x52, 0x55, 0x0a, 0, 0x02, 0x02}};

inline void put16(Frame& to, unsigned value) {
    to.push_back(static_cast<std::uint8_t>(value >> 8));
    to.push_back(static_cast<std::uint8_t>(value));
}
inline void put32(Frame& to, std::uint32_t value) {
    put16(to, value >> 16);
    put16(to, value & 0xffff);
}
inline void append(Frame& to, Bytes bytes) {
    for (const std::uint8_t byte : bytes) { // g++ 12 misjudges insert() here
        to.push_back(byte);
    }
}
inline Ipv4 ip(const std::string& text) {
    return Ipv4::parse(text).value();
}

inline Frame ethernet(unsigned type, Bytes payload, Mac source = vm, Mac destination = other) {
    Frame frame;
    append(frame, destination.bytes);
    append(frame, source.bytes);
    put16(frame, type);
    append(frame, payload);
    return frame;
}

struct ArpFields {
    unsigned hardwareType = 1;
    unsigned protocolType = 0x0800;
    unsigned operation = 1;
    Mac senderMac = vm;
    Ipv4 sender{};
    Ipv4 target{};
};
inline Frame arp(const ArpFields& fields) {
    Frame payload;
    put16(payload, fields.hardwareType);
    put16(payload, fields.protocolType);
    payload.push_back(6);
    payload.push_back(4);
    put16(payload, fields.operation);
    append(payload, fields.senderMac.bytes);
    put32(payload, fields.sender.value);
    append(payload, Mac{}.bytes);
    put32(payload, fields.target.value);
    return ethernet(0x0806, payload, vm, Mac::broadcast());
}
// Claims protocol addresses of another length, and has them.
inline Frame arpWithAddressLength(std::uint8_t length) {
    Frame payload;
    put16(payload, 1);
    put16(payload, 0x0800);
    payload.push_back(6);
    payload.push_back(length);
    put16(payload, 1);
    append(payload, vm.bytes);
    payload.resize(payload.size() + length);
    append(payload, Mac{}.bytes);
    payload.resize(payload.size() + length);
    return ethernet(0x0806, payload, vm, Mac::broadcast());
}

struct IpFields {
    Ipv4 source;
    Ipv4 destination;
    unsigned protocol = 6;
    unsigned version = 4;
    unsigned headerWords = 5;
    int totalLength = -1;  // computed
    unsigned fragment = 0; // flags and offset
    Mac sourceMac = vm;
    Mac destinationMac = other;
};
inline Frame ipv4(const IpFields& fields, Bytes payload) {
    Frame packet;
    packet.push_back(static_cast<std::uint8_t>(fields.version << 4 | fields.headerWords));
    packet.push_back(0);
    const std::size_t options = fields.headerWords > 5 ? 4 * (fields.headerWords - 5) : 0;
    put16(packet,
          fields.totalLength >= 0 ? static_cast<unsigned>(fields.totalLength)
                                  : static_cast<unsigned>(20 + options + payload.size()));
    put16(packet, 0);
    put16(packet, fields.fragment);
    packet.push_back(64);
    packet.push_back(static_cast<std::uint8_t>(fields.protocol));
    put16(packet, 0);
    put32(packet, fields.source.value);
    put32(packet, fields.destination.value);
    packet.resize(packet.size() + options, 1);
    append(packet, payload);
    return ethernet(0x0800, packet, fields.sourceMac, fields.destinationMac);
}

inline Frame udpPayload(unsigned source, unsigned destination, Bytes data = {}, int length = -1) {
    Frame datagram;
    put16(datagram, source);
    put16(datagram, destination);
    put16(datagram,
          length >= 0 ? static_cast<unsigned>(length) : 8 + static_cast<unsigned>(data.size()));
    put16(datagram, 0);
    append(datagram, data);
    return datagram;
}
inline Frame udp(Ipv4 from, unsigned source, Ipv4 to, unsigned destination, Bytes data = {}) {
    return ipv4({from, to, 17}, udpPayload(source, destination, data));
}

constexpr std::uint8_t syn = 0x02;
constexpr std::uint8_t ack = 0x10;
inline Frame tcpPayload(unsigned source, unsigned destination, std::uint8_t flags = syn) {
    Frame segment;
    put16(segment, source);
    put16(segment, destination);
    put32(segment, 1);
    put32(segment, 0);
    segment.push_back(5 << 4);
    segment.push_back(flags);
    put16(segment, 65535);
    put32(segment, 0);
    return segment;
}
inline Frame
tcp(Ipv4 from, unsigned source, Ipv4 to, unsigned destination, std::uint8_t flags = syn) {
    return ipv4({from, to, 6}, tcpPayload(source, destination, flags));
}

inline Frame echo(Ipv4 from, Ipv4 to, bool request = true, unsigned identifier = 7) {
    Frame message = {static_cast<std::uint8_t>(request ? 8 : 0), 0, 0, 0};
    put16(message, identifier);
    put16(message, 1);
    return ipv4({from, to, 1}, message);
}

struct DhcpFields {
    std::uint8_t op = 1;
    std::uint8_t type = 1; // option 53
    std::uint32_t xid = 0x12345678;
    bool broadcastFlag = false;
    Ipv4 client{};
    Ipv4 yours{};
    Mac mac = vm;
    Frame options{}; // behind option 53, without the end mark
};
inline Frame dhcpMessage(const DhcpFields& fields) {
    Frame message = {fields.op, 1, 6, 0};
    put32(message, fields.xid);
    put16(message, 0);
    put16(message, fields.broadcastFlag ? 0x8000 : 0);
    put32(message, fields.client.value);
    put32(message, fields.yours.value);
    put32(message, 0);
    put32(message, 0);
    append(message, fields.mac.bytes);
    message.resize(236);
    put32(message, 0x63825363);
    message.insert(message.end(), {53, 1, fields.type});
    append(message, fields.options);
    message.push_back(255);
    return message;
}
inline Frame dhcp(const DhcpFields& fields,
                  Ipv4 from = {},
                  Ipv4 to = Ipv4::broadcast(),
                  unsigned source = 68,
                  unsigned destination = 67) {
    return ipv4({from, to, 17}, udpPayload(source, destination, dhcpMessage(fields)));
}

} // namespace vitrine::softnet::frames
