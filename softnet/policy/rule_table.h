// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/target.h"

namespace vitrine::softnet {

// A policy made ready for look-ups. Among the rules that cover an address (and the port, if it is
// known) rules with ports come before rules without, then the longest prefix, then block.
// Immutable; memory is bounded by Policy::maximumRules and maximumHostAddresses. Look-ups allocate
// nothing and take two binary searches when no rule has ports.
class RuleTable final {
public:
    static constexpr std::size_t maximumHostAddresses = 256;
    static constexpr std::size_t maximumEntries = 65536; // after @host was written out

    struct Match {
        Action action = Action::Block;
        std::uint8_t prefixLength = 0; // of the rule
        std::int16_t rule = -1;        // see Policy
    };

    RuleTable() = default; // no rules
    // @host stands for all of `host`. Refuses too many rules or addresses.
    [[nodiscard]] static Checked<RuleTable> compile(const Policy& policy,
                                                    std::span<const Ipv4> host);

    [[nodiscard]] const Policy& policy() const { return m_policy; }
    [[nodiscard]] bool isEmpty() const { return m_policy.ruleCount() == 0; }
    // Whether a rule names a direction.
    [[nodiscard]] bool isStateful() const { return m_stateful; }

    // What the policy says of a conversation opened by the guest (Out) or by the other side (In).
    // Rules of a prefix shorter than `shortest` are passed over.
    [[nodiscard]] std::optional<Match>
    match(Direction opened, Ipv4 other, std::optional<std::uint16_t> port, int shortest = 0) const {
        return side(opened).match(other, port, shortest);
    }
    // Whether ports decide there, so that a frame that hides them cannot be judged.
    [[nodiscard]] bool portsMatter(Direction opened, Ipv4 other) const {
        return side(opened).portsMatter(other);
    }

private:
    struct Entry {
        Prefix prefix;
        std::optional<PortRange> ports;
        Action action = Action::Block;
        std::int16_t rule = -1;
    };
    // A stretch of ports up to the next one's start, and who decides it. Rule -1: nobody.
    struct PortCell {
        std::uint16_t first = 0;
        Action action = Action::Block;
        std::int16_t rule = -1;
    };
    // One distinct prefix.
    struct Node {
        Prefix prefix;
        std::int32_t outer = -1;     // the longest prefix around it
        std::int32_t withPorts = -1; // it or the nearest around it that has port cells
        std::uint32_t portsBegin = 0;
        std::uint32_t portsEnd = 0;
        Match plain; // from the nearest around it if it has no rule without ports; rule -1: none
    };
    class Side {
    public:
        Side() = default;
        explicit Side(std::vector<Entry> entries);
        [[nodiscard]] std::optional<Match>
        match(Ipv4 other, std::optional<std::uint16_t> port, int shortest) const;
        [[nodiscard]] bool portsMatter(Ipv4 other) const;

    private:
        [[nodiscard]] std::int32_t nodeOf(Ipv4 address) const;
        void addNode(std::span<const Entry> samePrefix);
        void addPorts(Node& node, std::span<const Entry> samePrefix);
        void layOut();

        std::vector<std::uint32_t> m_starts; // of stretches of addresses, ascending from 0
        std::vector<std::int32_t> m_nodes;   // of each stretch; -1: no rule
        std::vector<Node> m_nodeList;
        std::vector<PortCell> m_ports;
    };

    [[nodiscard]] const Side& side(Direction opened) const {
        return opened == Direction::In ? m_in : m_out;
    }

    Policy m_policy;
    bool m_stateful = false;
    Side m_out;
    Side m_in;
};

} // namespace vitrine::softnet
