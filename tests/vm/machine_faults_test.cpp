// SPDX-License-Identifier: Apache-2.0
// Faults with a real QEMU. The first fixture starts machines that never boot anything; the second
// boots the sample guest once and its cases build on each other.
#include "core/hypervisor/machine_client.h"
#include "core/hypervisor/machine_exec.h"
#include "tests/support/held_machine.h"
#include "tests/support/machine_program.h"
#include "tests/support/sample_guest.h"
#include "tests/support/send_signal.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QStandardPaths>

#include <gtest/gtest.h>

using namespace vitrine;
using vitrine::test::MachineProgram;
using vitrine::test::SmallLibrary;
using vitrine::test::waitUntil;

namespace {

const QString name = QStringLiteral("m");

bool waitForState(MachineClient& client, MachineState state, int timeout = 30000) {
    return waitUntil([&client, state] { return client.status().state == state; }, timeout);
}

// QEMU with an empty disk: its firmware finds nothing to boot.
class EmptyMachine : public testing::Test {
protected:
    EmptyMachine()
        : directory(library.add(name))
        , client(library.library.home(), directory) {}
    void start() {
        program = std::make_unique<MachineProgram>(library.library, name);
        program->start();
    }
    void startAndConnect() {
        start();
        ASSERT_TRUE(client.waitForConnected(60000)) << qPrintable(program->output());
        ASSERT_TRUE(waitForState(client, MachineState::Running)) << qPrintable(program->output());
    }
    void expectRestart() {
        ASSERT_TRUE(waitUntil([this] { return !client.isConnected(); }));
        ASSERT_TRUE(waitUntil(
            [this] { return library.library.stateOf(directory) == MachineState::Stopped; }));
        startAndConnect();
    }

    SmallLibrary library;
    QString directory;
    MachineClient client;
    std::unique_ptr<MachineProgram> program;
};

} // namespace

TEST_F(EmptyMachine, KilledQemuIsACrashAndTheMachineStartsAgain) {
    startAndConnect();
    vitrine::test::sendSignal(static_cast<pid_t>(program->qemuPid()), SIGKILL);
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_EQ(program->process.exitCode(), 1);
    EXPECT_TRUE(program->eventKinds().contains(QStringLiteral("crashed")));
    EXPECT_TRUE(client.status().lastError.contains(QStringLiteral("signal 9")));
    expectRestart();
}

TEST_F(EmptyMachine, KilledProcessLeavesNoOrphanAndTheMachineStartsAgain) {
    startAndConnect();
    const qint64 qemu = program->qemuPid();
    ASSERT_TRUE(MachineProgram::isRunning(qemu));
    program->signal(SIGKILL);
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_TRUE(waitUntil([qemu] { return !MachineProgram::isRunning(qemu); }));
    expectRestart();
}

TEST_F(EmptyMachine, KilledAtAnyMomentOfTheStartLeavesNoOrphan) {
    QRandomGenerator random(20240917);
    for (int round = 0; round < 8; ++round) {
        start();
        // A wait for a moment, not for a condition: that is the case under test.
        QElapsedTimer since;
        since.start();
        const int moment = static_cast<int>(random.bounded(400));
        waitUntil([&] { return since.elapsed() >= moment; });
        const qint64 qemu = program->qemuPid();
        program->signal(SIGKILL);
        ASSERT_TRUE(program->waitForEnd());
        EXPECT_TRUE(waitUntil([qemu] { return !MachineProgram::isRunning(qemu); }));
        ASSERT_TRUE(waitUntil([this] { return !program->runtime().isAlive(); }))
            << "round " << round << ", killed after " << moment << " ms";
    }
    startAndConnect();
}

TEST_F(EmptyMachine, StoppedQemuIsNotedAndCanBeForcedOff) {
    startAndConnect();
    const auto qemu = static_cast<pid_t>(program->qemuPid());
    vitrine::test::sendSignal(qemu, SIGSTOP);
    ASSERT_TRUE(waitUntil([this] { return !client.status().note.isEmpty(); }, 30000));
    vitrine::test::sendSignal(qemu, SIGCONT);
    EXPECT_TRUE(waitUntil([this] { return client.status().note.isEmpty(); }, 30000));
    vitrine::test::sendSignal(qemu, SIGSTOP);
    EXPECT_TRUE(client.callAndWait(QStringLiteral("forceOff"), {}, 10000));
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_EQ(program->process.exitCode(), 0);
}

