// SPDX-License-Identifier: Apache-2.0
// Snapshots of a real guest: what was written afterwards is gone, the memory goes on, and a kill at
// any step leaves the machine and its snapshots as they were before or after. The guest boots once;
// each test works on a clone of it, suspended.
#include "core/hypervisor/machine_client.h"
#include "core/hypervisor/machine_exec.h"
#include "core/library/machine_operations.h"
#include "core/snapshot/snapshot_operations.h"
#include "tests/support/machine_program.h"
#include "tests/support/reflink_volume.h"
#include "tests/support/sample_guest.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

constexpr int guestTime = 180000; // ms
const QString copyName = QStringLiteral("copy");

class Guest final {
public:
    Guest(const Library& library, const QString& name, const char* killAt = nullptr)
        : program(library, name)
        , client(library.home(), program.directory()) {
        if (killAt)
            program.process.setArguments(program.process.arguments() << QLatin1String(killAt));
        program.start();
        client.attach();
    }
    bool waitUntilRunning() {
        return waitUntil(
                   [this] {
                       return (client.isConnected() &&
                               client.status().state == MachineState::Running) ||
                              program.process.state() == QProcess::NotRunning;
                   },
                   guestTime) &&
               program.process.state() != QProcess::NotRunning;
    }
    bool waitForAgent() {
        return waitUntil([this] { return client.isConnected() && client.status().agentAnswers; },
                         guestTime);
    }
    QString shell(const QString& line) {
        const auto answer = client.callAndWait(
            QStringLiteral("agent.exec"),
            execParameters(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), line}, {}, 30000),
            60000);
        const auto result = answer ? execFromJson(*answer) : fail(answer.error());
        return result ? QString::fromUtf8(result->standardOutput).trimmed()
                      : QLatin1Char('(') + result.error().message + QLatin1Char(')');
    }
    QString bootId() { return shell(QStringLiteral("cat /proc/sys/kernel/random/boot_id")); }
    QString files() { return shell(QStringLiteral("ls /root | grep -E 'before|after' | xargs")); }
    Result<Snapshot> snapshot(const QString& title, bool memory) {
        const auto answer = client.callAndWait(
            QStringLiteral("snapshot.create"),
            {{QStringLiteral("name"), title}, {QStringLiteral("memory"), memory}},
            guestTime);
        if (!answer)
            return fail(answer.error());
        return Snapshot::fromJson(answer->toObject()).value_or(Snapshot{});
    }
    void forceOff() {
        (void)client.callAndWait(QStringLiteral("forceOff"), {}, 20000);
        EXPECT_TRUE(program.waitForEnd(guestTime));
    }

    MachineProgram program;
    MachineClient client;
};

