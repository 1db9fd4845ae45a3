// SPDX-License-Identifier: Apache-2.0
#include "softnet/answers/dhcp_server.h"

#include "softnet/answers/dhcp_message.h"

namespace vitrine::softnet {

namespace {

// BOOTP's smallest message; some clients refuse shorter ones.
constexpr std::size_t leastLength = 300;

void option(Frame& to, std::uint8_t code, Bytes value) {
    to.push_back(code);
    to.push_back(static_cast<std::uint8_t>(value.size()));
    append(to, value);
}

void option32(Frame& to, std::uint8_t code, std::uint32_t value) {
    to.push_back(code);
    to.push_back(4);
    append32(to, value);
}

} // namespace

DhcpServer::DhcpServer(const Network& network, Mac serverMac, Terms terms)
    : m_guestMac(network.guestMac)
    , m_guest(network.guest)
    , m_gateway(network.gateway)
    , m_dns(network.dns)
    , m_subnet(network.subnet)
    , m_serverMac(serverMac)
    , m_terms(terms) {}

std::optional<Frame> DhcpServer::answer(Bytes frame) const {
    const auto ethernet = EthernetFrame::parse(frame);
    const auto ip = ethernet ? Ipv4Packet::parse(ethernet->payload) : std::nullopt;
    const auto udp =
        ip && ip->protocol == protocol::udp ? UdpDatagram::parse(ip->payload) : std::nullopt;
    const auto message = udp ? DhcpMessage::parseRequest(udp->payload) : std::nullopt;
    if (!message || message->hardware != m_guestMac) {
        return std::nullopt;
    }

    Kind kind = Kind::Refuse;
    switch (message->type) {
    case DhcpMessage::Type::Discover:
        kind = Kind::Offer;
        break;
    case DhcpMessage::Type::Request:
        if (message->server && *message->server != m_gateway) {
            return std::nullopt; // it took somebody else's offer
        }
        // Selecting and after a reboot it asks with option 50, to renew with its address.
        kind = message->requested.value_or(message->client) == m_guest ? Kind::Acknowledge
                                                                       : Kind::Refuse;
        break;
    case DhcpMessage::Type::Inform:
        if (message->client != m_guest) {
            return std::nullopt;
        }
        kind = Kind::AcknowledgeInform;
        break;
    default:
        return std::nullopt; // there is nothing to give back
    }

    const bool leases = kind == Kind::Offer || kind == Kind::Acknowledge;
    Frame payload = {2, 1, 6, 0};
    append32(payload, message->transaction);
    append16(payload, 0);
    append16(payload, message->broadcastFlag || kind == Kind::Refuse ? 0x8000 : 0);
    append32(payload, kind == Kind::Refuse ? 0 : message->client.value);
    append32(payload, leases ? m_guest.value : 0);
    append32(payload, leases ? m_gateway.value : 0);
    append32(payload, 0);
    append(payload, m_guestMac.bytes);
    payload.resize(236);
    append32(payload, dhcpCookie);
    const auto type = kind == Kind::Offer    ? DhcpMessage::Type::Offer
                      : kind == Kind::Refuse ? DhcpMessage::Type::Refuse
                                             : DhcpMessage::Type::Acknowledge;
    payload.insert(payload.end(), {53, 1, static_cast<std::uint8_t>(type)});
    option32(payload, 54, m_gateway.value);
    if (kind != Kind::Refuse) {
        if (leases) {
            option32(payload, 51, m_terms.leaseSeconds);
        }
        option32(payload, 1, m_subnet.mask());
        option32(payload, 3, m_gateway.value);
        option32(payload, 6, m_dns.value);
        payload.insert(payload.end(), {26, 2});
        append16(payload, m_terms.mtu);
    }
    if (!message->clientIdentifier.empty()) {
        option(payload, 61, message->clientIdentifier);
    }
    payload.push_back(255);
    if (payload.size() < leastLength) {
        payload.resize(leastLength);
    }

    UdpRoute route{m_serverMac, m_guestMac, m_gateway, m_guest, 67, 68};
    // A client without an address may not hear what is sent to one, and says so with the flag.
    const bool reachable = message->client == m_guest;
    if (kind == Kind::Refuse || (!reachable && message->broadcastFlag)) {
        route.destinationMac = Mac::broadcast();
        route.destination = Ipv4::broadcast();
    }
    return buildUdp(route, payload);
}

} // namespace vitrine::softnet
