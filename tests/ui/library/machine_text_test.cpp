// SPDX-License-Identifier: Apache-2.0
#include "ui/library/machine_text.h"

#include <QDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::ui;

TEST(ImageLabel, IsTheLastPartOfAReference) {
    const ImageLabel tagged = imageLabel(QStringLiteral("ghcr.io/acme/ubuntu:24.04"));
    EXPECT_EQ(tagged.name, QStringLiteral("ubuntu"));
    EXPECT_EQ(tagged.tag, QStringLiteral(":24.04"));
    const ImageLabel port = imageLabel(QStringLiteral("127.0.0.1:5000/ubuntu:1"));
    EXPECT_EQ(port.name, QStringLiteral("ubuntu"));
    const ImageLabel digest =
        imageLabel(QStringLiteral("h/a/u@sha256:") + QString(64, QLatin1Char('a')));
    EXPECT_EQ(digest.name, QStringLiteral("u"));
    EXPECT_LT(digest.tag.size(), 24);
}

TEST(DurationText, UsesTheTwoLargestUnits) {
    EXPECT_EQ(durationText(-5), QStringLiteral("0 s"));
    EXPECT_EQ(durationText(12), QStringLiteral("12 s"));
    EXPECT_EQ(durationText(59 * 60), QStringLiteral("59 min"));
    EXPECT_EQ(durationText(2 * 3600 + 14 * 60), QStringLiteral("2 h 14 min"));
    EXPECT_EQ(durationText(3 * 86400 + 3600), QStringLiteral("3 d 1 h"));
}

TEST(HomeShortened, OnlyWholeFolders) {
    const QString home = QDir::homePath();
    EXPECT_EQ(homeShortened(home), QStringLiteral("~"));
    EXPECT_EQ(homeShortened(home + QStringLiteral("/x")), QStringLiteral("~/x"));
    EXPECT_EQ(homeShortened(home + QStringLiteral("x")), home + QStringLiteral("x"));
}

TEST(DetailText, SaysWhyOrWho) {
    MachineInfo info;
    info.name = QStringLiteral("m");
    info.state = MachineState::Broken;
    info.brokenReason = QStringLiteral("The disk is missing.");
    EXPECT_EQ(detailText(info), info.brokenReason);
    info.state = MachineState::RunningElsewhere;
    info.holderPid = 12;
    EXPECT_EQ(detailText(info), QStringLiteral("process 12"));
    info.state = MachineState::Stopped;
    info.config = MachineConfig{};
    EXPECT_EQ(detailText(info), QStringLiteral("Linux · arm64"));
}
