// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/snapshot_operations.h"

#include "core/disk/file_copy.h"
#include "core/disk/file_lock.h"
#include "core/library/interrupted_restore.h"
#include "core/library/machine_operations.h"
#include "core/library/runtime_directory.h"
#include "core/library/saved_state.h"
#include "core/snapshot/snapshot_draft.h"
#include "core/snapshot/uncovered_disks.h"
#include "tests/core/library/library_fixture.h"
#include "tests/support/reflink_volume.h"
#include "tests/support/send_signal.h"

#include <QFileInfo>

#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

// Another program holds a machine's locks, as one that runs does.
class RunningElsewhere final {
public:
    RunningElsewhere(const QString& libraryHome, const QString& machine) {
        int told[2];
        EXPECT_EQ(::pipe(told), 0);
        m_child = ::fork();
        if (m_child == 0) {
            const auto lock = ConfigFile::tryLock(machine + QStringLiteral("/config.json"));
            const auto runtime = RuntimeDirectory::locate(libraryHome, machine);
            const auto alive = runtime ? runtime->claim() : fail(runtime.error());
            (void)!::write(told[1], lock && alive ? "y" : "n", 1);
            for (;;)
                ::pause();
        }
        char answer = 0;
        EXPECT_EQ(::read(told[0], &answer, 1), 1);
        EXPECT_EQ(answer, 'y');
        ::close(told[0]);
        ::close(told[1]);
    }
    ~RunningElsewhere() {
        vitrine::test::sendSignal(m_child, SIGKILL);
        ::waitpid(m_child, nullptr, 0);
    }
    RunningElsewhere(const RunningElsewhere&) = delete;
    RunningElsewhere& operator=(const RunningElsewhere&) = delete;

private:
    pid_t m_child = 0;
};

class SnapshotTest : public LibraryTest {
protected:
    SnapshotTest()
        : m_directory(addMachine(QStringLiteral("m"))) {}

