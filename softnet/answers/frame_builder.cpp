// SPDX-License-Identifier: Apache-2.0
#include "softnet/answers/frame_builder.h"

#include "softnet/policy/frame.h"

namespace vitrine::softnet {

void append16(Frame& to, std::uint16_t value) {
    to.push_back(static_cast<std::uint8_t>(value >> 8));
    to.push_back(static_cast<std::uint8_t>(value & 0xff));
}

void append32(Frame& to, std::uint32_t value) {
    append16(to, static_cast<std::uint16_t>(value >> 16));
    append16(to, static_cast<std::uint16_t>(value & 0xffff));
}

void append(Frame& to, Bytes bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
}

std::uint16_t internetChecksum(Bytes bytes, std::uint32_t sum) {
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        sum += be16(bytes, i);
    }
    if (bytes.size() % 2 == 1) {
        sum += std::uint32_t{bytes.back()} << 8;
    }
    while (sum > 0xffff) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return static_cast<std::uint16_t>(~sum & 0xffff);
}

Frame buildUdp(const UdpRoute& route, Bytes payload) {
    constexpr std::size_t ethernet = EthernetFrame::headerLength;
    const auto udpLength = static_cast<std::uint16_t>(8 + payload.size());
    Frame frame;
    frame.reserve(ethernet + 20 + udpLength);
    append(frame, route.destinationMac.bytes);
    append(frame, route.sourceMac.bytes);
    append16(frame, ethertype::ipv4);

    append16(frame, 0x4500);
    append16(frame, static_cast<std::uint16_t>(20 + udpLength));
    append32(frame, 0); // identification, no fragments
    frame.push_back(64);
    frame.push_back(protocol::udp);
    append16(frame, 0);
    append32(frame, route.source.value);
    append32(frame, route.destination.value);
    const std::uint16_t header = internetChecksum(Bytes(frame).subspan(ethernet, 20));
    frame[ethernet + 10] = static_cast<std::uint8_t>(header >> 8);
    frame[ethernet + 11] = static_cast<std::uint8_t>(header & 0xff);

    append16(frame, route.sourcePort);
    append16(frame, route.destinationPort);
    append16(frame, udpLength);
    append16(frame, 0);
    append(frame, payload);
    // The pseudo header: both addresses, the protocol, the length.
    const std::uint32_t pseudo = (route.source.value >> 16) + (route.source.value & 0xffff) +
                                 (route.destination.value >> 16) +
                                 (route.destination.value & 0xffff) + protocol::udp + udpLength;
    std::uint16_t sum = internetChecksum(Bytes(frame).subspan(ethernet + 20), pseudo);
    if (sum == 0) {
        sum = 0xffff; // 0 would mean "none"
    }
    frame[ethernet + 26] = static_cast<std::uint8_t>(sum >> 8);
    frame[ethernet + 27] = static_cast<std::uint8_t>(sum & 0xff);
    return frame;
}

} // namespace vitrine::softnet
