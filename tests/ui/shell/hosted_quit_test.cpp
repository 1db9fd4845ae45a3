// SPDX-License-Identifier: Apache-2.0
// Closing and quitting a window whose process hosts machines, as on a Mac.
#include "tests/support/fake_machine_host.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/shell/question.h"
#include "ui/shell/quit_question.h"
#include "ui/shell/window_menus.h"
#include "ui/widgets/message_bar.h"

#include <QMenu>
#include <QPushButton>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

const QString build = QStringLiteral("build");
const QString web = QStringLiteral("web");

class HostedQuitTest : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        machineHost = &hosting;
        small.add(build);
        small.add(web);
    }
    void openWith(const QStringList& running) {
        open();
        for (const QString& name : running) {
            clients->start(name);
            ASSERT_TRUE(waitUntil([&] { return clients->status(name) != nullptr; }));
        }
        QObject::connect(
            window.get(), &MainWindow::quitRequested, window.get(), [this] { ++quits; });
    }
    void refuseToSuspend(const QString& name, const QString& reason) {
        MachineStatus status = hosting.machine(name)->status();
        status.suspendRefusal = reason;
        hosting.machine(name)->setStatus(status);
        ASSERT_TRUE(waitUntil([&] { return clients->status(name)->suspendRefusal == reason; }));
    }
    [[nodiscard]] MessageBar* message() const {
        for (MessageBar* bar : window->findChildren<MessageBar*>())
            if (bar->isVisible())
                return bar;
        return nullptr;
    }
    QPushButton* inMessage(const QString& text) {
        if (MessageBar* bar = message())
            for (QPushButton* button : bar->findChildren<QPushButton*>())
                if (button->text() == text && button->isVisible())
                    return button;
        return nullptr;
    }
    void answer(const QString& text) {
        ASSERT_NE(window->quitQuestion(), nullptr);
        QPushButton* button = window->quitQuestion()->button(text);
        ASSERT_NE(button, nullptr) << qPrintable(text);
        ASSERT_TRUE(button->isEnabled());
        button->click();
        settle();
    }
    FakeMachineHost hosting;
    int quits = 0;
};

} // namespace

TEST_F(HostedQuitTest, ClosingHidesTheWindowAndMachinesGoOn) {
    openWith({build});
    window->close();
    EXPECT_FALSE(window->isVisible());
    EXPECT_EQ(window->quitQuestion(), nullptr);
    EXPECT_EQ(quits, 0);
    EXPECT_EQ(hosting.machines(), QStringList{build});
    // A click on its picture in the Dock.
    QEvent activated(QEvent::ApplicationActivate);
    QCoreApplication::sendEvent(qApp, &activated);
    EXPECT_TRUE(window->isVisible());
}

TEST_F(HostedQuitTest, QuittingWithNothingRunningAsksNothing) {
    openWith({});
    window->close();
    EXPECT_EQ(quits, 0);
    window->requestQuit();
    EXPECT_EQ(quits, 1);
}

TEST_F(HostedQuitTest, TheSystemsWishToQuitIsAskedAboutAndNotDone) {
    openWith({build});
    window->close();
    QEvent quit(QEvent::Quit);
    quit.accept();
    QCoreApplication::sendEvent(qApp, &quit);
    EXPECT_FALSE(quit.isAccepted()) << "the system would end the program";
    EXPECT_TRUE(window->isVisible()) << "the question is in it";
    ASSERT_NE(window->quitQuestion(), nullptr);
    EXPECT_EQ(window->quitQuestion()->button(QStringLiteral("Keep Running")), nullptr);
    answer(QStringLiteral("Cancel"));
    EXPECT_EQ(quits, 0);
    EXPECT_EQ(hosting.machines(), QStringList{build});
}

TEST_F(HostedQuitTest, ShutDownWaitsForAllAndQuits) {
    openWith({build, web});
    hosting.machine(web)->shutdownTime = 150;
    window->requestQuit();
    savePicture(*window->quitQuestion(), QStringLiteral("question-quit-hosted"));
    answer(QStringLiteral("Shut Down"));
    ASSERT_NE(message(), nullptr);
    EXPECT_TRUE(message()->text().contains(QStringLiteral("0 of 2")));
    ASSERT_TRUE(waitUntil([this] { return hosting.machines() == QStringList{web}; }));
    EXPECT_EQ(quits, 0);
    EXPECT_TRUE(waitUntil([this] {
        return message() != nullptr && message()->text().contains(QStringLiteral("1 of 2"));
    }));
    savePicture(*window, QStringLiteral("quit-hosted-waiting"));
    EXPECT_TRUE(waitUntil([this] { return quits == 1; }));
    EXPECT_TRUE(hosting.machines().isEmpty());
}

TEST_F(HostedQuitTest, SuspendQuitsWhenTheStateIsOnTheDisk) {
    openWith({build});
    window->requestQuit();
    answer(QStringLiteral("Suspend"));
    EXPECT_TRUE(waitUntil([this] { return quits == 1; }));
    EXPECT_EQ(small.library.machine(*MachineName::fromText(build))->state, MachineState::Suspended);
}