    QString file(const QString& name) const { return m_directory + QLatin1Char('/') + name; }
    QString fileOf(const Snapshot& snapshot, const QString& name) const {
        return m_directory + QStringLiteral("/snapshots/") + snapshot.id + QLatin1Char('/') + name;
    }
    void write(const QByteArray& mark) const {
        QFile disk(file(QStringLiteral("disk.img")));
        ASSERT_TRUE(disk.open(QIODevice::ReadWrite));
        disk.write(mark);
    }
    QByteArray disk() const { return get(file(QStringLiteral("disk.img"))).left(4); }
    Result<Snapshot> create(const QString& title) const {
        return createSnapshot(m_library, name("m"), {title, false}, {});
    }
    Result<> restore(const QString& id, bool saveCurrent = false, bool discard = false) const {
        return restoreSnapshot(m_library, name("m"), {id, discard, saveCurrent}, {});
    }
    SnapshotTree tree() const { return *readSnapshots(m_directory); }
    QStringList titles() const {
        QStringList list;
        for (const SnapshotTree::Row& row : tree().rows())
            list << QString(row.depth, QLatin1Char('-')) + row.snapshot.name;
        return list;
    }
    QStringList folders() const {
        return QDir(m_directory + QStringLiteral("/snapshots"))
            .entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
    }
    void makeSuspended(const QByteArray& memory) const {
        put(file(QStringLiteral("state.qemu")), memory);
        StateFingerprint fingerprint;
        fingerprint.machineType = QStringLiteral("pc-q35-7.2");
        fingerprint.files = *fingerprintFiles(
            m_directory, {QStringLiteral("disk.img"), QStringLiteral("nvram.bin")});
        ASSERT_TRUE(fingerprint.write(m_directory));
    }
    static QStringList words(std::initializer_list<const char*> list) {
        QStringList result;
        for (const char* word : list)
            result << QLatin1String(word);
        return result;
    }
    // What would keep the state of this directory from being resumed.
    static std::optional<QString> misfitIn(const QString& directory) {
        const auto saved = StateFingerprint::read(directory);
        if (!saved)
            return saved.error().message;
        StateFingerprint now = *saved;
        now.files =
            *fingerprintFiles(directory, {QStringLiteral("disk.img"), QStringLiteral("nvram.bin")});
        return misfit(*saved, now);
    }
    // Runs `work` in a process that is killed at its step number `step`, 1 the first. False when it
    // has fewer steps and ended by itself.
    static bool killedAt(int step, const std::function<bool()>& work) {
        const pid_t child = ::fork();
        if (child == 0) {
            int reached = 0;
            const auto count = [&reached, step](const char*) {
                if (++reached == step)
                    ::raise(SIGKILL);
            };
            setSnapshotObserver(count);
            setRestoreObserver(count);
            ::_exit(work() ? 0 : 1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        if (WIFSIGNALED(status))
            return true;
        EXPECT_EQ(WEXITSTATUS(status), 0);
        return false;
    }

public:
    // Once for each step, until the work is done.
    void killWhileOneIsMade();
    void killWhileOneIsRestored();
    void killWhileOneIsDeleted();

protected:
    QString m_directory;
};

void SnapshotTest::killWhileOneIsMade() {
    ASSERT_TRUE(create(QStringLiteral("First")));
    bool seen = false;
    for (int step = 1; killedAt(step, [this] { return create(QStringLiteral("X")).has_value(); });
         ++step) {
        SCOPED_TRACE(step);
        const bool there = titles().contains(QStringLiteral("-X"));
        EXPECT_TRUE(there || titles() == words({"First"}));
        EXPECT_TRUE(there || !seen) << "what was there stays there";
        if (there) {
            EXPECT_EQ(tree().all().size(), 2);
            ASSERT_TRUE(restore(tree().all().last().id)) << "it is whole";
            ASSERT_TRUE(deleteSnapshot(m_library, name("m"), tree().all().last().id));
        }
        SnapshotFolder::collect(m_directory);
        EXPECT_EQ(folders().size(), 1) << qPrintable(folders().join(QLatin1Char(' ')));
        EXPECT_EQ(m_library.stateOf(m_directory), MachineState::Stopped);
    }
    EXPECT_EQ(titles(), (words({"First", "-X"}))) << "the last run was not killed";
}

void SnapshotTest::killWhileOneIsRestored() {
    write("old!");
    makeSuspended("memory");
    const auto snapshot = create(QStringLiteral("First"));
    ASSERT_TRUE(snapshot);
    int steps = 0;
    const auto prepare = [this] {
        ASSERT_TRUE(discardSavedState(m_directory));
        write("new!");
        put(file(QStringLiteral("nvram.bin")), "new");
    };
    prepare();
    bool done = false;
    for (int step = 1;
         killedAt(step, [this, &snapshot] { return restore(snapshot->id).has_value(); });
         ++step) {
        SCOPED_TRACE(step);
        steps = step;
        // The next who holds the lock puts things right.
        ASSERT_TRUE(lockStopped(m_library, m_directory));
        SnapshotFolder::collect(m_directory);
        const bool after = disk() == "old!";
        EXPECT_TRUE(after || !done) << "once it is decided it stays decided";
        done = done || after;
        if (after) {
            EXPECT_EQ(get(file(QStringLiteral("nvram.bin"))), "variables");
            EXPECT_EQ(get(file(QStringLiteral("state.qemu"))), "memory");
            EXPECT_FALSE(misfitIn(m_directory));
            EXPECT_EQ(tree().current(), snapshot->id);
        } else {
            EXPECT_EQ(disk(), "new!");
            EXPECT_EQ(get(file(QStringLiteral("nvram.bin"))), "new");
            EXPECT_FALSE(QFileInfo::exists(file(QStringLiteral("state.qemu"))));
        }
        EXPECT_EQ(folders(), QStringList{snapshot->id});
        EXPECT_TRUE(m_library.machine(name("m"))->config);
        prepare();
    }
    EXPECT_GE(steps, 10);
    EXPECT_TRUE(done);
}

void SnapshotTest::killWhileOneIsDeleted() {
    for (int step = 1;; ++step) {
        SCOPED_TRACE(step);
        const auto first = create(QStringLiteral("First"));
        ASSERT_TRUE(create(QStringLiteral("Child")));
        const bool killed = killedAt(step, [this, &first] {
            return deleteSnapshot(m_library, name("m"), first->id).has_value();
        });
        SnapshotFolder::collect(m_directory);
        EXPECT_EQ(titles(), words({"Child"})) << "every step is behind the decision";
        EXPECT_EQ(folders().size(), 1);
        ASSERT_TRUE(restore(tree().all().last().id));
        ASSERT_TRUE(deleteSnapshot(m_library, name("m"), tree().all().last().id));
        if (!killed)
            break;
    }
}

} // namespace

TEST_F(SnapshotTest, WhatWasWrittenAfterwardsIsGoneAfterARestore) {
    write("old!");
    const auto snapshot = create(QStringLiteral("First"));
    ASSERT_TRUE(snapshot) << qPrintable(snapshot.error().message);
    write("new!");
    put(file(QStringLiteral("nvram.bin")), "changed");
    put(file(QStringLiteral("efivars-AMD64.fd")), "made later");
    ASSERT_TRUE(restore(snapshot->id));
    EXPECT_EQ(disk(), "old!");
    EXPECT_EQ(get(file(QStringLiteral("nvram.bin"))), "variables");
    EXPECT_FALSE(QFileInfo::exists(file(QStringLiteral("efivars-AMD64.fd"))));
    EXPECT_EQ(QFileInfo(file(QStringLiteral("disk.img"))).size(), 1000000);
    EXPECT_EQ(folders(), QStringList{snapshot->id}) << "nothing else is left";
}

TEST_F(SnapshotTest, TheConfigurationComesBackThroughTheLockedFile) {
    const auto snapshot = create(QStringLiteral("First"));
    ASSERT_TRUE(snapshot);
    MachineChanges changes;
    changes.cpuCount = 5;
    ASSERT_TRUE(changeMachine(m_library, name("m"), changes));
    ASSERT_TRUE(restore(snapshot->id));
    EXPECT_EQ(m_library.machine(name("m"))->config->cpuCount, 2);
}

TEST_F(SnapshotTest, GrowOnTheBranchTheMachineIsOn) {
    const auto first = create(QStringLiteral("First"));
    ASSERT_TRUE(create(QStringLiteral("Second")));
    ASSERT_TRUE(restore(first->id));
    ASSERT_TRUE(create(QStringLiteral("Third")));
    EXPECT_EQ(titles(), (words({"First", "-Second", "-Third"})));
    EXPECT_EQ(tree().find(tree().current())->name, QStringLiteral("Third"));
}

TEST_F(SnapshotTest, DeletingOneKeepsItsChildren) {
    write("one!");
    const auto first = create(QStringLiteral("First"));
    write("two!");
    const auto second = create(QStringLiteral("Second"));
    write("tri!");
    const auto third = create(QStringLiteral("Third"));
    ASSERT_TRUE(deleteSnapshot(m_library, name("m"), second->id));
    EXPECT_EQ(titles(), (words({"First", "-Third"})));
    EXPECT_FALSE(QFileInfo::exists(fileOf(*second, QStringLiteral("disk.img"))));
    ASSERT_TRUE(restore(third->id));
    EXPECT_EQ(disk(), "tri!");
    ASSERT_TRUE(deleteSnapshot(m_library, name("m"), third->id));
    EXPECT_EQ(tree().current(), first->id) << "the machine is where the deleted one was";
}

TEST_F(SnapshotTest, OfASuspendedMachineKeepsItsMemoryAndFitsWhereverItIsPut) {
    makeSuspended("memory one");
    ASSERT_FALSE(misfitIn(m_directory));
    const auto snapshot = create(QStringLiteral("Suspended"));
    ASSERT_TRUE(snapshot) << qPrintable(snapshot.error().message);
    EXPECT_TRUE(snapshot->withMemory);
    makeSuspended("memory two");
    write("more");
    const auto refused = restore(snapshot->id);
    ASSERT_FALSE(refused) << "the state of now would be lost";
    EXPECT_TRUE(refused.error().message.contains(QLatin1String("--discard-state")));
    ASSERT_TRUE(restore(snapshot->id, false, true));
    EXPECT_EQ(get(file(QStringLiteral("state.qemu"))), "memory one");
    EXPECT_FALSE(misfitIn(m_directory)) << qPrintable(misfitIn(m_directory).value_or(QString()));
    // And as a machine of its own.
    ASSERT_TRUE(branchSnapshot(m_library, name("m"), snapshot->id, name("b"), {}));
    const QString branch = m_library.machinesPath() + QStringLiteral("/b");
    EXPECT_EQ(m_library.stateOf(branch), MachineState::Suspended);
    EXPECT_FALSE(misfitIn(branch)) << qPrintable(misfitIn(branch).value_or(QString()));
    EXPECT_EQ(m_library.machine(name("b"))->config->macAddress.toText(),
              QStringLiteral("02:00:00:00:00:01"));
}

TEST_F(SnapshotTest, AStoppedBranchGetsAnAddressOfItsOwnAndNoSnapshots) {
    write("here");
    const auto snapshot = create(QStringLiteral("First"));
    write("then");
    ASSERT_TRUE(branchSnapshot(m_library, name("m"), snapshot->id, name("b"), {}));
    const QString branch = m_library.machinesPath() + QStringLiteral("/b");
    EXPECT_EQ(get(branch + QStringLiteral("/disk.img")).left(4), "here");
    EXPECT_NE(m_library.machine(name("b"))->config->macAddress.toText(),
              QStringLiteral("02:00:00:00:00:01"));
    EXPECT_TRUE(readSnapshots(branch)->all().isEmpty());
    EXPECT_FALSE(branchSnapshot(m_library, name("m"), snapshot->id, name("b"), {}))
        << "no name is overwritten";
}

TEST_F(SnapshotTest, AMachineStaysWhileItsSnapshotIsBranched) {
    const auto snapshot = create(QStringLiteral("First"));
    std::optional<Result<>> deleted;
    JobContext context;
    context.report = [&](const Progress&) {
        if (!deleted)
            deleted = deleteMachine(m_library, QStringLiteral("m"), DeleteMode::Permanent);
    };
    ASSERT_TRUE(branchSnapshot(m_library, name("m"), snapshot->id, name("b"), context));
    ASSERT_TRUE(deleted);
    EXPECT_FALSE(*deleted) << "it was deleted under the copy";
    EXPECT_TRUE(m_library.machine(name("m")));
    EXPECT_TRUE(deleteMachine(m_library, QStringLiteral("m"), DeleteMode::Permanent));
}

TEST_F(SnapshotTest, AFileOfTheMachineThatIsNoneIsNotLeftOut) {
    const QString nvram = file(QStringLiteral("nvram.bin"));
    ASSERT_TRUE(QFile::remove(nvram));
    ASSERT_EQ(::mkfifo(QFile::encodeName(nvram).constData(), 0600), 0);
    const auto snapshot = create(QStringLiteral("First"));
    ASSERT_FALSE(snapshot);
    EXPECT_TRUE(snapshot.error().message.contains(QLatin1String("not a regular file")))
        << qPrintable(snapshot.error().message);
    EXPECT_TRUE(tree().all().isEmpty());
}

TEST_F(SnapshotTest, RestoringCanKeepWhatTheMachineHas) {
    write("old!");
    const auto snapshot = create(QStringLiteral("First"));
    write("new!");
    ASSERT_TRUE(restore(snapshot->id, true));
    EXPECT_EQ(disk(), "old!");
    ASSERT_EQ(tree().all().size(), 2);
    const Snapshot kept = tree().all().last();
    EXPECT_TRUE(kept.automatic);
    EXPECT_EQ(tree().current(), snapshot->id);
    ASSERT_TRUE(restore(kept.id));
    EXPECT_EQ(disk(), "new!");
}

TEST_F(SnapshotTest, AreTakenBeforeARestoreWhenTheMachineAsksForIt) {
    const auto snapshot = create(QStringLiteral("First"));
    ASSERT_TRUE(setAutomaticSnapshots(m_directory, true));
    ASSERT_TRUE(restore(snapshot->id));
    EXPECT_EQ(tree().all().size(), 2);
    EXPECT_TRUE(takesAutomaticSnapshots(Sidecar::read(m_directory)->snapshots))
        << "the wish survives";
}

TEST_F(SnapshotTest, ARunningMachineIsRefused) {
    const auto snapshot = create(QStringLiteral("First"));
    const RunningElsewhere holder(m_library.home(), m_directory);
    EXPECT_FALSE(create(QStringLiteral("Second")));
    EXPECT_FALSE(restore(snapshot->id));
    // Others do not touch what runs.
    EXPECT_TRUE(branchSnapshot(m_library, name("m"), snapshot->id, name("b"), {}));
    EXPECT_TRUE(deleteSnapshot(m_library, name("m"), snapshot->id));
}

TEST_F(SnapshotTest, OnlyOnePieceOfWorkAtATime) {
    const auto snapshot = create(QStringLiteral("First"));
    const auto held = SnapshotFolder::open(m_directory);
    ASSERT_TRUE(held);
    const auto second = create(QStringLiteral("Second"));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, Error::Kind::Busy);
    EXPECT_EQ(deleteSnapshot(m_library, name("m"), snapshot->id).error().kind, Error::Kind::Busy);
}

