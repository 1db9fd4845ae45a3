// SPDX-License-Identifier: Apache-2.0
// A real guest that is suspended and goes on, also when everything is killed half-way. The guest
// boots once; each test works on a clone of it, suspended.
#include "core/hypervisor/machine_client.h"
#include "core/hypervisor/machine_exec.h"
#include "core/library/machine_operations.h"
#include "core/library/saved_state.h"
#include "tests/support/machine_program.h"
#include "tests/support/sample_guest.h"

#include <QDateTime>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

constexpr int guestTime = 120000; // ms

// A machine's process with a connection to it.
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
    QString shell(const QString& line) {
        const auto answer = client.callAndWait(
            QStringLiteral("agent.exec"),
            execParameters(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), line}, {}, 30000),
            60000);
        const auto result = answer ? execFromJson(*answer) : fail(answer.error());
        return result ? QString::fromUtf8(result->standardOutput).trimmed()
                      : QLatin1Char('(') + result.error().message + QLatin1Char(')');
    }
    int counter() { return shell(QStringLiteral("cat /run/counter")).toInt(); }
    Result<QJsonValue> suspend() {
        return client.callAndWait(QStringLiteral("suspend"), {}, guestTime);
    }
    bool waitForEnd() { return program.waitForEnd(guestTime); }

    MachineProgram program;
    MachineClient client;
};

class SuspendedGuest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder = std::make_unique<QTemporaryDir>();
        library = *Library::open(folder->filePath(QStringLiteral("library")));
        ASSERT_TRUE(addSampleGuest(*library, QStringLiteral("guest"), SampleBoot::Kernel));
        QFile data(folder->filePath(QStringLiteral("data.img")));
        ASSERT_TRUE(data.open(QIODevice::WriteOnly) && data.resize(1 << 20));
        ASSERT_TRUE(Sidecar::update(directoryOf(QStringLiteral("guest")), [&](Sidecar& sidecar) {
            sidecar.run.rootDisk.caching = Caching::Uncached;
            sidecar.run.rootDisk.synchronisation = Synchronisation::None;
            sidecar.run.disks = {{data.fileName(), {true, Synchronisation::Full, {}}}};
            sidecar.run.serial = {SerialLine::Kind::NewTerminal, {}};
            sidecar.run.vncServer = true;
        }));
        Guest guest(*library, QStringLiteral("guest"));
        ASSERT_TRUE(waitUntil(
            [&] { return guest.client.isConnected() && guest.client.status().agentAnswers; },
            guestTime))
            << qPrintable(guest.program.output());
        guest.shell(QStringLiteral(
            "(i=0; while :; do i=$((i+1)); echo $i > /run/counter.new; mv /run/counter.new "
            "/run/counter; sleep 0.1; done) >/dev/null 2>&1 </dev/null &"));
        guest.shell(QStringLiteral("echo kept > /root/written; sync"));
        acceleratorNote = guest.client.status().acceleratorNote;
        bootId = guest.shell(QStringLiteral("cat /proc/sys/kernel/random/boot_id"));
        ASSERT_TRUE(waitUntil([&] { return guest.counter() > 3; }, guestTime));
        counted = guest.counter();
        const auto suspended = guest.suspend();
        ASSERT_TRUE(suspended) << qPrintable(suspended.error().message);
        ASSERT_TRUE(guest.waitForEnd());
        ASSERT_EQ(guest.program.process.exitCode(), 0) << qPrintable(guest.program.output());
        ASSERT_TRUE(guest.program.eventKinds().contains(QStringLiteral("suspended")));
        ASSERT_EQ(library->stateOf(directoryOf(QStringLiteral("guest"))), MachineState::Suspended);
    }
    static void TearDownTestSuite() {
        library.reset();
        folder.reset();
    }
    void TearDown() override { deleteMachine(*library, copyName, DeleteMode::Permanent); }
    static QString directoryOf(const QString& name) {
        return library->machinesPath() + QLatin1Char('/') + name;
    }
    [[nodiscard]] static QString file(const char* name) {
        return directoryOf(copyName) + QLatin1Char('/') + QLatin1String(name);
    }
    static void copySuspended() {
        const auto cloned = cloneMachine(
            *library, QStringLiteral("guest"), *MachineName::fromText(copyName), JobContext{});
        ASSERT_TRUE(cloned) << qPrintable(cloned.error().message);
    }
    [[nodiscard]] static bool waitUntilFree() {
        return waitUntil(
            [] {
                const MachineState state = library->stateOf(directoryOf(copyName));
                return state == MachineState::Suspended || state == MachineState::Stopped;
            },
            20000);
    }
    static void expectItGoesOn(Guest& guest) {
        ASSERT_TRUE(guest.waitUntilRunning()) << qPrintable(guest.program.output());
        EXPECT_EQ(guest.shell(QStringLiteral("cat /proc/sys/kernel/random/boot_id")), bootId)
            << qPrintable(guest.program.output());
        const int before = guest.counter();
        EXPECT_GE(before, counted);
        EXPECT_TRUE(waitUntil([&] { return guest.counter() > before; }, guestTime));
        EXPECT_EQ(guest.shell(QStringLiteral("cat /root/written")), QStringLiteral("kept"));
    }

    static inline const QString copyName = QStringLiteral("copy");
    static inline std::unique_ptr<QTemporaryDir> folder;
    static inline std::optional<Library> library;
    static inline QString bootId;
    static inline QString acceleratorNote;
    static inline int counted = 0;
};

} // namespace

