// SPDX-License-Identifier: Apache-2.0
// One guest, booted once by firmware, worked as a person would. The tests build on each other: the
// last ones end the guest.
#include "core/disk/file_lock.h"
#include "core/library/runtime_directory.h"
#include "core/machine/sidecar.h"
#include "guest_screen.h"
#include "running_guest.h"
#include "state_comes_back.h"
#include "support/event_wait.h"

#include <QFile>
#include <QFileInfo>
#include <QTcpSocket>

#include <gtest/gtest.h>

#include <sys/stat.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

std::unique_ptr<RunningGuest> guest;
std::unique_ptr<GuestScreen> screen;

class FirmwareGuest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        guest = std::make_unique<RunningGuest>(RunningGuest::Setup{});
        guest->start();
        m_ready = guest->waitUntilReady();
        if (m_ready)
            screen = std::make_unique<GuestScreen>(*guest);
    }
    static void TearDownTestSuite() {
        screen.reset();
        guest.reset();
    }
    void SetUp() override { ASSERT_TRUE(m_ready) << "the guest did not become ready"; }

    static inline bool m_ready = false;
};

} // namespace

TEST_F(FirmwareGuest, BecomesReady) {
    RecordProperty("seconds_to_ready", std::to_string(guest->secondsToReady()));
    EXPECT_EQ(guest->status().state, MachineState::Running);
    EXPECT_EQ(guest->shell(QStringLiteral("[ -d /sys/firmware/efi ] && echo yes")),
              QLatin1String("yes"));
}

TEST_F(FirmwareGuest, SaysHowItIsAccelerated) {
    EXPECT_TRUE(guest->status().accelerator == QLatin1String("KVM") ||
                (guest->status().accelerator == QLatin1String("TCG") &&
                 guest->status().acceleratorNote.contains(QLatin1String("slow"))))
        << qPrintable(guest->status().accelerator + guest->status().acceleratorNote);
}

TEST_F(FirmwareGuest, HasTheProcessorsAndMemoryOfItsConfiguration) {
    EXPECT_EQ(guest->shell(QStringLiteral("grep -c ^processor /proc/cpuinfo")), QLatin1String("2"));
    const int kilobytes =
        guest->shell(QStringLiteral("awk '/MemTotal/ {print $2}' /proc/meminfo")).toInt();
    EXPECT_GT(kilobytes, 900 * 1024);
    EXPECT_LE(kilobytes, 1024 * 1024);
}

TEST_F(FirmwareGuest, HasSixteenSpareRootPorts) {
    // QEMU's root port: vendor 1b36, device 000c.
    EXPECT_EQ(guest->shell(QStringLiteral("grep -l 0x000c $(grep -l 0x1b36 "
                                          "/sys/bus/pci/devices/*/vendor | "
                                          "sed s/vendor/device/) | wc -l")),
              QLatin1String("16"));
}

TEST_F(FirmwareGuest, TellsTheAddressThroughTheAgent) {
    EXPECT_TRUE(waitUntil(
        [] {
            return guest->status().address == QLatin1String("10.0.2.15") &&
                   guest->status().addressSource == QLatin1String("agent");
        },
        longWait))
        << qPrintable(guest->status().address);
    const RunningGuest::Ran ip = guest->vitrinectl({QStringLiteral("ip"), QStringLiteral("guest")});
    EXPECT_EQ(ip.exitCode, 0) << qPrintable(ip.errors);
    EXPECT_EQ(ip.output, QLatin1String("10.0.2.15"));
}

TEST_F(FirmwareGuest, AnswersSshOnItsForward) {
    ASSERT_TRUE(waitUntil([] { return guest->status().sshPort != 0; }, longWait));
    QTcpSocket socket;
    socket.connectToHost(QHostAddress(QHostAddress::LocalHost), guest->status().sshPort);
    EXPECT_TRUE(waitUntil([&] { return socket.bytesAvailable() >= 8; }, longWait));
    EXPECT_TRUE(socket.readAll().startsWith("SSH-2.0-"));
}

