// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/machine_verbs.h"

#include "core/library/memory_commitment.h"
#include "tests/core/disk/other_process.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/overview/machine_problem_page.h"
#include "ui/shell/desktop.h"
#include "ui/shell/name_dialog.h"
#include "ui/shell/question.h"
#include "ui/widgets/message_bar.h"

#include <QClipboard>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <algorithm>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

const QString build = QStringLiteral("build");

class VerbsTest : public WindowTest {
protected:
    void openRunning() {
        small.add(build);
        machine = std::make_unique<FakeMachine>(small.library, build);
        ASSERT_TRUE(machine->start());
        open();
        select(build);
        ASSERT_TRUE(waitUntil([this] { return clients->status(build) != nullptr; }));
        settle();
    }
    [[nodiscard]] MachineActions& actions() const { return *window->actions(); }
    [[nodiscard]] static bool says(const QWidget& dialog, const QString& text) {
        for (const QLabel* label : dialog.findChildren<QLabel*>())
            if (label->text().contains(text))
                return true;
        return dialog.windowTitle().contains(text);
    }
    std::unique_ptr<FakeMachine> machine;
};

} // namespace

TEST_F(VerbsTest, AreEnabledByTheState) {
    openRunning();
    EXPECT_FALSE(actions().start->isEnabled());
    EXPECT_TRUE(actions().pause->isEnabled());
    EXPECT_TRUE(actions().shutDown->isEnabled());
    EXPECT_FALSE(actions().rename->isEnabled());
    actions().pause->trigger();
    ASSERT_TRUE(waitUntil([this] { return actions().pauseResumes(); }));
    EXPECT_EQ(actions().pause->text(), QStringLiteral("Resu&me"));
    EXPECT_FALSE(actions().shutDown->isEnabled());
    actions().pause->trigger();
    ASSERT_TRUE(waitUntil([this] { return actions().shutDown->isEnabled(); }));
    actions().shutDown->trigger();
    EXPECT_TRUE(waitUntil([this] { return actions().start->isEnabled(); }));
    EXPECT_TRUE(actions().rename->isEnabled());
}

TEST_F(VerbsTest, SuspendAndResumeAreTheVerbsOfASuspendedMachine) {
    openRunning();
    EXPECT_TRUE(actions().suspend->isEnabled());
    EXPECT_FALSE(actions().discardState->isEnabled());
    actions().suspend->trigger();
    ASSERT_TRUE(waitUntil([this] { return actions().discardState->isEnabled(); }));
    EXPECT_EQ(actions().start->text(), QStringLiteral("Re&sume"));
    EXPECT_FALSE(actions().suspend->isEnabled());
    actions().discardState->trigger();
    auto* question = dialog<Question>();
    ASSERT_NE(question, nullptr);
    EXPECT_NE(question->button(QStringLiteral("Discard")), nullptr);
    question->button(QStringLiteral("Cancel"))->click();
}

TEST_F(VerbsTest, AMachineWhoseProcessDoesNotAnswerCanBeStoppedHere) {
    const QString directory = small.add(build);
    auto holder = std::make_unique<OtherProcess>(
        QStringList{QStringLiteral("hold"), directory + QStringLiteral("/config.json")});
    ASSERT_EQ(holder->word(), "held");
    open();
    select(build);
    MachineProblemPage* page = nullptr;
    ASSERT_TRUE(waitUntil([&] {
        page = window->findChild<MachineProblemPage*>();
        return page != nullptr && page->isVisible();
    }));
    EXPECT_TRUE(page->reason().contains(QString::number(holder->pid())));
    QPushButton* stop = nullptr;
    for (QPushButton* button : page->findChildren<QPushButton*>()) {
        if (button->text().startsWith(QStringLiteral("Stop")))
            stop = button;
    }
    ASSERT_NE(stop, nullptr);
    ASSERT_TRUE(stop->isVisible());
    savePicture(*window, QStringLiteral("problem-deaf"));
    stop->click();
    auto* question = dialog<Question>();
    ASSERT_NE(question, nullptr);
    question->button(QStringLiteral("Stop"))->click();
    EXPECT_TRUE(waitUntil([this] { return actions().start->isEnabled(); }));
    EXPECT_TRUE(holder->crashed()) << "by the signal";
}

