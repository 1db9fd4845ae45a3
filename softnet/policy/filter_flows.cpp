// SPDX-License-Identifier: Apache-2.0
// The part of the filter that follows conversations.
#include "softnet/policy/filter.h"

namespace vitrine::softnet {

namespace {

// A cut flow that has been silent for long enough to be forgotten counts as not there.
bool isCut(const Flow* flow, bool tcpOpens, Time now) {
    if (flow == nullptr || !flow->revoked || tcpOpens) {
        return false;
    }
    return flow->key.protocol == protocol::tcp || FlowTable::isLive(*flow, now);
}

} // namespace

// Whether a frame toward the guest begins a conversation, so that the guest may answer where it may
// not begin one: TCP does by its first segment, everything else only where a rule lets it in. Else
// any stranger who finds the host's socket of one of the guest's datagrams could lend it a flow.
bool Filter::maySpeakFirst(const Packet& packet, Judgement in) {
    return packet.tcpOpens ||
           (packet.key.protocol != protocol::tcp && in.reason == Reason::RuleAllow);
}

Verdict Filter::judgeFromGuest(const Ipv4Packet& ip, std::size_t size, Time now) {
    Packet packet = packetOf(ip, Side::Guest);
    Verdict verdict;
    verdict.protocol = ip.protocol;
    verdict.other = ip.destination;
    verdict.hasPorts = packet.hasPorts;
    if (packet.hasPorts) {
        verdict.otherPort = packet.key.otherPort;
        verdict.guestPort = packet.key.guestPort;
    }
    Flow* flow = nullptr;
    const auto decide = [&verdict, &flow](const Judgement& judgement) {
        verdict.opened = flow != nullptr ? flow->initiator : Side::Guest;
        verdict.reason = judgement.reason;
        verdict.rule = judgement.rule;
        return verdict;
    };

    const bool renews = ip.destination == m_network.gateway && packet.hasPorts &&
                        ip.protocol == protocol::udp && packet.key.otherPort == 67 &&
                        packet.key.guestPort == 68;
    if (ip.destination == Ipv4::broadcast() || renews) {
        return decide({dhcpReason(ip)});
    }
    if (ip.source != m_network.guest) {
        return decide({Reason::SourceAddress});
    }
    if (const auto never = neverOut(packet)) {
        return decide({*never});
    }
    flow = packet.tracked ? m_flows.find(packet.key) : nullptr;
    if (isCut(flow, packet.tcpOpens, now)) {
        m_flows.revoke(*flow, now);
        return decide({Reason::FlowRevoked, flow->rule});
    }
    const bool stateful = m_rules.isStateful();
    const bool live = flow != nullptr && !flow->revoked && FlowTable::isLive(*flow, now);
    if (stateful && live && !packet.tcpOpens) {
        if (flow->initiator == Side::Guest) {
            m_flows.refresh(*flow, packet.kind, now);
        }
        flow->bytesFromGuest += size;
        return decide({Reason::OpenFlow, flow->rule});
    }
    packet.answers = flow != nullptr && !flow->revoked && flow->initiator == Side::Other;
    const Judgement judgement = rulesOut(packet);
    if (!softnet::passes(judgement.reason)) {
        return decide(judgement);
    }
    if (stateful && packet.hasPorts && !packet.tracked) {
        return decide({Reason::TransportMalformed}); // UDP port 0 cannot be followed
    }
    if (flow == nullptr && packet.mayOpenFlow) {
        flow = m_flows.insert(packet.key,
                              Side::Guest,
                              packet.kind,
                              stateful ? FlowTable::WhenFull::Refuse
                                       : FlowTable::WhenFull::ReplaceOldest,
                              now);
        if (flow == nullptr) {
            return decide({Reason::FlowTableFull});
        }
        flow->rule = judgement.rule;
    } else if (flow != nullptr) {
        // Without directions the rules decide on every frame; the flow is only remembered.
        const bool answers = packet.answers && ip.protocol == protocol::tcp &&
                             judgement.reason == Reason::HostService; // long silent, not ended
        const bool takesOver =
            packet.mayOpenFlow && !answers && (flow->revoked || packet.tcpOpens || stateful);
        if (takesOver) {
            m_flows.reopen(*flow, Side::Guest, packet.kind, now);
        } else if (flow->initiator == Side::Guest && !flow->revoked) {
            m_flows.refresh(*flow, packet.kind, now);
        }
        flow->rule = judgement.rule;
    }
    if (flow != nullptr) {
        flow->bytesFromGuest += size;
    }
    return decide(judgement);
}

Verdict Filter::judgeToGuest(const Ipv4Packet& ip, std::size_t size, Time now) {
    const Packet packet = packetOf(ip, Side::Other);
    Verdict verdict;
    verdict.protocol = ip.protocol;
    verdict.other = ip.source;
    verdict.hasPorts = packet.hasPorts;
    if (packet.hasPorts) {
        verdict.otherPort = packet.key.otherPort;
        verdict.guestPort = packet.key.guestPort;
    }
    Flow* flow = nullptr;
    const auto decide = [&verdict, &flow](const Judgement& judgement) {
        verdict.opened = flow != nullptr ? flow->initiator : Side::Other;
        verdict.reason = judgement.reason;
        verdict.rule = judgement.rule;
        return verdict;
    };

    if (packet.hasPorts && ip.protocol == protocol::udp &&
        (packet.key.otherPort == 67 || packet.key.guestPort == 68)) {
        return decide({Reason::ForeignDhcp}); // the helper is the only server
    }
    flow = packet.tracked ? m_flows.find(packet.key) : nullptr;
    if (isCut(flow, packet.tcpOpens, now)) {
        m_flows.revoke(*flow, now);
        return decide({Reason::FlowRevoked, flow->rule});
    }
    const bool stateful = m_rules.isStateful();
    const bool live = flow != nullptr && !flow->revoked && FlowTable::isLive(*flow, now);
    if (live && !packet.tcpOpens) {
        if (flow->initiator == Side::Other) {
            m_flows.refresh(*flow, packet.kind, now);
        }
        flow->bytesToGuest += size;
        return decide({stateful ? Reason::OpenFlow : Reason::Incoming, flow->rule});
    }
    const Judgement judgement = stateful ? rulesIn(packet) : Judgement{Reason::Incoming};
    if (!softnet::passes(judgement.reason)) {
        return decide(judgement);
    }
    if (stateful && packet.hasPorts && !packet.tracked) {
        return decide({Reason::TransportMalformed});
    }
    const bool opens = packet.mayOpenFlow && maySpeakFirst(packet, judgement);
    if (flow == nullptr && opens) {
        flow = m_flows.insert(packet.key,
                              Side::Other,
                              packet.kind,
                              stateful ? FlowTable::WhenFull::Refuse
                                       : FlowTable::WhenFull::ReplaceOldest,
                              now);
        if (flow == nullptr) {
            return decide({Reason::FlowTableFull});
        }
        flow->rule = judgement.rule;
    } else if (flow != nullptr &&
               ((opens && (packet.tcpOpens || flow->revoked)) ||
                (packet.mayOpenFlow && flow->initiator == Side::Other && !flow->revoked))) {
        // A flow of the guest that fell silent stays the guest's: late answers must not let it
        // answer where it may not speak first.
        m_flows.reopen(*flow, Side::Other, packet.kind, now);
        flow->rule = judgement.rule;
    }
    if (flow != nullptr) {
        flow->bytesToGuest += size;
    }
    return decide(judgement);
}

Verdict Filter::toGuest(Bytes frame, Time now) {
    const auto ethernet = EthernetFrame::parse(frame);
    if (!ethernet) {
        return {Reason::TooShort}; // an empty datagram would end QEMU's reading for good
    }
    if (ethernet->type == ethertype::arp) {
        return {Reason::Arp};
    }
    if (ethernet->type == ethertype::ipv6) {
        return {Reason::Ipv6};
    }
    if (ethernet->type != ethertype::ipv4) {
        return {Reason::Ethertype};
    }
    const auto ip = Ipv4Packet::parse(ethernet->payload);
    if (!ip) {
        return {m_rules.isStateful() ? Reason::Ipv4Malformed : Reason::Incoming};
    }
    return judgeToGuest(*ip, frame.size(), now);
}

Verdict Filter::wouldPass(Side initiator,
                          std::uint8_t protocolNumber,
                          Ipv4 other,
                          std::uint16_t port) const {
    Packet packet;
    packet.key.protocol = protocolNumber;
    packet.key.other = other;
    packet.hasPorts = protocolNumber == protocol::tcp || protocolNumber == protocol::udp;
    packet.tcpOpens = protocolNumber == protocol::tcp;
    packet.echoRequest = protocolNumber == protocol::icmp;
    packet.answers = initiator == Side::Other;
    (initiator == Side::Guest ? packet.key.otherPort : packet.key.guestPort) = port;
    Judgement judgement;
    if (initiator == Side::Other && m_rules.isStateful()) {
        judgement = rulesIn(packet);
    } else if (const auto never = neverOut(packet)) {
        judgement = {*never};
    } else {
        // Without directions a conversation lives only if the guest's answers pass. The other
        // side's port is not known.
        packet.tcpOpens = packet.tcpOpens && initiator == Side::Guest;
        judgement = rulesOut(packet);
        if (initiator == Side::Other && softnet::passes(judgement.reason)) {
            judgement.reason = Reason::Incoming;
        }
    }
    Verdict verdict;
    verdict.opened = initiator;
    verdict.reason = judgement.reason;
    verdict.rule = judgement.rule;
    verdict.protocol = protocolNumber;
    verdict.hasPorts = packet.hasPorts;
    verdict.otherPort = packet.key.otherPort;
    verdict.guestPort = packet.key.guestPort;
    verdict.other = other;
    return verdict;
}

} // namespace vitrine::softnet
