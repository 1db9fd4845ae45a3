// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/address.h"

namespace vitrine::softnet {

// Why a frame passes or not. The names (reasonName) are part of the control channel.
enum class Reason : std::uint8_t {
    // passes
    RuleAllow,   // a rule says so
    Global,      // no rule; the address is not private
    HostService, // no rule; DNS, an echo or an answer, to the gateway or the DNS address
    OpenFlow,    // belongs to a conversation that was let through
    Incoming,    // toward the guest, and nothing speaks against it
    Arp,
    Dhcp,
    NatProfile, // no rule; everything passes
    Learning,   // nothing lets it through but that everything else is to be seen
    // dropped
    TooShort,
    SourceMac,
    Ipv6,
    Vlan,
    Ethertype,
    ArpMalformed,
    ArpSender,
    Ipv4Malformed,
    Ipv4Options,
    SourceAddress,
    RuleBlock,
    NotGlobal,
    HostOnly, // no rule; this network reaches the host only
    Martian,
    VirtualSubnet,
    Multicast,
    HostLoopback,
    Fragment,
    TransportMalformed,
    DhcpMalformed,
    ForeignDhcp,
    FlowRevoked,
    FlowTableFull
};
constexpr std::size_t reasonCount = static_cast<std::size_t>(Reason::FlowTableFull) + 1;

[[nodiscard]] constexpr bool passes(Reason reason) {
    return reason < Reason::TooShort;
}
[[nodiscard]] std::string_view reasonName(Reason reason);

enum class Side : std::uint8_t { Guest, Other };

// What became of one frame. Only `reason` is always set.
struct Verdict {
    Reason reason = Reason::TooShort;
    std::int16_t rule = -1;    // that decided; see Policy
    std::uint8_t protocol = 0; // of IPv4
    bool hasPorts = false;
    Side opened = Side::Guest; // who began the conversation; the sender if that is not known
    std::uint16_t otherPort = 0;
    std::uint16_t guestPort = 0;
    Ipv4 other{}; // destination of what the guest sends, source of what it gets

    [[nodiscard]] bool passes() const { return softnet::passes(reason); }
};

} // namespace vitrine::softnet
