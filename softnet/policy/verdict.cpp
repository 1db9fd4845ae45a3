// SPDX-License-Identifier: Apache-2.0
#include "softnet/policy/verdict.h"

namespace vitrine::softnet {

std::string_view reasonName(Reason reason) {
    static constexpr std::array<std::string_view, reasonCount> names = {
        "rule-allow",     "global",        "host-service",  "open-flow",
        "incoming",       "arp",           "dhcp",          "nat",
        "learning",       "too-short",     "src-mac",       "ethertype-ipv6",
        "ethertype-vlan", "ethertype",     "arp-malformed", "arp-sender",
        "ipv4-malformed", "ipv4-options",  "src-ip",        "rule-block",
        "not-global",     "host-only",     "martian",       "virtual-subnet",
        "multicast",      "host-loopback", "fragment",      "transport-malformed",
        "dhcp-malformed", "dhcp-foreign",  "flow-revoked",  "flow-table-full"};
    return names[static_cast<std::size_t>(reason)];
}

} // namespace vitrine::softnet
