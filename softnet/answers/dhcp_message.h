// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/address.h"

namespace vitrine::softnet {

// What a client's message says (RFC 2131, 2132), as far as the server cares.
struct DhcpMessage {
    enum class Type : std::uint8_t {
        Discover = 1,
        Offer = 2,
        Request = 3,
        Decline = 4,
        Acknowledge = 5,
        Refuse = 6,
        Release = 7,
        Inform = 8
    };

    Type type = Type::Discover;
    std::uint32_t transaction = 0;
    bool broadcastFlag = false;
    Ipv4 client; // ciaddr
    Mac hardware;
    std::optional<Ipv4> requested;          // option 50
    std::optional<Ipv4> server;             // option 54
    std::optional<std::uint16_t> mostBytes; // option 57
    Bytes clientIdentifier;                 // option 61; points into the message

    // Of a BOOTREQUEST over Ethernet that was not relayed, with the cookie and a type of a
    // client's. Options that run over the end make the whole message invalid; "overloaded" fields
    // are not read.
    [[nodiscard]] static std::optional<DhcpMessage> parseRequest(Bytes payload);
};

constexpr std::uint32_t dhcpCookie = 0x63825363;
constexpr std::size_t dhcpFixedLength = 240; // with the cookie

} // namespace vitrine::softnet
