// SPDX-License-Identifier: Apache-2.0
#include "softnet/frames.h"
#include "softnet/policy/filter.h"

#include <gtest/gtest.h>

namespace vitrine::softnet {
namespace {

using namespace frames;

const Ipv4 guest = ip("10.0.2.15");
const Ipv4 gateway = ip("10.0.2.2");
const Ipv4 dns = ip("10.0.2.3");
const Ipv4 internet = ip("8.8.8.8");

Policy policy(std::vector<std::string_view> allow = {}, std::vector<std::string_view> block = {}) {
    Policy result;
    for (const auto text : allow) {
        result.allow.push_back(Target::parse(text).value());
    }
    for (const auto text : block) {
        result.block.push_back(Target::parse(text).value());
    }
    return result;
}

class FilterTest : public testing::Test {
protected:
    void
    make(const Policy& rules = {}, Profile profile = Profile::Softnet, std::size_t flows = 64) {
        Network network;
        network.guestMac = vm;
        network.hostAddresses = {ip("192.168.7.7"), ip("198.18.5.5"), ip("5.5.5.5")};
        filter.emplace(network, profile, 1, flows);
        set(rules);
    }
    void set(const Policy& rules) { ASSERT_TRUE(filter->setPolicy(rules, now)); }
    std::string out(const Frame& frame) {
        return std::string(reasonName(filter->fromGuest(frame, now).reason));
    }
    std::string in(const Frame& frame) {
        return std::string(reasonName(filter->toGuest(frame, now).reason));
    }

