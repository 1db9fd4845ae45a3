// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/flow_table.h"
#include "softnet/policy/rule_table.h"

#include <vector>

namespace vitrine::softnet {

// The lease as Softnet 0.19.0 learns it from answers that pass toward the guest.
class LeaseSnooper final {
public:
    struct Lease {
        Ipv4 address;
        Time expires{};
        std::vector<Ipv4> dns;
    };

    LeaseSnooper(Mac guest, Ipv4 gateway)
        : m_guest(guest)
        , m_gateway(gateway) {}
    void see(Bytes frame, Time now); // one that passed toward the guest
    [[nodiscard]] const std::optional<Lease>& lease() const { return m_lease; }
    [[nodiscard]] bool isValid(Time now) const { return m_lease && now < m_lease->expires; }

private:
    Mac m_guest;
    Ipv4 m_gateway;
    std::optional<Lease> m_lease;
};

// Softnet 0.19.0's decisions, on the shipped look-ups and parsers. Only tests use it: under
// libslirp it would let a guest reach the host's loopback.
class StrictSoftnet final {
public:
    enum class Outcome { Ignore, Drop, Pass };

    StrictSoftnet(Mac guest, Ipv4 gateway, const Policy& policy);
    [[nodiscard]] Outcome fromGuest(Bytes frame, Time now) const;
    [[nodiscard]] Outcome toGuest(Bytes frame, Time now);
    // vmnet's isolation of this guest from others on the bridge.
    [[nodiscard]] bool isIsolated() const;
    [[nodiscard]] const RuleTable& rules() const { return m_rules; }
    [[nodiscard]] LeaseSnooper& snooper() { return m_snooper; }

private:
    [[nodiscard]] bool arpPasses(Bytes payload, Time now) const;
    [[nodiscard]] bool ipv4Passes(Bytes payload, Time now) const;

    Mac m_guest;
    Ipv4 m_gateway;
    RuleTable m_rules;
    LeaseSnooper m_snooper;
};

} // namespace vitrine::softnet