TEST_F(EmptyMachine, RemovedDiskImageIsNoted) {
    startAndConnect();
    ASSERT_TRUE(QFile::remove(directory + QLatin1String("/disk.img")));
    EXPECT_TRUE(waitUntil(
        [this] { return client.status().note.contains(QStringLiteral("disk.img")); }, 30000));
}

TEST_F(EmptyMachine, ADiskThatAnotherProgramUsesIsNamed) {
    // As QEMU locks it: open file description locks on byte ranges (QEMU 7.2, file-posix.c).
    QProcess other;
    other.start(QStringLiteral("qemu-io"),
                {QStringLiteral("-f"),
                 QStringLiteral("raw"),
                 QStringLiteral("-c"),
                 QStringLiteral("sleep 600000"),
                 directory + QLatin1String("/disk.img")});
    ASSERT_TRUE(other.waitForStarted());
    ASSERT_TRUE(waitUntil([&] {
        QFile locks(QStringLiteral("/proc/locks"));
        return locks.open(QIODevice::ReadOnly) && locks.readAll().contains("OFDLCK");
    }));
    start();
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_EQ(program->process.exitCode(), 1);
    EXPECT_TRUE(program->output().contains(QStringLiteral("another program")))
        << qPrintable(program->output());
    other.kill();
    other.waitForFinished();
}

TEST_F(EmptyMachine, AGuestThatDoesNotReactIsToldAndForcedOffByTheSecondInterrupt) {
    startAndConnect();
    program->signal(SIGINT);
    ASSERT_TRUE(waitForState(client, MachineState::ShuttingDown));
    program->signal(SIGINT);
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_EQ(program->process.exitCode(), 0);
    EXPECT_TRUE(program->eventKinds().contains(QStringLiteral("forced-off")));
}

namespace {

// The sample guest with a second disk on a file system of 40 MB, in a mount namespace of its own.
// Root there could become nobody else, which the helper of the network has to.
class BootedMachine : public testing::Test {
protected:
    static void SetUpTestSuite() {
        library = new SmallLibrary;
        ASSERT_TRUE(vitrine::test::addSampleGuest(
            library->library, name, vitrine::test::SampleBoot::Kernel));
        small = library->library.home() + QLatin1String("/small");
        ASSERT_TRUE(QDir().mkpath(small));
        directory = library->library.machinesPath() + QLatin1Char('/') + name;
        ASSERT_TRUE(Sidecar::update(directory, [](Sidecar& sidecar) {
            sidecar.run.disks = {*ExtraDisk::fromText(small + QLatin1String("/extra.img"))};
        }));
        program = new MachineProgram(library->library, name);
        const QString script =
            QStringLiteral("mount -t tmpfs -o size=40m,mode=700 small \"$0\" && truncate -s 64M "
                           "\"$0/extra.img\" && "
                           "head -c 30M /dev/zero > \"$0/filler\" && "
                           "exec unshare --user --map-user=1000 --map-group=1000 -- \"$@\"");
        const QStringList arguments = program->process.arguments();
        program->process.setArguments(QStringList{QStringLiteral("-r"),
                                                  QStringLiteral("-m"),
                                                  QStringLiteral("sh"),
                                                  QStringLiteral("-c"),
                                                  script,
                                                  small,
                                                  program->process.program()} +
                                      arguments);
        program->process.setProgram(QStringLiteral("unshare"));
        program->start();
        client = new MachineClient(library->library.home(), directory);
        ASSERT_TRUE(client->waitForConnected(60000)) << qPrintable(program->output());
        ASSERT_TRUE(waitUntil([] { return client->status().agentAnswers; }, 120000));
    }
    static void TearDownTestSuite() {
        delete client;
        delete program;
        delete library;
    }
    static Result<QJsonValue> startShell(const QString& script, int timeout) {
        return client->callAndWait(
            QStringLiteral("agent.exec"),
            execParameters(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), script}, {}, timeout),
            timeout + 5000);
    }

    static SmallLibrary* library;
    static MachineProgram* program;
    static MachineClient* client;
    static QString directory;
    static QString small;
};

SmallLibrary* BootedMachine::library = nullptr;
MachineProgram* BootedMachine::program = nullptr;
MachineClient* BootedMachine::client = nullptr;
QString BootedMachine::directory;
QString BootedMachine::small;

} // namespace

