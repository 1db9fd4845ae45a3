// SPDX-License-Identifier: Apache-2.0
#include "ui/console/console_page.h"

#include "core/machine/display_scale.h"
#include "tests/ui/console/fake_display.h"
#include "ui/console/console_notice.h"
#include "ui/console/console_status_line.h"
#include "ui/console/console_tool_row.h"
#include "ui/widgets/message_bar.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDeadlineTimer>
#include <QFileInfo>
#include <QImage>
#include <QMenu>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>

#include <gtest/gtest.h>

namespace vitrine::ui {

using test::FakeDisplay;

namespace {

template <class Condition>
bool waitFor(Condition condition, int milliseconds = 60000) {
    QDeadlineTimer deadline(milliseconds);
    while (!condition()) {
        if (deadline.hasExpired()) {
            return false;
        }
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
    }
    return true;
}

struct ConsolePageTest : testing::Test {
    ConsolePageTest() {
        page = std::make_unique<ConsolePage>(
            ConsolePage::OpenDisplay([this](const QString& socket) -> std::unique_ptr<Display> {
                sockets.append(socket);
                auto owned = std::make_unique<FakeDisplay>();
                owned->connectsAtOnce = connectsAtOnce;
                display = owned.get();
                return owned;
            }));
        page->resize(1000, 600);
        page->show();
        facts.name = QStringLiteral("box");
        facts.directory = QStringLiteral("/library/vms/box");
    }

    void run(MachineState state = MachineState::Running) {
        facts.state = state;
        facts.answers = true;
        facts.socket = QStringLiteral("/run/box/vnc.sock");
        page->showFacts(facts);
    }
    void stop() {
        facts.state = MachineState::Stopped;
        facts.answers = false;
        facts.socket.clear();
        page->showFacts(facts);
    }