TEST_F(HostedQuitTest, SuspendIsGreyedWithTheReasonOfTheOneThatCannot) {
    openWith({build, web});
    refuseToSuspend(web, QStringLiteral("It was not started as suspendable."));
    setOnQuit(OnQuit::Suspend); // remembered, and not possible for all now
    window->requestQuit();
    Question* question = window->quitQuestion();
    ASSERT_NE(question, nullptr);
    QPushButton* suspend = question->button(QStringLiteral("Suspend"));
    ASSERT_NE(suspend, nullptr);
    EXPECT_FALSE(suspend->isEnabled());
    EXPECT_TRUE(suspend->toolTip().contains(web));
    EXPECT_TRUE(suspend->toolTip().contains(QStringLiteral("not started as suspendable")));
    bool told = false;
    for (const QLabel* label : question->findChildren<QLabel*>())
        told = told || label->text().contains(QStringLiteral("not started as suspendable"));
    EXPECT_TRUE(told) << "a greyed button's tool tip is not enough";
    savePicture(*question, QStringLiteral("question-quit-hosted-refused"));
}

TEST_F(HostedQuitTest, OneThatIgnoresShutDownIsForcedOffWhenSoWished) {
    openWith({build});
    clients->setShutDownPatience(30);
    hosting.machine(build)->shutdownTime = 600000;
    window->requestQuit();
    answer(QStringLiteral("Shut Down"));
    ASSERT_TRUE(waitUntil([this] { return inMessage(QStringLiteral("Force Off…")) != nullptr; }));
    EXPECT_TRUE(message()->text().contains(build));
    EXPECT_EQ(quits, 0);
    savePicture(*window, QStringLiteral("quit-hosted-stuck"));
    inMessage(QStringLiteral("Force Off…"))->click();
    answer(QStringLiteral("Force Off"));
    EXPECT_TRUE(waitUntil([this] { return quits == 1; }));
}

TEST_F(HostedQuitTest, TheWaitingCanBeCancelled) {
    openWith({build});
    hosting.machine(build)->shutdownTime = 600000;
    window->requestQuit();
    answer(QStringLiteral("Shut Down"));
    ASSERT_NE(inMessage(QStringLiteral("Do Not Quit")), nullptr);
    inMessage(QStringLiteral("Do Not Quit"))->click();
    hosting.machine(build)->end("stopped", QStringLiteral("It has shut down."));
    ASSERT_TRUE(waitUntil([this] { return hosting.machines().isEmpty(); }));
    settle();
    EXPECT_EQ(quits, 0) << "it does not go by surprise";
    EXPECT_TRUE(window->isVisible());
}

TEST_F(HostedQuitTest, AMachineThatStartsCountsToo) {
    hosting.answersLate = true;
    open();
    clients->start(build);
    ASSERT_TRUE(waitUntil([this] { return hosting.requests.size() == 1; }));
    window->requestQuit();
    EXPECT_NE(window->quitQuestion(), nullptr);
}

TEST_F(HostedQuitTest, OneOfACommandLineGoesOnAndIsToldOf) {
    FakeMachine elsewhere(small.library, web);
    ASSERT_TRUE(elsewhere.start());
    openWith({build});
    ASSERT_TRUE(waitUntil([this] { return clients->status(web) != nullptr; }));
    window->requestQuit();
    ASSERT_NE(window->quitQuestion(), nullptr);
    bool told = false;
    for (const QLabel* label : window->quitQuestion()->findChildren<QLabel*>())
        told = told || label->text().contains(QStringLiteral("without a window"));
    EXPECT_TRUE(told);
    answer(QStringLiteral("Shut Down"));
    EXPECT_TRUE(waitUntil([this] { return quits == 1; }));
    EXPECT_TRUE(elsewhere.isRunning());
}

TEST_F(HostedQuitTest, AnEndOfTheSessionThatMayNotAskSuspendsOrShutsDown) {
    openWith({build, web});
    refuseToSuspend(web, QStringLiteral("No."));
    EXPECT_TRUE(window->sessionEnds(false));
    EXPECT_TRUE(hosting.machines().isEmpty());
    EXPECT_EQ(window->quitQuestion(), nullptr);
    EXPECT_EQ(small.library.machine(*MachineName::fromText(build))->state, MachineState::Suspended);
    EXPECT_EQ(small.library.machine(*MachineName::fromText(web))->state, MachineState::Stopped);
}

TEST_F(HostedQuitTest, AnEndOfTheSessionThatTakesTooLongIsTold) {
    openWith({build});
    hosting.machine(build)->shutdownTime = 600000;
    refuseToSuspend(build, QStringLiteral("No."));
    EXPECT_FALSE(window->sessionEnds(false, 50));
}

TEST_F(HostedQuitTest, AnEndOfTheSessionThatMayAskDoes) {
    openWith({build});
    EXPECT_FALSE(window->sessionEnds(true));
    EXPECT_NE(window->quitQuestion(), nullptr);
    EXPECT_EQ(hosting.machines(), QStringList{build});
}

TEST_F(HostedQuitTest, KeepingThemRunningIsNoChoice) {
    setOnQuit(OnQuit::KeepRunning); // of a library that was used elsewhere
    openWith({build});
    auto* menu = window->findChild<QMenu*>(QStringLiteral("machinesOnQuit"));
    ASSERT_NE(menu, nullptr);
    Q_EMIT menu->aboutToShow();
    for (const QAction* action : menu->actions())
        EXPECT_FALSE(action->isVisible() && action->text().contains(QStringLiteral("Keep")));
    window->requestQuit();
    EXPECT_NE(window->quitQuestion(), nullptr);
}
