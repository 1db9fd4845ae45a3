// SPDX-License-Identifier: Apache-2.0
#include "core/library/machine_operations.h"
#include "core/library/runtime_directory.h"

#include "../disk/other_process.h"
#include "library_fixture.h"

#include <QElapsedTimer>
#include <QStandardPaths>

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {
namespace {

class MachineOperations : public test::LibraryTest {
protected:
    [[nodiscard]] QString path(const char* machine) const {
        return m_library.machinePath(name(machine));
    }
    [[nodiscard]] QString configOf(const char* machine) const {
        return path(machine) + QStringLiteral("/config.json");
    }
};

TEST_F(MachineOperations, ARenameChangesTheNameOnly) {
    const QString before = addMachine(QStringLiteral("debian"));
    const QByteArray config = test::get(configOf("debian"));
    ASSERT_TRUE(renameMachine(m_library, name("debian"), name("ubuntu")));
    EXPECT_FALSE(QFile::exists(before));
    EXPECT_EQ(test::get(configOf("ubuntu")), config);
    EXPECT_EQ(names(*m_library.machines()), QStringList({QStringLiteral("ubuntu")}));
}

TEST_F(MachineOperations, ARenameNeverReplaces) {
    addMachine(QStringLiteral("a"));
    addMachine(QStringLiteral("b"), test::configText(9));
    EXPECT_EQ(renameMachine(m_library, name("a"), name("b")).error().kind,
              Error::Kind::AlreadyExists);
    EXPECT_EQ(renameMachine(m_library, name("a"), name("a")).error().kind,
              Error::Kind::AlreadyExists);
    EXPECT_EQ(m_library.machine(name("b"))->config->cpuCount, 9);
    EXPECT_EQ(renameMachine(m_library, name("none"), name("c")).error().kind,
              Error::Kind::NotFound);
}

TEST_F(MachineOperations, ARunningMachineIsNeitherRenamedNorDeleted) {
    addMachine(QStringLiteral("a"));
    for (const char* kind : {"hold", "ofd"}) {
        test::OtherProcess holder({QLatin1String(kind), configOf("a")});
        ASSERT_EQ(holder.word(), "held");
        EXPECT_EQ(renameMachine(m_library, name("a"), name("b")).error().kind,
                  Error::Kind::AlreadyRunning);
        EXPECT_EQ(deleteMachine(m_library, QStringLiteral("a"), DeleteMode::Permanent).error().kind,
                  Error::Kind::AlreadyRunning);
        EXPECT_EQ(deleteMachine(m_library, QStringLiteral("a"), DeleteMode::Trash).error().kind,
                  Error::Kind::AlreadyRunning);
    }
    EXPECT_EQ(m_library.machine(name("a"))->state, MachineState::Stopped);
}

TEST_F(MachineOperations, ARunningMachineWithoutItsConfigIsNeitherRenamedNorDeleted) {
    const QString directory = addMachine(QStringLiteral("a"));
    {
        const auto alive = RuntimeDirectory::locate(m_library.home(), directory)->claim();
        ASSERT_TRUE(alive);
        for (const char* what : {"missing", "folder"}) {
            QFile::remove(configOf("a"));
            ASSERT_TRUE(what[0] == 'm' || QDir(directory).mkdir(QStringLiteral("config.json")));
            for (const Result<>& outcome :
                 {renameMachine(m_library, name("a"), name("b")),
                  deleteMachine(m_library, QStringLiteral("a"), DeleteMode::Permanent),
                  deleteMachine(m_library, QStringLiteral("a"), DeleteMode::Trash)}) {
                ASSERT_FALSE(outcome) << what;
                EXPECT_EQ(outcome.error().kind, Error::Kind::AlreadyRunning);
            }
            for (const MachineState state :
                 {m_library.stateOf(directory), m_library.machine(name("a"))->state})
                EXPECT_EQ(toTartText(state), QStringLiteral("running")) << what;
        }
    }
    EXPECT_TRUE(QFile::exists(directory + QStringLiteral("/disk.img")));
    EXPECT_EQ(m_library.machine(name("a"))->state, MachineState::Broken);
    EXPECT_TRUE(deleteMachine(m_library, QStringLiteral("a"), DeleteMode::Permanent));
}

TEST_F(MachineOperations, TheTrashBesideTheMachinesIsNeitherListedNorDeleted) {
    addMachine(QStringLiteral(".hidden"));
    const QString trashed = addMachine(QStringLiteral(".Trash-0/files/precious"));
    for (const char* folder : {"/.Trash/0", "/lost+found", "/.vitrine-tmp", "/$RECYCLE.BIN"})
        ASSERT_TRUE(QDir().mkpath(m_library.machinesPath() + QLatin1String(folder)));
    EXPECT_EQ(names(*m_library.machines()), QStringList(QStringLiteral(".hidden")));
    for (const char* folder : {".Trash-0", ".Trash", "lost+found", ".vitrine-tmp"}) {
        EXPECT_EQ(m_library.machine(name(folder)).error().kind, Error::Kind::NotFound);
        EXPECT_EQ(renameMachine(m_library, name(folder), name("x")).error().kind,
                  Error::Kind::NotFound);
        for (const DeleteMode mode : {DeleteMode::Permanent, DeleteMode::Trash})
            EXPECT_EQ(deleteMachine(m_library, QLatin1String(folder), mode).error().kind,
                      Error::Kind::NotFound);
    }
    EXPECT_TRUE(QFile::exists(trashed + QStringLiteral("/disk.img")));
    EXPECT_EQ(renameMachine(m_library, name(".hidden"), name(".Trash-1")).error().kind,
              Error::Kind::InvalidInput);
    EXPECT_EQ(cloneMachine(m_library, QStringLiteral(".hidden"), name(".vitrine-x"), JobContext())
                  .error()
                  .kind,
              Error::Kind::InvalidInput);
    EXPECT_TRUE(deleteMachine(m_library, QStringLiteral(".hidden"), DeleteMode::Permanent));
}

TEST_F(MachineOperations, LinksThatLeadToThemselvesCanBeRenamedAndDeleted) {
    ASSERT_TRUE(QDir().mkpath(m_library.machinesPath()));
    ASSERT_TRUE(QFile::link(QStringLiteral("self"), path("self")));
    QFile::remove(addMachine(QStringLiteral("config")) + QStringLiteral("/config.json"));
    ASSERT_TRUE(QFile::link(QStringLiteral("config.json"), configOf("config")));
    EXPECT_EQ(m_library.machines()->size(), 2);
    EXPECT_TRUE(m_library.machine(name("config"))->brokenReason.contains(QLatin1String("link")));
    for (const char* broken : {"self", "config"}) {
        EXPECT_TRUE(renameMachine(m_library, name(broken), name("x"))) << broken;
        EXPECT_TRUE(deleteMachine(m_library, QStringLiteral("x"), DeleteMode::Permanent)) << broken;
    }
    EXPECT_TRUE(m_library.machines()->isEmpty());
}

TEST_F(MachineOperations, AChangeByAnotherProgramIsWaitedFor) {
    addMachine(QStringLiteral("a"));
    test::OtherProcess change({QStringLiteral("hold"), configOf("a")});
    ASSERT_EQ(change.word(), "held");
    int asked = 0;
    const auto locked =
        lockStopped(m_library, path("a"), ConfigFile::Mode::Exclusive, [&asked, &change] {
            if (++asked == 3)
                change.end();
            return false;
        });
    EXPECT_TRUE(locked) << locked.error().message.toStdString();
    EXPECT_GE(asked, 3);
}

TEST_F(MachineOperations, AChangeThatDoesNotEndIsToldWithItsProcess) {
    addMachine(QStringLiteral("a"));
    test::OtherProcess change({QStringLiteral("hold"), configOf("a")});
    ASSERT_EQ(change.word(), "held");
    const auto changed = changeMachine(m_library, name("a"), {.cpuCount = 3});
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().kind, Error::Kind::AlreadyRunning);
    EXPECT_TRUE(changed.error().message.contains(QLatin1String("is being changed")));
    EXPECT_TRUE(changed.error().message.contains(QString::number(change.pid())));
    EXPECT_FALSE(waitForChange(m_library, path("a")));
}

TEST_F(MachineOperations, AMachineProcessIsNotWaitedFor) {
    addMachine(QStringLiteral("a"));
    const auto alive = RuntimeDirectory::locate(m_library.home(), path("a"))->claim();
    test::OtherProcess machine({QStringLiteral("hold"), configOf("a")});
    ASSERT_EQ(machine.word(), "held");
    bool asked = false;
    const auto locked = lockStopped(
        m_library, path("a"), ConfigFile::Mode::Exclusive, [&asked] { return asked = true; });
    ASSERT_FALSE(locked);
    EXPECT_EQ(locked.error().kind, Error::Kind::AlreadyRunning);
    EXPECT_FALSE(asked);
}

TEST_F(MachineOperations, ProgramsOfTheLastRunAreWaitedFor) {
    addMachine(QStringLiteral("a"));
    const auto runtime = RuntimeDirectory::locate(m_library.home(), path("a"));
    auto alive = runtime->claim();
    std::jthread ending([&alive] {
        QThread::yieldCurrentThread();
        alive = fail(Error::cancelled());
    });
    EXPECT_TRUE(lockStopped(m_library, path("a")));
    bool asked = false;
    ending.join();
    alive = runtime->claim();
    const auto locked = lockStopped(
        m_library, path("a"), ConfigFile::Mode::Exclusive, [&asked] { return asked = true; });
    ASSERT_FALSE(locked);
    EXPECT_TRUE(locked.error().isCancelled());
}

TEST_F(MachineOperations, ADeletedMachineIsGone) {
    const QString directory = addMachine(QStringLiteral("a"));
    const auto runtime = RuntimeDirectory::locate(m_library.home(), directory);
    (void)runtime->claim();
    ASSERT_TRUE(deleteMachine(m_library, QStringLiteral("a"), DeleteMode::Permanent));
    EXPECT_FALSE(QFile::exists(directory));
    EXPECT_FALSE(QFile::exists(runtime->path()));
    EXPECT_TRUE(temporaryEntries().isEmpty());
    EXPECT_TRUE(m_library.machines()->isEmpty());
    EXPECT_EQ(deleteMachine(m_library, QStringLiteral("a"), DeleteMode::Permanent).error().kind,
              Error::Kind::NotFound);
}

TEST_F(MachineOperations, ABrokenMachineCanBeRenamedAndDeleted) {
    addMachine(QStringLiteral("damaged"), "{");
    QFile::remove(addMachine(QStringLiteral("incomplete")) + QStringLiteral("/config.json"));
    const QString folder = addMachine(QStringLiteral("folder"));
    QFile::remove(folder + QStringLiteral("/config.json"));
    ASSERT_TRUE(QDir(folder).mkdir(QStringLiteral("config.json")));
    ASSERT_TRUE(QFile::link(QStringLiteral("/nowhere"), path("link")));
    for (const char* broken : {"damaged", "incomplete", "folder", "link"}) {
        EXPECT_TRUE(renameMachine(m_library, name(broken), name("x"))) << broken;
        EXPECT_TRUE(deleteMachine(m_library, QStringLiteral("x"), DeleteMode::Permanent)) << broken;
    }
    EXPECT_TRUE(m_library.machines()->isEmpty());
    EXPECT_TRUE(temporaryEntries().isEmpty());
}

TEST_F(MachineOperations, DeletingALinkKeepsWhatItLeadsTo) {
    const QString outside = m_folder.filePath(QStringLiteral("outside"));
    test::fillMachine(outside);
    ASSERT_TRUE(QDir().mkpath(m_library.machinesPath()));
    ASSERT_TRUE(QFile::link(outside, path("link")));
    EXPECT_EQ(m_library.machine(name("link"))->state, MachineState::Stopped);
    ASSERT_TRUE(deleteMachine(m_library, QStringLiteral("link"), DeleteMode::Permanent));
    EXPECT_TRUE(QFile::exists(outside + QStringLiteral("/disk.img")));
}

TEST_F(MachineOperations, TheTrashTakesAMachineWholeOrSaysWhyNot) {
    addMachine(QStringLiteral("trashed"));
    const auto deleted = deleteMachine(m_library, QStringLiteral("trashed"), DeleteMode::Trash);
    if (!deleted) {
        EXPECT_EQ(deleted.error().kind, Error::Kind::Unsupported);
        EXPECT_EQ(m_library.machine(name("trashed"))->state, MachineState::Stopped);
        return;
    }
    EXPECT_FALSE(QFile::exists(path("trashed")));
    EXPECT_TRUE(m_library.machines()->isEmpty());
}

TEST_F(MachineOperations, TheHomeTrashHoldsTheMachine) {
    // A library on the volume of the home folder, whose Trash every desktop shows.
    const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    ASSERT_TRUE(QDir().mkpath(data));
    const QTemporaryDir folder(data + QStringLiteral("/vitrine-XXXXXX"));
    const auto library = Library::open(folder.filePath(QStringLiteral("home")));
    const QString unique = QStringLiteral("vm-%1").arg(::getpid());
    test::fillMachine(library->machinesPath() + QLatin1Char('/') + unique);
    const auto deleted = deleteMachine(*library, unique, DeleteMode::Trash);
    ASSERT_TRUE(deleted) << deleted.error().message.toStdString();
    const QString trash = data + QStringLiteral("/Trash/");
    EXPECT_TRUE(
        QFile::exists(trash + QStringLiteral("files/") + unique + QStringLiteral("/disk.img")));
    QDir(trash + QStringLiteral("files/") + unique).removeRecursively();
    QFile::remove(trash + QStringLiteral("info/") + unique + QStringLiteral(".trashinfo"));
}

TEST_F(MachineOperations, AReadOnlyConfigStillShowsARun_NeedsOrdinaryUser) {
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may write everything";
    addMachine(QStringLiteral("a"));
    {
        test::OtherProcess holder({QStringLiteral("hold"), configOf("a")});
        ASSERT_EQ(holder.word(), "held");
        ::chmod(QFile::encodeName(configOf("a")).constData(), 0400);
        EXPECT_EQ(deleteMachine(m_library, QStringLiteral("a"), DeleteMode::Permanent).error().kind,
                  Error::Kind::AlreadyRunning);
    }
    EXPECT_TRUE(deleteMachine(m_library, QStringLiteral("a"), DeleteMode::Permanent));
}

TEST_F(MachineOperations, DeletingATagTakesTheImageWithTheLastOne) {
    const QString digest = addImage(QStringLiteral("h.io/a/b"), u'1', QStringLiteral("one"));
    const QString folder = QFileInfo(digest).path();
    ASSERT_TRUE(QFile::link(QFileInfo(digest).fileName(), folder + QStringLiteral("/two")));
    ASSERT_TRUE(deleteMachine(m_library, QStringLiteral("h.io/a/b:one"), DeleteMode::Trash));
    EXPECT_TRUE(QFile::exists(digest));
    EXPECT_FALSE(QFileInfo(folder + QStringLiteral("/one")).isSymLink());
    ASSERT_TRUE(deleteMachine(m_library, QStringLiteral("h.io/a/b:two"), DeleteMode::Permanent));
    EXPECT_FALSE(QFile::exists(digest));
    EXPECT_TRUE(m_library.images()->isEmpty());
    EXPECT_TRUE(QFileInfo(folder).isDir()) << "emptied folders stay";
}

TEST_F(MachineOperations, DeletingADigestTakesItsTags) {
    const QString digest = addImage(QStringLiteral("h.io/a/b"), u'1', QStringLiteral("one"));
    const QString other = addImage(QStringLiteral("h.io/a/b"), u'2', QStringLiteral("two"));
    ASSERT_TRUE(deleteMachine(
        m_library, QStringLiteral("h.io/a/b@sha256:") + QString(64, u'1'), DeleteMode::Permanent));
    EXPECT_FALSE(QFile::exists(digest));
    EXPECT_TRUE(QFile::exists(other));
    EXPECT_EQ(m_library.images()->size(), 2);
    EXPECT_TRUE(temporaryEntries().isEmpty());
}

TEST_F(MachineOperations, ImagesOnAnotherVolumeAreDeletedThere_NeedsRootForATmpfs) {
    const QByteArray cache = QFile::encodeName(m_library.home() + QStringLiteral("/cache"));
    if (::mount("vitrine-test", cache.constData(), "tmpfs", 0, "size=4m") != 0)
        GTEST_SKIP() << "mounting needs root";
    const QString digest = addImage(QStringLiteral("h.io/a/b"), u'1', QStringLiteral("t"));
    const auto deleted =
        deleteMachine(m_library, QStringLiteral("h.io/a/b:t"), DeleteMode::Permanent);
    const bool isGone = !QFile::exists(digest);
    const QStringList left = QDir(QFileInfo(digest).path())
                                 .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    ::umount2(cache.constData(), MNT_DETACH);
    EXPECT_TRUE(deleted);
    EXPECT_TRUE(isGone);
    EXPECT_TRUE(left.isEmpty()) << left.join(u' ').toStdString();
}

TEST_F(MachineOperations, ATagNamedLikeANamespaceDeletesNoFolder) {
    const QString digest = addImage(QStringLiteral("h.io/a/b/c"), u'1', QStringLiteral("t"));
    EXPECT_EQ(
        deleteMachine(m_library, QStringLiteral("h.io/a/b:c"), DeleteMode::Permanent).error().kind,
        Error::Kind::NotFound);
    EXPECT_TRUE(QFile::exists(digest));
    EXPECT_EQ(deleteMachine(m_library, QStringLiteral("h.io/a/b:none"), DeleteMode::Permanent)
                  .error()
                  .kind,
              Error::Kind::NotFound);
    EXPECT_FALSE(QFile::exists(m_library.imagesPath() + QStringLiteral("/new.io")));
}

TEST_F(MachineOperations, ADanglingTagCanBeDeleted) {
    const QString digest = addImage(QStringLiteral("h.io/a/b"), u'1', QStringLiteral("t"));
    ASSERT_TRUE(QDir(digest).removeRecursively());
    EXPECT_TRUE(deleteMachine(m_library, QStringLiteral("h.io/a/b:t"), DeleteMode::Permanent));
    EXPECT_FALSE(QFileInfo(QFileInfo(digest).path() + QStringLiteral("/t")).isSymLink());
}

TEST_F(MachineOperations, AnImageInUseIsNotDeleted) {
    const QString digest = addImage(QStringLiteral("h.io/a/b"), u'1', QStringLiteral("t"));
    test::OtherProcess push({QStringLiteral("hold"), digest + QStringLiteral("/config.json")});
    ASSERT_EQ(push.word(), "held");
    EXPECT_EQ(deleteMachine(m_library,
                            QStringLiteral("h.io/a/b@sha256:") + QString(64, u'1'),
                            DeleteMode::Permanent)
                  .error()
                  .kind,
              Error::Kind::AlreadyRunning);
    EXPECT_TRUE(QFile::exists(digest));
}

} // namespace
} // namespace vitrine
