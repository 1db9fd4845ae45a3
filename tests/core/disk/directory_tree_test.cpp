// SPDX-License-Identifier: Apache-2.0
#include "core/disk/directory_tree.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {
namespace {

void put(const QString& path) {
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("x");
}

TEST(DirectoryTree, RemovingTakesFoldersFilesAndLinksButNotWhatLinksLeadTo) {
    const QTemporaryDir folder;
    const QString tree = folder.filePath(QStringLiteral("tree"));
    const QString outside = folder.filePath(QStringLiteral("outside"));
    ASSERT_TRUE(QDir().mkpath(tree + QStringLiteral("/a/b/c")));
    ASSERT_TRUE(QDir().mkpath(outside));
    put(outside + QStringLiteral("/kept"));
    put(tree + QStringLiteral("/a/b/file"));
    ASSERT_TRUE(QFile::link(outside, tree + QStringLiteral("/a/link")));
    ASSERT_EQ(::mkfifo(QFile::encodeName(tree + QStringLiteral("/fifo")).constData(), 0600), 0);
    for (int i = 0; i < 500; ++i)
        put(tree + QStringLiteral("/a/%1").arg(i));
    ASSERT_TRUE(removeTree(tree));
    EXPECT_FALSE(QFile::exists(tree));
    EXPECT_TRUE(QFile::exists(outside + QStringLiteral("/kept")));
}

TEST(DirectoryTree, RemovingALinkTakesTheLinkAlone) {
    const QTemporaryDir folder;
    const QString target = folder.filePath(QStringLiteral("target"));
    ASSERT_TRUE(QDir().mkpath(target + QStringLiteral("/in")));
    const QString link = folder.filePath(QStringLiteral("link"));
    ASSERT_TRUE(QFile::link(target, link));
    ASSERT_TRUE(removeTree(link + QLatin1Char('/')));
    EXPECT_FALSE(QFileInfo(link).isSymLink());
    EXPECT_TRUE(QFile::exists(target + QStringLiteral("/in")));
}

TEST(DirectoryTree, RemovingWhatIsNotThereSucceeds) {
    EXPECT_TRUE(removeTree(QStringLiteral("/nowhere/at/all")));
}

TEST(DirectoryTree, FoldersWithoutRightsOfOursAreRemoved) {
    const QTemporaryDir folder;
    const QString tree = folder.filePath(QStringLiteral("tree"));
    ASSERT_TRUE(QDir().mkpath(tree + QStringLiteral("/locked/in")));
    ASSERT_EQ(::chmod(QFile::encodeName(tree + QStringLiteral("/locked")).constData(), 0), 0);
    EXPECT_TRUE(removeTree(tree));
    EXPECT_FALSE(QFile::exists(tree));
}

TEST(DirectoryTree, WhatCannotBeRemovedIsNamedAndTheRestGoes_NeedsOrdinaryUser) {
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may remove everything";
    const QTemporaryDir folder;
    const auto removed = removeTree(QStringLiteral("/proc/self/status"));
    ASSERT_FALSE(removed);
    EXPECT_TRUE(removed.error().message.contains(QStringLiteral("/proc/self/status")));
}

TEST(DirectoryTree, EmptyingKeepsTheFolder) {
    const QTemporaryDir folder;
    put(folder.filePath(QStringLiteral("a")));
    ASSERT_TRUE(QDir(folder.path()).mkpath(QStringLiteral("b/c")));
    ASSERT_TRUE(emptyDirectory(folder.path()));
    EXPECT_TRUE(QDir(folder.path()).isEmpty());
    EXPECT_TRUE(QFile::exists(folder.path()));
}

TEST(DirectoryTree, ARenameNeverReplaces) {
    const QTemporaryDir folder;
    const QString a = folder.filePath(QStringLiteral("a"));
    const QString b = folder.filePath(QStringLiteral("b"));
    ASSERT_TRUE(QDir().mkpath(a) && QDir().mkpath(b));
    const auto moved = renameWithoutReplacing(a, b);
    ASSERT_FALSE(moved);
    EXPECT_EQ(moved.error().kind, Error::Kind::AlreadyExists);
    EXPECT_TRUE(QFile::exists(a));
    ASSERT_TRUE(renameWithoutReplacing(a, folder.filePath(QStringLiteral("c"))));
    EXPECT_FALSE(QFile::exists(a));
}

TEST(DirectoryTree, ARenameToAnotherVolumeSaysSo) {
    if (QFileInfo(QStringLiteral("/dev/shm")).isWritable()) {
        const QTemporaryDir folder;
        const QTemporaryDir other(QStringLiteral("/dev/shm/vitrine-XXXXXX"));
        const QString a = folder.filePath(QStringLiteral("a"));
        ASSERT_TRUE(QDir().mkpath(a));
        const auto moved = renameWithoutReplacing(a, other.filePath(QStringLiteral("a")));
        ASSERT_FALSE(moved);
        EXPECT_TRUE(isOtherVolume(moved.error()));
    }
}

TEST(DirectoryTree, MakingFoldersNamesTheFirstLevelThatFails) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("one/two"));
    ASSERT_TRUE(makeDirectories(folder.filePath(QStringLiteral("one"))));
    put(file);
    const auto made = makeDirectories(file + QStringLiteral("/three/four"));
    ASSERT_FALSE(made);
    EXPECT_TRUE(made.error().message.contains(file + QLatin1Char('"')) ||
                made.error().message.contains(file));
    EXPECT_FALSE(made.error().message.contains(QStringLiteral("four")));
}

TEST(DirectoryTree, MakingAFolderOverADanglingLinkIsRefused) {
    const QTemporaryDir folder;
    const QString link = folder.filePath(QStringLiteral("link"));
    ASSERT_TRUE(QFile::link(folder.filePath(QStringLiteral("none")), link));
    EXPECT_FALSE(makeDirectories(link));
    ASSERT_TRUE(QDir().mkpath(folder.filePath(QStringLiteral("none"))));
    EXPECT_TRUE(makeDirectories(link));
}

} // namespace
} // namespace vitrine
