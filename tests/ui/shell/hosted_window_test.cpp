// SPDX-License-Identifier: Apache-2.0
// The window over machines of its own process: starting, the console, recovery.
#include "tests/support/fake_machine_host.h"
#include "tests/ui/console/fake_native_surface.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/console/console_notice.h"
#include "ui/console/console_page.h"
#include "ui/widgets/message_bar.h"

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

const QString build = QStringLiteral("build");
const QString mac = QStringLiteral("sequoia");

class HostedWindowTest : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        hypervisor.isMac = true;
        machineHost = &hosting;
        openHostedSurface = [this](const QString& name) {
            opened.append(name);
            return std::make_unique<FakeNativeSurface>();
        };
        small.add(build);
        MachineConfig config = SmallLibrary::smallConfig();
        config.system = GuestSystem::Darwin;
        config.architecture = Architecture::Arm64;
        config.ecid = "identifier";
        config.hardwareModel = "model";
        small.add(mac, config);
    }
    [[nodiscard]] ConsolePage* console() const { return window->machinePage()->console(); }
    // In both colours and at the smallest size that is promised.
    void picture(const QString& name) {
        if (qEnvironmentVariableIsEmpty("VITRINE_TEST_PICTURES"))
            return;
        for (const SchemeChoice scheme : {SchemeChoice::Dark, SchemeChoice::Light}) {
            applyTheme(scheme);
            for (const QSize size : {QSize(900, 600), QSize(1280, 800)}) {
                window->resize(size);
                settle();
                savePicture(*window,
                            QStringLiteral("%1-%2-%3")
                                .arg(name,
                                     scheme == SchemeChoice::Dark ? QStringLiteral("dark")
                                                                  : QStringLiteral("light"),
                                     QString::number(size.width())));
            }
        }
    }
    FakeMachineHost hosting;
    QStringList opened;
};

} // namespace

TEST_F(HostedWindowTest, AStartedMachineShowsItsScreenInTheWindow) {
    open();
    select(mac);
    window->actions()->startAndShow->trigger();
    ASSERT_TRUE(waitUntil([this] { return console()->isScreenShown(); }));
    EXPECT_EQ(opened, QStringList{mac});
    EXPECT_FALSE(hosting.requests.first().recovery);
    picture(QStringLiteral("hosted-running"));
    window->actions()->pause->trigger();
    ASSERT_TRUE(waitUntil([this] {
        return console()->messageBar()->isVisible() &&
               console()->messageBar()->text().contains(QStringLiteral("paused"));
    }));
    picture(QStringLiteral("hosted-paused"));
    hosting.machine(mac)->end("stopped", QStringLiteral("It has shut down."));
    EXPECT_TRUE(waitUntil([this] { return !console()->isScreenShown(); }));
}

TEST_F(HostedWindowTest, AFailedStartIsToldInThePlaceOfTheScreen) {
    hosting.refusal = Error{Error::Kind::Unsupported,
                            QStringLiteral("Two macOS machines run already: \"a\" and \"b\"."),
                            {}};
    open();
    select(mac);
    window->actions()->startAndShow->trigger();
    ASSERT_TRUE(waitUntil([this] {
        return console()->notice()->text().contains(QStringLiteral("Two macOS machines"));
    }));
    picture(QStringLiteral("hosted-failed"));
}

TEST_F(HostedWindowTest, RecoveryIsOfferedForMacGuestsOnly) {
    open();
    select(build);
    EXPECT_FALSE(window->actions()->startRecovery->isEnabled());
    EXPECT_TRUE(window->actions()->startRecovery->toolTip().contains(QStringLiteral("macOS")));
    select(mac);
    ASSERT_TRUE(window->actions()->startRecovery->isEnabled());
    window->actions()->startRecovery->trigger();
    ASSERT_TRUE(waitUntil([this] { return console()->isScreenShown(); }));
    EXPECT_TRUE(hosting.requests.first().recovery);
}

TEST_F(HostedWindowTest, AMachineOfACommandLineIsWorkedButNotShown) {
    FakeMachine headless(small.library, build);
    ASSERT_TRUE(headless.start());
    open();
    select(build);
    ASSERT_TRUE(waitUntil([this] { return clients->status(build) != nullptr; }));
    settle();
    EXPECT_TRUE(window->actions()->shutDown->isEnabled());
    EXPECT_TRUE(window->actions()->pause->isEnabled());
    window->machinePage()->showTab(MachinePage::Tab::Console);
    EXPECT_TRUE(console()->notice()->title().contains(QStringLiteral("cannot be shown here")));
    EXPECT_TRUE(opened.isEmpty());
    picture(QStringLiteral("hosted-headless"));
}
