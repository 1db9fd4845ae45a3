// SPDX-License-Identifier: Apache-2.0
#include "softnet/policy/filter.h"

#include "softnet/policy/special_addresses.h"

#include <algorithm>

namespace vitrine::softnet {

namespace {

Reason ethertypeReason(std::uint16_t type) {
    switch (type) {
    case ethertype::ipv6:
        return Reason::Ipv6;
    case ethertype::vlan:
    case ethertype::serviceVlan:
        return Reason::Vlan;
    default:
        return Reason::Ethertype;
    }
}

} // namespace

bool Network::isHost(Ipv4 address) const {
    return isAlias(address) ||
           std::binary_search(hostAddresses.begin(), hostAddresses.end(), address);
}

bool Network::isBeyondRules(Ipv4 address) const {
    return hostAddresses.size() > mostForRules &&
           std::binary_search(
               hostAddresses.begin() + std::ptrdiff_t{mostForRules}, hostAddresses.end(), address);
}

std::vector<Ipv4> Network::ruleHostAddresses() const {
    const auto count = std::min(hostAddresses.size(), mostForRules);
    std::vector<Ipv4> all(hostAddresses.begin(),
                          hostAddresses.begin() + static_cast<std::ptrdiff_t>(count));
    all.push_back(gateway);
    all.push_back(dns);
    return all;
}

Filter::Filter(Network network, Profile profile, std::uint64_t seed, std::size_t flows)
    : m_network(std::move(network))
    , m_profile(profile)
    , m_flows(seed, flows) {
    std::sort(m_network.hostAddresses.begin(), m_network.hostAddresses.end());
}

Checked<void> Filter::setPolicy(const Policy& policy, Time now) {
    auto rules = RuleTable::compile(policy, m_network.ruleHostAddresses());
    if (!rules) {
        return tl::unexpected(rules.error());
    }
    m_rules = std::move(*rules);
    revise(now);
    return {};
}

Checked<void> Filter::checkPolicy(const Policy& policy) const {
    const auto rules = RuleTable::compile(policy, m_network.ruleHostAddresses());
    return rules ? Checked<void>() : tl::unexpected(rules.error());
}

Checked<void> Filter::setHostAddresses(std::vector<Ipv4> addresses, Time now) {
    std::sort(addresses.begin(), addresses.end());
    m_network.hostAddresses = std::move(addresses);
    auto rules = RuleTable::compile(m_rules.policy(), m_network.ruleHostAddresses());
    if (rules) {
        m_rules = std::move(*rules);
    }
    revise(now);
    return rules ? Checked<void>() : tl::unexpected(rules.error());
}

void Filter::setLearning(bool learning, Time now) {
    m_learning = learning;
    revise(now);
}

void Filter::revise(Time now) {
    m_flows.forEach([&](Flow& flow) {
        const Judgement judgement = judge(flow);
        const bool tcp = flow.key.protocol == protocol::tcp;
        const bool expired = now >= (flow.revoked ? flow.formerExpiry : flow.expires);
        flow.rule = judgement.rule;
        if (m_rules.isStateful() && flow.initiator == Side::Other && !tcp &&
            judgement.reason == Reason::Incoming) {
            m_flows.erase(flow); // would not be followed if it came now
        } else if (!softnet::passes(judgement.reason)) {
            if (flow.revoked) {
                return;
            }
            if (expired && !tcp) {
                m_flows.erase(flow);
            } else {
                m_flows.revoke(flow, now);
            }
        } else if (flow.revoked) {
            // Answers of a flow that is allowed again must not wait for its initiator.
            m_flows.restore(flow, tcp ? FlowTable::Kind::Tcp : FlowTable::Kind::Udp, now);
        }
    });
}

std::size_t Filter::liveFlows(Time now) {
    std::size_t count = 0;
    m_flows.forEach(
        [&](const Flow& flow) { count += !flow.revoked && FlowTable::isLive(flow, now) ? 1 : 0; });
    return count;
}

Filter::Judgement Filter::judge(const Flow& flow) const {
    Packet packet;
    packet.key = flow.key;
    packet.hasPorts = flow.key.protocol != protocol::icmp;
    packet.echoRequest = !packet.hasPorts;
    packet.tracked = true;
    const bool guestOpened = flow.initiator == Side::Guest;
    packet.answers = !guestOpened;
    if (m_rules.isStateful() && !guestOpened) {
        return rulesIn(packet);
    }
    // Without directions the guest's answers have to pass the rules like everything it sends.
    packet.tcpOpens = guestOpened && flow.key.protocol == protocol::tcp;
    const auto never = neverOut(packet);
    return never ? Judgement{*never} : rulesOut(packet);
}

Verdict Filter::fromGuest(Bytes frame, Time now) {
    const auto ethernet = EthernetFrame::parse(frame);
    if (!ethernet) {
        return {Reason::TooShort};
    }
    if (ethernet->source != m_network.guestMac) {
        return {Reason::SourceMac};
    }
    if (ethernet->type == ethertype::arp) {
        return {arpReason(ethernet->payload)};
    }
    if (ethernet->type != ethertype::ipv4) {
        return {ethertypeReason(ethernet->type)};
    }
    const auto ip = Ipv4Packet::parse(ethernet->payload);
    if (!ip || ip->version != 4) {
        return {Reason::Ipv4Malformed};
    }
    if (ip->headerLength > 20) {
        return {Reason::Ipv4Options};
    }
    return judgeFromGuest(*ip, frame.size(), now);
}

Reason Filter::arpReason(Bytes payload) const {
    const auto arp = ArpPacket::parse(payload);
    if (!arp || !arp->isEthernetIpv4()) {
        return Reason::ArpMalformed;
    }
    const Ipv4 sender{be32(arp->senderProtocol, 0)};
    const bool honest = macAt(arp->senderHardware, 0) == m_network.guestMac &&
                        (sender == m_network.guest || sender == Ipv4{});
    return honest ? Reason::Arp : Reason::ArpSender;
}

// Broadcasts, and what the guest sends to the gateway's port 67 to renew. The answer comes from the
// helper, so that no rule can make a guest lose its address.
Reason Filter::dhcpReason(const Ipv4Packet& ip) const {
    const bool fromGuestAddress = ip.source == m_network.guest;
    const bool broadcast = ip.destination == Ipv4::broadcast();
    if (!fromGuestAddress && !(broadcast && ip.source == Ipv4{})) {
        return Reason::SourceAddress;
    }
    if (ip.protocol != protocol::udp) {
        return Reason::Martian;
    }
    const auto udp = UdpDatagram::parse(ip.payload);
    if (!udp || ip.isFragment()) {
        return Reason::DhcpMalformed;
    }
    if (udp->sourcePort != 68 || udp->destinationPort != 67) {
        return Reason::Martian;
    }
    const Bytes message = udp->payload;
    const bool asks = message.size() >= 240 && message[0] == 1 && message[1] == 1 &&
                      message[2] == 6 && macAt(message, 28) == m_network.guestMac;
    return asks ? Reason::Dhcp : Reason::DhcpMalformed;
}

Filter::Packet Filter::packetOf(const Ipv4Packet& ip, Side sender) {
    Packet packet;
    packet.key.protocol = ip.protocol;
    packet.key.other = sender == Side::Guest ? ip.destination : ip.source;
    packet.fragment = ip.isFragment();
    const auto setPorts = [&](std::uint16_t source, std::uint16_t destination) {
        packet.hasPorts = true;
        packet.key.guestPort = sender == Side::Guest ? source : destination;
        packet.key.otherPort = sender == Side::Guest ? destination : source;
        packet.tracked = ip.protocol == protocol::tcp || (source != 0 && destination != 0);
        packet.mayOpenFlow = packet.tracked;
    };
    if (ip.protocol == protocol::tcp || ip.protocol == protocol::udp) {
        packet.portsHidden = packet.fragment;
    }
    if (packet.fragment) {
        return packet;
    }
    switch (ip.protocol) {
    case protocol::tcp:
        if (const auto tcp = TcpSegment::parse(ip.payload)) {
            setPorts(tcp->sourcePort, tcp->destinationPort);
            packet.tcpOpens = tcp->opens();
            packet.kind = packet.tcpOpens ? FlowTable::Kind::TcpOpening : FlowTable::Kind::Tcp;
        }
        packet.portsHidden = !packet.hasPorts;
        break;
    case protocol::udp:
        if (const auto udp = UdpDatagram::parse(ip.payload)) {
            setPorts(udp->sourcePort, udp->destinationPort);
        }
        packet.portsHidden = !packet.hasPorts;
        break;
    case protocol::icmp: {
        const bool request = ip.payload.size() >= 8 && ip.payload[0] == 8;
        const bool answer = ip.payload.size() >= 8 && ip.payload[0] == 0;
        if (request || answer) {
            packet.echoRequest = request;
            packet.tracked = true;
            packet.mayOpenFlow = request;
            packet.kind = FlowTable::Kind::Echo;
            packet.key.guestPort = be16(ip.payload, 4);
            packet.key.otherPort = request == (sender == Side::Guest) ? 0 : 1;
        }
        break;
    }
    default:
        break;
    }
    return packet;
}

// What no rule and no flow can open.
std::optional<Reason> Filter::neverOut(const Packet& packet) const {
    const Ipv4 other = packet.key.other;
    if (isLoopback(other)) {
        return Reason::HostLoopback;
    }
    if (other == Ipv4::broadcast()) {
        return Reason::Martian;
    }
    if (m_network.subnet.contains(other) && !m_network.isAlias(other)) {
        return Reason::VirtualSubnet;
    }
    if (packet.fragment && m_network.isHost(other)) {
        return Reason::Fragment; // only the first one would show its ports
    }
    return std::nullopt;
}

// An address of the host that @host does not stand for, because there are too many, is blocked at
// least where the gateway is.
std::optional<RuleTable::Match> Filter::matchOf(Direction opened,
                                                Ipv4 other,
                                                std::optional<std::uint16_t> port,
                                                int shortest) const {
    if (m_network.isBeyondRules(other)) {
        const auto host = m_rules.match(opened, m_network.gateway, port, m_network.subnet.length);
        if (host && host->action == Action::Block) {
            return host;
        }
    }
    return m_rules.match(opened, other, port, shortest);
}

Filter::Judgement Filter::rulesOut(const Packet& packet) const {
    const Judgement ruled = outWithoutLearning(packet);
    if (!m_learning || softnet::passes(ruled.reason)) {
        return ruled;
    }
    if (m_network.isHost(packet.key.other)) {
        const Judgement unruled = defaultOut(packet);
        return unruled.reason == Reason::HostService ? unruled : ruled;
    }
    return {Reason::Learning};
}

Filter::Judgement Filter::outWithoutLearning(const Packet& packet) const {
    const Ipv4 other = packet.key.other;
    if (packet.portsHidden && m_rules.portsMatter(Direction::Out, other)) {
        return {packet.fragment ? Reason::Fragment : Reason::TransportMalformed};
    }
    const auto port = packet.hasPorts ? std::optional(packet.key.otherPort) : std::nullopt;
    auto match = matchOf(Direction::Out, other, port, 0);
    const int named = m_network.subnet.length;
    if (match && match->action == Action::Allow && match->prefixLength < named &&
        m_network.isAlias(other)) {
        match = matchOf(Direction::Out, other, port, named); // it must not hide one that can
    }
    if (!match) {
        return defaultOut(packet);
    }
    return {match->action == Action::Block ? Reason::RuleBlock : Reason::RuleAllow, match->rule};
}

Filter::Judgement Filter::defaultOut(const Packet& packet) const {
    const Ipv4 other = packet.key.other;
    // Plain NAT keeps the guest from the host's loopback only, not from what the host offers to the
    // networks it is in.
    if (m_profile == Profile::Nat ? m_network.isAlias(other) : m_network.isHost(other)) {
        const bool resolves =
            other == m_network.dns && packet.hasPorts && packet.key.otherPort == 53;
        const bool echoes = packet.echoRequest && m_network.isAlias(other);
        // Answers of what was forwarded to the guest come from the gateway's side as established
        // TCP; libslirp refuses those that belong to nothing. Where conversations are followed, or
        // one that was cut may have been forgotten, they have to belong to one.
        const bool known = packet.answers || (!m_rules.isStateful() && !m_flows.hasForgottenCuts());
        const bool answers = other == m_network.gateway && packet.hasPorts && known &&
                             packet.key.protocol == protocol::tcp && !packet.tcpOpens;
        return {resolves || echoes || answers ? Reason::HostService : Reason::HostLoopback};
    }
    switch (m_profile) {
    case Profile::Nat:
        return {Reason::NatProfile};
    case Profile::Host:
        return {Reason::HostOnly};
    case Profile::Softnet:
        break;
    }
    if (isMulticast(other)) {
        return {Reason::Multicast};
    }
    return {isGlobal(other) ? Reason::Global : Reason::NotGlobal};
}

Filter::Judgement Filter::rulesIn(const Packet& packet) const {
    const Judgement ruled = inWithoutLearning(packet);
    return m_learning && !softnet::passes(ruled.reason) ? Judgement{Reason::Incoming} : ruled;
}

Filter::Judgement Filter::inWithoutLearning(const Packet& packet) const {
    const Ipv4 other = packet.key.other;
    if (packet.portsHidden && m_rules.portsMatter(Direction::In, other)) {
        return {packet.fragment ? Reason::Fragment : Reason::TransportMalformed};
    }
    const auto port = packet.hasPorts ? std::optional(packet.key.guestPort) : std::nullopt;
    const auto match = matchOf(Direction::In, other, port, 0);
    if (!match) {
        return {Reason::Incoming};
    }
    return {match->action == Action::Block ? Reason::RuleBlock : Reason::RuleAllow, match->rule};
}

} // namespace vitrine::softnet
