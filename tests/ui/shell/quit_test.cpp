// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/quit_question.h"

#include "tests/ui/shell/window_fixture.h"
#include "ui/shell/question.h"
#include "ui/widgets/message_bar.h"

#include <QAction>
#include <QCheckBox>
#include <QMenu>
#include <QPushButton>

#include <condition_variable>
#include <mutex>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

const QString build = QStringLiteral("build");

class QuitTest : public WindowTest {
protected:
    void openRunning() {
        small.add(build);
        machine = std::make_unique<FakeMachine>(small.library, build);
        ASSERT_TRUE(machine->start());
        open();
        ASSERT_TRUE(waitUntil([this] { return clients->status(build) != nullptr; }));
        QObject::connect(
            window.get(), &MainWindow::quitRequested, window.get(), [this] { ++quits; });
    }
    // The message bar that says so, or null.
    [[nodiscard]] MessageBar* messageWith(const QString& text) const {
        for (MessageBar* bar : window->findChildren<MessageBar*>())
            if (bar->isVisible() && bar->text().contains(text))
                return bar;
        return nullptr;
    }
    static QString busyShare() {
        return QStringLiteral("The program \"bash\" in the guest uses the share \"src\".");
    }
    // As a machine does when a share of it is busy.
    static void refuseSuspend(FakeMachine& refusing) {
        refusing.server().on(QStringLiteral("suspend"),
                             [](const QJsonObject&, const ControlServer::Respond& respond) {
                                 respond(fail(Error::Kind::Busy, busyShare()));
                             });
    }
    std::unique_ptr<FakeMachine> machine;
    int quits = 0;
};

} // namespace

TEST_F(QuitTest, AsksNothingWhenNothingRuns) {
    small.add(build);
    open();
    QObject::connect(window.get(), &MainWindow::quitRequested, window.get(), [this] { ++quits; });
    window->requestQuit();
    EXPECT_EQ(quits, 1);
}

TEST_F(QuitTest, ClosingTheWindowLeavesMachinesRunning) {
    openRunning();
    window->close();
    // Told first, as nobody would guess it; and that once, when so wished.
    Question* notice = window->quitQuestion();
    ASSERT_NE(notice, nullptr);
    EXPECT_EQ(quits, 0);
    auto* again = notice->findChild<QCheckBox*>();
    ASSERT_NE(again, nullptr);
    EXPECT_FALSE(again->isChecked());
    again->setChecked(true);
    savePicture(*notice, QStringLiteral("question-closing"));
    notice->button(QStringLiteral("Close Window"))->click();
    EXPECT_EQ(quits, 1);
    EXPECT_TRUE(machine->isRunning());
    window->show();
    settle();
    window->close();
    EXPECT_EQ(quits, 2);
    EXPECT_FALSE(window->isVisible());
    // Quitting still asks.
    window->show();
    window->requestQuit();
    settle();
    ASSERT_NE(window->quitQuestion(), nullptr);
    EXPECT_NE(window->quitQuestion()->button(QStringLiteral("Shut Down")), nullptr);
}

TEST_F(QuitTest, ClosingCanBeCancelledAndIsToldAgain) {
    openRunning();
    window->close();
    ASSERT_NE(window->quitQuestion(), nullptr);
    window->quitQuestion()->button(QStringLiteral("Cancel"))->click();
    settle();
    EXPECT_EQ(quits, 0);
    EXPECT_TRUE(window->isVisible());
    window->close();
    settle();
    EXPECT_NE(window->quitQuestion(), nullptr);
}

TEST_F(QuitTest, TheMessageOfShuttingDownStaysWhileTheLibraryIsRead) {
    openRunning();
    machine->shutdownTime = 600000;
    window->requestQuit();
    ASSERT_NE(window->quitQuestion(), nullptr);
    window->quitQuestion()->button(QStringLiteral("Shut Down"))->click();
    const auto offered = [this] {
        for (const QPushButton* button : window->findChildren<QPushButton*>()) {
            if (button->text() == QStringLiteral("Do Not Quit"))
                return button->isVisible();
        }
        return false;
    };
    ASSERT_TRUE(waitUntil(offered));
    small.add(QStringLiteral("late"));
    ASSERT_TRUE(
        waitUntil([this] { return list()->indexOf(QStringLiteral("late"), false).isValid(); }));
    settle();
    EXPECT_TRUE(offered());
}

