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

TEST(ImageLabels, SayAsMuchAsTellsTheImagesApart) {
    const QStringList references{QStringLiteral("ghcr.io/a/b:latest"),
                                 QStringLiteral("ghcr.io/c/b:latest"),
                                 QStringLiteral("127.0.0.1:5000/c/b:latest"),
                                 QStringLiteral("ghcr.io/a/b:1.0"),
                                 QStringLiteral("ghcr.io/acme/ubuntu:latest")};
    const QHash<QString, ImageLabel> labels = imageLabels(references);
    const auto text = [&](int i) {
        const ImageLabel label = labels.value(references.at(i));
        return label.name + label.tag;
    };
    EXPECT_EQ(text(0), QStringLiteral("a/b:latest"));
    EXPECT_EQ(text(1), QStringLiteral("ghcr.io/c/b:latest"));
    EXPECT_EQ(text(2), QStringLiteral("127.0.0.1:5000/c/b:latest"));
    EXPECT_EQ(text(3), QStringLiteral("b:1.0")); // reads like no other
    EXPECT_EQ(text(4), QStringLiteral("ubuntu:latest"));
    EXPECT_TRUE(imageLabels({}).isEmpty());
    // The same twice does not go on for ever.
    EXPECT_EQ(imageLabels({references.at(0), references.at(0)}).size(), 1);
}

TEST(SpokenText, ShowsWhatANameHides) {
    MachineInfo info;
    info.name = QStringLiteral("a\u202Egpj.exe");
    EXPECT_TRUE(spokenText(info).startsWith(QStringLiteral("a\\u202egpj.exe, ")));
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