class SnapshotOfGuest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder = std::make_unique<QTemporaryDir>();
        library = *Library::open(folder->filePath(QStringLiteral("library")));
        makeSuspended(*library);
    }
    static void TearDownTestSuite() {
        library.reset();
        folder.reset();
    }
    static void makeSuspended(const Library& place) {
        ASSERT_TRUE(addSampleGuest(place, QStringLiteral("guest"), SampleBoot::Kernel));
        Guest guest(place, QStringLiteral("guest"));
        ASSERT_TRUE(guest.waitForAgent()) << qPrintable(guest.program.output());
        bootIdAtFirst = guest.bootId();
        const auto suspended = guest.client.callAndWait(QStringLiteral("suspend"), {}, guestTime);
        ASSERT_TRUE(suspended) << qPrintable(suspended.error().message);
        ASSERT_TRUE(guest.program.waitForEnd(guestTime));
    }
    void TearDown() override { deleteMachine(*library, copyName, DeleteMode::Permanent); }

    static MachineName nameOfCopy() { return *MachineName::fromText(copyName); }
    static QString directory(const Library& place) {
        return place.machinesPath() + QLatin1Char('/') + copyName;
    }
    static void copySuspended(const Library& place) {
        const auto cloned =
            cloneMachine(place, QStringLiteral("guest"), nameOfCopy(), JobContext{});
        ASSERT_TRUE(cloned) << qPrintable(cloned.error().message);
    }
    static bool waitUntilFree(const Library& place) {
        return waitUntil(
            [&place] {
                const MachineState state = place.stateOf(directory(place));
                return state == MachineState::Suspended || state == MachineState::Stopped;
            },
            30000);
    }
    // With memory: snapshot, write, force off, restore; the write is gone and the guest goes on.
    static void expectMemoryComesBack(const Library& place) {
        copySuspended(place);
        QString bootId;
        Result<Snapshot> taken = fail(Error{});
        {
            Guest guest(place, copyName);
            ASSERT_TRUE(guest.waitForAgent()) << qPrintable(guest.program.output());
            bootId = guest.bootId();
            guest.shell(QStringLiteral("touch /root/before; sync"));
            taken = guest.snapshot(QStringLiteral("With memory"), true);
            ASSERT_TRUE(taken) << qPrintable(taken.error().message);
            EXPECT_TRUE(taken->withMemory);
            ASSERT_TRUE(waitUntil(
                [&] { return guest.client.status().state == MachineState::Running; }, guestTime));
            EXPECT_EQ(guest.bootId(), bootId) << "it goes on as if nothing had been";
            guest.shell(QStringLiteral("touch /root/after; sync"));
            EXPECT_EQ(guest.files(), QStringLiteral("after before"));
            guest.forceOff();
        }
        ASSERT_TRUE(waitUntilFree(place));
        const auto restored = restoreSnapshot(place, nameOfCopy(), {taken->id, false, false}, {});
        ASSERT_TRUE(restored) << qPrintable(restored.error().message);
        EXPECT_EQ(place.stateOf(directory(place)), MachineState::Suspended);
        {
            Guest guest(place, copyName);
            ASSERT_TRUE(guest.waitForAgent()) << qPrintable(guest.program.output());
            EXPECT_EQ(guest.bootId(), bootId);
            EXPECT_EQ(guest.files(), QStringLiteral("before"));
        }
        ASSERT_TRUE(waitUntilFree(place));
        const auto tree = readSnapshots(directory(place));
        ASSERT_TRUE(tree);
        EXPECT_EQ(tree->current(), taken->id);
    }

    static void killAt(const Library& place, const char* step, bool memory) {
        copySuspended(place);
        Guest guest(place, copyName, step);
        ASSERT_TRUE(memory ? guest.waitUntilRunning() : guest.waitForAgent())
            << qPrintable(guest.program.output());
        (void)guest.snapshot(QStringLiteral("Cut off"), memory);
        ASSERT_TRUE(guest.program.waitForEnd(guestTime));
        ASSERT_EQ(guest.program.process.exitStatus(), QProcess::CrashExit);
        ASSERT_TRUE(waitUntilFree(place));
    }
    static void expectNothingAfterAKillAt(const Library& place, const char* step, bool memory) {
        SCOPED_TRACE(step);
        ASSERT_NO_FATAL_FAILURE(killAt(place, step, memory));
        ASSERT_TRUE(readSnapshots(directory(place)));
        EXPECT_TRUE(readSnapshots(directory(place))->all().isEmpty());
        {
            // The machine starts as after any power cut and what was half made is gone.
            Guest again(place, copyName);
            ASSERT_TRUE(again.waitUntilRunning()) << qPrintable(again.program.output());
            const QStringList left = QDir(directory(place) + QStringLiteral("/snapshots"))
                                         .entryList(QDir::Dirs | QDir::NoDotAndDotDot);
            EXPECT_EQ(left, QStringList());
        }
        ASSERT_TRUE(waitUntilFree(place));
        ASSERT_TRUE(deleteMachine(place, copyName, DeleteMode::Permanent));
    }
    // With memory; and the guest goes on from it.
    static void expectItIsThereAfterAKillAt(const Library& place, const char* step) {
        SCOPED_TRACE(step);
        ASSERT_NO_FATAL_FAILURE(killAt(place, step, true));
        const auto tree = readSnapshots(directory(place));
        ASSERT_TRUE(tree);
        ASSERT_EQ(tree->all().size(), 1);
        const QString id = tree->all().first().id;
        ASSERT_TRUE(restoreSnapshot(place, nameOfCopy(), {id, false, false, false}, {}));
        {
            Guest again(place, copyName);
            ASSERT_TRUE(again.waitForAgent()) << qPrintable(again.program.output());
            EXPECT_EQ(again.bootId(), bootIdAtFirst);
        }
        ASSERT_TRUE(waitUntilFree(place));
        ASSERT_TRUE(deleteMachine(place, copyName, DeleteMode::Permanent));
    }

    static inline QString bootIdAtFirst;
    static inline std::unique_ptr<QTemporaryDir> folder;
    static inline std::optional<Library> library;
};

} // namespace