TEST_F(SnapshotTest, ACancelledOneLeavesNothing) {
    std::stop_source stop;
    stop.request_stop();
    JobContext context;
    context.stop = stop.get_token();
    EXPECT_FALSE(createSnapshot(m_library, name("m"), {QStringLiteral("Never"), false}, context));
    EXPECT_TRUE(folders().isEmpty());
}

TEST_F(SnapshotTest, KilledWhileOneIsMadeThereAreTheOldOrTheNewOnes) {
    killWhileOneIsMade();
}

TEST_F(SnapshotTest, KilledWhileItIsRestoredTheMachineIsAsBeforeOrAsAfter) {
    killWhileOneIsRestored();
}

TEST_F(SnapshotTest, KilledWhileOneIsDeletedItIsThereOrGone) {
    killWhileOneIsDeleted();
}

TEST_F(SnapshotTest, AKillDoesNoMoreWhereDisksShareBlocks_NeedsRootAndXfs) {
    const ReflinkVolume volume(400);
    if (!volume.isMounted())
        GTEST_SKIP() << "needs root, a loop device and mkfs.xfs: " << qPrintable(volume.problem());
    m_library = *Library::open(volume.path() + QStringLiteral("/home"));
    for (const auto kill : {&SnapshotTest::killWhileOneIsMade,
                            &SnapshotTest::killWhileOneIsRestored,
                            &SnapshotTest::killWhileOneIsDeleted}) {
        m_directory = addMachine(QStringLiteral("m"));
        ASSERT_TRUE(canReflink(file(QStringLiteral("disk.img")), m_directory));
        ASSERT_EQ(snapshotCost(m_directory).bytes(), 0U);
        (this->*kill)();
        ASSERT_TRUE(deleteMachine(m_library, QStringLiteral("m"), DeleteMode::Permanent));
    }
}

