// SPDX-License-Identifier: Apache-2.0
#include "core/disk/directory_tree.h"
#include "core/library/machine_operations.h"

#include "../disk/other_process.h"
#include "library_fixture.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_F(LibraryCollection, WhatIsThrownAwayGoesAsSoonAsItsMakerHasEnded) {
    QString path;
    {
        const auto aside = m_library.makeThrowAway();
        ASSERT_TRUE(aside);
        path = aside->path;
        ASSERT_TRUE(QDir(path).mkpath(QStringLiteral("library/vms/guest")));
        test::put(path + QStringLiteral("/library/vms/guest/disk.img"), "x");
        EXPECT_TRUE(m_library.collectTemporary().isEmpty()) << "its maker is there";
    }
    ASSERT_TRUE(QDir().mkpath(m_library.temporaryPath() + QStringLiteral("/theirs")));
    test::put(m_library.temporaryPath() + QStringLiteral("/theirs/.vitrine-throw-away"), "");
    EXPECT_EQ(m_library.collectTemporary(), QStringList(path));
    EXPECT_EQ(temporaryEntries(), QStringList(QStringLiteral("theirs")));
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

TEST_F(LibraryCollection, AMachineNamedLikeTheTemporaryFolderIsListedAndNeverCollected) {
    const QString machine = addMachine(QStringLiteral(".vitrine-tmp"));
    const QString fresh = QStringLiteral("/0A1B2C3D-0000-4000-8000-00000000000F");
    ASSERT_TRUE(QDir(machine).mkdir(QStringLiteral("snapshots")));
    ASSERT_TRUE(QDir().mkdir(machine + fresh));
    for (const char* entry : {"/config.json", "/disk.img", "/nvram.bin", "/snapshots"})
        makeOld(machine + QLatin1String(entry));
    makeOld(machine + fresh);
    const QStringList removed = m_library.collectTemporary();
    EXPECT_EQ(removed, QStringList(machine + fresh)) << "only what the library made there";
    ASSERT_EQ(names(*m_library.machines()), QStringList(QStringLiteral(".vitrine-tmp")));
    EXPECT_EQ(m_library.machines()->first().state, MachineState::Stopped);
    EXPECT_TRUE(renameMachine(m_library, name(".vitrine-tmp"), name("saved")));
    EXPECT_EQ(m_library.machine(name("saved"))->state, MachineState::Stopped);
}

TEST_F(LibraryCollection, MachinesBehindABindMountAreClonedDeletedAndTrashed_NeedsRootForAMount) {
    const QString store = m_folder.filePath(QStringLiteral("store"));
    ASSERT_TRUE(QDir().mkpath(store));
    ASSERT_TRUE(QDir().mkpath(m_library.machinesPath()));
    const QByteArray vms = QFile::encodeName(m_library.machinesPath());
    if (::mount(QFile::encodeName(store).constData(), vms.constData(), nullptr, MS_BIND, nullptr) !=
        0)
        GTEST_SKIP() << "mounting needs root";
    addMachine(QStringLiteral("a"));
    const auto cloned = cloneMachine(m_library, QStringLiteral("a"), name("b"), JobContext());
    const auto trashed = deleteMachine(m_library, QStringLiteral("a"), DeleteMode::Trash);
    const auto deleted = deleteMachine(m_library, QStringLiteral("b"), DeleteMode::Permanent);
    const auto left = m_library.machines();
    ::umount2(vms.constData(), MNT_DETACH);
    EXPECT_TRUE(cloned) << cloned.error().message.toStdString();
    EXPECT_TRUE(trashed) << trashed.error().message.toStdString();
    EXPECT_TRUE(deleted) << deleted.error().message.toStdString();
    EXPECT_TRUE(left->isEmpty());
    EXPECT_TRUE(
        QFile::exists(store + QStringLiteral("/.Trash-%1/files/a/disk.img").arg(::geteuid())));
}

TEST_F(LibraryCollection, ImagesBehindABindMountAreCollectedThere_NeedsRootForAMount) {
    const QString store = m_folder.filePath(QStringLiteral("store"));
    ASSERT_TRUE(QDir().mkpath(store));
    ASSERT_TRUE(QDir().mkpath(m_library.imagesPath()));
    const QByteArray images = QFile::encodeName(m_library.imagesPath());
    if (::mount(
            QFile::encodeName(store).constData(), images.constData(), nullptr, MS_BIND, nullptr) !=
        0)
        GTEST_SKIP() << "mounting needs root";
    const QString untagged = addImage(QStringLiteral("h.io/a/b"), u'2', {});
    const QString partial = m_library.partialPath();
    const auto collected = m_library.collectImages();
    const bool isGone = !QFile::exists(untagged);
    // What a kill leaves there is collected as tmp/ is.
    const QString left = m_library.imagesPath() +
                         QStringLiteral("/.vitrine-tmp/0A1B2C3D-0000-4000-8000-00000000000F");
    test::fillMachine(left + QStringLiteral("/sha256:22"));
    const auto listed = m_library.images();
    makeOld(left + QStringLiteral("/sha256:22"));
    makeOld(left);
    const QStringList removed = m_library.collectTemporary();
    ::umount2(images.constData(), MNT_DETACH);
    EXPECT_EQ(partial, m_library.imagesPath() + QStringLiteral("/.vitrine-partial"));
    EXPECT_EQ(m_library.partialPath(), m_library.home() + QStringLiteral("/cache/vitrine-partial"));
    EXPECT_TRUE(collected) << collected.error().message.toStdString();
    EXPECT_TRUE(isGone);
    EXPECT_TRUE(listed->isEmpty()) << "nothing hidden is an image";
    EXPECT_EQ(removed, QStringList(left));
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
