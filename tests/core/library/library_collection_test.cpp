// SPDX-License-Identifier: Apache-2.0
#include "core/disk/directory_tree.h"

#include "../disk/other_process.h"
#include "library_fixture.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

namespace vitrine {
namespace {

class LibraryCollection : public test::LibraryTest {
protected:
    static void makeOld(const QString& path) {
        const timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
        ASSERT_EQ(::utimensat(AT_FDCWD, QFile::encodeName(path).constData(), old, 0), 0);
    }
};

TEST_F(LibraryCollection, ATemporaryFolderIsLockedBeforeItIsSeen) {
    const auto temporary = m_library.makeTemporary();
    ASSERT_TRUE(temporary);
    EXPECT_EQ(QFileInfo(temporary->path).path(), m_library.temporaryPath());
    EXPECT_EQ(temporaryEntries().size(), 1);
    EXPECT_TRUE(DirectoryLock::isHeld(temporary->path));
    EXPECT_EQ(QDir(m_library.home())
                  .entryList({QStringLiteral(".vitrine*")}, QDir::AllEntries | QDir::Hidden)
                  .size(),
              0);
    makeOld(temporary->path);
    EXPECT_TRUE(m_library.collectTemporary().isEmpty());
    EXPECT_TRUE(QFile::exists(temporary->path));
}

TEST_F(LibraryCollection, OnlyOldAndUnlockedEntriesAreCollected) {
    const QString tmp = m_library.temporaryPath() + QLatin1Char('/');
    ASSERT_TRUE(QDir().mkpath(tmp + QStringLiteral("old/in")));
    ASSERT_TRUE(QDir().mkpath(tmp + QStringLiteral("fresh")));
    ASSERT_TRUE(QDir().mkpath(tmp + QStringLiteral("busy")));
    ASSERT_TRUE(QDir().mkpath(tmp + QStringLiteral("growing")));
    test::put(tmp + QStringLiteral("file.ipsw"), "x");
    test::put(tmp + QStringLiteral("growing/disk.img"), "x");
    for (const char* name : {"old/in", "old", "busy", "growing", "file.ipsw"})
        makeOld(tmp + QLatin1String(name));
    test::OtherProcess other({QStringLiteral("flock"), tmp + QStringLiteral("busy")});
    ASSERT_EQ(other.word(), "held");
    const QStringList removed = m_library.collectTemporary();
    EXPECT_EQ(removed.size(), 2);
    EXPECT_EQ(
        temporaryEntries(),
        QStringList({QStringLiteral("busy"), QStringLiteral("fresh"), QStringLiteral("growing")}));
}

TEST_F(LibraryCollection, LinksInTmpAreRemovedAndNotFollowed) {
    const QString outside = m_folder.filePath(QStringLiteral("outside"));
    ASSERT_TRUE(QDir().mkpath(outside));
    test::put(outside + QStringLiteral("/kept"), "x");
    ASSERT_TRUE(QFile::link(outside, m_library.temporaryPath() + QStringLiteral("/link")));
    m_library.collectTemporary();
    EXPECT_TRUE(QFile::exists(outside + QStringLiteral("/kept")));
}

TEST_F(LibraryCollection, MovingAsideMakesANameFree) {
    const QString directory = addMachine(QStringLiteral("vm"));
    const auto aside = m_library.moveAside(directory);
    ASSERT_TRUE(aside);
    EXPECT_FALSE(QFile::exists(directory));
    EXPECT_TRUE(QFile::exists(aside->path + QStringLiteral("/vm/config.json")));
    EXPECT_FALSE(m_library.moveAside(directory));
    EXPECT_EQ(temporaryEntries().size(), 1) << "a failed move leaves nothing";
}

TEST_F(LibraryCollection, MachinesOnAnotherVolumeHaveTheirTemporaryFolderThere_NeedsRootForATmpfs) {
    ASSERT_TRUE(QDir().mkpath(m_library.machinesPath()));
    const QByteArray vms = QFile::encodeName(m_library.machinesPath());
    if (::mount("vitrine-test", vms.constData(), "tmpfs", 0, "size=4m") != 0)
        GTEST_SKIP() << "mounting needs root";
    const auto temporary = m_library.makeTemporary();
    const bool moved =
        temporary &&
        renameWithoutReplacing(temporary->path, m_library.machinesPath() + QStringLiteral("/vm"));
    const auto machines = m_library.machines();
    ::umount2(vms.constData(), MNT_DETACH);
    EXPECT_TRUE(moved);
    ASSERT_TRUE(machines);
    EXPECT_EQ(names(*machines), QStringList({QStringLiteral("vm")}));
}

TEST_F(LibraryCollection, UntaggedImagesGoAndPulledOnesAndTheContentStoreStay) {
    const QString repository = QStringLiteral("h.io/a/b");
    const QString tagged = addImage(repository, u'1', QStringLiteral("t"));
    const QString untagged = addImage(repository, u'2', {});
    const QString pulled = addImage(repository, u'3', {});
    test::put(pulled + QStringLiteral("/.explicitly-pulled"), "");
    const QString incomplete = addImage(repository, u'4', {});
    QFile::remove(incomplete + QStringLiteral("/disk.img"));
    const QString content = m_library.home() + QStringLiteral("/cache/content/sha256");
    test::fillMachine(content + QStringLiteral("/sha256:00"));
    test::fillMachine(m_library.partialPath() + QStringLiteral("/sha256:11"));
    const QString dangling = m_library.imagesPath() + QStringLiteral("/h.io/a/b/gone");
    ASSERT_TRUE(QFile::link(QStringLiteral("/nowhere"), dangling));
    ASSERT_TRUE(m_library.collectImages());
    EXPECT_TRUE(QFile::exists(tagged));
    EXPECT_FALSE(QFile::exists(untagged));
    EXPECT_TRUE(QFile::exists(pulled));
    EXPECT_TRUE(QFile::exists(incomplete));
    EXPECT_TRUE(QFile::exists(content + QStringLiteral("/sha256:00/disk.img")));
    EXPECT_TRUE(QFile::exists(m_library.partialPath() + QStringLiteral("/sha256:11/disk.img")));
    EXPECT_FALSE(QFileInfo(dangling).isSymLink());
    EXPECT_TRUE(temporaryEntries().isEmpty());
    EXPECT_TRUE(QFileInfo(m_library.imagesPath() + QStringLiteral("/h.io/a/b")).isDir());
}

TEST_F(LibraryCollection, AHostWhoseLockIsHeldIsLeftToItsHolder) {
    const QString untagged = addImage(QStringLiteral("h.io/a/b"), u'2', {});
    test::OtherProcess other({QStringLiteral("flock"), m_library.hostPath(QStringLiteral("h.io"))});
    ASSERT_EQ(other.word(), "held");
    EXPECT_TRUE(m_library.collectImages());
    EXPECT_TRUE(QFile::exists(untagged));
    other.end();
    EXPECT_TRUE(m_library.collectImages());
    EXPECT_FALSE(QFile::exists(untagged));
}

TEST_F(LibraryCollection, TheHolderOfAHostLockCanCollect) {
    const QString untagged = addImage(QStringLiteral("h.io/a/b"), u'2', {});
    const QString elsewhere = addImage(QStringLiteral("other.io/a/b"), u'3', {});
    const auto lock = m_library.hostLock(QStringLiteral("h.io"));
    ASSERT_TRUE(lock);
    ASSERT_TRUE(m_library.collectImagesLocked(*lock, QStringLiteral("h.io")));
    EXPECT_FALSE(QFile::exists(untagged));
    EXPECT_TRUE(QFile::exists(elsewhere));
}

TEST_F(LibraryCollection, AnImageInUseStays) {
    const QString untagged = addImage(QStringLiteral("h.io/a/b"), u'2', {});
    {
        test::OtherProcess push(
            {QStringLiteral("hold"), untagged + QStringLiteral("/config.json")});
        ASSERT_EQ(push.word(), "held");
        EXPECT_TRUE(m_library.collectImages());
        EXPECT_TRUE(QFile::exists(untagged));
    }
    EXPECT_TRUE(m_library.collectImages());
    EXPECT_FALSE(QFile::exists(untagged));
}

TEST_F(LibraryCollection, AHostLockMakesItsFolder) {
    const auto lock = m_library.hostLock(QStringLiteral("127.0.0.1:5000"));
    ASSERT_TRUE(lock);
    EXPECT_TRUE(QFileInfo(m_library.imagesPath() + QStringLiteral("/127.0.0.1%3A5000")).isDir());
}

} // namespace
} // namespace vitrine