TEST_F(VerbsTest, AGreyedOneSaysWhy) {
    openRunning();
    for (const QAction* action : actions().all()) {
        if (!action->isEnabled()) {
            EXPECT_FALSE(action->statusTip().isEmpty()) << action->text().toStdString();
            EXPECT_TRUE(action->toolTip().contains(action->statusTip().toHtmlEscaped()));
        }
    }
    EXPECT_TRUE(actions().start->statusTip().contains(QStringLiteral("already running")));
}

TEST_F(VerbsTest, OfAPageWithoutAMachineAreHidden) {
    small.add(build);
    open();
    select(build);
    window->showTransfers();
    settle();
    EXPECT_FALSE(actions().start->isEnabled());
    EXPECT_EQ(actions().start->statusTip(), QStringLiteral("No machine is selected."));
}

TEST_F(VerbsTest, AGuestThatIgnoresShutDownCanBeForcedOff) {
    small.add(build);
    machine = std::make_unique<FakeMachine>(small.library, build);
    machine->shutdownTime = 600000;
    ASSERT_TRUE(machine->start());
    open();
    select(build);
    ASSERT_TRUE(waitUntil([this] { return actions().shutDown->isEnabled(); }));
    clients->setShutDownPatience(20);
    actions().shutDown->trigger();
    MessageBar* message = window->machinePage()->message();
    ASSERT_TRUE(waitUntil([message] { return message->isShown(); }));
    EXPECT_TRUE(message->text().contains(QStringLiteral("has not shut down yet")));
    for (QPushButton* button : message->findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("Force Off…"))
            button->click();
    }
    auto* question = dialog<Question>();
    ASSERT_NE(question, nullptr);
    EXPECT_TRUE(machine->isRunning()); // asked first
    EXPECT_FALSE(question->button(QStringLiteral("Force Off"))->isDefault());
    question->button(QStringLiteral("Force Off"))->click();
    EXPECT_TRUE(waitUntil([this] { return !machine->isRunning(); }));
}

TEST_F(VerbsTest, ForcingOffCanBeCancelled) {
    openRunning();
    actions().forceOff->trigger();
    auto* question = dialog<Question>();
    ASSERT_NE(question, nullptr);
    savePicture(*question, QStringLiteral("question-force-off"));
    question->button(QStringLiteral("Cancel"))->click();
    settle();
    EXPECT_TRUE(machine->isRunning());
}

TEST_F(VerbsTest, MoreMemoryThanIsFreeIsAskedAboutBeforeTheStart) {
    QFile memory(QStringLiteral("/proc/meminfo"));
    ASSERT_TRUE(memory.open(QIODevice::ReadOnly));
    MachineConfig config = SmallLibrary::smallConfig();
    config.memory = // less than the computer has, more than is free on any
        ByteCount::fromMiB(hostMemoryFrom(memory.readAll()).total.wholeMiB() - 1);
    config.cpuCount = 999; // it is refused once it is to start
    small.add(build, config);
    open();
    select(build);
    bool started = false;
    QObject::connect(
        clients.get(), &MachineClients::startFailed, window.get(), [&] { started = true; });
    ASSERT_TRUE(waitUntil([this] { return actions().start->isEnabled(); }));
    actions().start->trigger();
    auto* question = dialog<Question>();
    ASSERT_NE(question, nullptr);
    EXPECT_TRUE(says(*question, QStringLiteral("Start \"build\" all the same?")));
    EXPECT_TRUE(says(*question, QStringLiteral("are free now")));
    EXPECT_TRUE(says(*question, QStringLiteral("Close something first")));
    savePicture(*question, QStringLiteral("question-memory"));
    question->button(QStringLiteral("Cancel"))->click();
    ASSERT_TRUE(waitUntil([this] {
        const auto questions = window->findChildren<Question*>();
        return std::none_of(questions.begin(), questions.end(), [](const Question* shown) {
            return shown->isVisible();
        });
    }));
    EXPECT_FALSE(started);
    actions().start->trigger();
    question = dialog<Question>();
    ASSERT_NE(question, nullptr);
    EXPECT_FALSE(started);
    question->button(QStringLiteral("Start"))->click();
    EXPECT_TRUE(waitUntil([&started] { return started; }, 30000));
}

