// SPDX-License-Identifier: Apache-2.0
#include "softnet/answers/dhcp_message.h"

#include "softnet/policy/frame.h"

namespace vitrine::softnet {

namespace {

bool isFromClient(std::uint8_t type) {
    using Type = DhcpMessage::Type;
    return type == static_cast<std::uint8_t>(Type::Discover) ||
           type == static_cast<std::uint8_t>(Type::Request) ||
           type == static_cast<std::uint8_t>(Type::Decline) ||
           type == static_cast<std::uint8_t>(Type::Release) ||
           type == static_cast<std::uint8_t>(Type::Inform);
}

// False if the option makes the message invalid.
bool readOption(DhcpMessage& message, bool& typed, std::uint8_t code, Bytes value) {
    switch (code) {
    case 50:
    case 54:
        if (value.size() != 4) {
            return false;
        }
        (code == 50 ? message.requested : message.server) = Ipv4{be32(value, 0)};
        return true;
    case 53:
        if (value.size() != 1 || !isFromClient(value[0])) {
            return false;
        }
        message.type = static_cast<DhcpMessage::Type>(value[0]);
        typed = true;
        return true;
    case 57:
        if (value.size() != 2) {
            return false;
        }
        message.mostBytes = be16(value, 0);
        return true;
    case 61:
        message.clientIdentifier = value;
        return true;
    default:
        return true;
    }
}

} // namespace

std::optional<DhcpMessage> DhcpMessage::parseRequest(Bytes payload) {
    if (payload.size() < dhcpFixedLength || payload[0] != 1 || payload[1] != 1 || payload[2] != 6 ||
        be32(payload, 24) != 0 || be32(payload, 236) != dhcpCookie) {
        return std::nullopt;
    }
    DhcpMessage message;
    message.transaction = be32(payload, 4);
    message.broadcastFlag = (payload[10] & 0x80) != 0;
    message.client = {be32(payload, 12)};
    message.hardware = macAt(payload, 28);
    bool typed = false;
    for (std::size_t at = dhcpFixedLength; at < payload.size() && payload[at] != 255;) {
        if (payload[at] == 0) {
            ++at;
            continue;
        }
        if (at + 2 > payload.size() || at + 2 + payload[at + 1] > payload.size()) {
            return std::nullopt;
        }
        const std::size_t length = payload[at + 1];
        if (!readOption(message, typed, payload[at], payload.subspan(at + 2, length))) {
            return std::nullopt;
        }
        at += 2 + length;
    }
    return typed ? std::optional(message) : std::nullopt;
}

} // namespace vitrine::softnet
