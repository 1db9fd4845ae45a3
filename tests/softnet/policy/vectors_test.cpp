// SPDX-License-Identifier: Apache-2.0
// The vectors of Softnet 0.19.0, each against its decisions (StrictSoftnet) and against the shipped
// filter, whose answer differs only where it says why.
#include "softnet/frames.h"
#include "softnet/policy/filter.h"
#include "softnet/strict_softnet.h"

#include <gtest/gtest.h>

namespace vitrine::softnet {
namespace {

using namespace frames;
using Outcome = StrictSoftnet::Outcome;

const Ipv4 a = ip("192.168.64.2");
const Ipv4 g = ip("192.168.64.1");
const Ipv4 d = ip("10.9.9.9");
const Ipv4 global = ip("8.8.8.8");

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

Frame offer(std::uint8_t type, std::optional<std::uint32_t> lease, DhcpFields fields = {}) {
    fields.op = 2;
    fields.type = type;
    fields.yours = a;
    fields.options = {6, 4};
    put32(fields.options, d.value);
    if (lease) {
        fields.options.insert(fields.options.end(), {51, 4});
        put32(fields.options, *lease);
    }
    IpFields header{g, a, 17};
    header.sourceMac = frames::other;
    header.destinationMac = vm;
    return ipv4(header, udpPayload(67, 68, dhcpMessage(fields)));
}

enum class Lease { None, Valid, Expired };

StrictSoftnet strict(const Policy& rules, Lease lease = Lease::Valid) {
    StrictSoftnet filter(vm, g, rules);
    if (lease != Lease::None) {
        EXPECT_EQ(filter.toGuest(offer(5, 600), Time{0}), Outcome::Pass);
    }
    return filter;
}

Time moment(Lease lease) {
    return lease == Lease::Expired ? Time{600'000} : Time{1000};
}

bool strictPasses(const Frame& frame, const Policy& rules = {}, Lease lease = Lease::Valid) {
    return strict(rules, lease).fromGuest(frame, moment(lease)) == Outcome::Pass;
}

Filter shipped(const Policy& rules = {}, Profile profile = Profile::Softnet) {
    Network network;
    network.guestMac = vm;
    network.guest = a;
    network.gateway = g;
    network.dns = ip("192.168.64.3");
    network.subnet = Prefix::parse("192.168.64.0/24").value();
    Filter filter(network, profile, 1, 64);
    EXPECT_TRUE(filter.setPolicy(rules, Time{0}));
    return filter;
}

std::string ours(const Frame& frame, const Policy& rules = {}) {
    return std::string(reasonName(shipped(rules).fromGuest(frame, Time{1000}).reason));
}

// Both say so, the shipped one with this reason.
void bothPass(const Frame& frame, std::string_view reason, const Policy& rules = {}) {
    EXPECT_TRUE(strictPasses(frame, rules));
    EXPECT_EQ(ours(frame, rules), reason);
    EXPECT_TRUE(shipped(rules).fromGuest(frame, Time{0}).passes());
}
void bothDrop(const Frame& frame, std::string_view reason, const Policy& rules = {}) {
    EXPECT_FALSE(strictPasses(frame, rules));
    EXPECT_EQ(ours(frame, rules), reason);
    EXPECT_FALSE(shipped(rules).fromGuest(frame, Time{0}).passes());
}

TEST(UpstreamVectors, BlockingTakesPrecedence) {
    const Policy rules = policy({"66.66.0.0/16"}, {"66.66.0.0/16"});
    bothDrop(tcp(a, 1, ip("66.66.66.66"), 80), "rule-block", rules);
}

TEST(UpstreamVectors, TheLongestPrefixDecides) {
    const Policy rules = policy({"33.33.33.33/32"}, {"33.33.33.0/24"});
    bothDrop(tcp(a, 1, ip("33.33.33.32"), 80), "rule-block", rules);
    bothPass(tcp(a, 1, ip("33.33.33.33"), 80), "rule-allow", rules);
    bothDrop(tcp(a, 1, ip("33.33.33.34"), 80), "rule-block", rules);
}

TEST(UpstreamVectors, TheHostCanBeAllowedAlone) {
    const Policy rules = policy({"@host"}, {"0.0.0.0/0"});
    bothDrop(tcp(a, 1, global, 80), "rule-block", rules);
    bothPass(tcp(a, 1, g, 80), "rule-allow", rules);
}

TEST(Vectors, No1ThirteenBytesAreIgnored) {
    EXPECT_EQ(strict({}).fromGuest(Frame(13), Time{0}), Outcome::Ignore);
    EXPECT_EQ(strict({}).fromGuest(Frame(), Time{0}), Outcome::Ignore);
    EXPECT_EQ(ours(Frame(13)), "too-short");
}

TEST(Vectors, No2AnotherSourceMacIsDropped) {
    IpFields fields{a, global, 6};
    fields.sourceMac = frames::other;
    bothDrop(ipv4(fields, tcpPayload(1, 80)), "src-mac");
    fields.sourceMac = Mac::broadcast();
    bothDrop(ipv4(fields, tcpPayload(1, 80)), "src-mac");
}

TEST(Vectors, No2TheDestinationMacIsNotLookedAt) {
    IpFields fields{a, global, 6};
    fields.destinationMac = vm;
    bothPass(ipv4(fields, tcpPayload(1, 80)), "global");
}

TEST(Vectors, No3OtherEthertypesAreDropped) {
    const Frame payload(60);
    bothDrop(ethernet(0x86dd, payload), "ethertype-ipv6");
    bothDrop(ethernet(0x8100, payload), "ethertype-vlan");
    bothDrop(ethernet(0x88cc, payload), "ethertype");
    bothDrop(ethernet(0x88f8, payload), "ethertype");
    bothDrop(ethernet(46, payload), "ethertype");
}

TEST(Vectors, No4ArpOfAnotherSenderIsDropped) {
    bothDrop(arp({.senderMac = frames::other, .sender = a, .target = g}), "arp-sender");
}

TEST(Vectors, No5ArpWithoutALease) {
    EXPECT_TRUE(strictPasses(arp({.target = a}), {}, Lease::None));
    EXPECT_FALSE(strictPasses(arp({.sender = a, .target = g}), {}, Lease::None));
}

TEST(Vectors, No6ArpWithALease) {
    bothPass(arp({.sender = a, .target = g}), "arp");
    EXPECT_FALSE(strictPasses(arp({.target = a})));
    EXPECT_EQ(ours(arp({.target = a})), "arp") << "a probe for a conflict harms nobody";
    bothDrop(arp({.sender = g, .target = a}), "arp-sender");
}

TEST(Vectors, No7ArpWithAnExpiredLease) {
    EXPECT_FALSE(strictPasses(arp({.sender = a, .target = g}), {}, Lease::Expired));
    EXPECT_FALSE(strictPasses(arp({.target = a}), {}, Lease::Expired));
}

TEST(Vectors, No8ArpWithAddressesOfAnotherLengthIsDropped) {
    bothDrop(arpWithAddressLength(16), "arp-malformed");
    bothDrop(arpWithAddressLength(3), "arp-malformed");
    bothDrop(arpWithAddressLength(0), "arp-malformed");
}

TEST(Vectors, No9GlobalAddressesPassWhateverTheProtocol) {
    bothPass(tcp(a, 1, global, 80), "global");
    bothPass(udp(a, 1, global, 53), "global");
    bothPass(echo(a, global), "global");
    bothPass(ipv4({a, global, 253}, Frame(8)), "global");
}

TEST(Vectors, No10PrivateAddressesAreDropped) {
    for (const auto text :
         {"10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "240.0.0.1"}) {
        bothDrop(tcp(a, 1, ip(text), 80), "not-global");
    }
    bothDrop(tcp(a, 1, ip("127.0.0.1"), 80), "host-loopback");
    bothDrop(tcp(a, 1, ip("0.0.0.0"), 80), "host-loopback");
}

TEST(Vectors, No11NeighboursOfPrivateBlocksPass) {
    for (const auto text :
         {"172.32.0.1", "192.0.0.9", "192.0.0.10", "11.0.0.0", "100.128.0.0", "198.20.0.0"}) {
        bothPass(tcp(a, 1, ip(text), 80), "global");
    }
    const Frame mdns = udp(a, 5353, ip("224.0.0.251"), 5353);
    EXPECT_TRUE(strictPasses(mdns));
    EXPECT_EQ(ours(mdns), "multicast") << "it would reach the host's LAN";
    bothPass(mdns, "rule-allow", policy({"224.0.0.0/24"}));
}

TEST(Vectors, No12EndsOfPrivateBlocksAreDropped) {
    for (const auto text : {"192.0.0.8", "192.0.0.11", "198.19.255.255", "203.0.113.9"}) {
        bothDrop(tcp(a, 1, ip(text), 80), "not-global");
    }
}

TEST(Vectors, No13TheGateway) {
    bothPass(echo(a, g), "host-service");
    bothPass(tcp(a, 22, g, 40000, syn | ack), "host-service");
    for (const Frame& frame : {tcp(a, 1, g, 80), udp(a, 1, g, 80), ipv4({a, g, 253}, Frame(8))}) {
        EXPECT_TRUE(strictPasses(frame));
        EXPECT_EQ(ours(frame), "host-loopback") << "here the gateway is 127.0.0.1";
        bothPass(frame, "rule-allow", policy({"@host"}));
        bothDrop(frame, "rule-block", policy({}, {"0.0.0.0/0"}));
    }
    bothDrop(echo(a, g), "rule-block", policy({}, {"0.0.0.0/0"}));
}

TEST(Vectors, No14DnsServersOfTheLease) {
    EXPECT_TRUE(strictPasses(udp(a, 1, d, 53)));
    EXPECT_FALSE(strictPasses(tcp(a, 1, d, 53)));
    EXPECT_FALSE(strictPasses(udp(a, 1, d, 853)));
    // The shipped lease names one server, inside the virtual network.
    const Ipv4 dns = ip("192.168.64.3");
    EXPECT_EQ(ours(udp(a, 1, dns, 53)), "host-service");
    EXPECT_EQ(ours(tcp(a, 1, dns, 53)), "host-service") << "as to the gateway on macOS";
    EXPECT_EQ(ours(udp(a, 1, dns, 853)), "host-loopback");
    EXPECT_EQ(ours(udp(a, 1, d, 53)), "not-global");
}

TEST(Vectors, No15DnsUnderABlock) {
    EXPECT_FALSE(strictPasses(udp(a, 1, d, 53), policy({}, {"10.0.0.0/8"})));
    EXPECT_EQ(ours(udp(a, 1, ip("192.168.64.3"), 53), policy({}, {"192.168.0.0/16"})),
              "rule-block");
    EXPECT_EQ(ours(udp(a, 1, ip("192.168.64.3"), 53), policy({"@host"}, {"0.0.0.0/0"})),
              "rule-allow");
}

TEST(Vectors, No16SpoofedSourcesAreDropped) {
    for (const auto text : {"192.168.64.9",
                            "8.8.4.4",
                            "0.0.0.0",
                            "127.0.0.1",
                            "224.0.0.1",
                            "255.255.255.255",
                            "192.168.64.1"}) {
        bothDrop(tcp(ip(text), 1, global, 80), "src-ip");
    }
    EXPECT_FALSE(strictPasses(tcp(a, 1, global, 80), {}, Lease::Expired));
    EXPECT_FALSE(strictPasses(tcp(a, 1, global, 80), {}, Lease::None));
}

TEST(Vectors, No17DiscoveringNeedsNoLeaseAndNoRule) {
    EXPECT_TRUE(strictPasses(dhcp({}), {}, Lease::None));
    bothPass(dhcp({}), "dhcp");
    bothPass(dhcp({}), "dhcp", policy({}, {"0.0.0.0/0"}));
}

TEST(Vectors, No18RenewingByBroadcast) {
    const Frame frame = dhcp({.type = 3, .client = a}, a);
    bothPass(frame, "dhcp");
    EXPECT_FALSE(strictPasses(frame, policy({}, {"0.0.0.0/0"})));
    EXPECT_EQ(ours(frame, policy({}, {"0.0.0.0/0"})), "dhcp")
        << "answered here, so that no rule takes the guest's address away";
}

TEST(Vectors, No19OtherBroadcasts) {
    for (const Frame& frame : {udp(ip("1.2.3.4"), 68, Ipv4::broadcast(), 67),
                               udp(ip("1.2.3.4"), 68, Ipv4::broadcast(), 1234),
                               udp(ip("1.2.3.4"), 5, Ipv4::broadcast(), 67)}) {
        EXPECT_TRUE(strictPasses(frame));
        EXPECT_EQ(ours(frame), "src-ip");
    }
    EXPECT_EQ(ours(udp(a, 68, Ipv4::broadcast(), 1234)), "martian");
    EXPECT_EQ(ours(udp(a, 5, Ipv4::broadcast(), 67)), "martian");
    EXPECT_EQ(ours(udp(a, 68, Ipv4::broadcast(), 67)), "dhcp-malformed");
    EXPECT_EQ(ours(dhcp({.op = 2})), "dhcp-malformed");
    EXPECT_EQ(ours(dhcp({.mac = frames::other})), "dhcp-malformed");
    bothDrop(tcp(a, 1, Ipv4::broadcast(), 80), "martian");
    EXPECT_EQ(ours(tcp(a, 1, Ipv4::broadcast(), 80), policy({"0.0.0.0/0"})), "martian");
}

TEST(Vectors, No20DiscoveringByUnicastIsDropped) {
    bothDrop(dhcp({}, {}, g), "src-ip");
}

TEST(Vectors, No21MalformedUdp) {
    const auto malformed = [](Ipv4 to) { return ipv4({a, to, 17}, udpPayload(1, 80, {}, 9)); };
    bothDrop(malformed(ip("10.0.0.5")), "not-global");
    bothPass(malformed(global), "global");
    EXPECT_EQ(ours(malformed(global), policy({}, {"8.0.0.0/8:53"})), "transport-malformed");
}

TEST(Vectors, No22LengthsThatContradictEachOtherAreDropped) {
    bothDrop(ipv4({.source = a, .destination = global, .totalLength = 41}, tcpPayload(1, 80)),
             "ipv4-malformed");
    bothDrop(ipv4({.source = a, .destination = global, .headerWords = 4}, tcpPayload(1, 80)),
             "ipv4-malformed");
    bothDrop(ipv4({.source = a, .destination = global, .totalLength = 19}, tcpPayload(1, 80)),
             "ipv4-malformed");
    bothDrop(ethernet(0x0800, Frame(19)), "ipv4-malformed");
    bothDrop(ethernet(0x0800, {}), "ipv4-malformed");
}

TEST(Vectors, No23PaddingAndVersion) {
    Frame padded = tcp(a, 1, global, 80);
    padded.resize(60);
    bothPass(padded, "global");
    const Frame six = ipv4({.source = a, .destination = global, .version = 6}, tcpPayload(1, 80));
    EXPECT_TRUE(strictPasses(six));
    EXPECT_EQ(ours(six), "ipv4-malformed");
}

TEST(Vectors, No24HostBitsOfARuleAreIgnored) {
    bothPass(tcp(a, 1, ip("10.200.0.1"), 80), "rule-allow", policy({"10.0.0.5/8"}));
}

TEST(Vectors, No25OnlyTheExactWholeTurnsIsolationOff) {
    bothPass(tcp(a, 1, ip("10.0.0.1"), 80), "rule-allow", policy({"1.2.3.4/0"}));
    EXPECT_TRUE(strict(policy({"1.2.3.4/0"})).isIsolated());
    EXPECT_FALSE(strict(policy({"0.0.0.0/0"}, {"0.0.0.0/0"})).isIsolated());
    EXPECT_TRUE(strict(policy()).isIsolated());
}

TEST(Vectors, No26NestedRules) {
    const Policy rules = policy({"10.0.0.0/8", "10.1.2.0/24"}, {"10.1.0.0/16"});
    bothPass(tcp(a, 1, ip("10.9.9.9"), 80), "rule-allow", rules);
    bothDrop(tcp(a, 1, ip("10.1.9.9"), 80), "rule-block", rules);
    bothPass(tcp(a, 1, ip("10.1.2.3"), 80), "rule-allow", rules);
}

TEST(Vectors, No27TheHostByAddressBlocksTheHostByName) {
    bothDrop(tcp(a, 1, g, 80), "rule-block", policy({"@host"}, {"192.168.64.1/32"}));
}

TEST(Vectors, No30ArpAndIpv4PassTowardTheGuest) {
    auto filter = shipped();
    for (const Frame& frame : {arp({.sender = g}),
                               tcp(ip("10.1.1.1"), 80, a, 1),
                               ethernet(0x0800, Frame(3)),
                               ethernet(0x0806, {})}) {
        EXPECT_EQ(strict({}).toGuest(frame, Time{0}), Outcome::Pass);
        EXPECT_TRUE(filter.toGuest(frame, Time{0}).passes());
    }
}

TEST(Vectors, No31NothingElsePassesTowardTheGuest) {
    auto filter = shipped();
    for (const Frame& frame :
         {ethernet(0x86dd, Frame(60)), ethernet(0x88f8, Frame(60)), Frame(13), Frame()}) {
        EXPECT_EQ(strict({}).toGuest(frame, Time{0}), Outcome::Drop);
        EXPECT_FALSE(filter.toGuest(frame, Time{0}).passes());
    }
}

TEST(Vectors, No32AnAcknowledgementIsALease) {
    auto filter = strict({});
    ASSERT_TRUE(filter.snooper().lease());
    EXPECT_EQ(filter.snooper().lease()->address, a);
    EXPECT_EQ(filter.snooper().lease()->dns, std::vector{d});
    EXPECT_TRUE(filter.snooper().isValid(Time{599'899}));
    EXPECT_FALSE(filter.snooper().isValid(Time{599'900}));
}

TEST(Vectors, No33OtherAnswersChangeNothing) {
    auto filter = strict({}, Lease::None);
    Frame toAll = offer(5, 600);
    std::fill_n(toAll.begin(), 6, 0xff);
    Frame notGateway = offer(5, 600);
    notGateway[29] = 9;
    for (const Frame& frame : {toAll, notGateway, offer(5, std::nullopt), offer(2, 600)}) {
        EXPECT_EQ(filter.toGuest(frame, Time{0}), Outcome::Pass);
        EXPECT_FALSE(filter.snooper().lease());
    }
}

TEST(Vectors, No34ARefusalEndsTheLease) {
    auto filter = strict({});
    EXPECT_EQ(filter.toGuest(offer(6, std::nullopt), Time{0}), Outcome::Pass);
    EXPECT_EQ(filter.fromGuest(arp({.target = a}), Time{1}), Outcome::Pass);
    EXPECT_EQ(filter.fromGuest(arp({.sender = a}), Time{1}), Outcome::Drop);
}

TEST(Vectors, No35ALeaseOfNothingIsInvalidAtOnce) {
    auto filter = strict({}, Lease::None);
    EXPECT_EQ(filter.toGuest(offer(5, 0), Time{0}), Outcome::Pass);
    EXPECT_TRUE(filter.snooper().lease());
    EXPECT_FALSE(filter.snooper().isValid(Time{0}));
}

TEST(Vectors, No36AnAnswerForAnotherIsTakenByStrictAndNeverByUs) {
    auto filter = strict({}, Lease::None);
    const Frame foreign = offer(5, 600, {.xid = 9, .mac = frames::other});
    EXPECT_EQ(filter.toGuest(foreign, Time{0}), Outcome::Pass);
    EXPECT_TRUE(filter.snooper().lease());
    EXPECT_EQ(shipped().toGuest(foreign, Time{0}).reason, Reason::ForeignDhcp);
    EXPECT_EQ(shipped().toGuest(offer(5, 600), Time{0}).reason, Reason::ForeignDhcp)
        << "the helper's own server is the only one";
}

} // namespace
} // namespace vitrine::softnet
