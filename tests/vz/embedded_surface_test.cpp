// SPDX-License-Identifier: Apache-2.0
#include "vz/view/embedded_surface.h"

#include "tests/support/gui_support.h"
#include "tests/vz/fake_view_host.h"
#include "vz/view/mac_keys.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <QWidget>

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace vitrine::vz {

namespace {

using test::FakeViewHost;
using test::Seen;

class EmbeddedSurfaceTest : public testing::Test {
protected:
    void make(EmbeddedSurface::Keys keys = EmbeddedSurface::Keys::Ordinary) {
        surface = std::make_unique<EmbeddedSurface>(std::make_unique<FakeViewHost>(seen), keys);
    }
    template <class Signal>
    void count(Signal signal, int& times) {
        QObject::connect(surface.get(), signal, surface.get(), [&times] { ++times; });
    }
    // Never looked into by a surface.
    [[nodiscard]] const Machine* machine() const {
        return reinterpret_cast<const Machine*>(&storage);
    }
    char storage = 0;
    Seen seen;
    std::unique_ptr<EmbeddedSurface> surface;
};

using Scaling = ui::ConsoleSurface::Scaling;

} // namespace

TEST_F(EmbeddedSurfaceTest, IsLiveWhileThereIsAMachine) {
    make();
    int links = 0;
    count(&ui::ConsoleSurface::linkChanged, links);
    EXPECT_EQ(surface->link(), ui::ConsoleSurface::Link::Off);
    EXPECT_TRUE(surface->guestSize().isEmpty());
    EXPECT_EQ(surface->scale(), 0);
    surface->setMachine(machine());
    EXPECT_EQ(surface->link(), ui::ConsoleSurface::Link::Live);
    EXPECT_EQ(surface->guestSize(), QSize(1024, 768));
    EXPECT_EQ(surface->scale(), 1.5); // 1152 / 768
    surface->setMachine(nullptr);
    EXPECT_EQ(seen.machine, nullptr);
    EXPECT_EQ(links, 2);
}

TEST_F(EmbeddedSurfaceTest, LetsTheMachineGoBeforeTheViewGoes) {
    make();
    surface->setMachine(machine());
    surface.reset();
    ASSERT_GE(seen.calls.size(), 2);
    EXPECT_EQ(seen.calls.mid(seen.calls.size() - 2),
              (QStringList{QStringLiteral("clear"), QStringLiteral("gone")}));
}

TEST_F(EmbeddedSurfaceTest, OutlivesAWidgetThatItsParentTookWithIt) {
    make();
    auto parent = std::make_unique<QWidget>();
    surface->widget()->setParent(parent.get());
    parent.reset();
    surface.reset();
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("gone"));
}

TEST_F(EmbeddedSurfaceTest, ShowsNothingWhileItIsStopped) {
    make();
    surface->setMachine(machine());
    surface->stop();
    EXPECT_EQ(seen.machine, nullptr);
    surface->start();
    EXPECT_EQ(seen.machine, machine());
}

TEST_F(EmbeddedSurfaceTest, TheKeyboardFollowsTheFocusOfTheView) {
    make(EmbeddedSurface::Keys::SystemToo);
    surface->grabKeyboard(); // no machine: nothing to type into
    EXPECT_FALSE(surface->isKeyboardGrabbed());
    surface->setMachine(machine());
    int changes = 0;
    count(&ui::ConsoleSurface::keyboardChanged, changes);
    seen.events.focusChanged(true); // a click
    EXPECT_TRUE(surface->isKeyboardGrabbed());
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("captures 1"));
    seen.events.releaseAsked();
    EXPECT_FALSE(surface->isKeyboardGrabbed());
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("captures 0"));
    EXPECT_EQ(changes, 2);
    EXPECT_TRUE(surface->keyboardNote().isEmpty());
}

TEST_F(EmbeddedSurfaceTest, WithoutCaptureTheKeysOfTheSystemStayAndThatIsSaid) {
    make();
    surface->setMachine(machine());
    surface->grabKeyboard();
    EXPECT_TRUE(surface->isKeyboardGrabbed());
    EXPECT_FALSE(seen.calls.contains(QStringLiteral("captures 1")));
    EXPECT_FALSE(surface->keyboardNote().isEmpty());
}

TEST_F(EmbeddedSurfaceTest, APausedMachineIsHiddenAndHasNoKeyboard) {
    make();
    surface->setMachine(machine());
    surface->grabKeyboard();
    surface->setPaused(true);
    EXPECT_FALSE(surface->isKeyboardGrabbed());
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("hidden 1"));
    surface->setPaused(false);
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("hidden 0"));
}

TEST_F(EmbeddedSurfaceTest, TheGuestFollowsWhereItCan) {
    make();
    int scalings = 0;
    count(&ui::ConsoleSurface::scalingChanged, scalings);
    surface->setScaling(Scaling::Follow);
    EXPECT_EQ(surface->scaling(), Scaling::Follow);
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("refit 1"));
    EXPECT_TRUE(surface->followReason().isEmpty());
    surface->setScaling(Scaling::Natural); // there is none
    EXPECT_FALSE(surface->naturalReason().isEmpty());
    EXPECT_EQ(surface->scaling(), Scaling::Fit);
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("refit 0"));
    EXPECT_EQ(scalings, 2);
}

