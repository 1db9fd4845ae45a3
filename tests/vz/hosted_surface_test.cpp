// SPDX-License-Identifier: Apache-2.0
#include "vz/view/hosted_surface.h"

#include "tests/vz/fake_view_host.h"
#include "tests/vz/plan/fake_vz_machine.h"
#include "vz/plan/hosted_screens.h"

#include <gtest/gtest.h>

#include <memory>

namespace vitrine::vz {

namespace {

using test::FakeViewHost;
using test::FakeVzMachine;
using test::Seen;

const QString mac = QStringLiteral("sequoia");

class FakeScreens final : public HostedScreens {
public:
    Machine* machine(const QString& name) const override { return name == mac ? made : nullptr; }
    bool isPaused(const QString& name) const override { return name == mac && paused; }
    bool capturesSystemKeys(const QString& name) const override { return name == mac && captures; }
    Machine* made = nullptr;
    bool paused = false;
    bool captures = false;
};

class HostedSurfaceTest : public testing::Test {
protected:
    void open() {
        surface = makeHostedSurface(screens.get(), mac, std::make_unique<FakeViewHost>(seen));
    }
    Seen seen;
    FakeVzMachine machine;
    std::unique_ptr<FakeScreens> screens = std::make_unique<FakeScreens>();
    std::unique_ptr<EmbeddedSurface> surface;
};

} // namespace

TEST_F(HostedSurfaceTest, ShowsAMachineThatIsThereAlready) {
    screens->made = &machine;
    screens->paused = true;
    open();
    EXPECT_EQ(seen.machine, &machine);
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("hidden 1"));
    EXPECT_FALSE(surface->keyboardNote().isEmpty()) << "keys of the system stay";
}

TEST_F(HostedSurfaceTest, FollowsWhatTheHostTellsOfItsMachineOnly) {
    open();
    EXPECT_EQ(surface->link(), ui::ConsoleSurface::Link::Off);
    screens->made = &machine;
    Q_EMIT screens->shown(QStringLiteral("other"));
    EXPECT_EQ(seen.machine, nullptr);
    Q_EMIT screens->shown(mac);
    EXPECT_EQ(seen.machine, &machine);
    Q_EMIT screens->pausedChanged(QStringLiteral("other"), true);
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("hidden 0"));
    Q_EMIT screens->pausedChanged(mac, true);
    EXPECT_EQ(seen.calls.constLast(), QStringLiteral("hidden 1"));
    Q_EMIT screens->pausedChanged(mac, false);
    seen.guest = QSize(1920, 1200);
    Q_EMIT screens->displayReconfigured(mac);
    EXPECT_EQ(surface->guestSize(), QSize(1920, 1200));
    Q_EMIT screens->gone(QStringLiteral("other"));
    EXPECT_EQ(seen.machine, &machine);
    Q_EMIT screens->gone(mac);
    EXPECT_EQ(seen.machine, nullptr) << "before the machine goes";
}

TEST_F(HostedSurfaceTest, AHostThatGoesTakesTheMachineOffTheView) {
    screens->made = &machine;
    screens->captures = true;
    open();
    EXPECT_TRUE(surface->keyboardNote().isEmpty()) << "all keys are the guest's";
    screens.reset();
    EXPECT_EQ(seen.machine, nullptr);
}

} // namespace vitrine::vz