TEST_F(BootedMachine, SshAnswersThroughTheForward) {
    ASSERT_TRUE(waitUntil([] { return client->status().sshPort != 0; }));
    QProcess nc;
    nc.start(QStringLiteral("bash"),
             {QStringLiteral("-c"),
              QStringLiteral("exec 3<>/dev/tcp/127.0.0.1/%1; head -c 7 <&3")
                  .arg(client->status().sshPort)});
    ASSERT_TRUE(nc.waitForFinished(60000));
    EXPECT_EQ(nc.readAllStandardOutput(), "SSH-2.0");
}

TEST_F(BootedMachine, AFullDiskOfThisComputerPausesTheGuestAndLosesNothing) {
    // 20 MB onto a disk whose file can take 10.
    std::optional<Result<QJsonValue>> written;
    client->call(
        QStringLiteral("agent.exec"),
        execParameters(QStringLiteral("/bin/sh"),
                       {QStringLiteral("-c"),
                        QStringLiteral("yes pattern | head -c 20000000 > /dev/vdb; sync; "
                                       "md5sum < /dev/vdb | cut -c 1-8")},
                       {},
                       120000),
        [&written](const Result<QJsonValue>& answer) { written = answer; },
        150000);
    ASSERT_TRUE(waitUntil(
        [&written] {
            return written.has_value() || client->status().state == MachineState::Paused;
        },
        60000));
    ASSERT_FALSE(written.has_value())
        << (*written ? execFromJson(**written)->standardError.constData()
                     : qPrintable(written->error().message));
    EXPECT_TRUE(client->status().note.contains(QStringLiteral("full")))
        << qPrintable(client->status().note);
    // Resuming without space ends where it was.
    EXPECT_TRUE(client->callAndWait(QStringLiteral("resume"), {}, 10000));
    EXPECT_TRUE(waitUntil([] {
        return client->status().state == MachineState::Paused &&
               client->status().note.contains(QStringLiteral("full"));
    }));
    // Space again: the guest goes on and has seen no error.
    ASSERT_TRUE(QFile::remove(
        QStringLiteral("/proc/%1/root%2/filler").arg(program->process.processId()).arg(small)));
    EXPECT_TRUE(client->callAndWait(QStringLiteral("resume"), {}, 10000));
    ASSERT_TRUE(waitUntil([&written] { return written.has_value(); }, 120000));
    ASSERT_TRUE(*written) << qPrintable(written->error().message);
    const auto result = execFromJson(**written);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->exitCode, 0);
    EXPECT_TRUE(result->standardError.isEmpty()) << result->standardError.constData();
    EXPECT_TRUE(client->status().note.isEmpty());
    EXPECT_EQ(client->status().state, MachineState::Running);
}

TEST_F(BootedMachine, ALongOutputOfAProgramArrivesWhole) {
    const auto answer = startShell(QStringLiteral("yes 0123456 | head -c 3000000"), 60000);
    ASSERT_TRUE(answer) << qPrintable(answer.error().message);
    const auto result = execFromJson(*answer);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->standardOutput.size(), 3000000);
}

TEST_F(BootedMachine, ARestartOfTheGuestIsAnEventAndItComesBack) {
    const auto answer =
        startShell(QStringLiteral("(sleep 0.2; reboot -f) >/dev/null 2>&1 &"), 10000);
    EXPECT_TRUE(answer);
    ASSERT_TRUE(waitUntil([] { return !client->status().agentAnswers; }, 60000));
    EXPECT_TRUE(
        waitUntil([] { return program->eventKinds().contains(QStringLiteral("restarted")); }));
    EXPECT_TRUE(waitUntil([] { return client->status().agentAnswers; }, 120000));
    EXPECT_EQ(client->status().state, MachineState::Running);
}

TEST_F(BootedMachine, APanicOfTheGuestPausesItWithANote) {
    const auto answer = startShell(
        QStringLiteral("(sleep 0.2; echo c > /proc/sysrq-trigger) >/dev/null 2>&1 &"), 10000);
    EXPECT_TRUE(answer);
    ASSERT_TRUE(waitForState(*client, MachineState::Paused, 60000));
    EXPECT_FALSE(client->status().note.isEmpty());
    EXPECT_TRUE(waitUntil([] { return program->eventKinds().contains(QStringLiteral("panic")); }));
}

TEST_F(BootedMachine, InterruptingACrashedGuestEndsIt) {
    program->signal(SIGINT);
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_EQ(program->process.exitCode(), 0);
}