TEST_F(SuspendedGuest, GoesOnWhereItWasAndKnowsTheTime) {
    copySuspended();
    Guest guest(*library, copyName);
    expectItGoesOn(guest);
    EXPECT_FALSE(QFileInfo::exists(file("state.qemu")));
    EXPECT_FALSE(QFileInfo::exists(file("state.qemu.used")));
    EXPECT_FALSE(QFileInfo::exists(file("state.qemu.json")));
    EXPECT_TRUE(waitUntil(
        [&] {
            const qint64 here = QDateTime::currentSecsSinceEpoch();
            return qAbs(guest.shell(QStringLiteral("date +%s")).toLongLong() - here) <= 5;
        },
        guestTime));
    // And again: a machine that was resumed can be suspended.
    ASSERT_TRUE(guest.suspend());
    ASSERT_TRUE(guest.waitForEnd());
    EXPECT_EQ(library->stateOf(directoryOf(copyName)), MachineState::Suspended);
}

TEST_F(SuspendedGuest, GoesOnWithTheOptionsItHadWhateverIsStoredNow) {
    copySuspended();
    ASSERT_TRUE(Sidecar::update(directoryOf(copyName),
                                [](Sidecar& sidecar) { sidecar.run = RunOptions(); }));
    Guest guest(*library, copyName);
    ASSERT_TRUE(guest.waitUntilRunning()) << qPrintable(guest.program.output());
    EXPECT_EQ(guest.client.status().acceleratorNote, acceleratorNote) << "for the same reason";
    const auto listed = guest.client.callAndWait(QStringLiteral("disk.list"), {}, 20000);
    ASSERT_TRUE(listed) << qPrintable(listed.error().message);
    const QJsonArray disks = listed->toObject().value(QStringLiteral("disks")).toArray();
    ASSERT_EQ(disks.size(), 2);
    EXPECT_TRUE(disks.at(0)[QStringLiteral("direct")].toBool());
    EXPECT_TRUE(disks.at(0)[QStringLiteral("noFlush")].toBool());
    EXPECT_FALSE(disks.at(0)[QStringLiteral("readOnly")].toBool());
    EXPECT_TRUE(disks.at(1)[QStringLiteral("readOnly")].toBool());
    QJsonObject viewers;
    EXPECT_TRUE(waitUntil(
        [&] {
            const auto answer = guest.client.callAndWait(QStringLiteral("viewers"), {}, 20000);
            viewers = answer ? answer->toObject() : QJsonObject();
            return viewers.contains(QStringLiteral("vnc"));
        },
        guestTime));
    EXPECT_TRUE(
        viewers.value(QStringLiteral("serial")).toString().startsWith(QLatin1String("/dev/pts/")));
}

