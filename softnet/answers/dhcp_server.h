// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/answers/frame_builder.h"
#include "softnet/policy/filter.h"

namespace vitrine::softnet {

// Serves the one reserved address to the one machine. Keeps no state: every answer follows from the
// question, so that a helper that was started again goes on where the last one ended.
class DhcpServer final {
public:
    struct Terms {
        std::uint32_t leaseSeconds = 600;
        std::uint16_t mtu = 1500; // bytes of an IPv4 packet; told as option 26
    };

    DhcpServer(const Network& network, Mac serverMac, Terms terms);

    // The answer to a frame that the filter called Dhcp: an offer, an acknowledgement, a refusal
    // (for every address but the reserved one; always broadcast), or nothing.
    [[nodiscard]] std::optional<Frame> answer(Bytes frame) const;

private:
    enum class Kind { Offer, Acknowledge, AcknowledgeInform, Refuse };

    Mac m_guestMac;
    Ipv4 m_guest;
    Ipv4 m_gateway;
    Ipv4 m_dns;
    Prefix m_subnet;
    Mac m_serverMac;
    Terms m_terms;
};

} // namespace vitrine::softnet
