// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/flow_table.h"
#include "softnet/policy/frame.h"
#include "softnet/policy/rule_table.h"
#include "softnet/policy/verdict.h"

namespace vitrine::softnet {

// The guest's network. Gateway and DNS address lie in `subnet` and stand for the host's loopback
// and the host's resolver. `hostAddresses` are the host's own addresses elsewhere: what listens on
// all of its interfaces is reached through them too.
struct Network {
    Mac guestMac;
    Ipv4 guest = Ipv4::of(10, 0, 2, 15); // reserved; no other source address is the guest's
    Ipv4 gateway = Ipv4::of(10, 0, 2, 2);
    Ipv4 dns = Ipv4::of(10, 0, 2, 3);
    Prefix subnet{Ipv4::of(10, 0, 2, 0), 24};
    std::vector<Ipv4> hostAddresses; // ascending; Filter sees to it

    static constexpr std::size_t mostForRules = RuleTable::maximumHostAddresses - 2;

    [[nodiscard]] bool isAlias(Ipv4 address) const { return address == gateway || address == dns; }
    [[nodiscard]] bool isHost(Ipv4 address) const;
    // What @host stands for: gateway, name server and the first `mostForRules` of the others.
    [[nodiscard]] std::vector<Ipv4> ruleHostAddresses() const;
    [[nodiscard]] bool isBeyondRules(Ipv4 address) const; // one of the host's, but not of these
};

// What happens where no rule speaks: global addresses pass; all but the host's loopback passes;
// nothing does.
enum class Profile : std::uint8_t { Softnet, Nat, Host };

// Decides on every frame of one guest, from and to it. Knows no socket and no clock; not for
// several threads at once. Memory is taken when it is made and when rules are set, never by a
// frame.
//
// Differs from Softnet 0.19.0 where libslirp would open the host otherwise: 127/8 and 0/8, the
// virtual subnet but for gateway and DNS, and multicast without a rule never pass; the gateway is
// the host's loopback, so that without a rule that names it only DNS, echoes and answers reach it.
// A rule names it by @host or by a prefix inside the subnet: 0.0.0.0/0 or 10.0.0.0/8 do not open
// it.
class Filter final {
public:
    Filter(Network network,
           Profile profile,
           std::uint64_t seed,
           std::size_t flows = FlowTable::defaultCapacity);

    // Whole or not at all. Flows that the new rules forbid are cut at once, in both directions, and
    // go on if later rules let them.
    [[nodiscard]] Checked<void> setPolicy(const Policy& policy, Time now);
    // Whether setPolicy() would take it.
    [[nodiscard]] Checked<void> checkPolicy(const Policy& policy) const;
    // Replaces the host's own addresses, and cuts what is forbidden by that. If the rules would be
    // too many with them, @host goes on standing for the former ones, and the error says so; that
    // all of the new ones are the host's holds nevertheless.
    [[nodiscard]] Checked<void> setHostAddresses(std::vector<Ipv4> addresses, Time now);

    // While learning everything passes that rules could let through, but for the host: there the
    // rules that open it hold, and where none does what is so without rules. Cuts what only that
    // let through when it ends.
    void setLearning(bool learning, Time now);
    [[nodiscard]] bool isLearning() const { return m_learning; }

    // A Dhcp or Arp verdict is for the helper to answer; the frame never goes further.
    [[nodiscard]] Verdict fromGuest(Bytes frame, Time now);
    [[nodiscard]] Verdict toGuest(Bytes frame, Time now);

    // What a new conversation would meet. `port` is for TCP and UDP, of the side that does not open
    // it.
    [[nodiscard]] Verdict
    wouldPass(Side initiator, std::uint8_t protocol, Ipv4 other, std::uint16_t port) const;

    [[nodiscard]] const RuleTable& rules() const { return m_rules; }
    [[nodiscard]] const Network& network() const { return m_network; }
    [[nodiscard]] FlowTable& flows() { return m_flows; }
    [[nodiscard]] std::size_t liveFlows(Time now);

private:
    // What an IPv4 packet says about its conversation.
    struct Packet {
        FlowKey key;
        bool hasPorts = false;    // of TCP or UDP, readable
        bool portsHidden = false; // TCP or UDP without them: a fragment or malformed
        bool fragment = false;
        bool tcpOpens = false; // SYN without ACK
        bool echoRequest = false;
        bool tracked = false; // the key is that of a flow
        bool mayOpenFlow = false;
        bool answers = false; // to a conversation that the other side began
        FlowTable::Kind kind = FlowTable::Kind::Udp;
    };
    struct Judgement {
        Reason reason = Reason::NotGlobal;
        std::int16_t rule = -1;
    };

    [[nodiscard]] Reason arpReason(Bytes payload) const;
    [[nodiscard]] Reason dhcpReason(const Ipv4Packet& ip) const;
    [[nodiscard]] static Packet packetOf(const Ipv4Packet& ip, Side sender);
    [[nodiscard]] Verdict judgeFromGuest(const Ipv4Packet& ip, std::size_t size, Time now);
    [[nodiscard]] Verdict judgeToGuest(const Ipv4Packet& ip, std::size_t size, Time now);
    [[nodiscard]] std::optional<Reason> neverOut(const Packet& packet) const;
    [[nodiscard]] std::optional<RuleTable::Match>
    matchOf(Direction opened, Ipv4 other, std::optional<std::uint16_t> port, int shortest) const;
    [[nodiscard]] Judgement rulesOut(const Packet& packet) const;
    [[nodiscard]] Judgement outWithoutLearning(const Packet& packet) const;
    [[nodiscard]] Judgement defaultOut(const Packet& packet) const;
    [[nodiscard]] Judgement rulesIn(const Packet& packet) const;
    [[nodiscard]] Judgement inWithoutLearning(const Packet& packet) const;
    [[nodiscard]] Judgement judge(const Flow& flow) const;
    [[nodiscard]] static bool maySpeakFirst(const Packet& packet, Judgement in);
    void revise(Time now);

    Network m_network;
    Profile m_profile;
    RuleTable m_rules;
    FlowTable m_flows;
    bool m_learning = false;
};

} // namespace vitrine::softnet
