// SPDX-License-Identifier: Apache-2.0
#include "core/machine/machine_identifier.h"

#include <gtest/gtest.h>

namespace vitrine {
namespace {

QByteArray sample() {
    return QByteArrayLiteral("bplist00\xd1\x01\x02\x54"
                             "ECID\x13") +
           QByteArray::fromHex("79ab01020304050608") +
           QByteArray::fromHex("0b10000000000000010100000000000000030000000000000000000000000000001"
                               "9");
}

TEST(MachineIdentifier, OnlyTheNumberIsNew) {
    const QByteArray before = sample();
    const auto after = renewedMachineIdentifier(before);
    ASSERT_TRUE(after);
    EXPECT_NE(*after, before);
    EXPECT_EQ(after->size(), before.size());
    EXPECT_EQ(after->left(17), before.left(17));
    EXPECT_EQ(after->mid(25), before.mid(25));
    EXPECT_EQ(static_cast<unsigned char>(after->at(17)) & 0x80, 0) << "positive";
}

TEST(MachineIdentifier, OtherFormsAreLeftAlone) {
    EXPECT_FALSE(renewedMachineIdentifier({}));
    EXPECT_FALSE(renewedMachineIdentifier("something else"));
    EXPECT_FALSE(renewedMachineIdentifier(sample().left(20)));
    EXPECT_FALSE(renewedMachineIdentifier(sample().mid(1)));
}

} // namespace
} // namespace vitrine
