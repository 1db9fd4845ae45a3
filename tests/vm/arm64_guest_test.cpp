// SPDX-License-Identifier: Apache-2.0
// A small arm64 guest, made by `vitrinectl create` from a disk image and booted once by firmware;
// emulated on an amd64 computer.
#include "core/machine/sidecar.h"
#include "guest_screen.h"
#include "running_guest.h"
#include "state_comes_back.h"
#include "support/event_wait.h"

#include <QFileInfo>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

std::unique_ptr<RunningGuest> guest;

class Arm64Guest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        RunningGuest::Setup setup;
        setup.architecture = Architecture::Arm64;
        setup.created = true;
        guest = std::make_unique<RunningGuest>(setup);
        guest->start();
        m_ready = guest->waitUntilReady();
    }
    static void TearDownTestSuite() { guest.reset(); }
    void SetUp() override { ASSERT_TRUE(m_ready) << "the guest did not become ready"; }

    static inline bool m_ready = false;
};

} // namespace

TEST_F(Arm64Guest, BecomesReady) {
    RecordProperty("seconds_to_ready", std::to_string(guest->secondsToReady()));
    EXPECT_EQ(guest->shell(QStringLiteral("uname -m")), QLatin1String("aarch64"));
}

TEST_F(Arm64Guest, SaysThatItIsEmulatedOnAnotherProcessor) {
    if (hostArchitecture() == Architecture::Arm64) {
        EXPECT_FALSE(guest->status().accelerator.isEmpty());
        return;
    }
    EXPECT_EQ(guest->status().accelerator, QLatin1String("TCG"));
    EXPECT_TRUE(guest->status().acceleratorNote.startsWith(QLatin1String("Emulated, slow")));
}

TEST_F(Arm64Guest, KeepsItsVariablesBesideTheEmptyFileItWasMadeWith) {
    const auto sidecar = Sidecar::read(guest->machineDirectory());
    ASSERT_TRUE(sidecar);
    EXPECT_EQ(sidecar->efivars, QLatin1String("separate"));
    EXPECT_TRUE(QFileInfo::exists(guest->machineDirectory() + QStringLiteral("/efivars-arm64.fd")));
    const QFileInfo nvram(guest->machineDirectory() + QStringLiteral("/nvram.bin"));
    EXPECT_TRUE(nvram.exists()); // a Mac fills it at its own first start
    EXPECT_EQ(nvram.size(), 0);
}

TEST_F(Arm64Guest, ShowsItsScreenAndObeysItsKeyboard) {
    GuestScreen screen(*guest);
    ASSERT_TRUE(screen.waitUntilConnected());
    ASSERT_TRUE(screen.waitUntilTextContains(QStringLiteral("login:")));
    EXPECT_TRUE(screen.waitUntilPictureShows(screen.text()));
    screen.type(QStringLiteral("admin"));
    ASSERT_TRUE(screen.waitUntilTextContains(QStringLiteral("assword:")));
    screen.typeHidden(QStringLiteral("admin\n"));
    ASSERT_TRUE(screen.waitUntilTextContains(QStringLiteral("$ ")));
    screen.type(QStringLiteral("id -un > /tmp/typed"));
    EXPECT_TRUE(
        guest->waitUntilShellPrints(QStringLiteral("cat /tmp/typed"), QStringLiteral("admin")));
}

TEST_F(Arm64Guest, ASerialFloodDoesNotFreezeIt) {
    // Nobody reads the console here; the machine's process must.
    EXPECT_EQ(guest->shell(QStringLiteral("seq 2000 > /dev/ttyAMA0 && echo done")),
              QLatin1String("done"));
}

TEST_F(Arm64Guest, StandsStillWhilePaused) {
    ASSERT_TRUE(guest->call("pause"));
    ASSERT_TRUE(guest->waitUntilState(MachineState::Paused));
    const auto answer = guest->call(
        "agent.exec",
        {{QStringLiteral("path"), QStringLiteral("/bin/true")}, {QStringLiteral("timeout"), 1500}});
    EXPECT_FALSE(answer) << "a paused guest answered";
    ASSERT_TRUE(guest->call("resume"));
    ASSERT_TRUE(guest->waitUntilState(MachineState::Running));
    EXPECT_TRUE(guest->waitUntilShellPrints(QStringLiteral("echo on"), QStringLiteral("on")));
}

TEST_F(Arm64Guest, ComesBackFromSuspensionAndFromSnapshots) {
    expectStateComesBack(*guest);
}

TEST_F(Arm64Guest, ShutsDownThroughTheAgent) {
    ASSERT_TRUE(guest->call("shutdown"));
    EXPECT_EQ(guest->waitUntilEnded(), 0) << qPrintable(guest->said());
    EXPECT_EQ(guest->library().stateOf(guest->machineDirectory()), MachineState::Stopped);
}

TEST_F(Arm64Guest, IsForcedOffWhenAsked) {
    guest->start(); // shut down by the test before
    ASSERT_TRUE(guest->waitUntilState(MachineState::Running)) << qPrintable(guest->said());
    ASSERT_TRUE(guest->call("forceOff"));
    EXPECT_EQ(guest->waitUntilEnded(), 0) << qPrintable(guest->said());
    EXPECT_EQ(guest->library().stateOf(guest->machineDirectory()), MachineState::Stopped);
}
