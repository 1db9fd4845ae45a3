// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/record/destination_table.h"
#include "softnet/record/dns_names.h"

namespace vitrine::softnet {

// What passed and what did not, of one guest.
class Ledger final {
public:
    struct Traffic {
        std::uint64_t frames = 0; // that passed
        std::uint64_t bytes = 0;
        std::uint64_t dropped = 0;
        std::array<std::uint64_t, reasonCount> reasons{}; // of all frames
    };

    Ledger(std::uint64_t seed, Time begun)
        : m_destinations(seed)
        , m_begun(begun) {}

    // Once for every frame, after the filter. Names are learned from what the guest gets.
    DestinationTable::Noted note(Side sender, const Verdict& verdict, Bytes frame, Time now);
    void beginLearning() { m_destinations.beginLearning(); }
    void keepRules(const Policy& policy) { m_destinations.keepRules(policy); }
    void judgeAgain(const Filter& filter) { m_destinations.judgeAgain(filter); }

    [[nodiscard]] const Traffic& fromGuest() const { return m_fromGuest; }
    [[nodiscard]] const Traffic& toGuest() const { return m_toGuest; }
    [[nodiscard]] const DestinationTable& destinations() const { return m_destinations; }
    [[nodiscard]] const DnsNames& names() const { return m_names; }
    // IPv4 packets from the guest's own address that passed: it has taken that.
    [[nodiscard]] std::uint64_t guestPackets() const;
    [[nodiscard]] Time begun() const { return m_begun; }

private:
    DestinationTable m_destinations;
    DnsNames m_names;
    Traffic m_fromGuest;
    Traffic m_toGuest;
    Time m_begun;
};

} // namespace vitrine::softnet