TEST_F(QuitTest, KeepRunningQuitsAndLeavesTheMachine) {
    openRunning();
    window->requestQuit();
    Question* question = window->quitQuestion();
    ASSERT_NE(question, nullptr);
    savePicture(*question, QStringLiteral("question-quit"));
    QPushButton* keep = question->button(QStringLiteral("Keep Running"));
    ASSERT_NE(keep, nullptr);
    EXPECT_TRUE(keep->isDefault());
    keep->click();
    EXPECT_EQ(quits, 1);
    EXPECT_TRUE(machine->isRunning());
}

TEST_F(QuitTest, ShutDownQuitsWhenTheMachineIsOff) {
    openRunning();
    window->requestQuit();
    ASSERT_NE(window->quitQuestion(), nullptr);
    window->quitQuestion()->button(QStringLiteral("Shut Down"))->click();
    EXPECT_EQ(quits, 0);
    EXPECT_TRUE(waitUntil([this] { return quits == 1; }));
    EXPECT_FALSE(machine->isRunning());
}

TEST_F(QuitTest, SuspendQuitsWhenTheMemoryIsOnTheDisk) {
    openRunning();
    window->requestQuit();
    ASSERT_NE(window->quitQuestion(), nullptr);
    QPushButton* suspend = window->quitQuestion()->button(QStringLiteral("Suspend"));
    ASSERT_NE(suspend, nullptr);
    suspend->click();
    EXPECT_EQ(quits, 0);
    EXPECT_TRUE(waitUntil([this] { return quits == 1; }));
    EXPECT_FALSE(machine->isRunning());
    EXPECT_EQ(small.library.machine(*MachineName::fromText(QStringLiteral("build")))->state,
              MachineState::Suspended);
}

TEST_F(QuitTest, AMachineThatRefusesToBeSuspendedEndsTheQuit) {
    openRunning();
    refuseSuspend(*machine);
    window->requestQuit();
    ASSERT_NE(window->quitQuestion(), nullptr);
    window->quitQuestion()->button(QStringLiteral("Suspend"))->click();
    ASSERT_TRUE(waitUntil([this] { return messageWith(QStringLiteral("Vitrine stays open")); }));
    MessageBar* message = messageWith(QStringLiteral("Vitrine stays open"));
    EXPECT_TRUE(message->text().contains(build));
    EXPECT_TRUE(message->text().contains(busyShare()));
    savePicture(*window, QStringLiteral("quit-refused"));
    // It does not go by surprise when the machine ends much later.
    machine->end("stopped", QStringLiteral("It has shut down."));
    ASSERT_TRUE(waitUntil([this] { return clients->status(build) == nullptr; }));
    settle();
    EXPECT_EQ(quits, 0);
    EXPECT_TRUE(window->isVisible());
}

