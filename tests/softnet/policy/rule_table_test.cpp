// SPDX-License-Identifier: Apache-2.0
#include "softnet/policy/rule_table.h"

#include <gtest/gtest.h>

#include <random>

namespace vitrine::softnet {
namespace {

const Ipv4 gateway = Ipv4::of(192, 168, 64, 1);

Target target(std::string_view text) {
    const auto parsed = Target::parse(text);
    EXPECT_TRUE(parsed) << text;
    return parsed.value_or(Target{});
}

Policy policy(std::vector<std::string_view> allow, std::vector<std::string_view> block) {
    Policy result;
    for (const auto text : allow) {
        result.allow.push_back(target(text));
    }
    for (const auto text : block) {
        result.block.push_back(target(text));
    }
    return result;
}

RuleTable table(std::vector<std::string_view> allow, std::vector<std::string_view> block) {
    return RuleTable::compile(policy(std::move(allow), std::move(block)), std::span(&gateway, 1))
        .value();
}

// "allow", "block" or "none"
std::string_view say(const RuleTable& rules,
                     std::string_view address,
                     std::optional<std::uint16_t> port = {},
                     Direction opened = Direction::Out) {
    const auto match = rules.match(opened, Ipv4::parse(address).value(), port);
    return !match ? "none" : match->action == Action::Allow ? "allow" : "block";
}

TEST(TargetTest, DirectionsAndPortsAreRead) {
    EXPECT_EQ(target("in 10.0.0.0/8").direction, Direction::In);
    EXPECT_EQ(target("out   @host").direction, Direction::Out);
    EXPECT_EQ(target("out   @host").text(), "out @host");
    EXPECT_EQ(target("10.1.2.3/24:80").text(), "10.1.2.0/24:80");
    EXPECT_EQ(target("in @host:1-65535").text(), "in @host:1-65535");
    EXPECT_EQ(target("10.0.0.0/8:8000-8000").text(), "10.0.0.0/8:8000");
}

TEST(TargetTest, OtherFormsAreRefused) {
    for (const std::string_view text : {"in",
                                        "in ",
                                        "in\t10.0.0.0/8",
                                        "in 10.0.0.0/8 ",
                                        " in 10.0.0.0/8",
                                        "IN 10.0.0.0/8",
                                        "from 10.0.0.0/8",
                                        "to 10.0.0.0/8",
                                        "in out 10.0.0.0/8",
                                        "in10.0.0.0/8",
                                        "10.0.0.0/8:",
                                        "10.0.0.0/8:0",
                                        "10.0.0.0/8:65536",
                                        "10.0.0.0/8:2-1",
                                        "10.0.0.0/8:1-",
                                        "10.0.0.0/8:-1",
                                        "10.0.0.0/8:1-2-3",
                                        "10.0.0.0/8:80:81",
                                        "10.0.0.0/8:+80",
                                        "10.0.0.0/8: 80"}) {
        EXPECT_FALSE(Target::parse(text)) << '"' << text << '"';
    }
}

TEST(PolicyTest, NormalisedListsAreSortedByTextWithoutDuplicates) {
    const Policy normal =
        policy({"@host", "9.0.0.0/8", "10.1.2.3/8", "10.0.0.0/8", "in   10.0.0.0/8"}, {})
            .normalised();
    std::vector<std::string> texts;
    for (const Target& entry : normal.allow) {
        texts.push_back(entry.text());
    }
    EXPECT_EQ(texts,
              (std::vector<std::string>{"10.0.0.0/8", "9.0.0.0/8", "@host", "in 10.0.0.0/8"}));
}

TEST(RuleTableTest, BlockWinsOnTheSamePrefix) {
    EXPECT_EQ(say(table({"66.66.0.0/16"}, {"66.66.0.0/16"}), "66.66.66.66"), "block");
    EXPECT_EQ(say(table({"@host"}, {"192.168.64.1/32"}), "192.168.64.1"), "block");
    EXPECT_EQ(say(table({"66.66.1.1/16"}, {"66.66.2.2/16"}), "66.66.66.66"), "block");
}

TEST(RuleTableTest, TheLongestPrefixWins) {
    const RuleTable rules = table({"33.33.33.33/32"}, {"33.33.33.0/24"});
    EXPECT_EQ(say(rules, "33.33.33.32"), "block");
    EXPECT_EQ(say(rules, "33.33.33.33"), "allow");
    EXPECT_EQ(say(rules, "33.33.33.34"), "block");
    EXPECT_EQ(say(rules, "33.33.34.0"), "none");
    EXPECT_EQ(say(rules, "33.33.32.255"), "none");
}

TEST(RuleTableTest, TheWholeRangeOfAddressesIsCovered) {
    const RuleTable rules = table({"0.0.0.0/1"}, {"128.0.0.0/1", "255.255.255.255/32"});
    EXPECT_EQ(say(rules, "0.0.0.0"), "allow");
    EXPECT_EQ(say(rules, "127.255.255.255"), "allow");
    EXPECT_EQ(say(rules, "128.0.0.0"), "block");
    EXPECT_EQ(say(rules, "255.255.255.255"), "block");
    EXPECT_EQ(say(RuleTable(), "1.2.3.4"), "none");
}

TEST(RuleTableTest, HostStandsForEveryAddressOfTheHost) {
    const std::vector<Ipv4> hosts = {gateway, Ipv4::of(192, 168, 64, 3), gateway};
    const auto rules = RuleTable::compile(policy({"@host", "@host"}, {"0.0.0.0/0"}), hosts);
    ASSERT_TRUE(rules);
    EXPECT_EQ(say(*rules, "192.168.64.1"), "allow");
    EXPECT_EQ(say(*rules, "192.168.64.3"), "allow");
    EXPECT_EQ(say(*rules, "192.168.64.2"), "block");
    EXPECT_EQ(say(*rules, "8.8.8.8"), "block");
}

TEST(RuleTableTest, RulesWithPortsComeFirst) {
    const RuleTable one = table({"192.168.0.10/32:8444"}, {"192.168.0.0/16"});
    EXPECT_EQ(say(one, "192.168.0.10", 8444), "allow");
    EXPECT_EQ(say(one, "192.168.0.10", 8443), "block");
    EXPECT_EQ(say(one, "192.168.0.10"), "block") << "no port to compare";
    const RuleTable wide = table({"192.168.0.0/24:8444"}, {"192.168.0.10/32"});
    EXPECT_EQ(say(wide, "192.168.0.10", 8444), "allow");
    EXPECT_EQ(say(wide, "192.168.0.10", 8445), "block");
    const RuleTable tie = table({"192.168.0.10/32:80"}, {"192.168.0.10/32:1-1000"});
    EXPECT_EQ(say(tie, "192.168.0.10", 80), "block");
    const RuleTable inner = table({"10.0.0.0/8:80"}, {"10.1.0.0/16:80"});
    EXPECT_EQ(say(inner, "10.1.0.1", 80), "block");
    EXPECT_EQ(say(inner, "10.2.0.1", 80), "allow");
    const RuleTable around = table({"10.0.0.0/8:80", "10.1.0.0/16:81"}, {"10.1.0.0/16"});
    EXPECT_EQ(say(around, "10.1.0.1", 80), "allow") << "from the prefix around it";
    EXPECT_EQ(say(around, "10.1.0.1", 81), "allow");
    EXPECT_EQ(say(around, "10.1.0.1", 82), "block");
    EXPECT_TRUE(around.portsMatter(Direction::Out, Ipv4::of(10, 1, 0, 1)));
    EXPECT_FALSE(around.portsMatter(Direction::Out, Ipv4::of(11, 1, 0, 1)));
}

TEST(RuleTableTest, DirectionsAreSeparate) {
    const RuleTable rules = table({"in 10.0.0.0/8"}, {"0.0.0.0/0"});
    EXPECT_TRUE(rules.isStateful());
    EXPECT_EQ(say(rules, "10.0.0.1", {}, Direction::In), "allow");
    EXPECT_EQ(say(rules, "10.0.0.1", {}, Direction::Out), "block");
    const RuleTable host = table({"out @host"}, {"0.0.0.0/0"});
    EXPECT_EQ(say(host, "192.168.64.1", {}, Direction::In), "block");
    EXPECT_EQ(say(host, "192.168.64.1", {}, Direction::Out), "allow");
    EXPECT_FALSE(table({"@host"}, {}).isStateful());
}

TEST(RuleTableTest, TheDecidingRuleIsNamed) {
    const RuleTable rules = table({"10.0.0.0/8", "10.0.0.0/9"}, {"11.0.0.0/8", "10.0.0.0/9:80"});
    EXPECT_EQ(rules.match(Direction::Out, Ipv4::of(10, 200, 0, 0), {})->rule, 0);
    EXPECT_EQ(rules.match(Direction::Out, Ipv4::of(10, 0, 0, 0), {})->rule, 1);
    EXPECT_EQ(rules.match(Direction::Out, Ipv4::of(11, 0, 0, 0), {})->rule, 2);
    EXPECT_EQ(rules.match(Direction::Out, Ipv4::of(10, 0, 0, 0), 80)->rule, 3);
    EXPECT_EQ(rules.policy().target(3).text(), "10.0.0.0/9:80");
}

TEST(RuleTableTest, ThereAreLimits) {
    Policy many;
    many.allow.resize(4000, target("10.0.0.0/8"));
    many.block.resize(96, target("11.0.0.0/8"));
    EXPECT_TRUE(RuleTable::compile(many, {}));
    many.block.push_back(target("@host"));
    EXPECT_FALSE(RuleTable::compile(many, {}));

    std::vector<Ipv4> hosts;
    for (std::uint32_t i = 0; i < 257; ++i) {
        hosts.push_back({i});
    }
    EXPECT_FALSE(RuleTable::compile({}, hosts));
    hosts.pop_back();
    Policy host;
    host.allow.resize(4096, target("@host"));
    EXPECT_TRUE(RuleTable::compile(host, hosts)) << "one rule without ports says it all";
    host.allow.assign(4096, target("@host:80"));
    EXPECT_FALSE(RuleTable::compile(host, hosts));
}

// The plainest way to say what the precedence is.
std::optional<std::pair<Action, int>>
slowMatch(const Policy& rules, Direction opened, Ipv4 address, std::optional<std::uint16_t> port) {
    std::optional<std::pair<Action, int>> best;
    std::tuple<bool, int, bool> bestRank;
    for (std::size_t i = 0; i < rules.ruleCount(); ++i) {
        const Target& rule = rules.target(i);
        const bool block = i >= rules.allow.size();
        const bool rightWay = rule.direction == Direction::Both || rule.direction == opened;
        if (!rightWay || !rule.prefix->contains(address) ||
            (rule.ports && (!port || *port < rule.ports->first || *port > rule.ports->last))) {
            continue;
        }
        const std::tuple rank(rule.ports.has_value(), rule.prefix->length, block);
        if (!best || rank > bestRank) {
            best = {block ? Action::Block : Action::Allow, static_cast<int>(i)};
            bestRank = rank;
        }
    }
    return best;
}

TEST(RuleTableTest, AgreesWithTheObviousWayOnRandomPolicies) {
    std::mt19937 random(20260901);
    const auto below = [&random](std::uint32_t limit) {
        return static_cast<std::uint32_t>(random() % limit);
    };
    for (int round = 0; round < 200; ++round) {
        Policy rules;
        const std::uint32_t count = 1 + below(round % 10 == 0 ? 400 : 24);
        for (std::uint32_t i = 0; i < count; ++i) {
            Target rule;
            rule.direction = static_cast<Direction>(below(3));
            // Few bits, so that prefixes lie in one another and meet.
            const std::uint32_t address = (below(4) << 30) | (below(4) << 14) | below(4);
            rule.prefix = Prefix{{address}, static_cast<int>(below(33))};
            if (below(3) == 0) {
                const auto first = static_cast<std::uint16_t>(1 + below(20));
                rule.ports = PortRange{first, static_cast<std::uint16_t>(first + below(10))};
                if (below(10) == 0) {
                    rule.ports->last = 65535;
                }
            }
            (below(2) == 0 ? rules.allow : rules.block).push_back(rule);
        }
        const auto compiled = RuleTable::compile(rules, {});
        ASSERT_TRUE(compiled);
        for (int probe = 0; probe < 300; ++probe) {
            const Target& near = rules.target(below(count));
            const Ipv4 address{(below(2) == 0 ? near.prefix->first() : near.prefix->last()).value +
                               below(3) - 1};
            const auto port = below(4) == 0 ? std::optional<std::uint16_t>()
                                            : static_cast<std::uint16_t>(below(34));
            const auto opened = below(2) == 0 ? Direction::In : Direction::Out;
            const auto expected = slowMatch(rules, opened, address, port);
            const auto found = compiled->match(opened, address, port);
            ASSERT_EQ(found.has_value(), expected.has_value()) << address.text();
            if (found) {
                ASSERT_EQ(found->action, expected->first) << address.text();
                const Target& deciding = rules.target(static_cast<std::size_t>(found->rule));
                const Target& obvious = rules.target(static_cast<std::size_t>(expected->second));
                ASSERT_EQ(deciding.prefix->length, obvious.prefix->length);
                ASSERT_EQ(deciding.ports.has_value(), obvious.ports.has_value());
            }
        }
    }
}

} // namespace
} // namespace vitrine::softnet
