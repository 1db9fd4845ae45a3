// SPDX-License-Identifier: Apache-2.0
#include "softnet/filter_trial.h"

#include "softnet/answers/arp_responder.h"

#include <algorithm>

namespace vitrine::softnet {

namespace {

constexpr Mac guestMac{{0x02, 0, 0, 0, 0, 0x01}};
constexpr std::size_t most = 1514;

struct Choice {
    std::vector<std::string_view> allow;
    std::vector<std::string_view> block;
    bool opensHost = false;
    bool blocksAll = false; // and nothing else is said, without directions
};

const std::vector<Choice>& choices() {
    static const std::vector<Choice> all = {{{}, {}},
                                            {{}, {"0.0.0.0/0"}, false, true},
                                            {{"0.0.0.0/0"}, {}},
                                            {{"@host"}, {"0.0.0.0/0"}, true},
                                            {{"in 10.0.0.0/8"}, {"0.0.0.0/0"}},
                                            {{}, {"out 8.0.0.0/8", "in 9.0.0.0/8"}},
                                            {{"8.0.0.0/8:53", "10.0.0.0/8:1-1024"}, {"8.8.0.0/16"}},
                                            {{"out @host:80", "224.0.0.0/4"}, {"in @host"}, true}};
    return all;
}

Network network() {
    Network result;
    result.guestMac = guestMac;
    result.hostAddresses = {Ipv4::of(9, 9, 9, 9)};
    return result;
}

std::vector<Target> targets(const std::vector<std::string_view>& texts) {
    std::vector<Target> result;
    for (const auto text : texts) {
        result.push_back(Target::parse(text).value());
    }
    return result;
}

} // namespace

FilterTrial::FilterTrial()
    : m_filter(network(), Profile::Softnet, 5, flowCapacity)
    , m_dhcp(network(), aliasMac(network().gateway), {}) {}

void FilterTrial::setPolicy(std::size_t choice) {
    static_assert(policyCount == 8);
    m_policy = choice % policyCount;
    m_learning = choice / policyCount % 2 == 1;
    const Choice& chosen = choices()[m_policy];
    // The set is valid, so this cannot fail.
    (void)m_filter.setPolicy({targets(chosen.allow), targets(chosen.block)}, m_now);
    m_filter.setLearning(m_learning, m_now);
}

std::string FilterTrial::fromGuest(Bytes frame) {
    const Verdict verdict = m_filter.fromGuest(frame, m_now);
    ++m_counts[static_cast<std::size_t>(verdict.reason)];
    if (m_filter.flows().size() > flowCapacity) {
        return "more flows than there is room for";
    }
    if (!verdict.passes()) {
        return {};
    }
    std::optional<Frame> answer;
    if (verdict.reason == Reason::Dhcp) {
        answer = m_dhcp.answer(frame);
    } else if (verdict.reason == Reason::Arp) {
        answer = answerGuestArp(m_filter.network(), frame);
    }
    if (answer && (answer->size() > most || answer->size() < 60 ||
                   !m_filter.network().isAlias(
                       {std::uint32_t{(*answer)[8]} << 24 | std::uint32_t{(*answer)[9]} << 16 |
                        std::uint32_t{(*answer)[10]} << 8 | (*answer)[11]}))) {
        return "an answer that is none";
    }
    return checkPassed(frame, verdict);
}

std::string FilterTrial::checkPassed(Bytes frame, const Verdict& verdict) const {
    const Choice& policy = choices()[m_policy];
    if (frame.size() < 14 || !std::ranges::equal(frame.subspan(6, 6), guestMac.bytes)) {
        return "not from the guest's MAC address";
    }
    const Bytes packet = frame.subspan(14);
    if (frame[12] != 8 || (frame[13] != 0 && frame[13] != 6)) {
        return "neither IPv4 nor ARP";
    }
    if (frame[13] == 6) {
        const bool fine = verdict.reason == Reason::Arp && packet.size() >= 28 &&
                          std::ranges::equal(packet.subspan(8, 6), guestMac.bytes);
        return fine ? "" : "foreign ARP";
    }
    if (packet.size() < 20 || packet[0] != 0x45) {
        return "not a plain IPv4 header";
    }
    const auto address = [&packet](std::size_t at) {
        return Ipv4::of(packet[at], packet[at + 1], packet[at + 2], packet[at + 3]);
    };
    const Ipv4 source = address(12);
    const Ipv4 to = address(16);
    const bool isGuest = source == Ipv4::of(10, 0, 2, 15);
    if (verdict.reason == Reason::Dhcp) {
        const bool fine = packet[9] == 17 && packet.size() >= 28 + 236 && packet[23] == 67 &&
                          (isGuest || (source == Ipv4{} && to == Ipv4::broadcast()));
        return fine ? "" : "not a question for the DHCP server";
    }
    if (!isGuest) {
        return "not from the reserved address";
    }
    if (packet[16] == 127 || packet[16] == 0 || to == Ipv4::broadcast()) {
        return "to the host's loopback";
    }
    const bool gateway = to == Ipv4::of(10, 0, 2, 2);
    const bool dns = to == Ipv4::of(10, 0, 2, 3);
    if (packet[16] == 10 && packet[17] == 0 && packet[18] == 2 && !gateway && !dns) {
        return "to the rest of the virtual network";
    }
    const bool host = gateway || dns || to == Ipv4::of(9, 9, 9, 9);
    if (host && verdict.reason == Reason::Learning) {
        return "to the host, which learning does not open";
    }
    const bool closed = !m_learning || to == Ipv4::of(9, 9, 9, 9);
    if (policy.blocksAll && closed) {
        return "though everything is blocked";
    }
    const bool fragment = (packet[6] & 0x3f) != 0 || packet[7] != 0;
    if (host && fragment) {
        return "a fragment to the host";
    }
    if (gateway && !policy.opensHost) {
        const bool echo = packet[9] == 1 && packet.size() >= 28 &&
                          (packet[20] == 8 || verdict.reason == Reason::OpenFlow);
        const bool answer = packet[9] == 6 && packet.size() >= 40 &&
                            ((packet[33] & 0x12) != 0x02 || verdict.reason == Reason::OpenFlow);
        const bool answered = packet[9] == 17 && verdict.reason == Reason::OpenFlow;
        if (!echo && !answer && !answered) {
            return "to the gateway, which nobody opened";
        }
    }
    return {};
}

std::string FilterTrial::toGuest(Bytes frame) {
    const Verdict verdict = m_filter.toGuest(frame, m_now);
    ++m_counts[static_cast<std::size_t>(verdict.reason)];
    (void)answerHostArp(m_filter.network(), frame);
    if (m_filter.flows().size() > flowCapacity) {
        return "more flows than there is room for";
    }
    if (verdict.passes() &&
        (frame.size() < 14 || frame[12] != 8 || (frame[13] != 0 && frame[13] != 6))) {
        return "neither IPv4 nor ARP toward the guest";
    }
    return {};
}

} // namespace vitrine::softnet
