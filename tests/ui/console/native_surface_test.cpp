// SPDX-License-Identifier: Apache-2.0
// The console page over a view of the system's own, of a machine that this process hosts.
#include "tests/support/gui_support.h"
#include "tests/ui/console/fake_native_surface.h"
#include "ui/console/console_notice.h"
#include "ui/console/console_page.h"
#include "ui/console/console_status_line.h"
#include "ui/console/full_screen_window.h"
#include "ui/widgets/message_bar.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>

#include <gtest/gtest.h>

namespace vitrine::ui {

using vitrine::test::FakeNativeSurface;
using vitrine::test::savePicture;
using vitrine::test::waitUntil;

namespace {

class NativeSurfaceTest : public testing::Test {
protected:
    void SetUp() override {
        page = std::make_unique<ConsolePage>(
            ConsolePage::Hosted{[this](const QString& name) { return hosted.contains(name); },
                                [this](const QString& name) -> std::unique_ptr<ConsoleSurface> {
                                    opened.append(name);
                                    auto made = std::make_unique<FakeNativeSurface>();
                                    surface = made.get();
                                    return made;
                                }});
        page->resize(1000, 600);
        page->show();
        info.name = QStringLiteral("sequoia");
        info.directory = QStringLiteral("/library/vms/sequoia");
        facts.name = info.name;
        facts.directory = info.directory;
    }
    void run(ConsoleFacts::Screen screen, MachineState state = MachineState::Running) {
        facts.state = state;
        facts.answers = true;
        facts.socket = QStringLiteral("/run/sequoia/vnc.sock"); // nobody listens there
        facts.screen = screen;
        page->showFacts(facts);
    }
    ConsoleFacts facts;
    MachineInfo info;
    QStringList hosted;
    QStringList opened;
    FakeNativeSurface* surface = nullptr;
    std::unique_ptr<ConsolePage> page;
};

} // namespace

TEST_F(NativeSurfaceTest, TheScreenOfAHostedMachineIsOpenedByItsName) {
    run(ConsoleFacts::Screen::Hosted);
    EXPECT_EQ(opened, QStringList{QStringLiteral("sequoia")});
    EXPECT_TRUE(page->isScreenShown()) << "also without knowing its size";
    EXPECT_TRUE(page->fullScreenAction()->isEnabled());
    const QAbstractButton* natural = page->toolRow()->button(ConsoleSurface::Scaling::Natural);
    EXPECT_FALSE(natural->isEnabled());
    EXPECT_EQ(natural->toolTip(), surface->naturalReason());
    run(ConsoleFacts::Screen::Hosted, MachineState::ShuttingDown);
    EXPECT_EQ(opened.size(), 1) << "the same view";
    facts.state = MachineState::Stopped;
    page->showFacts(facts);
    EXPECT_EQ(page->surface(), nullptr);
}

TEST_F(NativeSurfaceTest, APausedOneSaysSoBesideTheView) {
    run(ConsoleFacts::Screen::Hosted);
    run(ConsoleFacts::Screen::Hosted, MachineState::Paused);
    ASSERT_TRUE(page->messageBar()->isVisible());
    EXPECT_TRUE(page->messageBar()->text().contains(QStringLiteral("paused")));
    const QRect words(page->messageBar()->mapTo(page.get(), QPoint()), page->messageBar()->size());
    const QRect view(surface->widget()->mapTo(page.get(), QPoint()), surface->widget()->size());
    EXPECT_FALSE(words.intersects(view));
    savePicture(*page, QStringLiteral("console-native-paused"));
}

TEST_F(NativeSurfaceTest, WhatIsPaintedOverThePageCoversTheView) {
    page->setCovered(true);
    run(ConsoleFacts::Screen::Hosted);
    EXPECT_TRUE(surface->covered);
    page->setCovered(false);
    EXPECT_FALSE(surface->covered);
}

TEST_F(NativeSurfaceTest, TheWordsOfFullScreenAreAboveTheView) {
    run(ConsoleFacts::Screen::Hosted);
    page->setFullScreen(true);
    auto* window = page->findChild<FullScreenWindow*>();
    ASSERT_NE(window, nullptr);
    const auto* hint = window->findChild<QLabel*>(QString(), Qt::FindDirectChildrenOnly);
    ASSERT_NE(hint, nullptr);
    ASSERT_TRUE(waitUntil([&] { return hint->isVisible() && surface->widget()->y() > 0; }));
    EXPECT_FALSE(hint->geometry().intersects(surface->widget()->geometry()));
    page->setFullScreen(false);
    EXPECT_TRUE(page->isScreenShown());
}

TEST_F(NativeSurfaceTest, AClickIntoTheViewIsToldByTheStatusLine) {
    run(ConsoleFacts::Screen::Hosted);
    surface->grab(true);
    EXPECT_TRUE(page->statusLine()->text().contains(QStringLiteral("in the guest")));
    EXPECT_TRUE(page->statusLine()->text().contains(surface->keyboardNote()));
    EXPECT_TRUE(page->statusLine()->rateText().isEmpty()) << "its pictures are not counted";
}

TEST_F(NativeSurfaceTest, AMachineWithoutAWindowSaysWhyItsScreenIsNotHere) {
    run(ConsoleFacts::Screen::Elsewhere);
    EXPECT_TRUE(opened.isEmpty());
    EXPECT_FALSE(page->isScreenShown());
    EXPECT_EQ(page->notice()->title(),
              QStringLiteral("The screen of \"sequoia\" cannot be shown here"));
    EXPECT_TRUE(page->notice()->text().contains(QStringLiteral("--no-graphics")));
    EXPECT_FALSE(page->notice()->button()->isVisible());
    savePicture(*page, QStringLiteral("console-elsewhere"));
}

TEST_F(NativeSurfaceTest, WhoseScreenItIsIsAskedOfTheHost) {
    info.state = MachineState::Running;
    page->showMachine(info, nullptr);
    EXPECT_TRUE(opened.isEmpty()) << "of a process of its own";
    hosted.append(info.name);
    page->showMachine(info, nullptr);
    EXPECT_EQ(opened, QStringList{info.name});
}

} // namespace vitrine::ui
