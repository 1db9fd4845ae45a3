// SPDX-License-Identifier: Apache-2.0
#include "softnet/strict_softnet.h"

#include "softnet/policy/frame.h"
#include "softnet/policy/special_addresses.h"

#include <algorithm>

namespace vitrine::softnet {

void LeaseSnooper::see(Bytes frame, Time now) {
    const auto ethernet = EthernetFrame::parse(frame);
    if (!ethernet || ethernet->destination != m_guest || ethernet->type != ethertype::ipv4) {
        return;
    }
    const auto ip = Ipv4Packet::parse(ethernet->payload);
    if (!ip || ip->source != m_gateway || ip->protocol != protocol::udp) {
        return;
    }
    const auto udp = UdpDatagram::parse(ip->payload);
    if (!udp || (udp->sourcePort != 67 && udp->destinationPort != 68)) {
        return;
    }
    const Bytes message = udp->payload;
    if (message.size() < 240 || be32(message, 236) != 0x63825363) {
        return;
    }
    int type = 0;
    std::optional<std::uint32_t> seconds;
    std::vector<Ipv4> dns;
    for (std::size_t at = 240; at < message.size() && message[at] != 255;) {
        if (message[at] == 0) {
            ++at;
            continue;
        }
        if (at + 1 >= message.size() || at + 2 + message[at + 1] > message.size()) {
            break;
        }
        const std::size_t length = message[at + 1];
        const Bytes option = message.subspan(at + 2, length);
        if (message[at] == 53 && length == 1) {
            type = option[0];
        } else if (message[at] == 51 && length == 4) {
            seconds = be32(option, 0);
        } else if (message[at] == 6) {
            for (std::size_t i = 0; i + 4 <= length; i += 4) {
                dns.push_back({be32(option, i)});
            }
        }
        at += 2 + length;
    }
    if (type == 6) {
        m_lease.reset();
    } else if (type == 5 && seconds) {
        const Time life = std::max(Time{std::int64_t{1000} * *seconds - 100}, Time{0});
        m_lease = Lease{{be32(message, 16)}, now + life, std::move(dns)};
    }
}

StrictSoftnet::StrictSoftnet(Mac guest, Ipv4 gateway, const Policy& policy)
    : m_guest(guest)
    , m_gateway(gateway)
    , m_rules(RuleTable::compile(policy, std::span(&gateway, 1)).value())
    , m_snooper(guest, gateway) {}

StrictSoftnet::Outcome StrictSoftnet::fromGuest(Bytes frame, Time now) const {
    const auto ethernet = EthernetFrame::parse(frame);
    if (!ethernet) {
        return Outcome::Ignore;
    }
    bool passes = false;
    if (ethernet->source == m_guest) {
        if (ethernet->type == ethertype::arp) {
            passes = arpPasses(ethernet->payload, now);
        } else if (ethernet->type == ethertype::ipv4) {
            passes = ipv4Passes(ethernet->payload, now);
        }
    }
    return passes ? Outcome::Pass : Outcome::Drop;
}

bool StrictSoftnet::arpPasses(Bytes payload, Time now) const {
    const auto arp = ArpPacket::parse(payload);
    if (!arp || !std::ranges::equal(arp->senderHardware, m_guest.bytes) ||
        arp->senderProtocol.size() != 4) { // 0.19.0 panics on other lengths
        return false;
    }
    const Ipv4 sender{be32(arp->senderProtocol, 0)};
    const auto& lease = m_snooper.lease();
    return lease ? m_snooper.isValid(now) && sender == lease->address : sender == Ipv4{};
}

bool StrictSoftnet::ipv4Passes(Bytes payload, Time now) const {
    const auto ip = Ipv4Packet::parse(payload);
    if (!ip) {
        return false;
    }
    const auto& lease = m_snooper.lease();
    if (m_snooper.isValid(now) && ip->source == lease->address) {
        if (const auto match = m_rules.match(Direction::Out, ip->destination, std::nullopt)) {
            return match->action == Action::Allow;
        }
        if (isGlobal(ip->destination) || ip->destination == m_gateway) {
            return true;
        }
        if (ip->protocol == protocol::udp) {
            const auto udp = UdpDatagram::parse(ip->payload);
            if (!udp) {
                return false;
            }
            if (udp->destinationPort == 53 &&
                std::ranges::find(lease->dns, ip->destination) != lease->dns.end()) {
                return true;
            }
        }
    }
    if (ip->protocol != protocol::udp) {
        return false;
    }
    const auto udp = UdpDatagram::parse(ip->payload);
    return udp && ip->destination == Ipv4::broadcast() &&
           (udp->sourcePort == 68 || udp->destinationPort == 67);
}

StrictSoftnet::Outcome StrictSoftnet::toGuest(Bytes frame, Time now) {
    const auto ethernet = EthernetFrame::parse(frame);
    if (!ethernet || (ethernet->type != ethertype::arp && ethernet->type != ethertype::ipv4)) {
        return Outcome::Drop;
    }
    m_snooper.see(frame, now);
    return Outcome::Pass;
}

bool StrictSoftnet::isIsolated() const {
    return std::ranges::none_of(m_rules.policy().allow, [](const Target& target) {
        return target.prefix == Prefix{{}, 0};
    });
}

} // namespace vitrine::softnet
