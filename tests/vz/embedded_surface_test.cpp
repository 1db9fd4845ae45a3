// SPDX-License-Identifier: Apache-2.0
#include "vz/view/embedded_surface.h"
#include "vz/view/mac_keys.h"

#include <QWidget>
#include <QWindow>

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace vitrine::vz {

namespace {

// What the surface asks of the view, told by the test.
struct Seen {
    QStringList calls;
    ViewHost::Events events;
    const Machine* machine = nullptr;
    bool canRefit = true;
    QSize guest{1024, 768};
    QSize view{2048, 1152};
};

class FakeViewHost final : public ViewHost {
public:
    explicit FakeViewHost(Seen& seen)
        : m_seen(seen) {}
    ~FakeViewHost() override { m_seen.calls << QStringLiteral("gone"); }
    void setEvents(Events events) override { m_seen.events = std::move(events); }
    QWindow* takeWindow() override { return new QWindow; }
    void setMachine(const Machine* machine) override {
        m_seen.machine = machine;
        m_seen.calls << (machine != nullptr ? QStringLiteral("show") : QStringLiteral("clear"));
    }
    void setHidden(bool hidden) override { note("hidden", hidden); }
    void setCapturesSystemKeys(bool captures) override { note("captures", captures); }
    void setRefit(bool refit) override { note("refit", refit); }
    [[nodiscard]] bool canRefit() const override { return m_seen.canRefit; }
    void takeFocus() override { m_seen.events.focusChanged(true); }
    void giveFocusBack() override { m_seen.events.focusChanged(false); }
    void sendKey(quint16 code, bool pressed) override {
        m_seen.calls
            << QStringLiteral("%1%2").arg(pressed ? QLatin1Char('+') : QLatin1Char('-')).arg(code);
    }
    [[nodiscard]] QSize guestSize() const override { return m_seen.guest; }
    [[nodiscard]] QSize viewSize() const override { return m_seen.view; }
    [[nodiscard]] QImage picture() const override { return {}; }

private:
    void note(const char* what, bool on) {
        m_seen.calls << QStringLiteral("%1 %2").arg(QLatin1String(what)).arg(int{on});
    }
    Seen& m_seen;
};

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

} // namespace vitrine::vz