    ConsoleFacts facts;
    QStringList sockets;
    FakeDisplay* display = nullptr;
    bool connectsAtOnce = true;
    std::unique_ptr<ConsolePage> page;
};

} // namespace

TEST_F(ConsolePageTest, AStoppedMachineSaysSoAndOffersToStart) {
    page->showFacts(facts);
    EXPECT_FALSE(page->isScreenShown());
    EXPECT_EQ(page->notice()->title(), QStringLiteral("\"box\" is not running"));
    EXPECT_TRUE(page->notice()->button()->isVisible());
    int asked = 0;
    QObject::connect(page.get(), &ConsolePage::startRequested, page.get(), [&] { ++asked; });
    page->notice()->button()->click();
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(page->notice()->title(), QStringLiteral("\"box\" is starting"));
    EXPECT_TRUE(page->notice()->text().contains(QStringLiteral("Since 0 s")));
    EXPECT_FALSE(page->notice()->button()->isVisible());
    EXPECT_TRUE(sockets.isEmpty());
    EXPECT_FALSE(page->toolRow()->pictureButton()->isEnabled());
    EXPECT_FALSE(page->fullScreenAction()->isEnabled());
}

TEST_F(ConsolePageTest, AFailedStartKeepsItsReasonAndLogUntilTheNext) {
    page->showFacts(facts);
    page->setStarting();
    page->setStartFailure(QStringLiteral("The disk is in use."), QStringLiteral("line\nlast line"));
    EXPECT_EQ(page->notice()->title(), QStringLiteral("\"box\" could not be started"));
    EXPECT_EQ(page->notice()->text(), QStringLiteral("The disk is in use."));
    EXPECT_TRUE(page->notice()->log().endsWith(QStringLiteral("last line")));
    page->showFacts(facts);
    EXPECT_EQ(page->notice()->text(), QStringLiteral("The disk is in use."));
    page->setStarting();
    EXPECT_TRUE(page->notice()->log().isEmpty());
}

TEST_F(ConsolePageTest, ARunningMachineShowsItsScreen) {
    run();
    EXPECT_EQ(sockets, QStringList{QStringLiteral("/run/box/vnc.sock")});
    EXPECT_EQ(display->connects, 1);
    EXPECT_FALSE(page->isScreenShown()) << "no picture yet";
    display->resize({1280, 800}, 0x123456);
    EXPECT_TRUE(page->isScreenShown());
    EXPECT_TRUE(page->toolRow()->pictureButton()->isEnabled());
    EXPECT_TRUE(page->toolRow()->scaleText().startsWith(QStringLiteral("at "))) << "at 65 %";
    EXPECT_TRUE(page->statusLine()->text().contains(QStringLiteral("press Enter")));
    page->surface()->grabKeyboard();
    EXPECT_TRUE(page->statusLine()->text().startsWith(
        QStringLiteral("Keyboard is in the guest. Press Right Ctrl to give it back;")));
    EXPECT_TRUE(waitFor([this] { return !page->statusLine()->rateText().isEmpty(); }));
}

TEST_F(ConsolePageTest, AHiddenPageFetchesNothing) {
    page->hide();
    run();
    ASSERT_TRUE(display == nullptr || display->connects == 0);
    page->show();
    ASSERT_NE(display, nullptr);
    EXPECT_EQ(display->connects, 1);
    display->resize({640, 480});
    page->hide();
    EXPECT_EQ(display->disconnects, 1);
    EXPECT_EQ(display->state(), Display::State::Disconnected);
    page->show();
    EXPECT_EQ(display->connects, 2);
    EXPECT_EQ(sockets.size(), 1) << "the same display, with its last picture";
}

TEST_F(ConsolePageTest, AMinimisedWindowFetchesNothing) {
    run();
    display->resize({640, 480});
    page->showMinimized();
    ASSERT_TRUE(waitFor([this] { return display->disconnects == 1; }));
    page->showNormal();
    EXPECT_TRUE(waitFor([this] { return display->connects == 2; }));
}

TEST_F(ConsolePageTest, APausedMachineOffersToResume) {
    run(MachineState::Paused);
    display->resize({640, 480});
    EXPECT_TRUE(page->isScreenShown());
    EXPECT_TRUE(page->messageBar()->isShown());
    EXPECT_TRUE(page->messageBar()->text().contains(QStringLiteral("paused")));
    int resumed = 0;
    QObject::connect(page.get(), &ConsolePage::resumeRequested, page.get(), [&] { ++resumed; });
    for (QPushButton* button : page->messageBar()->findChildren<QPushButton*>()) {
        button->click();
    }
    EXPECT_EQ(resumed, 1);
    run();
    EXPECT_FALSE(page->messageBar()->isShown());
}

TEST_F(ConsolePageTest, TheLastPictureStaysWhileItConnectsAgain) {
    run();
    display->resize({640, 480});
    display->setState(Display::State::Connecting);
    Q_EMIT display->failed(QStringLiteral("Nothing answers."));
    EXPECT_TRUE(page->isScreenShown());
    EXPECT_TRUE(page->messageBar()->text().contains(QStringLiteral("Nothing answers.")));
    display->setState(Display::State::Connected);
    EXPECT_FALSE(page->messageBar()->isShown());

    // The machine's process does not answer for a while, and then a new one does.
    facts.answers = false;
    facts.socket.clear();
    page->showFacts(facts);
    EXPECT_TRUE(page->isScreenShown());
    EXPECT_TRUE(page->messageBar()->isShown());
    run();
    EXPECT_EQ(sockets.size(), 1);
    EXPECT_FALSE(page->messageBar()->isShown());
}

TEST_F(ConsolePageTest, AStopAndAnotherStartMakeANewScreen) {
    run();
    display->resize({640, 480});
    stop();
    EXPECT_FALSE(page->isScreenShown());
    EXPECT_EQ(page->surface(), nullptr);
    run();
    EXPECT_EQ(sockets.size(), 2);
    EXPECT_FALSE(page->isScreenShown());
}

TEST_F(ConsolePageTest, AnotherMachineTakesThePageOver) {
    run();
    display->resize({640, 480});
    ConsoleFacts other;
    other.name = QStringLiteral("other");
    other.directory = QStringLiteral("/library/vms/other");
    page->showFacts(other);
    EXPECT_EQ(page->surface(), nullptr);
    EXPECT_EQ(page->notice()->title(), QStringLiteral("\"other\" is not running"));
}

TEST_F(ConsolePageTest, AScreenThatCannotBeReachedSaysWhy) {
    connectsAtOnce = false;
    run();
    EXPECT_EQ(page->notice()->title(), QStringLiteral("Connecting to the screen"));
    Q_EMIT display->failed(QStringLiteral("It belongs to another user."));
    EXPECT_EQ(page->notice()->text(), QStringLiteral("It belongs to another user."));
}

TEST_F(ConsolePageTest, OtherStatesHaveTheirWords) {
    facts.state = MachineState::Broken;
    facts.reason = QStringLiteral("Its settings cannot be read.");
    page->showFacts(facts);
    EXPECT_EQ(page->notice()->text(), facts.reason);
    facts.state = MachineState::RunningElsewhere;
    facts.holderPid = 4711;
    page->showFacts(facts);
    EXPECT_TRUE(page->notice()->text().contains(QLocale().toString(4711)));
    facts.state = MachineState::Suspended;
    page->showFacts(facts);
    EXPECT_TRUE(page->notice()->title().contains(QStringLiteral("suspended")));
    facts.state = MachineState::Starting;
    facts.startedAt = QDateTime::currentDateTimeUtc().addSecs(-75);
    page->showFacts(facts);
    EXPECT_TRUE(page->notice()->text().contains(QStringLiteral("1 min 15 s")))
        << page->notice()->text().toStdString();
    facts.state = MachineState::Running;
    facts.answers = false;
    page->showFacts(facts);
    EXPECT_TRUE(page->notice()->title().startsWith(QStringLiteral("Waiting for")));
}

TEST_F(ConsolePageTest, TheSizeIsChosenInTheToolRow) {
    run();
    display->resize({2000, 1500});
    QAbstractButton* natural = page->toolRow()->button(ConsoleSurface::Scaling::Natural);
    natural->click();
    EXPECT_EQ(page->surface()->scaling(), ConsoleSurface::Scaling::Natural);
    EXPECT_EQ(page->toolRow()->scaleText(), QStringLiteral("at 100 %"));
    QAbstractButton* follow = page->toolRow()->button(ConsoleSurface::Scaling::Follow);
    follow->click();
    ASSERT_FALSE(display->wantedSizes.isEmpty());
    Q_EMIT display->resizeAnswered(3);
    EXPECT_FALSE(follow->isEnabled());
    EXPECT_FALSE(follow->toolTip().isEmpty()) << "a greyed control says why";
    EXPECT_TRUE(page->toolRow()->button(ConsoleSurface::Scaling::Fit)->isChecked());
}

TEST_F(ConsolePageTest, TheScaleOfTheSettingsIsHeededAtOnce) {
    const QTemporaryDir folder;
    facts.directory = folder.path();
    const auto store = [&folder](DisplayScale scale) {
        return Sidecar::update(folder.path(),
                               [scale](Sidecar& sidecar) { setDisplayScale(sidecar, scale); });
    };
    const auto comesTo = [this](double scale) {
        return waitFor([&] { return qFuzzyCompare(page->surface()->scale(), scale); });
    };
    ASSERT_TRUE(store(200));
    run();
    display->resize({400, 300});
    page->surface()->setScaling(ConsoleSurface::Scaling::Natural);
    EXPECT_TRUE(comesTo(0.5));
    ASSERT_TRUE(store(50));
    EXPECT_TRUE(comesTo(2));
    ASSERT_TRUE(store(automaticDisplayScale));
    EXPECT_TRUE(comesTo(1));
    // Another machine has its own.
    ASSERT_TRUE(store(200));
    EXPECT_TRUE(comesTo(0.5));
    facts.directory = QStringLiteral("/library/vms/other");
    run();
    display->resize({400, 300});
    page->surface()->setScaling(ConsoleSurface::Scaling::Natural);
    EXPECT_DOUBLE_EQ(page->surface()->scale(), 1);
}

TEST_F(ConsolePageTest, KeysAreSentFromTheMenu) {
    run();
    display->resize({640, 480});
    ASSERT_FALSE(page->keysMenu()->actions().isEmpty());
    page->keysMenu()->actions().first()->trigger();
    EXPECT_EQ(display->keys.size(), 6);
    EXPECT_EQ(display->keys.at(2).qnum, 0xd3U);
}

TEST_F(ConsolePageTest, FullScreenTakesTheScreenAlongAndBringsItBack) {
    run();
    display->resize({640, 480});
    page->setFullScreen(true);
    EXPECT_TRUE(page->isFullScreenShown());
    EXPECT_NE(page->surface()->widget()->window(), page->window());
    page->hide(); // e.g. another page of the window is chosen
    EXPECT_EQ(display->disconnects, 0) << "it is still seen";
    page->show();
    page->setFullScreen(false);
    EXPECT_FALSE(page->isFullScreenShown());
    EXPECT_EQ(page->surface()->widget()->window(), page->window());
    EXPECT_TRUE(page->surface()->widget()->isVisible());
    page->setFullScreen(true);
    stop();
    EXPECT_FALSE(page->isFullScreenShown()) << "there is nothing left to show";
}

TEST_F(ConsolePageTest, APictureIsWrittenWholeOrNotAtAll) {
    run();
    display->resize({320, 200}, 0x123456);
    const QTemporaryDir directory;
    const QString path = directory.filePath(QStringLiteral("picture.png"));
    QString saved;
    QObject::connect(page.get(), &ConsolePage::pictureSaved, page.get(), [&](const QString& done) {
        saved = done;
    });
    page->savePicture(path);
    ASSERT_TRUE(waitFor([&] { return !saved.isEmpty(); }));
    const QImage picture(path);
    EXPECT_EQ(picture.size(), QSize(320, 200));
    EXPECT_EQ(picture.pixelColor(5, 5), QColor(0x12, 0x34, 0x56));

    page->savePicture(QStringLiteral("/nowhere/at/all.png"));
    ASSERT_TRUE(waitFor([&] { return page->messageBar()->isShown(); }));
    EXPECT_TRUE(page->messageBar()->text().contains(QStringLiteral("/nowhere/at/all.png")));
    page->savePicture(QStringLiteral("/nowhere/again.png"));
    page.reset(); // its answer goes nowhere
    QCoreApplication::processEvents();
}

} // namespace vitrine::ui