TEST_F(EmbeddedSurfaceTest, BeforeMacOs14ItSaysWhyTheGuestDoesNotFollow) {
    seen.canRefit = false;
    make();
    surface->setScaling(Scaling::Follow);
    EXPECT_EQ(surface->scaling(), Scaling::Fit);
    EXPECT_TRUE(surface->followReason().contains(QStringLiteral("14")));
}

TEST_F(EmbeddedSurfaceTest, ANewSizeOfTheGuestIsTold) {
    make();
    surface->setMachine(machine());
    int sizes = 0;
    count(&ui::ConsoleSurface::guestSizeChanged, sizes);
    seen.guest = QSize(1920, 1080);
    surface->displayReconfigured();
    EXPECT_EQ(sizes, 1);
    EXPECT_EQ(surface->guestSize(), QSize(1920, 1080));
    surface->displayReconfigured();
    EXPECT_EQ(sizes, 1);
}

TEST_F(EmbeddedSurfaceTest, CombinationsAreSentWholeOrNotAtAll) {
    make();
    surface->sendKeys({{}, {{0, 0x1d}, {0, 0x38}, {0, 0xd3}}}); // Ctrl+Alt+Del
    EXPECT_EQ(seen.calls,
              (QStringList{QStringLiteral("+59"),
                           QStringLiteral("+58"),
                           QStringLiteral("+117"),
                           QStringLiteral("-117"),
                           QStringLiteral("-58"),
                           QStringLiteral("-59")}));
    seen.calls.clear();
    surface->sendKeys({{}, {{0, 0x1d}, {0, 0x7f}}});
    EXPECT_TRUE(seen.calls.isEmpty());
}

TEST_F(EmbeddedSurfaceTest, EveryCombinationOfTheConsoleHasKeysOnAMac) {
    for (const auto& group : ui::sendableCombinations())
        for (const ui::KeyCombination& combination : group)
            for (const ui::GuestKey& key : combination.keys)
                EXPECT_TRUE(macKeyOf(key.qnum)) << qPrintable(combination.text);
}

TEST_F(EmbeddedSurfaceTest, AssistiveTechnologyHearsItsName) {
    make();
    surface->setMachineName(QStringLiteral("sequoia"));
    EXPECT_TRUE(surface->widget()->accessibleName().contains(QStringLiteral("sequoia")));
}

TEST_F(EmbeddedSurfaceTest, WordsAreInThePlaceOfAPausedMachine) {
    make();
    surface->setMachine(machine());
    surface->widget()->resize(640, 400);
    surface->widget()->show();
    const auto* words = surface->widget()->findChild<QLabel*>();
    ASSERT_NE(words, nullptr);
    EXPECT_FALSE(words->isVisible());
    surface->setPaused(true);
    EXPECT_TRUE(words->isVisible());
    EXPECT_EQ(words->size(), surface->widget()->size()) << "all the room is theirs";
    surface->setPaused(false);
    EXPECT_FALSE(words->isVisible());
}

TEST_F(EmbeddedSurfaceTest, CoveringHidesTheViewAndAPausedOneStaysHidden) {
    make();
    surface->setMachine(machine());
    EXPECT_TRUE(surface->isNative());
    surface->setCovered(true);
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("hidden 1"));
    surface->setPaused(true);
    surface->setCovered(false);
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("hidden 1"));
    surface->setPaused(false);
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("hidden 0"));
}

TEST_F(EmbeddedSurfaceTest, ThereIsAPictureAlsoWhereTheSizeIsUnknown) {
    seen.guest = {}; // before macOS 14
    make();
    EXPECT_FALSE(surface->hasPicture());
    surface->setMachine(machine());
    EXPECT_TRUE(surface->guestSize().isEmpty());
    EXPECT_TRUE(surface->hasPicture());
}

TEST_F(EmbeddedSurfaceTest, TheFocusGoesBothWays) {
    make();
    surface->setMachine(machine());
    QWidget window;
    auto* layout = new QVBoxLayout(&window);
    auto* other = new QPushButton(QStringLiteral("List"), &window);
    layout->addWidget(other);
    layout->addWidget(surface->widget());
    window.show();
    ASSERT_TRUE(vitrine::test::waitUntil([&] { // the view's own window is in front at first
        window.activateWindow();
        other->setFocus();
        return other->hasFocus();
    }));
    seen.events.focusChanged(true); // a click into the view, of which Qt hears nothing
    EXPECT_FALSE(other->hasFocus());
    EXPECT_TRUE(surface->isKeyboardGrabbed());
    other->setFocus(); // by its shortcut
    EXPECT_FALSE(surface->isKeyboardGrabbed());
    EXPECT_TRUE(other->hasFocus());
    layout->removeWidget(surface->widget());
    surface->widget()->setParent(nullptr);
}

} // namespace vitrine::vz
