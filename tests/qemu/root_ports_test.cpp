// SPDX-License-Identifier: Apache-2.0
#include "qemu/root_ports.h"

#include "qemu/launch_plan.h"

#include <gtest/gtest.h>

namespace vitrine::qemu {
namespace {

TEST(RootPorts, GivesADeviceItsOldPortAgain) {
    RootPorts ports(QJsonObject{{QStringLiteral("b"), 3}, {QStringLiteral("a"), 0}});
    EXPECT_EQ(*ports.take(QStringLiteral("new")), QStringLiteral("rp1"))
        << "0 and 3 are remembered";
    EXPECT_EQ(*ports.take(QStringLiteral("b")), QStringLiteral("rp3"));
    EXPECT_EQ(*ports.take(QStringLiteral("a")), QStringLiteral("rp0"));
    ports.release(QStringLiteral("b"));
    EXPECT_EQ(*ports.take(QStringLiteral("b")), QStringLiteral("rp3"));
    RootPorts next(ports.remembered());
    EXPECT_EQ(*next.take(QStringLiteral("new")), QStringLiteral("rp1"));
}

TEST(RootPorts, TheSeventeenthDeviceIsRefusedWithTheReason) {
    RootPorts ports;
    for (int number = 0; number < spareRootPorts; ++number) {
        ASSERT_TRUE(ports.take(QString::number(number)));
    }
    const auto refused = ports.take(QStringLiteral("one more"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(refused.error().message.contains(QStringLiteral("16")));
    ports.release(QStringLiteral("7"));
    // The memory of the one that left gives way.
    EXPECT_EQ(*ports.take(QStringLiteral("one more")), QStringLiteral("rp7"));
    EXPECT_FALSE(ports.remembered().contains(QStringLiteral("7")));
}

TEST(RootPorts, ADamagedMemoryIsLeftOut) {
    const RootPorts ports(QJsonObject{{QStringLiteral("a"), 99},
                                      {QStringLiteral("b"), -1},
                                      {QStringLiteral("c"), QStringLiteral("x")},
                                      {QStringLiteral("d"), 5},
                                      {QStringLiteral("e"), 5}});
    EXPECT_EQ(ports.remembered().size(), 1);
}

} // namespace
} // namespace vitrine::qemu
