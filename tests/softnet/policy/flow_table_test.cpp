// SPDX-License-Identifier: Apache-2.0
#include "softnet/policy/flow_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace vitrine::softnet {
namespace {

using Kind = FlowTable::Kind;
using WhenFull = FlowTable::WhenFull;

FlowKey key(std::uint32_t other, std::uint16_t port = 80) {
    return {{other}, port, 40000, 6};
}

TEST(FlowTableTest, AFlowIsFoundByItsExactTuple) {
    FlowTable table(1, 8);
    Flow* const flow = table.insert(key(1), Side::Guest, Kind::Udp, WhenFull::Refuse, Time{0});
    ASSERT_NE(flow, nullptr);
    EXPECT_EQ(table.find(key(1)), flow);
    EXPECT_EQ(table.find(key(2)), nullptr);
    EXPECT_EQ(table.find(key(1, 81)), nullptr);
    FlowKey tcp = key(1);
    tcp.protocol = 17;
    EXPECT_EQ(table.find(tcp), nullptr);
    table.erase(*flow);
    EXPECT_EQ(table.find(key(1)), nullptr);
    EXPECT_EQ(table.size(), 0U);
}

TEST(FlowTableTest, EachKindLivesAsLongAsItShould) {
    FlowTable table(1, 8);
    const std::pair<Kind, int> lives[] = {
        {Kind::TcpOpening, 60}, {Kind::Tcp, 300}, {Kind::Udp, 30}, {Kind::Echo, 30}};
    std::uint32_t other = 0;
    for (const auto& [kind, seconds] : lives) {
        const Flow* flow = table.insert(key(++other), Side::Guest, kind, WhenFull::Refuse, Time{5});
        EXPECT_TRUE(FlowTable::isLive(*flow, Time{1000 * seconds + 4}));
        EXPECT_FALSE(FlowTable::isLive(*flow, Time{1000 * seconds + 5}));
    }
}

TEST(FlowTableTest, AFullTableRefusesUntilOneHasExpired) {
    FlowTable table(1, 3);
    for (std::uint32_t i = 0; i < 3; ++i) {
        ASSERT_TRUE(table.insert(key(i), Side::Guest, Kind::Udp, WhenFull::Refuse, Time{i}));
    }
    table.refresh(*table.find(key(0)), Kind::Udp, Time{100});
    EXPECT_FALSE(table.insert(key(9), Side::Guest, Kind::Udp, WhenFull::Refuse, Time{30'000}));
    EXPECT_TRUE(table.insert(key(9), Side::Guest, Kind::Udp, WhenFull::Refuse, Time{30'001}));
    EXPECT_EQ(table.find(key(1)), nullptr) << "the one that expired first has gone";
    EXPECT_NE(table.find(key(0)), nullptr);
    EXPECT_EQ(table.size(), 3U);
}

TEST(FlowTableTest, ReplacingTakesTheOldestButNotARevokedOne) {
    FlowTable table(1, 3);
    for (std::uint32_t i = 0; i < 3; ++i) {
        table.insert(key(i), Side::Guest, Kind::Udp, WhenFull::Refuse, Time{i});
    }
    table.revoke(*table.find(key(0)), Time{3});
    for (std::uint32_t i = 10; i < 20; ++i) {
        EXPECT_TRUE(table.insert(key(i), Side::Guest, Kind::Udp, WhenFull::ReplaceOldest, Time{i}));
    }
    ASSERT_NE(table.find(key(0)), nullptr);
    EXPECT_TRUE(table.find(key(0))->revoked);
    EXPECT_NE(table.find(key(19)), nullptr);
    EXPECT_NE(table.find(key(18)), nullptr);
    EXPECT_EQ(table.size(), 3U);
}

TEST(FlowTableTest, RefusingTakesExpiredOnesThenRevokedOnes) {
    FlowTable table(1, 3);
    table.insert(key(0), Side::Guest, Kind::Tcp, WhenFull::Refuse, Time{0});
    table.insert(key(1), Side::Guest, Kind::Udp, WhenFull::Refuse, Time{0});
    table.insert(key(2), Side::Guest, Kind::Tcp, WhenFull::Refuse, Time{0});
    table.revoke(*table.find(key(0)), Time{1});
    const Time later = FlowTable::udp;
    EXPECT_TRUE(table.insert(key(3), Side::Guest, Kind::Tcp, WhenFull::Refuse, later));
    EXPECT_EQ(table.find(key(1)), nullptr) << "the expired one first";
    EXPECT_FALSE(table.hasForgottenCuts());
    EXPECT_TRUE(table.insert(key(4), Side::Guest, Kind::Tcp, WhenFull::Refuse, later));
    EXPECT_EQ(table.find(key(0)), nullptr);
    EXPECT_TRUE(table.hasForgottenCuts());
    EXPECT_FALSE(table.insert(key(5), Side::Guest, Kind::Tcp, WhenFull::Refuse, later));
}

TEST(FlowTableTest, ARestoredFlowIsAsOldAsItWas) {
    FlowTable table(1, 2);
    table.insert(key(0), Side::Guest, Kind::Tcp, WhenFull::Refuse, Time{0});
    table.insert(key(1), Side::Guest, Kind::Tcp, WhenFull::Refuse, Time{200'000});
    table.revoke(*table.find(key(0)), Time{1});
    table.revoke(*table.find(key(0)), Time{2});
    table.restore(*table.find(key(0)), Kind::Tcp, FlowTable::tcp);
    EXPECT_FALSE(FlowTable::isLive(*table.find(key(0)), FlowTable::tcp));
    EXPECT_TRUE(table.insert(key(2), Side::Guest, Kind::Tcp, WhenFull::Refuse, FlowTable::tcp))
        << "its place can be taken";
    EXPECT_EQ(table.find(key(0)), nullptr);
}

TEST(FlowTableTest, AgreesWithAMapUnderRandomUse) {
    FlowTable table(42, 64);
    std::map<std::uint32_t, Side> model;
    std::mt19937 random(7);
    for (int step = 0; step < 50'000; ++step) {
        const std::uint32_t other = random() % 100;
        const Time now{step};
        Flow* const flow = table.find(key(other));
        ASSERT_EQ(flow != nullptr, model.contains(other));
        if (flow == nullptr) {
            const Side side = random() % 2 == 0 ? Side::Guest : Side::Other;
            const bool inserted =
                table.insert(key(other), side, Kind::Tcp, WhenFull::Refuse, now) != nullptr;
            ASSERT_EQ(inserted, model.size() < 64);
            if (inserted) {
                model[other] = side;
            }
        } else {
            ASSERT_EQ(flow->initiator, model[other]);
            switch (random() % 4) {
            case 0:
                table.erase(*flow);
                model.erase(other);
                break;
            case 1:
                table.revoke(*flow, now);
                break;
            case 2:
                table.reopen(*flow, Side::Other, Kind::Tcp, now);
                model[other] = Side::Other;
                break;
            default:
                table.refresh(*flow, Kind::Tcp, now);
            }
            if (model.contains(other)) {              // none may expire in this test
                table.refresh(*flow, Kind::Tcp, now); // nor stay revoked and lend its place
                flow->revoked = false;
            }
        }
        if (step % 997 == 0) {
            for (const auto& [address, side] : model) { // likewise
                table.refresh(*table.find(key(address)), Kind::Tcp, now);
            }
        }
        ASSERT_EQ(table.size(), model.size());
    }
}

} // namespace
} // namespace vitrine::softnet
