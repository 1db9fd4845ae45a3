// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/address.h"

namespace vitrine::softnet {

// Whether a guest may reach the address when no rule speaks of it. Agrees with what Softnet 0.19.0
// calls global on every address, multicast included; 192.0.0.9 and 192.0.0.10 are the two
// exceptions of 192.0.0.0/24 (RFC 7723, RFC 8155).
[[nodiscard]] constexpr bool isGlobal(Ipv4 address) {
    const std::uint32_t a = address.value;
    const std::uint32_t top = a >> 24;
    if (top == 0 || top == 10 || top == 127 || top >= 240) {
        return false;
    }
    switch (top) {
    case 100:
        return (a >> 22) != (100U << 2 | 1); // 100.64.0.0/10
    case 169:
        return (a >> 16) != (169U << 8 | 254);
    case 172:
        return (a >> 20) != (172U << 4 | 1); // 172.16.0.0/12
    case 192:
        return (a >> 16) != (192U << 8 | 168) && (a >> 8) != (192U << 16 | 2) &&
               ((a >> 8) != 192U << 16 || (a & 0xff) == 9 || (a & 0xff) == 10);
    case 198:
        return (a >> 17) != (198U << 7 | 9) && (a >> 8) != (198U << 16 | 51U << 8 | 100);
    case 203:
        return (a >> 8) != (203U << 16 | 0U << 8 | 113);
    default:
        return true;
    }
}

[[nodiscard]] constexpr bool isMulticast(Ipv4 address) {
    return (address.value >> 28) == 0xe;
}

// Destinations that libslirp turns into the host's own loopback, whatever it was told.
[[nodiscard]] constexpr bool isLoopback(Ipv4 address) {
    return (address.value >> 24) == 127 || (address.value >> 24) == 0;
}

} // namespace vitrine::softnet