TEST_F(SnapshotOfGuest, WithMemoryGoesBackInTimeAndOnInAnotherMachine) {
    expectMemoryComesBack(*library);
    const QString branch = QStringLiteral("branch");
    ASSERT_TRUE(branchSnapshot(*library,
                               nameOfCopy(),
                               readSnapshots(directory(*library))->current(),
                               *MachineName::fromText(branch),
                               {}));
    {
        Guest guest(*library, branch);
        ASSERT_TRUE(guest.waitForAgent()) << qPrintable(guest.program.output());
        EXPECT_EQ(guest.bootId(), bootIdAtFirst);
        EXPECT_EQ(guest.files(), QStringLiteral("before"));
        guest.forceOff();
    }
    EXPECT_TRUE(deleteMachine(*library, branch, DeleteMode::Permanent));
}

TEST_F(SnapshotOfGuest, OfTheDiskIsInOrderAndBoots) {
    copySuspended(*library);
    Result<Snapshot> taken = fail(Error{});
    {
        Guest guest(*library, copyName);
        ASSERT_TRUE(guest.waitForAgent()) << qPrintable(guest.program.output());
        guest.shell(QStringLiteral("touch /root/before")); // not synced: freezing does it
        taken = guest.snapshot(QStringLiteral("Disk"), false);
        ASSERT_TRUE(taken) << qPrintable(taken.error().message);
        EXPECT_FALSE(taken->withMemory);
        EXPECT_FALSE(taken->crashConsistent) << "the guest's agent can freeze its file systems";
        // Thawed: a write does not wait for ever.
        guest.shell(QStringLiteral("touch /root/after; sync"));
        EXPECT_EQ(guest.files(), QStringLiteral("after before"));
        guest.forceOff();
    }
    ASSERT_TRUE(waitUntilFree(*library));
    const auto sparse = QFileInfo(directory(*library) + QStringLiteral("/snapshots/") + taken->id +
                                  QStringLiteral("/disk.img"));
    EXPECT_EQ(sparse.size(), 2000000000);
    EXPECT_LT(snapshotSize(directory(*library), taken->id).allocated.bytes(), 1000000000ULL);
    ASSERT_TRUE(restoreSnapshot(*library, nameOfCopy(), {taken->id, false, false}, {}));
    EXPECT_EQ(library->stateOf(directory(*library)), MachineState::Stopped);
    Guest guest(*library, copyName);
    ASSERT_TRUE(guest.waitForAgent()) << qPrintable(guest.program.output());
    EXPECT_EQ(guest.files(), QStringLiteral("before"));
}

TEST_F(SnapshotOfGuest, KilledWhileItIsTakenIsThereOrNotThere) {
    for (const char* step : {"folder made",
                             "mirroring",
                             "ready",
                             "stopped",
                             "mirror done",
                             "saving",
                             "saved",
                             "others copied",
                             "disk placed",
                             "config written"})
        expectNothingAfterAKillAt(*library, step, true);
    for (const char* step : {"described", "listed"})
        expectItIsThereAfterAKillAt(*library, step);
}

TEST_F(SnapshotOfGuest, KilledWhileItsDiskIsCopiedItIsNotThere) {
    for (const char* step : {"ready", "frozen", "mirror done", "disk placed"})
        expectNothingAfterAKillAt(*library, step, false);
}

TEST_F(SnapshotOfGuest, SharesBlocksWhereTheFileSystemCan_NeedsRoot) {
    ReflinkVolume volume(4000);
    if (!volume.isMounted())
        GTEST_SKIP() << "Mounting a file system needs root: " << qPrintable(volume.problem());
    const auto place = Library::open(volume.path() + QStringLiteral("/library"));
    ASSERT_TRUE(place);
    makeSuspended(*place);
    expectMemoryComesBack(*place);
    const auto tree = readSnapshots(directory(*place));
    ASSERT_TRUE(tree);
    ASSERT_EQ(tree->all().size(), 1);
    const SnapshotSize size = snapshotSize(directory(*place), tree->current());
    EXPECT_LT(size.exclusive.bytes() * 2, size.allocated.bytes())
        << "most of the disk is shared with the machine's";
    EXPECT_EQ(snapshotCost(directory(*place)).bytes(), 0U);
    ASSERT_TRUE(deleteMachine(*place, copyName, DeleteMode::Permanent));
    for (const char* step : {"frozen", "disk copied", "others copied"})
        expectNothingAfterAKillAt(*place, step, false);
    for (const char* step : {"saved", "disk copied"})
        expectNothingAfterAKillAt(*place, step, true);
}
