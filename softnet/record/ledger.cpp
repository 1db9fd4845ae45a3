// SPDX-License-Identifier: Apache-2.0
#include "softnet/record/ledger.h"

namespace vitrine::softnet {

DestinationTable::Noted Ledger::note(Side sender, const Verdict& verdict, Bytes frame, Time now) {
    Traffic& traffic = sender == Side::Guest ? m_fromGuest : m_toGuest;
    ++traffic.reasons[static_cast<std::size_t>(verdict.reason)];
    if (verdict.passes()) {
        ++traffic.frames;
        traffic.bytes += frame.size();
    } else {
        ++traffic.dropped;
    }
    if (sender == Side::Other && verdict.passes() && verdict.protocol == protocol::udp &&
        verdict.otherPort == 53 && verdict.hasPorts && verdict.opened == Side::Guest) {
        const auto ethernet = EthernetFrame::parse(frame);
        const auto ip = ethernet ? Ipv4Packet::parse(ethernet->payload) : std::nullopt;
        if (const auto udp = ip ? UdpDatagram::parse(ip->payload) : std::nullopt) {
            m_names.learn(udp->payload);
        }
    }
    return m_destinations.note(sender, verdict, frame.size(), now);
}

std::uint64_t Ledger::guestPackets() const {
    const auto count = [this](Reason reason) {
        return m_fromGuest.reasons[static_cast<std::size_t>(reason)];
    };
    return m_fromGuest.frames - count(Reason::Arp) - count(Reason::Dhcp);
}

} // namespace vitrine::softnet