// What QEMU knows of its own network is in a state that was saved under it. Older versions had it
// for plain NAT; a machine that reaches only its host has it still.
TEST_F(SuspendedGuest, GoesOnWithQemusNatWhenItWasSavedUnderIt) {
    copySuspended();
    {
        ASSERT_TRUE(discardSavedState(directoryOf(copyName)));
        ASSERT_TRUE(Sidecar::update(directoryOf(copyName), [](Sidecar& sidecar) {
            sidecar.run.network.mode = NetworkMode::HostOnly;
        }));
        Guest guest(*library, copyName);
        ASSERT_TRUE(guest.waitUntilRunning()) << qPrintable(guest.program.output());
        ASSERT_TRUE(guest.suspend());
        ASSERT_TRUE(guest.waitForEnd());
    }
    const auto changeFingerprint = [](const QString& nat) {
        QFile fingerprint(file("state.qemu.json"));
        ASSERT_TRUE(fingerprint.open(QIODevice::ReadOnly));
        QJsonObject object = QJsonDocument::fromJson(fingerprint.readAll()).object();
        fingerprint.close();
        object[QLatin1String("nat")] = nat;
        for (const char* key : {"run", "stored"}) {
            QJsonObject run = object[QLatin1String(key)].toObject();
            run.remove(QLatin1String("network"));
            object[QLatin1String(key)] = run;
        }
        ASSERT_TRUE(fingerprint.open(QIODevice::WriteOnly | QIODevice::Truncate));
        fingerprint.write(QJsonDocument(object).toJson());
    };
    ASSERT_TRUE(
        Sidecar::update(directoryOf(copyName), [](Sidecar& sidecar) { sidecar.run.network = {}; }));
    // Not without it: the state stays.
    changeFingerprint(QLatin1String(natOfSoftnet));
    {
        Guest guest(*library, copyName);
        ASSERT_TRUE(guest.waitForEnd());
        EXPECT_EQ(guest.program.process.exitCode(), 1);
        EXPECT_TRUE(QFileInfo::exists(file("state.qemu")));
    }
    changeFingerprint({});
    Guest guest(*library, copyName);
    ASSERT_TRUE(guest.waitUntilRunning()) << qPrintable(guest.program.output());
    EXPECT_EQ(guest.client.status().network, QStringLiteral("nat"));
    EXPECT_TRUE(guest.client.status().note.contains(QLatin1String("127.0.0.1")));
    EXPECT_TRUE(waitUntil([&] { return guest.client.status().sshPort != 0; }, guestTime));
    // And is saved as what it is.
    ASSERT_TRUE(guest.suspend());
    ASSERT_TRUE(guest.waitForEnd());
    EXPECT_EQ(StateFingerprint::read(directoryOf(copyName))->nat, QLatin1String(natOfQemu));
}

TEST_F(SuspendedGuest, IsNotResumedWithADiskThatWasWritten) {
    copySuspended();
    QFile disk(file("disk.img"));
    ASSERT_TRUE(disk.open(QIODevice::ReadWrite));
    const QByteArray first = disk.read(1);
    disk.seek(0);
    disk.write(first);
    disk.close();
    Guest guest(*library, copyName);
    ASSERT_TRUE(guest.waitForEnd());
    EXPECT_EQ(guest.program.process.exitCode(), 1);
    const QString said = guest.program.output();
    EXPECT_TRUE(said.contains(QLatin1String("disk.img"))) << qPrintable(said);
    EXPECT_TRUE(said.contains(QLatin1String("--discard-state"))) << qPrintable(said);
    EXPECT_TRUE(QFileInfo::exists(file("state.qemu"))) << "the state must be kept";
}

