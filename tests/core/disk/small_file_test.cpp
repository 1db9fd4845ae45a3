// SPDX-License-Identifier: Apache-2.0
#include "core/disk/small_file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace vitrine {
namespace {

TEST(SmallFile, ReplacingGivesTheNewTextAndLeavesNothingElse) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a"));
    for (const QByteArray& text : {QByteArray("one"), QByteArray(), QByteArray(300000, 'x')}) {
        ASSERT_TRUE(replaceFile(path, text));
        EXPECT_EQ(*readSmallFile(path), text);
    }
    EXPECT_EQ(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
}

TEST(SmallFile, ALeftOverOfAKilledWriteIsNoObstacle) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a"));
    QFile left(path + QStringLiteral(".new"));
    ASSERT_TRUE(left.open(QIODevice::WriteOnly));
    left.write("half");
    left.close();
    ASSERT_TRUE(replaceFile(path, "whole"));
    EXPECT_EQ(*readSmallFile(path), "whole");
}

TEST(SmallFile, ALinkInTheWayIsNotWrittenThrough) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a"));
    const QString victim = folder.filePath(QStringLiteral("victim"));
    ASSERT_TRUE(replaceFile(victim, "mine"));
    ASSERT_TRUE(QFile::link(victim, path + QStringLiteral(".new")));
    ASSERT_TRUE(replaceFile(path, "text"));
    EXPECT_EQ(*readSmallFile(victim), "mine");
}

TEST(SmallFile, MoreThanTheMaximumIsRefused) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a"));
    ASSERT_TRUE(replaceFile(path, QByteArray(11, 'x')));
    EXPECT_TRUE(readSmallFile(path, 11));
    EXPECT_EQ(readSmallFile(path, 10).error().kind, Error::Kind::Integrity);
}

TEST(SmallFile, FilesThatTellNoSizeAreRead) {
    const auto text = readSmallFile(QStringLiteral("/proc/self/status"));
    ASSERT_TRUE(text);
    EXPECT_GT(text->size(), 100);
}

TEST(SmallFile, AFifoIsRefusedWithoutWaiting) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("fifo"));
    ASSERT_EQ(::mkfifo(QFile::encodeName(path).constData(), 0600), 0);
    EXPECT_EQ(readSmallFile(path).error().kind, Error::Kind::Integrity);
}

} // namespace
} // namespace vitrine