TEST_F(QuitTest, OneOfTwoThatRefusesKeepsTheWindowOpen) {
    const QString other = QStringLiteral("other");
    small.add(other);
    FakeMachine second(small.library, other);
    ASSERT_TRUE(second.start());
    openRunning();
    ASSERT_TRUE(waitUntil([&] { return clients->status(other) != nullptr; }));
    refuseSuspend(*machine);
    second.shutdownTime = 300; // so that the refusal comes first
    window->requestQuit();
    ASSERT_NE(window->quitQuestion(), nullptr);
    window->quitQuestion()->button(QStringLiteral("Suspend"))->click();
    ASSERT_TRUE(waitUntil([&] { return !second.isRunning(); }));
    ASSERT_TRUE(waitUntil([&] { return clients->status(other) == nullptr; }));
    settle();
    EXPECT_EQ(quits, 0);
    MessageBar* message = messageWith(QStringLiteral("Vitrine stays open"));
    ASSERT_NE(message, nullptr);
    EXPECT_TRUE(message->text().contains(build));
    for (QPushButton* button : message->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Quit and Leave Running"))
            button->click();
    EXPECT_EQ(quits, 1);
    EXPECT_TRUE(machine->isRunning());
}

TEST_F(QuitTest, AGuestThatIgnoresShutDownEndsTheQuit) {
    openRunning();
    machine->shutdownTime = 600000;
    clients->setShutDownPatience(50);
    window->requestQuit();
    ASSERT_NE(window->quitQuestion(), nullptr);
    window->quitQuestion()->button(QStringLiteral("Shut Down"))->click();
    ASSERT_TRUE(waitUntil([this] { return messageWith(QStringLiteral("Vitrine stays open")); }));
    machine->end("stopped", QStringLiteral("It has shut down."));
    ASSERT_TRUE(waitUntil([this] { return clients->status(build) == nullptr; }));
    settle();
    EXPECT_EQ(quits, 0);
}

TEST_F(QuitTest, SuspendingOnQuitIsRemembered) {
    openRunning();
    auto* menu = window->findChild<QMenu*>(QStringLiteral("machinesOnQuit"));
    ASSERT_NE(menu, nullptr);
    Q_EMIT menu->aboutToShow();
    const QList<QAction*> choices = menu->actions();
    ASSERT_EQ(choices.size(), 4);
    EXPECT_TRUE(choices.at(0)->isChecked()) << "Ask";
    choices.at(2)->trigger();
    EXPECT_EQ(onQuit(), OnQuit::Suspend);
    window->requestQuit();
    EXPECT_EQ(window->quitQuestion(), nullptr);
    EXPECT_EQ(quits, 0) << "not before the memory is on the disk";
    EXPECT_TRUE(waitUntil([this] { return quits == 1; }));
    EXPECT_EQ(small.library.machine(*MachineName::fromText(build))->state, MachineState::Suspended);
}

TEST_F(QuitTest, LeavingMachinesRunningIsRemembered) {
    openRunning();
    setOnQuit(OnQuit::KeepRunning);
    window->requestQuit();
    EXPECT_EQ(quits, 1);
    EXPECT_TRUE(machine->isRunning());
}

TEST_F(QuitTest, CancelStays) {
    openRunning();
    window->requestQuit();
    ASSERT_NE(window->quitQuestion(), nullptr);
    window->quitQuestion()->button(QStringLiteral("Cancel"))->click();
    settle();
    EXPECT_EQ(quits, 0);
    EXPECT_TRUE(window->isVisible());
    // The answer is forgotten: it is asked again.
    window->requestQuit();
    EXPECT_NE(window->quitQuestion(), nullptr);
}

TEST_F(QuitTest, EscapeIsCancel) {
    openRunning();
    window->requestQuit();
    ASSERT_NE(window->quitQuestion(), nullptr);
    window->quitQuestion()->close();
    settle();
    EXPECT_EQ(quits, 0);
    EXPECT_TRUE(machine->isRunning());
}

TEST_F(QuitTest, ARunningTransferIsAskedAbout) {
    small.add(build);
    open();
    QObject::connect(window.get(), &MainWindow::quitRequested, window.get(), [this] { ++quits; });
    jobs->add(std::make_unique<Job>(QStringLiteral("pull"),
                                    QStringLiteral("ubuntu"),
                                    QString(),
                                    [](const JobContext& context) -> Result<> {
                                        std::mutex mutex;
                                        std::condition_variable_any stopped;
                                        std::unique_lock lock(mutex);
                                        stopped.wait(lock, context.stop, [] { return false; });
                                        return fail(Error::cancelled());
                                    }));
    window->close();
    Question* question = window->quitQuestion();
    ASSERT_NE(question, nullptr);
    EXPECT_EQ(quits, 0);
    question->button(QStringLiteral("Stop and Close"))->click();
    EXPECT_EQ(quits, 1);
}