TEST_F(SnapshotTest, AForeignFolderIsLeftAlone) {
    ASSERT_TRUE(QDir().mkpath(m_directory + QStringLiteral("/snapshots/my notes")));
    put(m_directory + QStringLiteral("/snapshots/my notes/text"), "mine");
    ASSERT_TRUE(create(QStringLiteral("First")));
    EXPECT_EQ(get(m_directory + QStringLiteral("/snapshots/my notes/text")), "mine");
    EXPECT_EQ(titles(), words({"First"}));
}

TEST_F(SnapshotTest, TheirSizeIsWhatBecomesFree) {
    const auto snapshot = create(QStringLiteral("First"));
    const SnapshotSize size = snapshotSize(m_directory, snapshot->id);
    EXPECT_GT(size.allocated.bytes(), 0U);
    EXPECT_LE(size.exclusive.bytes(), size.allocated.bytes());
    if (!canReflink(file(QStringLiteral("disk.img")), m_directory)) {
        EXPECT_EQ(size.exclusive, size.allocated);
        EXPECT_GT(snapshotCost(m_directory).bytes(), 0U);
    }
}

TEST_F(SnapshotTest, ItSaysWhichDisksItHasNot) {
    const QString data = m_folder.filePath(QStringLiteral("data.img"));
    const QString fixed = m_folder.filePath(QStringLiteral("fixed.img"));
    const QString cd = m_folder.filePath(QStringLiteral("cd.iso"));
    for (const QString& path : {data, fixed, cd})
        put(path, "data");
    ASSERT_TRUE(Sidecar::update(m_directory, [&](Sidecar& sidecar) {
        sidecar.run.disks = {{data, {}}, {fixed, {true, {}, {}}}, {cd, {}}};
    }));
    const auto snapshot = create(QStringLiteral("First"));
    ASSERT_TRUE(snapshot) << qPrintable(snapshot.error().message);
    EXPECT_EQ(snapshot->otherDisks, QStringList{data});
    EXPECT_EQ(tree().all().first().otherDisks, QStringList{data});
    EXPECT_TRUE(notInSnapshot(snapshot->otherDisks).contains(data));
    put(data, "newer");
    ASSERT_TRUE(restore(snapshot->id));
    EXPECT_EQ(get(data), "newer");
}