TEST_F(SuspendedGuest, IsNotResumedFromADamagedState) {
    copySuspended();
    ASSERT_TRUE(QFile::resize(file("state.qemu"), 4096));
    Guest guest(*library, copyName);
    ASSERT_TRUE(guest.waitForEnd());
    EXPECT_EQ(guest.program.process.exitCode(), 1);
    const QString said = guest.program.output();
    EXPECT_TRUE(said.contains(QLatin1String("--discard-state"))) << qPrintable(said);
    EXPECT_TRUE(QFileInfo::exists(file("state.qemu"))) << "the state must be kept";
}

TEST_F(SuspendedGuest, KilledWhileItIsSuspendedIsStoppedOrSuspended) {
    const char* const steps[] = {"asked",
                                 "checked",
                                 "stopped",
                                 "descriptor sent",
                                 "saving",
                                 "saved",
                                 "synced",
                                 "fingerprint written",
                                 "state in place",
                                 "quit sent",
                                 "ended",
                                 "fingerprint renewed"};
    bool inPlace = false;
    for (const char* step : steps) {
        SCOPED_TRACE(step);
        inPlace = inPlace || QLatin1String(step) == QLatin1String("state in place");
        copySuspended();
        {
            Guest guest(*library, copyName, step);
            ASSERT_TRUE(guest.waitUntilRunning()) << qPrintable(guest.program.output());
            (void)guest.suspend();
            ASSERT_TRUE(guest.waitForEnd());
            ASSERT_EQ(guest.program.process.exitStatus(), QProcess::CrashExit);
        }
        ASSERT_TRUE(waitUntilFree());
        ASSERT_EQ(library->stateOf(directoryOf(copyName)),
                  inPlace ? MachineState::Suspended : MachineState::Stopped);
        {
            Guest again(*library, copyName);
            if (inPlace)
                expectItGoesOn(again);
            else
                ASSERT_TRUE(again.waitUntilRunning()) << qPrintable(again.program.output());
            EXPECT_FALSE(QFileInfo::exists(file("state.qemu.part")));
        }
        ASSERT_TRUE(waitUntilFree());
        ASSERT_TRUE(deleteMachine(*library, copyName, DeleteMode::Permanent));
    }
}

TEST_F(SuspendedGuest, KilledWhileItIsResumedLosesNothing) {
    const char* const steps[] = {"found",
                                 "opened",
                                 "started",
                                 "loaded",
                                 "used",
                                 "used synced",
                                 "going on",
                                 "state deleted",
                                 "fingerprint deleted"};
    bool ran = false;
    for (const char* step : steps) {
        SCOPED_TRACE(step);
        ran = ran || QLatin1String(step) == QLatin1String("going on");
        copySuspended();
        {
            Guest guest(*library, copyName, step);
            ASSERT_TRUE(guest.waitForEnd());
            ASSERT_EQ(guest.program.process.exitStatus(), QProcess::CrashExit);
        }
        ASSERT_TRUE(waitUntilFree());
        const bool kept = hasOnlyUsedState(directoryOf(copyName));
        {
            Guest again(*library, copyName);
            if (!ran) {
                expectItGoesOn(again);
            } else if (!kept) {
                EXPECT_TRUE(again.waitUntilRunning()) << qPrintable(again.program.output());
            } else if (again.waitUntilRunning()) {
                // Nothing was written in that moment, so it goes on from the same state.
                expectItGoesOn(again);
            } else {
                // It ran on for a moment and wrote to its disk: the state is offered for
                // discarding.
                EXPECT_TRUE(hasOnlyUsedState(directoryOf(copyName)));
                EXPECT_EQ(library->stateOf(directoryOf(copyName)), MachineState::Suspended);
                EXPECT_TRUE(again.program.output().contains(QLatin1String("--discard-state")))
                    << qPrintable(again.program.output());
            }
        }
        ASSERT_TRUE(waitUntilFree());
        ASSERT_TRUE(deleteMachine(*library, copyName, DeleteMode::Permanent));
    }
}
