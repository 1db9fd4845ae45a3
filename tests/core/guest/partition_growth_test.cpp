// SPDX-License-Identifier: Apache-2.0
#include "core/guest/partition_growth.h"

#include <gtest/gtest.h>

namespace vitrine {
namespace {

using Outcome = PartitionGrowth::Outcome;

PartitionGrowth from(const char* output) {
    GuestAgent::ExecResult result;
    result.standardOutput = output;
    return partitionGrowthFrom(result);
}

bool says(const PartitionGrowth& growth, const char* text) {
    return growth.text.contains(QLatin1String(text));
}

} // namespace

TEST(PartitionGrowth, TheGuestsLastWordDecides) {
    EXPECT_EQ(from("VITRINE grown / ext4\n").outcome, Outcome::Grown);
    EXPECT_TRUE(says(from("VITRINE grown / ext4\n"), "\"/\""));
    EXPECT_EQ(from("VITRINE nothing /\n").outcome, Outcome::NothingToDo);
}

TEST(PartitionGrowth, WhatIsMissingIsNamedWithPackageAndCommand) {
    const auto growpart = from("VITRINE missing growpart /dev/vda 2\n");
    EXPECT_EQ(growpart.outcome, Outcome::NotPossible);
    EXPECT_TRUE(says(growpart, "cloud-guest-utils"));
    EXPECT_TRUE(says(growpart, "growpart /dev/vda 2"));
    EXPECT_TRUE(says(from("VITRINE missing xfs_growfs /dev/vda2 /data\n"), "xfs_growfs /data"));
    EXPECT_TRUE(says(from("VITRINE missing btrfs /dev/vda2 /\n"), "btrfs filesystem resize max /"));
    EXPECT_TRUE(says(from("VITRINE missing resize2fs /dev/vda2 /\n"), "resize2fs /dev/vda2"));
}

TEST(PartitionGrowth, LvmAndStrangeFileSystemsAreLeftToTheGuestsUser) {
    EXPECT_TRUE(says(from("VITRINE no-file-system /dev/vda3 yes\n"), "lvextend"));
    EXPECT_TRUE(says(from("VITRINE unknown-file-system f2fs /dev/vda2\n"), "f2fs"));
    EXPECT_TRUE(says(from("VITRINE failed growpart FAILED: no space\n"), "FAILED: no space"));
}

TEST(PartitionGrowth, AGuestThatSaysNothingOrNonsenseIsToldAbout) {
    for (const char* output : {"", "hello", "VITRINE", "VITRINE what", "vitrine grown /"})
        EXPECT_EQ(from(output).outcome, Outcome::NotPossible) << output;
    EXPECT_LT(
        from((std::string("VITRINE failed x ") + std::string(100000, 'a')).c_str()).text.size(),
        600);
    EXPECT_FALSE(says(from("VITRINE failed x \x1b[31mred"), "\x1b"));
}

TEST(PartitionGrowth, TheScriptNamesTheDiskByItsAddress) {
    const QString script = partitionGrowthScript(QStringLiteral("0000:00:03.0"));
    EXPECT_TRUE(script.contains(QLatin1String("*/0000:00:03.0/*")));
    EXPECT_FALSE(script.contains(QLatin1Char('%') + QLatin1String("ADDRESS")));
}

} // namespace vitrine