TEST_F(SnapshotTest, MemoryDoesNotComeBackToADiskThatWasWrittenSince) {
    const QString data = m_folder.filePath(QStringLiteral("data.img"));
    put(data, "data");
    write("old!");
    makeSuspended("memory");
    auto fingerprint = *StateFingerprint::read(m_directory);
    fingerprint.run.disks = {{data, {}}};
    fingerprint.files += *fingerprintFiles(m_directory, {data});
    ASSERT_TRUE(fingerprint.write(m_directory));
    const auto snapshot = create(QStringLiteral("First"));
    ASSERT_TRUE(snapshot);
    EXPECT_EQ(snapshot->otherDisks, QStringList{data});
    EXPECT_TRUE(restore(snapshot->id, false, true)) << "nothing was written yet";
    ASSERT_TRUE(discardSavedState(m_directory));
    write("new!");
    put(data, "newer");
    const auto refused = restore(snapshot->id);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(refused.error().message.contains(data)) << qPrintable(refused.error().message);
    EXPECT_EQ(disk(), "new!") << "nothing was changed";
    RestoreRequest request;
    request.id = snapshot->id;
    request.withoutMemory = true;
    const auto restored = restoreSnapshot(m_library, name("m"), request, {});
    ASSERT_TRUE(restored) << qPrintable(restored.error().message);
    EXPECT_EQ(disk(), "old!");
    EXPECT_EQ(m_library.stateOf(m_directory), MachineState::Stopped);
    EXPECT_FALSE(QFileInfo::exists(file(QStringLiteral("state.qemu.json"))));
}
