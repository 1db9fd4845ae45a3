// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/answers/dhcp_server.h"

#include <array>

namespace vitrine::softnet {

// A filter with its answering parts under hostile frames. What it lets through is checked on the
// raw bytes, without the filter's own parsers. Used by the fuzzer and by the seeded run of the unit
// tests.
class FilterTrial final {
public:
    FilterTrial();

    static constexpr std::size_t policyCount = 8;
    // One of a fixed set, and beyond policyCount the same while learning.
    void setPolicy(std::size_t choice);
    void pass(Time time) { m_now += time; }
    // Empty, or what was wrong.
    [[nodiscard]] std::string fromGuest(Bytes frame);
    [[nodiscard]] std::string toGuest(Bytes frame);

    [[nodiscard]] std::uint64_t count(Reason reason) const {
        return m_counts[static_cast<std::size_t>(reason)];
    }
    [[nodiscard]] std::size_t flows() { return m_filter.flows().size(); }

    static constexpr std::size_t flowCapacity = 24;

private:
    [[nodiscard]] std::string checkPassed(Bytes frame, const Verdict& verdict) const;

    Filter m_filter;
    DhcpServer m_dhcp;
    std::size_t m_policy = 0;
    bool m_learning = false;
    Time m_now{1};
    std::array<std::uint64_t, reasonCount> m_counts{};
};

} // namespace vitrine::softnet
