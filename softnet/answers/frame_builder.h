// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/address.h"

#include <vector>

namespace vitrine::softnet {

using Frame = std::vector<std::uint8_t>;

// Where a datagram comes from and goes to.
struct UdpRoute {
    Mac sourceMac;
    Mac destinationMac;
    Ipv4 source;
    Ipv4 destination;
    std::uint16_t sourcePort = 0;
    std::uint16_t destinationPort = 0;
};

void append16(Frame& to, std::uint16_t value);
void append32(Frame& to, std::uint32_t value);
void append(Frame& to, Bytes bytes);

// The sum of RFC 1071 over the bytes, started with `sum`; complemented, as headers carry it.
[[nodiscard]] std::uint16_t internetChecksum(Bytes bytes, std::uint32_t sum = 0);

// An Ethernet frame with its IPv4 and UDP headers and their checksums. The payload must fit an IPv4
// packet (65,507 bytes).
[[nodiscard]] Frame buildUdp(const UdpRoute& route, Bytes payload);

} // namespace vitrine::softnet
