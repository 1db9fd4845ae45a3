// SPDX-License-Identifier: Apache-2.0
#include "core/disk/trash.h"

#include "core/disk/small_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QUrl>

#include <gtest/gtest.h>

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {
namespace {

// Every test has a home folder of its own, on the volume of the temporary folder.
class TrashTest : public testing::Test {
protected:
    TrashTest() {
        QStandardPaths::setTestModeEnabled(false);
        m_before = qgetenv("XDG_DATA_HOME");
        qputenv("XDG_DATA_HOME", QFile::encodeName(m_folder.filePath(QStringLiteral("data"))));
    }
    ~TrashTest() override {
        m_before.isNull() ? qunsetenv("XDG_DATA_HOME") : qputenv("XDG_DATA_HOME", m_before);
        QStandardPaths::setTestModeEnabled(true);
    }
    QString make(const QString& name, const QByteArray& content = "x") const {
        const QString path = m_folder.filePath(name);
        QDir().mkpath(path);
        EXPECT_TRUE(replaceFile(path + QStringLiteral("/file"), content));
        return path;
    }
    [[nodiscard]] QString trash() const { return m_folder.filePath(QStringLiteral("data/Trash")); }

    QTemporaryDir m_folder;
    QByteArray m_before;
};

TEST_F(TrashTest, WhatWasMovedLastIsPutBackAndNothingIsReplaced) {
    const QString path = make(QStringLiteral("my machine"), "first");
    ASSERT_TRUE(moveToTrash(path));
    make(QStringLiteral("other"));
    ASSERT_TRUE(moveToTrash(m_folder.filePath(QStringLiteral("other"))));
    make(QStringLiteral("my machine"), "in the way");
    const auto taken = restoreFromTrash(path);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().kind, Error::Kind::AlreadyExists);
    EXPECT_EQ(*readSmallFile(path + QStringLiteral("/file")), "in the way");
    ASSERT_TRUE(QDir(path).removeRecursively());
    const auto back = restoreFromTrash(path);
    ASSERT_TRUE(back) << back.error().message.toStdString();
    EXPECT_EQ(*readSmallFile(path + QStringLiteral("/file")), "first");
    EXPECT_FALSE(QFile::exists(trash() + QStringLiteral("/info/my machine.trashinfo")));
    const auto gone = restoreFromTrash(path);
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().kind, Error::Kind::NotFound);
}

TEST_F(TrashTest, AFolderGoesWholeAndItsPlaceIsNoted) {
    const QString path = make(QStringLiteral("my machine é%"));
    const auto moved = moveToTrash(path);
    ASSERT_TRUE(moved) << moved.error().message.toStdString();
    EXPECT_EQ(*moved, trash() + QStringLiteral("/files/my machine é%"));
    EXPECT_FALSE(QFile::exists(path));
    EXPECT_EQ(*readSmallFile(*moved + QStringLiteral("/file")), "x");
    const QList<QByteArray> lines =
        readSmallFile(trash() + QStringLiteral("/info/my machine é%.trashinfo"))->split('\n');
    ASSERT_EQ(lines.size(), 4);
    EXPECT_EQ(lines[0], "[Trash Info]");
    EXPECT_TRUE(lines[1].startsWith("Path=/"));
    EXPECT_EQ(QUrl::fromPercentEncoding(lines[1].mid(5)), path);
    EXPECT_TRUE(lines[2].startsWith("DeletionDate=20"));
    EXPECT_EQ(lines[2].size(), 13 + 19);
    struct stat info {};
    ASSERT_EQ(::stat(QFile::encodeName(trash()).constData(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
}

TEST_F(TrashTest, TheSameNameTwiceIsKeptTwice) {
    const auto first = moveToTrash(make(QStringLiteral("a"), "1"));
    const auto second = moveToTrash(make(QStringLiteral("a"), "2"));
    ASSERT_TRUE(first && second);
    EXPECT_NE(*first, *second);
    EXPECT_EQ(*readSmallFile(*first + QStringLiteral("/file")), "1");
    EXPECT_EQ(*readSmallFile(*second + QStringLiteral("/file")), "2");
}

TEST_F(TrashTest, LongNamesAreShortenedAndTheNoteKeepsTheWhole) {
    for (const QString& name : {QString(255, QLatin1Char('n')),
                                QString(246, QLatin1Char('n')),
                                QString(127, QChar(0xE9)),
                                QStringLiteral("\U0001F600").repeated(63)}) {
        for (int time = 1; time <= 2; ++time) {
            const QString path = make(name, QByteArray::number(time));
            const auto moved = moveToTrash(path);
            ASSERT_TRUE(moved) << moved.error().message.toStdString();
            EXPECT_FALSE(QFile::exists(path));
            EXPECT_EQ(*readSmallFile(*moved + QStringLiteral("/file")), QByteArray::number(time));
            const QString kept = QFileInfo(*moved).fileName();
            EXPECT_TRUE(kept.isValidUtf16());
            const auto note = readSmallFile(trash() + QStringLiteral("/info/") + kept +
                                            QStringLiteral(".trashinfo"));
            ASSERT_TRUE(note);
            EXPECT_TRUE(note->contains("Path=" + QUrl::toPercentEncoding(path, "/") + '\n'));
        }
    }
}

TEST_F(TrashTest, WhatIsThereWithoutANoteIsNotReplaced) {
    ASSERT_TRUE(QDir().mkpath(trash() + QStringLiteral("/files/a/mine")));
    const auto moved = moveToTrash(make(QStringLiteral("a")));
    ASSERT_TRUE(moved) << moved.error().message.toStdString();
    EXPECT_EQ(*moved, trash() + QStringLiteral("/files/a 2"));
    EXPECT_TRUE(QFile::exists(trash() + QStringLiteral("/files/a/mine")));
    EXPECT_FALSE(QFile::exists(trash() + QStringLiteral("/info/a.trashinfo")));
}

TEST_F(TrashTest, ATrashThatCannotBeMadeIsToldAndNothingMoves_NeedsOrdinaryUser) {
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may make the Trash of any volume";
    ASSERT_TRUE(replaceFile(m_folder.filePath(QStringLiteral("data")), "a file"));
    const QString path = make(QStringLiteral("a"));
    const auto moved = moveToTrash(path);
    ASSERT_FALSE(moved);
    EXPECT_EQ(moved.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(QFile::exists(path));
}

TEST_F(TrashTest, AMissingPathIsNotFound) {
    EXPECT_EQ(moveToTrash(m_folder.filePath(QStringLiteral("none"))).error().kind,
              Error::Kind::NotFound);
}

TEST_F(TrashTest, AnotherVolumeHasItsOwnTrash_NeedsRootForATmpfs) {
    const QString mounted = m_folder.filePath(QStringLiteral("volume"));
    ASSERT_TRUE(QDir().mkpath(mounted));
    if (::mount("vitrine-test", QFile::encodeName(mounted).constData(), "tmpfs", 0, "size=1m") != 0)
        GTEST_SKIP() << "mounting needs root";
    const auto moved = moveToTrash(make(QStringLiteral("volume/in/a")));
    const auto note =
        moved ? readSmallFile(mounted +
                              QStringLiteral("/.Trash-%1/info/a.trashinfo").arg(::geteuid()))
              : Result<QByteArray>();
    ::umount2(QFile::encodeName(mounted).constData(), MNT_DETACH);
    ASSERT_TRUE(moved) << moved.error().message.toStdString();
    ASSERT_TRUE(note);
    EXPECT_TRUE(note->contains("\nPath=in/a\n"));
}

} // namespace
} // namespace vitrine
