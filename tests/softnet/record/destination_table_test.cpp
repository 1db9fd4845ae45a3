// SPDX-License-Identifier: Apache-2.0
#include "softnet/record/destination_table.h"

#include "softnet/frames.h"

#include <gtest/gtest.h>

namespace vitrine::softnet {
namespace {

using namespace frames;

const Ipv4 guest = ip("10.0.2.15");

class DestinationTableTest : public testing::Test {
protected:
    DestinationTable::Noted out(const Frame& frame) {
        return table.note(Side::Guest, filter.fromGuest(frame, now), frame.size(), now);
    }
    DestinationTable::Noted in(const Frame& frame) {
        return table.note(Side::Other, filter.toGuest(frame, now), frame.size(), now);
    }
    std::vector<Destination> all(std::uint64_t since = 0) const {
        std::vector<Destination> list;
        table.forEachSince(since, [&list](const Destination& destination) {
            list.push_back(destination);
            return true;
        });
        return list;
    }
    static Network network() {
        Network network;
        network.guestMac = vm;
        return network;
    }
    Filter filter{network(), Profile::Softnet, 1, 256};
    DestinationTable table{7, 4};
    Time now{1000};
};

TEST_F(DestinationTableTest, AConversationIsOneDestinationSeenFromTheSideThatBegan) {
    out(tcp(guest, 4000, ip("8.8.8.8"), 80));
    in(tcp(ip("8.8.8.8"), 80, guest, 4000, syn | ack));
    out(tcp(guest, 4001, ip("8.8.8.8"), 80));
    in(tcp(ip("10.0.2.2"), 5000, guest, 22));
    out(tcp(guest, 22, ip("10.0.2.2"), 5000, syn | ack));
    const auto list = all();
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].opened, Side::Guest);
    EXPECT_EQ(list[0].port, 80);
    EXPECT_EQ(list[0].packets, 3U);
    EXPECT_EQ(list[0].bytesOut, 2 * 54U);
    EXPECT_EQ(list[0].bytesIn, 54U);
    EXPECT_EQ(list[0].then.reason, Reason::Global);
    EXPECT_EQ(list[1].opened, Side::Other);
    EXPECT_EQ(list[1].port, 22);
    EXPECT_EQ(list[1].address, ip("10.0.2.2"));
    EXPECT_EQ(list[1].packets, 2U);
}

TEST_F(DestinationTableTest, TheOldestGoesWhenThereIsNoPlace) {
    for (const char* to : {"1.0.0.1", "1.0.0.2", "1.0.0.3", "1.0.0.4", "1.0.0.1", "1.0.0.5"}) {
        out(udp(guest, 4000, ip(to), 80));
    }
    const auto list = all();
    ASSERT_EQ(list.size(), 4U);
    EXPECT_EQ(list[0].address, ip("1.0.0.3"));
    EXPECT_EQ(list[2].address, ip("1.0.0.1"));
    EXPECT_EQ(list[2].packets, 2U);
    EXPECT_EQ(list[3].address, ip("1.0.0.5"));
    for (unsigned i = 0; i < 10'000; ++i) {
        out(udp(guest, 4000, Ipv4{0x0b000000 + i * 4096}, 80 + i % 3));
        ASSERT_EQ(table.size(), 4U);
    }
    EXPECT_EQ(all().size(), 4U);
}

TEST_F(DestinationTableTest, SequencesRiseAndTellWhatChanged) {
    out(udp(guest, 4000, ip("1.0.0.1"), 80));
    out(udp(guest, 4000, ip("1.0.0.2"), 80));
    const std::uint64_t before = table.sequence();
    EXPECT_TRUE(all(before).empty());
    out(udp(guest, 4000, ip("1.0.0.1"), 80));
    ASSERT_EQ(all(before).size(), 1U);
    EXPECT_EQ(all(before)[0].address, ip("1.0.0.1"));
    EXPECT_TRUE(all(before + 100).empty());
}

TEST_F(DestinationTableTest, NewsAreFirstSightChangesAndBlocksEverySecond) {
    EXPECT_TRUE(out(udp(guest, 4000, ip("1.0.0.1"), 80)).isNews);
    EXPECT_FALSE(out(udp(guest, 4000, ip("1.0.0.1"), 80)).isNews);
    now += Time{5000};
    EXPECT_FALSE(out(udp(guest, 4000, ip("1.0.0.1"), 80)).isNews);
    Policy policy;
    policy.block.push_back(*Target::parse("1.0.0.0/8"));
    ASSERT_TRUE(filter.setPolicy(policy, now));
    EXPECT_TRUE(out(udp(guest, 4001, ip("1.0.0.1"), 80)).isNews);
    EXPECT_FALSE(out(udp(guest, 4001, ip("1.0.0.1"), 80)).isNews);
    now += Time{1000};
    EXPECT_TRUE(out(udp(guest, 4001, ip("1.0.0.1"), 80)).isNews);
}

TEST_F(DestinationTableTest, RulesThatChangeJudgeWhatWasSeen) {
    out(udp(guest, 4000, ip("1.0.0.1"), 80));
    out(udp(guest, 4000, ip("2.0.0.1"), 80));
    out(udp(guest, 4000, ip("10.9.9.9"), 80));
    Policy policy;
    policy.block.push_back(*Target::parse("1.0.0.0/8"));
    ASSERT_TRUE(filter.setPolicy(policy, now));
    const std::uint64_t before = table.sequence();
    table.judgeAgain(filter);
    const auto changed = all(before);
    ASSERT_EQ(changed.size(), 1U);
    EXPECT_EQ(changed[0].address, ip("1.0.0.1"));
    EXPECT_EQ(changed[0].now.reason, Reason::RuleBlock);
    EXPECT_EQ(changed[0].now.rule, 0);
    EXPECT_EQ(changed[0].then.reason, Reason::Global) << "what happened stays";
    EXPECT_EQ(all().size(), 3U);
    ASSERT_TRUE(filter.setPolicy({}, now));
    table.judgeAgain(filter);
    EXPECT_EQ(all().back().now.reason, Reason::Global);
    EXPECT_EQ(all().back().now.rule, -1);
}

TEST_F(DestinationTableTest, WhatEveryGuestSendsAllTheTimeIsNotListed) {
    out(dhcp({}));
    out(udp(guest, 5353, ip("224.0.0.251"), 5353));
    out(udp(guest, 137, Ipv4::broadcast(), 137));
    out(arp({.sender = guest, .target = ip("10.0.2.2")}));
    out(ethernet(0x86dd, Frame(40)));
    EXPECT_EQ(table.size(), 0U);
}

TEST_F(DestinationTableTest, ProtocolsWithoutANameAreOneDestination) {
    out(ipv4({guest, ip("1.0.0.1"), 47}, Frame(8)));
    out(ipv4({guest, ip("1.0.0.1"), 50}, Frame(8)));
    out(echo(guest, ip("1.0.0.1")));
    EXPECT_EQ(table.size(), 2U);
}

} // namespace
} // namespace vitrine::softnet