TEST_F(VerbsTest, CloningSuggestsAFreeName) {
    small.add(build);
    small.add(QStringLiteral("build-2"));
    open();
    select(build);
    actions().clone->trigger();
    auto* ask = dialog<NameDialog>();
    ASSERT_NE(ask, nullptr);
    EXPECT_EQ(ask->field()->text(), QStringLiteral("build-3"));
    savePicture(*ask, QStringLiteral("dialog-clone"));
    ask->close();
}

TEST_F(VerbsTest, DeletingShowsWhatGoesAndCanBeCancelled) {
    const QString directory = small.add(build);
    open();
    select(build);
    actions().remove->trigger();
    auto* question = dialog<Question>();
    ASSERT_NE(question, nullptr);
    QStringList texts;
    for (const QWidget* label : question->findChildren<QWidget*>())
        texts.append(label->accessibleName());
    EXPECT_TRUE(texts.join(QLatin1Char('\n')).contains(QStringLiteral("vms/build")));
    EXPECT_NE(question->button(QStringLiteral("Move to Trash")), nullptr);
    savePicture(*question, QStringLiteral("question-delete"));
    question->close();
    settle();
    EXPECT_TRUE(QDir(directory).exists());
}

TEST_F(VerbsTest, MovingToTheTrashIsToldAndCanBeUndone) {
    const QByteArray before = qgetenv("XDG_DATA_HOME");
    QTemporaryDir data; // a Trash of its own
    qputenv("XDG_DATA_HOME", QFile::encodeName(data.path()));
    QStandardPaths::setTestModeEnabled(false);
    const QString directory = small.add(build);
    small.add(QStringLiteral("other"));
    open();
    select(build);
    actions().remove->trigger();
    auto* question = dialog<Question>();
    ASSERT_NE(question, nullptr);
    question->button(QStringLiteral("Move to Trash"))->click();
    const auto notice = [this]() -> MessageBar* {
        for (MessageBar* bar : window->findChildren<MessageBar*>()) {
            if (bar->isShown() && bar->text() == QStringLiteral("\"build\" is in the Trash."))
                return bar;
        }
        return nullptr;
    };
    ASSERT_TRUE(waitUntil([&] { return notice() != nullptr; }, 60000));
    EXPECT_FALSE(QDir(directory).exists());
    settle();
    savePicture(*window, QStringLiteral("window-trashed"));
    for (QPushButton* button : notice()->findChildren<QPushButton*>()) {
        if (button->text() == QStringLiteral("Undo"))
            button->click();
    }
    EXPECT_TRUE(waitUntil([&] { return QDir(directory).exists() && notice() == nullptr; }));
    EXPECT_TRUE(waitUntil([this] { return window->machinePage()->machineName() == build; }));
    before.isNull() ? qunsetenv("XDG_DATA_HOME") : qputenv("XDG_DATA_HOME", before);
    QStandardPaths::setTestModeEnabled(true);
}

TEST_F(VerbsTest, TheCommandAndTheAddressAreCopied) {
    openRunning();
    actions().copyAddress->trigger();
    EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("127.0.0.1:22022"));
    actions().copySignIn->trigger();
    EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("ssh -p 22022 admin@127.0.0.1"));
    actions().copyCommand->trigger();
    EXPECT_EQ(QGuiApplication::clipboard()->text(),
              QStringLiteral("vitrinectl run build --no-graphics"));
}

TEST(Desktop, WordsForAShellAreQuoted) {
    EXPECT_EQ(shellQuoted(QStringLiteral("plain-1.0")), QStringLiteral("plain-1.0"));
    EXPECT_EQ(shellQuoted(QStringLiteral("two words")), QStringLiteral("'two words'"));
    EXPECT_EQ(shellQuoted(QStringLiteral("it's")), QStringLiteral("'it'\\''s'"));
    EXPECT_EQ(shellQuoted(QString()), QStringLiteral("''"));
}