TEST_F(FirmwareGuest, IsReachedOnlyFromThisComputer) {
    // The forward listens on 127.0.0.1 alone: "0100007F:PORT" in /proc/net/tcp, state listening.
    QFile file(QStringLiteral("/proc/net/tcp"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray port =
        QByteArray::number(guest->status().sshPort, 16).toUpper().rightJustified(4, '0');
    int listeners = 0;
    const QList<QByteArray> lines = file.readAll().split('\n');
    for (const QByteArray& line : lines) {
        const QList<QByteArray> fields = line.simplified().split(' ');
        if (fields.value(3) == "0A" && fields.value(1).endsWith(':' + port)) {
            EXPECT_EQ(fields.value(1), "0100007F:" + port);
            ++listeners;
        }
    }
    EXPECT_EQ(listeners, 1);
}

TEST_F(FirmwareGuest, KeepsItsSocketsToTheUser) {
    for (const char* name : {"vitrine.sock", "qmp.sock", "vnc.sock", "serial.sock", "agent.sock"}) {
        struct stat status {};
        ASSERT_EQ(::stat(QFile::encodeName(guest->runtimeFile(name)).constData(), &status), 0)
            << name;
        EXPECT_EQ(status.st_mode & 077, 0U) << name;
    }
}

TEST_F(FirmwareGuest, ShowsTheLoginPromptOnItsScreen) {
    ASSERT_TRUE(screen->waitUntilConnected());
    EXPECT_EQ(screen->display().size(), QSize(1280, 800));
    ASSERT_TRUE(screen->waitUntilTextContains(QStringLiteral("login:")));
    EXPECT_TRUE(screen->waitUntilPictureShows(screen->text()))
        << "the picture is not what the guest drew";
}

TEST_F(FirmwareGuest, IsSeenByTwoViewersAtOnce) {
    GuestScreen second(*guest);
    ASSERT_TRUE(second.waitUntilConnected());
    EXPECT_TRUE(second.waitUntilPictureShows(second.text()));
    EXPECT_EQ(screen->display().state(), Display::State::Connected);
}

TEST_F(FirmwareGuest, ObeysWhatIsTypedOnItsConsole) {
    ASSERT_TRUE(screen->waitUntilTextContains(QStringLiteral("login:")));
    screen->type(QStringLiteral("admin"));
    ASSERT_TRUE(screen->waitUntilTextContains(QStringLiteral("assword:")));
    screen->typeHidden(QStringLiteral("admin\n"));
    ASSERT_TRUE(screen->waitUntilTextContains(QStringLiteral("$ ")));
    screen->type(QStringLiteral("echo \"Typed: $((6*7)) {~}\" > /tmp/typed"));
    EXPECT_TRUE(guest->waitUntilShellPrints(QStringLiteral("cat /tmp/typed"),
                                            QStringLiteral("Typed: 42 {~}")));
    EXPECT_EQ(guest->shell(QStringLiteral("stat -c %U /tmp/typed")), QLatin1String("admin"));
    EXPECT_TRUE(screen->waitUntilPictureShows(screen->text()));
}

TEST_F(FirmwareGuest, SavesAPictureOfItsScreen) {
    const auto answer = guest->call("screenshot");
    ASSERT_TRUE(answer) << qPrintable(answer.error().message);
    EXPECT_EQ(answer->toObject().value(QStringLiteral("width")).toInt(), 1280);
    QFile picture(answer->toObject().value(QStringLiteral("path")).toString());
    ASSERT_TRUE(picture.open(QIODevice::ReadOnly));
    EXPECT_TRUE(picture.read(8).startsWith("\x89PNG"));
}

TEST_F(FirmwareGuest, IsToldAboutAnotherDisplaySize) {
    int answer = -1;
    QObject::connect(&screen->display(),
                     &Display::resizeAnswered,
                     &screen->display(),
                     [&answer](int status) { answer = status; });
    screen->display().requestSize(QSize(1024, 768));
    EXPECT_TRUE(waitUntil([&] { return answer == 0 || answer == 4; }, longWait)) << answer;
    // The first mode the kernel lists is the one wished for.
    EXPECT_TRUE(
        guest->waitUntilShellPrints(QStringLiteral("head -n1 /sys/class/drm/card*-Virtual-1/modes"),
                                    QStringLiteral("1024x768")));
}

TEST_F(FirmwareGuest, IsNotStartedTwice) {
    const RunningGuest::Ran second = guest->vitrinectl(
        {QStringLiteral("run"), QStringLiteral("guest"), QStringLiteral("--no-graphics")});
    EXPECT_EQ(second.exitCode, 2) << qPrintable(second.errors);
    EXPECT_TRUE(guest->client().isConnected());
}

TEST_F(FirmwareGuest, StandsStillWhilePaused) {
    const double before = guest->shell(QStringLiteral("cut -d' ' -f1 /proc/uptime")).toDouble();
    ASSERT_GT(before, 0);
    ASSERT_TRUE(guest->call("pause"));
    ASSERT_TRUE(guest->waitUntilState(MachineState::Paused));
    QElapsedTimer paused;
    paused.start();
    const auto silent = guest->call(
        "agent.exec",
        {{QStringLiteral("path"), QStringLiteral("/bin/true")}, {QStringLiteral("timeout"), 1500}});
    EXPECT_FALSE(silent) << "a paused guest answered";
    const double standstill = static_cast<double>(paused.elapsed()) / 1000;
    ASSERT_TRUE(guest->call("resume"));
    ASSERT_TRUE(guest->waitUntilState(MachineState::Running));
    QElapsedTimer running;
    running.start();
    QString after;
    ASSERT_TRUE(waitUntil(
        [&] {
            after = guest->shell(QStringLiteral("cut -d' ' -f1 /proc/uptime"));
            return after.toDouble() > 0;
        },
        longWait))
        << qPrintable(after);
    // Some time passed before the pause and after it, none during it.
    RecordProperty("standstill", std::to_string(standstill));
    EXPECT_LT(after.toDouble() - before,
              static_cast<double>(running.elapsed()) / 1000 + standstill);
}

TEST_F(FirmwareGuest, ComesBackFromSuspensionAndFromSnapshots) {
    screen.reset();
    expectStateComesBack(*guest);
}

TEST_F(FirmwareGuest, ShutsDownThroughTheAgent) {
    const auto accepted = guest->call("shutdown");
    ASSERT_TRUE(accepted) << qPrintable(accepted.error().message);
    EXPECT_EQ(guest->waitUntilEnded(), 0) << qPrintable(guest->said());
    EXPECT_EQ(guest->library().stateOf(guest->machineDirectory()), MachineState::Stopped);
    EXPECT_EQ(guest->qemuProcessId(), 0);
    const auto sidecar = Sidecar::read(guest->machineDirectory());
    ASSERT_TRUE(sidecar);
    EXPECT_EQ(sidecar->efivars, QLatin1String("nvram"));
    EXPECT_FALSE(sidecar->events.isEmpty());
}

TEST_F(FirmwareGuest, LeavesAMachineThatListsAsStopped) {
    const RunningGuest::Ran list = guest->vitrinectl(
        {QStringLiteral("list"), QStringLiteral("--format"), QStringLiteral("json")});
    EXPECT_EQ(list.exitCode, 0) << qPrintable(list.errors);
    EXPECT_TRUE(list.output.contains(QLatin1String("stopped")));
    EXPECT_FALSE(list.output.contains(QLatin1String("running")));
}
