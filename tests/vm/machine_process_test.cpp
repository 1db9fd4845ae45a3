// SPDX-License-Identifier: Apache-2.0
// What happens when processes die or start badly. No test waits for a guest to boot.
#include "core/library/runtime_directory.h"
#include "core/machine/sidecar.h"
#include "running_guest.h"
#include "support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QElapsedTimer>
#include <QFile>

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

RunningGuest::Setup byKernel() {
    RunningGuest::Setup setup;
    setup.byKernel = true;
    return setup;
}

bool isGone(qint64 pid) {
    return vitrine::test::sendSignal(static_cast<pid_t>(pid), 0) != 0;
}

} // namespace

TEST(MachineProcess, KilledTakesQemuWithIt) {
    RunningGuest guest(byKernel());
    guest.start();
    ASSERT_TRUE(guest.waitUntilState(MachineState::Running)) << qPrintable(guest.said());
    const qint64 qemu = guest.qemuProcessId();
    ASSERT_GT(qemu, 0);
    ASSERT_EQ(vitrine::test::sendSignal(static_cast<pid_t>(guest.processId()), SIGKILL), 0);
    EXPECT_EQ(guest.waitUntilEnded(), -2);
    EXPECT_TRUE(waitUntil([&] { return isGone(qemu); }, 10000)) << "an orphan is left";
    EXPECT_TRUE(waitUntil(
        [&] { return guest.library().stateOf(guest.machineDirectory()) == MachineState::Stopped; },
        10000));
    // Nothing stands in the way of the next start.
    guest.start();
    EXPECT_TRUE(guest.waitUntilState(MachineState::Running)) << qPrintable(guest.said());
}

TEST(MachineProcess, KilledBeforeQemuHasConnectedLeavesNothing) {
    RunningGuest guest(byKernel());
    guest.start();
    // As soon as QEMU exists, long before it answers.
    qint64 qemu = 0;
    ASSERT_TRUE(waitUntil(
        [&] {
            qemu = guest.qemuProcessId();
            return qemu != 0;
        },
        longWait));
    ASSERT_EQ(vitrine::test::sendSignal(static_cast<pid_t>(guest.processId()), SIGKILL), 0);
    EXPECT_EQ(guest.waitUntilEnded(), -2);
    EXPECT_TRUE(waitUntil([&] { return isGone(qemu); }, 10000)) << "an orphan is left";
}

TEST(MachineProcess, ASecondInterruptForcesTheGuestOff) {
    RunningGuest guest(byKernel());
    guest.start();
    ASSERT_TRUE(guest.waitUntilState(MachineState::Running)) << qPrintable(guest.said());
    ASSERT_EQ(vitrine::test::sendSignal(static_cast<pid_t>(guest.processId()), SIGINT), 0);
    ASSERT_TRUE(guest.waitUntilState(MachineState::ShuttingDown));
    ASSERT_EQ(vitrine::test::sendSignal(static_cast<pid_t>(guest.processId()), SIGINT), 0);
    EXPECT_EQ(guest.waitUntilEnded(), 0) << qPrintable(guest.said());
}

TEST(MachineProcess, ADiskThatAnotherQemuWritesIsSaid) {
    RunningGuest guest(byKernel());
    // The lock another QEMU would hold: its bytes for "somebody writes" and "nobody else may".
    const int disk = ::open(
        QFile::encodeName(guest.machineDirectory() + QStringLiteral("/disk.img")).constData(),
        O_RDWR | O_CLOEXEC);
    ASSERT_GE(disk, 0);
    struct flock lock {};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 100;
    lock.l_len = 200;
    ASSERT_EQ(::fcntl(disk, F_OFD_SETLK, &lock), 0);
    guest.start();
    EXPECT_EQ(guest.waitUntilEnded(), 1);
    EXPECT_TRUE(guest.said().contains(QLatin1String("lock")) ||
                guest.said().contains(QLatin1String("another")))
        << qPrintable(guest.said());
    ::close(disk);
    EXPECT_EQ(guest.library().stateOf(guest.machineDirectory()), MachineState::Stopped);
}

TEST(MachineProcess, AMachineThatCannotRunHereSaysWhyBeforeQemuStarts) {
    RunningGuest guest(byKernel());
    ASSERT_TRUE(Sidecar::update(guest.machineDirectory(), [](Sidecar& sidecar) {
        sidecar.run.kernel->kernel = QStringLiteral("missing-kernel");
    }));
    guest.start();
    EXPECT_EQ(guest.waitUntilEnded(), 1);
    EXPECT_TRUE(guest.said().contains(QLatin1String("missing-kernel"))) << qPrintable(guest.said());
}

TEST(MachineProcess, ATerminalThatGoesAwayShutsTheGuestDown) {
    RunningGuest guest(byKernel());
    guest.start();
    ASSERT_TRUE(guest.waitUntilState(MachineState::Running)) << qPrintable(guest.said());
    ASSERT_EQ(vitrine::test::sendSignal(static_cast<pid_t>(guest.processId()), SIGHUP), 0);
    EXPECT_TRUE(guest.waitUntilState(MachineState::ShuttingDown));
    EXPECT_TRUE(guest.call("forceOff"));
    EXPECT_EQ(guest.waitUntilEnded(), 0) << qPrintable(guest.said());
}