    std::optional<Filter> filter;
    Time now{1000};
};

const std::vector<Policy>& everyPolicy() {
    static const std::vector<Policy> all = {policy(),
                                            policy({"0.0.0.0/0"}),
                                            policy({"1.2.3.4/0"}),
                                            policy({"127.0.0.0/8", "0.0.0.0/8", "10.0.2.0/24"}),
                                            policy({"@host"}),
                                            policy({"@host", "0.0.0.0/0"}),
                                            policy({"out 0.0.0.0/0", "in 0.0.0.0/0"}),
                                            policy({"127.0.0.1/32:80"})};
    return all;
}

TEST_F(FilterTest, NoRuleOpensTheHostsLoopbackByItsOwnAddress) {
    for (const Policy& rules : everyPolicy()) {
        for (const Profile profile : {Profile::Softnet, Profile::Nat, Profile::Host}) {
            make(rules, profile);
            for (const auto text : {"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3"}) {
                EXPECT_EQ(out(tcp(guest, 1, ip(text), 80)), "host-loopback");
                EXPECT_EQ(out(udp(guest, 1, ip(text), 80)), "host-loopback");
                EXPECT_EQ(out(echo(guest, ip(text))), "host-loopback");
            }
            EXPECT_EQ(out(udp(guest, 1, Ipv4::broadcast(), 80)), "martian");
        }
    }
}

TEST_F(FilterTest, NoRuleOpensTheRestOfTheVirtualNetwork) {
    for (const Policy& rules : everyPolicy()) {
        make(rules);
        for (const auto text : {"10.0.2.99", "10.0.2.15", "10.0.2.0", "10.0.2.255", "10.0.2.1"}) {
            EXPECT_EQ(out(tcp(guest, 1, ip(text), 80)), "virtual-subnet");
        }
    }
}

TEST_F(FilterTest, OnlyARuleThatNamesTheHostOpensTheGateway) {
    for (const auto text : {"0.0.0.0/0", "10.0.0.0/8", "10.0.0.0/8:80", "10.0.2.0/23"}) {
        make(policy({text}));
        EXPECT_EQ(out(tcp(guest, 1, gateway, 80)), "host-loopback") << text;
        EXPECT_EQ(out(udp(guest, 1, gateway, 53)), "host-loopback") << text;
        EXPECT_EQ(out(udp(guest, 1, dns, 53)), "host-service") << text;
    }
    for (const auto text : {"@host", "10.0.2.2/32", "10.0.2.0/24", "@host:80"}) {
        make(policy({text}));
        EXPECT_EQ(out(tcp(guest, 1, gateway, 80)), "rule-allow") << text;
    }
    make(policy({"@host:80"}));
    EXPECT_EQ(out(tcp(guest, 1, gateway, 81)), "host-loopback");
}

TEST_F(FilterTest, TheHostsOtherAddressesCountAsTheHost) {
    make();
    EXPECT_EQ(out(tcp(guest, 1, ip("5.5.5.5"), 22)), "host-loopback") << "its public address";
    EXPECT_EQ(out(tcp(guest, 1, ip("192.168.7.7"), 22)), "host-loopback");
    EXPECT_EQ(out(tcp(guest, 1, ip("5.5.5.6"), 22)), "global");
    set(policy({"@host"}));
    EXPECT_EQ(out(tcp(guest, 1, ip("5.5.5.5"), 22)), "rule-allow");
    ASSERT_TRUE(filter->setHostAddresses({ip("5.5.5.6")}, now));
    EXPECT_EQ(out(tcp(guest, 1, ip("5.5.5.6"), 22)), "rule-allow");
    set(policy());
    EXPECT_EQ(out(tcp(guest, 1, ip("5.5.5.6"), 22)), "host-loopback");
    EXPECT_EQ(out(tcp(guest, 2, ip("5.5.5.5"), 22)), "global");
}

TEST_F(FilterTest, ABroadRuleOpensTheHostsOtherAddressesAsInSoftnetUnlessTheHostIsBlocked) {
    for (const auto text : {"0.0.0.0/0", "192.168.7.0/24"}) {
        make(policy({text}));
        EXPECT_EQ(out(tcp(guest, 1, ip("192.168.7.7"), 22)), "rule-allow") << text;
        EXPECT_EQ(out(tcp(guest, 1, gateway, 22)), "host-loopback") << text;
        EXPECT_EQ(out(udp(guest, 1, dns, 53)), "host-service") << text;
        // As docs/softnet.md advises.
        set(policy({text, "out 10.0.2.3/32:53"}, {"out @host"}));
        EXPECT_EQ(out(tcp(guest, 2, ip("192.168.7.7"), 22)), "rule-block") << text;
        EXPECT_EQ(out(tcp(guest, 2, ip("192.168.7.8"), 22)), "rule-allow") << text;
        EXPECT_EQ(out(udp(guest, 2, dns, 53)), "rule-allow") << text;
        EXPECT_NE(in(tcp(gateway, 5000, guest, 22)), "rule-block") << text;
        EXPECT_EQ(out(tcp(guest, 22, gateway, 5000, syn | ack)), "open-flow") << "a forward";
    }
}

TEST_F(FilterTest, WhenLearningEndsWhatOnlyThatLetThroughIsCut) {
    make(policy({"@host:80"}));
    filter->setLearning(true, now);
    EXPECT_EQ(out(tcp(guest, 1, ip("10.9.9.9"), 22)), "learning");
    EXPECT_EQ(in(tcp(ip("10.9.9.9"), 22, guest, 1, syn | ack)), "incoming");
    EXPECT_EQ(out(tcp(guest, 1, ip("192.168.7.7"), 22)), "host-loopback");
    EXPECT_EQ(out(tcp(guest, 1, ip("192.168.7.7"), 80)), "rule-allow");
    EXPECT_EQ(out(tcp(guest, 1, gateway, 22)), "host-loopback");
    EXPECT_EQ(out(tcp(guest, 1, ip("127.0.0.1"), 22)), "host-loopback");
    EXPECT_EQ(out(tcp(guest, 1, ip("10.0.2.99"), 22)), "virtual-subnet");
    ASSERT_TRUE(filter->setHostAddresses({ip("10.9.9.9")}, now));
    EXPECT_EQ(out(tcp(guest, 1, ip("10.9.9.9"), 22, ack)), "flow-revoked") << "it became the host";
    ASSERT_TRUE(filter->setHostAddresses({}, now));
    EXPECT_EQ(out(tcp(guest, 1, ip("10.9.9.9"), 22, ack)), "learning");
    filter->setLearning(false, now);
    EXPECT_EQ(out(tcp(guest, 1, ip("10.9.9.9"), 22, ack)), "flow-revoked");
}

TEST_F(FilterTest, ARuleThatCannotOpenTheGatewayDoesNotHideOneThatDoes) {
    make(policy({"@host", "0.0.0.0/0:80"}));
    EXPECT_EQ(out(tcp(guest, 1, gateway, 80)), "rule-allow");
    EXPECT_EQ(out(tcp(guest, 1, gateway, 81)), "rule-allow");
    EXPECT_EQ(out(tcp(guest, 1, internet, 80)), "rule-allow");
    make(policy({"10.0.2.0/24", "10.0.0.0/8:80"}, {"10.0.2.2/32:80"}));
    EXPECT_EQ(out(tcp(guest, 1, gateway, 80)), "rule-block") << "what blocks counts";
    EXPECT_EQ(out(tcp(guest, 1, dns, 80)), "rule-allow");
    make(policy({"10.0.0.0/8"}, {"0.0.0.0/0"}));
    EXPECT_EQ(out(tcp(guest, 1, gateway, 80)), "host-loopback");
    EXPECT_EQ(out(udp(guest, 1, dns, 53)), "host-service");
}

TEST_F(FilterTest, AHostOfVeryManyAddressesIsTheHostOnAllOfThem) {
    std::vector<Ipv4> addresses;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        addresses.push_back({ip("5.6.0.0").value + 999 - i});
    }
    make(policy({"0.0.0.0/0"}, {"@host"}));
    ASSERT_TRUE(filter->setHostAddresses(addresses, now));
    EXPECT_EQ(out(tcp(guest, 1, ip("5.6.0.0"), 80)), "rule-block");
    EXPECT_EQ(out(tcp(guest, 1, ip("5.6.3.231"), 80)), "rule-block") << "the last of them";
    EXPECT_EQ(out(tcp(guest, 1, ip("5.6.3.232"), 80)), "rule-allow");
    set(policy());
    EXPECT_EQ(out(tcp(guest, 1, ip("5.6.3.231"), 80)), "host-loopback");
}

TEST_F(FilterTest, NewHostAddressesCountThoughTheRulesAreTooManyForThem) {
    std::vector<std::string> texts;
    for (int i = 0; i < 300; ++i) {
        texts.push_back("@host:" + std::to_string(2 * i + 1000));
    }
    make(policy({texts.begin(), texts.end()}));
    std::vector<Ipv4> addresses;
    for (std::uint32_t i = 0; i < 254; ++i) {
        addresses.push_back({ip("5.6.0.0").value + i});
    }
    EXPECT_FALSE(filter->setHostAddresses(addresses, now));
    EXPECT_EQ(out(tcp(guest, 1, ip("5.6.0.7"), 80)), "host-loopback");
    EXPECT_EQ(out(tcp(guest, 1, gateway, 1000)), "rule-allow");
}

TEST_F(FilterTest, FragmentsDoNotReachTheHost) {
    make(policy({"@host"}));
    const auto fragment = [](Ipv4 to, unsigned field) {
        return ipv4({.source = guest, .destination = to, .protocol = 17, .fragment = field},
                    udpPayload(1, 53));
    };
    for (const unsigned field : {0x2000U, 0x0001U, 0x2001U}) {
        EXPECT_EQ(out(fragment(gateway, field)), "fragment");
        EXPECT_EQ(out(fragment(dns, field)), "fragment");
        EXPECT_EQ(out(fragment(internet, field)), "global");
    }
    EXPECT_EQ(out(fragment(internet, 0x4000)), "global") << "don't fragment is not a fragment";
    EXPECT_EQ(out(fragment(Ipv4::broadcast(), 0x2000)), "dhcp-malformed");
    set(policy({"8.0.0.0/8:53"}, {"0.0.0.0/0"}));
    EXPECT_EQ(out(fragment(internet, 0x0001)), "fragment") << "its port cannot be known";
}

TEST_F(FilterTest, OptionsAndForeignArpAreDropped) {
    make(policy({"0.0.0.0/0"}));
    EXPECT_EQ(
        out(ipv4({.source = guest, .destination = internet, .headerWords = 6}, tcpPayload(1, 80))),
        "ipv4-options");
    EXPECT_EQ(out(arp({.hardwareType = 6, .sender = guest})), "arp-malformed");
    EXPECT_EQ(out(arp({.protocolType = 0x86dd, .sender = guest})), "arp-malformed");
    EXPECT_EQ(out(arp({.operation = 3, .sender = guest})), "arp-malformed");
    EXPECT_EQ(out(arp({.operation = 2, .sender = guest})), "arp");
    EXPECT_EQ(out(arp({.operation = 2, .sender = gateway})), "arp-sender");
    EXPECT_EQ(out(ethernet(0x0806, Frame(7))), "arp-malformed");
}

TEST_F(FilterTest, AGuestRenewsByUnicastUnderEveryRule) {
    make(policy({}, {"0.0.0.0/0"}));
    EXPECT_EQ(out(dhcp({.type = 3, .client = guest}, guest, gateway)), "dhcp");
    EXPECT_EQ(out(dhcp({.type = 3}, guest, gateway, 69)), "rule-block");
    EXPECT_EQ(out(dhcp({.type = 3}, guest, dns)), "rule-block");
}

TEST_F(FilterTest, PlainNatPassesAllButTheHostsLoopback) {
    make({}, Profile::Nat);
    // The fourth is one of the host's own.
    for (const auto text : {"8.8.8.8", "192.168.1.1", "10.1.2.3", "192.168.7.7", "224.0.0.251"}) {
        EXPECT_EQ(out(udp(guest, 1, ip(text), 80)), "nat");
    }
    EXPECT_EQ(out(tcp(guest, 1, gateway, 80)), "host-loopback");
    EXPECT_EQ(out(udp(guest, 1, dns, 53)), "host-service");
    EXPECT_EQ(out(echo(guest, gateway)), "host-service");
}

TEST_F(FilterTest, AHostNetworkReachesTheHostOnly) {
    make({}, Profile::Host);
    EXPECT_EQ(out(tcp(guest, 1, internet, 80)), "host-only");
    EXPECT_EQ(out(udp(guest, 1, dns, 53)), "host-service");
    EXPECT_EQ(out(tcp(guest, 22, gateway, 5000, syn | ack)), "host-service");
    EXPECT_EQ(out(tcp(guest, 1, gateway, 80)), "host-loopback");
}

TEST_F(FilterTest, AVerdictSaysWhatItIsAbout) {
    make(policy({"9.9.9.0/24"}, {"8.8.0.0/16"}));
    const Verdict verdict = filter->fromGuest(udp(guest, 1234, internet, 53), now);
    EXPECT_EQ(verdict.reason, Reason::RuleBlock);
    EXPECT_EQ(verdict.rule, 1);
    EXPECT_EQ(verdict.protocol, 17);
    EXPECT_EQ(verdict.other, internet);
    ASSERT_TRUE(verdict.hasPorts);
    EXPECT_EQ(verdict.otherPort, 53);
    EXPECT_EQ(verdict.guestPort, 1234);
}

TEST_F(FilterTest, ATesterSaysWhatANewConversationWouldMeet) {
    make(policy({"in 10.0.0.0/8"}, {"0.0.0.0/0"}));
    const auto would = [&](Side side, std::string_view to) {
        return std::string(
            reasonName(filter->wouldPass(side, 6, Ipv4::parse(to).value(), 80).reason));
    };
    EXPECT_EQ(would(Side::Other, "10.0.0.1"), "rule-allow");
    EXPECT_EQ(would(Side::Guest, "10.0.0.1"), "rule-block");
    EXPECT_EQ(would(Side::Guest, "127.0.0.1"), "host-loopback");
    EXPECT_EQ(filter->flows().size(), 0U) << "asking leaves no trace";
    make(policy({"10.0.0.0/8"}, {"0.0.0.0/0"}));
    EXPECT_EQ(would(Side::Other, "10.0.0.1"), "incoming");
    EXPECT_EQ(would(Side::Other, "9.9.9.9"), "rule-block") << "the guest could not answer";
    EXPECT_EQ(would(Side::Other, "10.0.2.2"), "incoming") << "answers to the gateway pass";
    make({});
    EXPECT_EQ(would(Side::Other, "10.0.2.2"), "incoming") << "by an exposed port, from the host";
    EXPECT_EQ(would(Side::Other, "192.168.1.1"), "not-global");
}

TEST_F(FilterTest, AVerdictSaysWhoBeganTheConversation) {
    make(policy({"0.0.0.0/0"}));
    EXPECT_EQ(filter->fromGuest(tcp(guest, 4000, internet, 80), now).opened, Side::Guest);
    EXPECT_EQ(filter->toGuest(tcp(internet, 80, guest, 4000, syn | ack), now).opened, Side::Guest);
    EXPECT_EQ(filter->toGuest(tcp(internet, 4000, guest, 22), now).opened, Side::Other);
    EXPECT_EQ(filter->fromGuest(tcp(guest, 22, internet, 4000, syn | ack), now).opened,
              Side::Other);
    EXPECT_EQ(filter->liveFlows(now), 2U);
    EXPECT_EQ(filter->liveFlows(now + FlowTable::tcp), 0U);
}

TEST_F(FilterTest, RulesAreTakenWholeOrNotAtAll) {
    make(policy({}, {"8.8.8.8/32"}));
    Policy tooMany;
    tooMany.allow.resize(4097, Target::parse("0.0.0.0/0").value());
    EXPECT_FALSE(filter->setPolicy(tooMany, now));
    EXPECT_EQ(out(tcp(guest, 1, internet, 80)), "rule-block");
}

TEST_F(FilterTest, EveryReasonHasItsOwnName) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < reasonCount; ++i) {
        names.push_back(reasonName(static_cast<Reason>(i)));
        EXPECT_FALSE(names.back().empty());
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

// Directions and flows.

TEST_F(FilterTest, AnInwardAllowLetsAnswersOut) {
    make(policy({"in 10.0.0.0/8"}, {"0.0.0.0/0"}));
    const Ipv4 peer = ip("10.9.0.1");
    EXPECT_EQ(out(tcp(guest, 22, peer, 5000, syn | ack)), "rule-block") << "not opened yet";
    EXPECT_EQ(in(tcp(peer, 5000, guest, 22)), "rule-allow");
    EXPECT_EQ(out(tcp(guest, 22, peer, 5000, syn | ack)), "open-flow");
    EXPECT_EQ(out(tcp(guest, 22, peer, 5001, syn | ack)), "rule-block") << "another port";
    EXPECT_EQ(out(tcp(guest, 23, peer, 5000, syn)), "rule-block");
    EXPECT_EQ(out(tcp(guest, 22, peer, 5000, syn)), "rule-block") << "this one would be new";
    EXPECT_EQ(in(tcp(ip("11.0.0.1"), 5000, guest, 22)), "rule-block");
}

TEST_F(FilterTest, AnOutwardBlockLeavesAnswersToInwardFlows) {
    make(policy({}, {"out 203.0.113.0/24"}));
    const Ipv4 peer = ip("203.0.113.9");
    EXPECT_EQ(in(tcp(peer, 5000, guest, 22)), "incoming");
    EXPECT_EQ(out(tcp(guest, 22, peer, 5000, syn | ack)), "open-flow");
    EXPECT_EQ(out(tcp(guest, 40000, peer, 80)), "rule-block");
}

TEST_F(FilterTest, AnInwardBlockLeavesAnswersToOutwardFlows) {
    make(policy({"203.0.113.0/24"}, {"in 203.0.113.0/24"}));
    const Ipv4 peer = ip("203.0.113.9");
    EXPECT_EQ(in(udp(peer, 53, guest, 4000)), "rule-block");
    EXPECT_EQ(out(udp(guest, 4000, peer, 53)), "rule-allow");
    EXPECT_EQ(in(udp(peer, 53, guest, 4000)), "open-flow");
    EXPECT_EQ(in(udp(peer, 54, guest, 4000)), "rule-block");
    EXPECT_EQ(in(tcp(peer, 53, guest, 4000)), "rule-block");
}

TEST_F(FilterTest, FlowsEndAndOnlyTheirInitiatorKeepsThem) {
    make(policy({}, {"in 0.0.0.0/0"}));
    EXPECT_EQ(out(udp(guest, 4000, internet, 53)), "global");
    now += Time{20'000};
    EXPECT_EQ(in(udp(internet, 53, guest, 4000)), "open-flow");
    now += Time{10'000};
    EXPECT_EQ(in(udp(internet, 53, guest, 4000)), "rule-block");
    EXPECT_EQ(out(udp(guest, 4000, internet, 53)), "global");
    now += Time{20'000};
    EXPECT_EQ(out(udp(guest, 4000, internet, 53)), "open-flow");
    now += Time{20'000};
    EXPECT_EQ(in(udp(internet, 53, guest, 4000)), "open-flow");
    EXPECT_EQ(out(tcp(guest, 5, internet, 80)), "global");
    now += Time{60'000};
    EXPECT_EQ(in(tcp(internet, 80, guest, 5, syn | ack)), "rule-block");
    EXPECT_EQ(out(tcp(guest, 5, internet, 80, ack)), "global");
    now += Time{299'999};
    EXPECT_EQ(in(tcp(internet, 80, guest, 5, ack)), "open-flow");
}

TEST_F(FilterTest, EchoesAreFollowedByTheirIdentifier) {
    make(policy({}, {"in 0.0.0.0/0"}));
    EXPECT_EQ(in(echo(internet, guest, false, 7)), "rule-block");
    EXPECT_EQ(out(echo(guest, internet, true, 7)), "global");
    EXPECT_EQ(in(echo(internet, guest, false, 7)), "open-flow");
    EXPECT_EQ(in(echo(internet, guest, false, 8)), "rule-block");
    EXPECT_EQ(in(echo(internet, guest, true, 7)), "rule-block") << "a question, not an answer";
}

TEST_F(FilterTest, AFullTableRefusesNewFlows) {
    make(policy({}, {"in 0.0.0.0/0"}), Profile::Softnet, 4);
    for (unsigned port = 1; port <= 4; ++port) {
        EXPECT_EQ(out(udp(guest, port, internet, 80)), "global");
    }
    EXPECT_EQ(out(udp(guest, 5, internet, 80)), "flow-table-full");
    EXPECT_EQ(out(udp(guest, 4, internet, 80)), "open-flow");
    now += Time{30'000};
    EXPECT_EQ(out(udp(guest, 5, internet, 80)), "global");
    make({}, Profile::Softnet, 4);
    for (unsigned port = 1; port <= 9; ++port) {
        EXPECT_EQ(out(udp(guest, port, internet, 80)), "global")
            << "without directions none is needed";
    }
}

TEST_F(FilterTest, UdpOfPortZeroCannotBeFollowed) {
    make(policy({}, {"in 0.0.0.0/0"}));
    EXPECT_EQ(out(udp(guest, 0, internet, 80)), "transport-malformed");
    EXPECT_EQ(out(udp(guest, 80, internet, 0)), "transport-malformed");
    make();
    EXPECT_EQ(out(udp(guest, 0, internet, 80)), "global");
}

TEST_F(FilterTest, InwardPortRulesAreAboutTheGuestsPorts) {
    make(policy({"in 10.0.0.0/8:22"}, {"in 0.0.0.0/0"}));
    EXPECT_EQ(in(tcp(ip("10.9.9.9"), 5000, guest, 22)), "rule-allow");
    EXPECT_EQ(in(tcp(ip("10.9.9.9"), 22, guest, 80)), "rule-block");
}

// Rules that change.

TEST_F(FilterTest, AForbiddenFlowStopsInBothDirections) {
    make();
    EXPECT_EQ(out(tcp(guest, 5, internet, 80)), "global");
    EXPECT_EQ(in(tcp(internet, 80, guest, 5, syn | ack)), "incoming");
    set(policy({}, {"8.0.0.0/8"}));
    EXPECT_EQ(out(tcp(guest, 5, internet, 80, ack)), "flow-revoked");
    EXPECT_EQ(in(tcp(internet, 80, guest, 5, ack)), "flow-revoked");
    EXPECT_EQ(out(tcp(guest, 6, internet, 80)), "rule-block");
    EXPECT_EQ(in(tcp(ip("8.8.4.4"), 80, guest, 7, ack)), "incoming") << "only what was cut";
}

TEST_F(FilterTest, ACutFlowGoesOnWhenItIsAllowedAgain) {
    make();
    EXPECT_EQ(out(tcp(guest, 5, internet, 80)), "global");
    set(policy({}, {"8.0.0.0/8"}));
    EXPECT_EQ(in(tcp(internet, 80, guest, 5, ack)), "flow-revoked");
    set(policy());
    EXPECT_EQ(in(tcp(internet, 80, guest, 5, ack)), "incoming");
    EXPECT_EQ(out(tcp(guest, 5, internet, 80, ack)), "global");
}

TEST_F(FilterTest, AnOpenConversationWithTheHostStopsThoughAnswersWouldPass) {
    make(policy({"@host"}));
    EXPECT_EQ(out(tcp(guest, 5, gateway, 80)), "rule-allow");
    EXPECT_EQ(out(tcp(guest, 5, gateway, 80, ack)), "rule-allow");
    set(policy());
    for (int hour = 0; hour < 30; ++hour) {
        EXPECT_EQ(out(tcp(guest, 5, gateway, 80, ack)), "flow-revoked");
        EXPECT_EQ(in(tcp(gateway, 80, guest, 5, ack)), "flow-revoked");
        now += Time{3'600'000};
    }
    EXPECT_EQ(out(tcp(guest, 5, gateway, 80)), "host-loopback");
    EXPECT_EQ(in(tcp(gateway, 6000, guest, 22)), "incoming");
    EXPECT_EQ(out(tcp(guest, 22, gateway, 6000, syn | ack)), "host-service");
}

TEST_F(FilterTest, FloodingDoesNotBringACutFlowBack) {
    make(policy({"@host"}));
    EXPECT_EQ(out(tcp(guest, 5, gateway, 80)), "rule-allow");
    set(policy());
    for (unsigned port = 1; port < 1000; ++port) {
        EXPECT_EQ(out(udp(guest, port, internet, 80)), "global");
    }
    EXPECT_EQ(out(tcp(guest, 5, gateway, 80, ack)), "flow-revoked");
}

TEST_F(FilterTest, ABlockedServerCannotKeepAFlowOpenByAnswering) {
    make();
    EXPECT_EQ(out(udp(guest, 4000, internet, 443)), "global");
    set(policy({}, {"out 8.0.0.0/8"}));
    EXPECT_EQ(in(udp(internet, 443, guest, 4000)), "flow-revoked");
    EXPECT_EQ(out(udp(guest, 4000, internet, 443)), "flow-revoked");
    now += Time{299'999};
    EXPECT_EQ(in(udp(internet, 443, guest, 4000)), "flow-revoked");
}

TEST_F(FilterTest, ASilentFlowOfTheGuestStaysTheGuests) {
    make();
    EXPECT_EQ(out(tcp(guest, 5, internet, 80)), "global");
    EXPECT_EQ(out(tcp(guest, 5, internet, 80, ack)), "global");
    now += Time{3'600'000}; // long expired, not forgotten
    set(policy({}, {"out 8.0.0.0/8"}));
    EXPECT_EQ(in(tcp(internet, 80, guest, 5, ack)), "flow-revoked");
    EXPECT_EQ(out(tcp(guest, 5, internet, 80, ack)), "flow-revoked");
}

TEST_F(FilterTest, AStrangersDatagramLendsTheGuestNoFlow) {
    make();
    const Ipv4 accomplice = ip("9.9.9.8");
    EXPECT_EQ(out(udp(guest, 4000, ip("9.9.9.9"), 443)), "global");
    set(policy({}, {"out 0.0.0.0/0"}));
    EXPECT_EQ(in(udp(accomplice, 4444, guest, 4000)), "incoming");
    EXPECT_EQ(out(udp(guest, 4000, accomplice, 4444)), "rule-block");
    EXPECT_EQ(in(echo(accomplice, guest, true, 7)), "incoming");
    EXPECT_EQ(out(echo(guest, accomplice, false, 7)), "rule-block");
    set(policy({"in 9.9.9.8/32"}, {"out 0.0.0.0/0"}));
    EXPECT_EQ(in(udp(accomplice, 4444, guest, 4000)), "rule-allow");
    EXPECT_EQ(out(udp(guest, 4000, accomplice, 4444)), "open-flow") << "a rule says so";
    set(policy({}, {"out 0.0.0.0/0"}));
    EXPECT_EQ(in(udp(accomplice, 4444, guest, 4000)), "incoming");
    EXPECT_EQ(out(udp(guest, 4000, accomplice, 4444)), "rule-block") << "and no longer";
}

TEST_F(FilterTest, ADatagramThatCameInEarlierLendsTheGuestNoFlowEither) {
    make();
    EXPECT_EQ(in(udp(internet, 4444, guest, 4000)), "incoming");
    set(policy({}, {"out 0.0.0.0/0"}));
    EXPECT_EQ(out(udp(guest, 4000, internet, 4444)), "rule-block");
}

TEST_F(FilterTest, OnlyTheFirstSegmentFromOutsideBeginsAConversation) {
    make({}, Profile::Softnet, 4);
    EXPECT_EQ(out(tcp(guest, 5, internet, 80)), "global");
    for (unsigned port = 10; port < 14; ++port) { // its own flow is forgotten
        now += Time{1};
        EXPECT_EQ(out(tcp(guest, port, internet, 80)), "global");
    }
    set(policy({}, {"out 0.0.0.0/0"}));
    EXPECT_EQ(in(tcp(internet, 80, guest, 5, ack)), "incoming");
    EXPECT_EQ(out(tcp(guest, 5, internet, 80, ack)), "rule-block");
    EXPECT_EQ(in(tcp(internet, 80, guest, 22)), "incoming");
    EXPECT_EQ(out(tcp(guest, 22, internet, 80, ack)), "open-flow");
}

TEST_F(FilterTest, ATableFullOfCutFlowsTakesNewOnes) {
    make({}, Profile::Softnet, 4);
    for (unsigned port = 1; port <= 4; ++port) {
        EXPECT_EQ(out(tcp(guest, port, internet, 80)), "global");
    }
    set(policy({}, {"out 8.0.0.0/8"}));
    for (unsigned port = 1; port <= 4; ++port) {
        EXPECT_EQ(out(udp(guest, port, ip("9.9.9.9"), 53)), "global") << port;
    }
    EXPECT_EQ(out(udp(guest, 5, ip("9.9.9.9"), 53)), "flow-table-full") << "all of them live";
    EXPECT_EQ(out(tcp(guest, 1, internet, 80, ack)), "rule-block") << "forgotten, but not allowed";
}

TEST_F(FilterTest, AForgottenCutDoesNotPassForAnAnswerToTheHost) {
    for (const auto* const direction : {"", "out "}) {
        make(policy({"@host"}), Profile::Softnet, 4);
        EXPECT_EQ(in(tcp(gateway, 6000, guest, 22)), "incoming");
        for (unsigned port = 5; port < 8; ++port) {
            EXPECT_EQ(out(tcp(guest, port, gateway, 80)), "rule-allow");
        }
        const std::string block = std::string(direction) + "9.0.0.0/8";
        set(policy({}, {block}));
        now += FlowTable::tcp;
        for (unsigned port = 1; port <= 4; ++port) {
            EXPECT_EQ(in(tcp(gateway, 6000, guest, 22)), "incoming");
            out(udp(guest, port, internet, 53));
        }
        for (unsigned port = 5; port < 8; ++port) {
            const std::string verdict = out(tcp(guest, port, gateway, 80, ack));
            EXPECT_TRUE(verdict == "host-loopback" || verdict == "flow-revoked") << verdict;
        }
    }
}

TEST_F(FilterTest, ASilentForwardGoesOnUnderDirections) {
    make(policy({}, {"out 9.0.0.0/8"}));
    EXPECT_EQ(in(tcp(gateway, 6000, guest, 22)), "incoming");
    now += 10 * FlowTable::tcp;
    EXPECT_EQ(out(tcp(guest, 22, gateway, 6000, ack)), "host-service");
    set(policy({}, {"out 9.0.0.0/16"})); // still the other side's, and not cut
    EXPECT_EQ(in(tcp(gateway, 6000, guest, 22, ack)), "incoming");
    EXPECT_EQ(out(tcp(guest, 22, gateway, 6000, ack)), "open-flow");
    EXPECT_EQ(out(tcp(guest, 23, gateway, 6000, ack)), "host-loopback") << "belongs to nothing";
}

TEST_F(FilterTest, NewRulesDoNotBringExpiredFlowsBackToLife) {
    make(policy({}, {"in 0.0.0.0/0"}));
    EXPECT_EQ(out(tcp(guest, 5, internet, 80, ack)), "global");
    EXPECT_EQ(out(udp(guest, 5, internet, 53)), "global");
    now += FlowTable::tcp;
    set(policy({}, {"in 0.0.0.0/0", "out 8.0.0.0/8"}));
    EXPECT_EQ(filter->flows().size(), 1U) << "datagrams are forgotten";
    set(policy({}, {"in 0.0.0.0/0"}));
    EXPECT_EQ(filter->liveFlows(now), 0U);
    EXPECT_EQ(in(tcp(internet, 80, guest, 5, ack)), "rule-block");
}

TEST_F(FilterTest, FlowsThatStayAllowedGoOn) {
    make(policy({}, {"in 11.0.0.0/8"}));
    const Ipv4 peer = ip("10.9.0.1");
    EXPECT_EQ(in(tcp(peer, 5000, guest, 22)), "incoming");
    set(policy({}, {"in 12.0.0.0/8", "out 10.0.0.0/8"}));
    EXPECT_EQ(out(tcp(guest, 22, peer, 5000, ack)), "open-flow");
    set(policy({}, {"in 10.0.0.0/8"}));
    EXPECT_EQ(out(tcp(guest, 22, peer, 5000, ack)), "flow-revoked");
}

} // namespace
} // namespace vitrine::softnet
