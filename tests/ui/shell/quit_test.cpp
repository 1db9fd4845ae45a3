// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/quit_question.h"

#include "tests/ui/shell/window_fixture.h"
#include "ui/shell/question.h"

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
    EXPECT_EQ(window->quitQuestion(), nullptr);
    EXPECT_EQ(quits, 1);
    EXPECT_TRUE(machine->isRunning());
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
