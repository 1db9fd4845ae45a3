// SPDX-License-Identifier: Apache-2.0
#include "vz/view/hosted_surface.h"

#include "tests/support/event_wait.h"
#include "tests/vz/fake_view_host.h"
#include "tests/vz/plan/fake_vz_machine.h"
#include "vz/plan/hosted_screens.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>

namespace vitrine::vz {

namespace {

using test::FakeViewHost;
using test::FakeVzMachine;
using test::Seen;
using vitrine::test::waitUntil;

const QString mac = QStringLiteral("sequoia");

class FakeScreens final : public HostedScreens {
public:
    Machine* machine(const QString& name) const override { return name == mac ? made : nullptr; }
    bool isPaused(const QString& name) const override { return name == mac && paused; }
    bool capturesSystemKeys(const QString& name) const override { return name == mac && captures; }
    void setPictures(const QString& name, QObject*, TakeScreen wanted) override {
        EXPECT_EQ(name, mac);
        take = std::move(wanted);
    }
    TakeScreen take;
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

TEST_F(HostedSurfaceTest, ThereIsAPictureAsLongAsItIsShown) {
    const auto taken = [this] {
        std::optional<Result<ScreenPicture>> answer;
        screens->take([&answer](const Result<ScreenPicture>& picture) { answer = picture; });
        EXPECT_TRUE(waitUntil([&] { return answer.has_value(); }));
        return answer.value_or(fail(Error::cancelled()));
    };
    const auto colour = [](const ScreenPicture& picture) {
        return QImage::fromData(picture.png, "PNG").pixelColor(3, 2);
    };
    open();
    EXPECT_EQ(taken().error().kind, Error::Kind::Busy) << "there is no machine yet";
    screens->made = &machine;
    Q_EMIT screens->shown(mac);
    EXPECT_EQ(taken().error().kind, Error::Kind::Unsupported) << "the system gives none";
    seen.picture = QImage(8, 6, QImage::Format_RGBA8888_Premultiplied);
    seen.picture.fill(Qt::transparent);
    EXPECT_EQ(taken().error().kind, Error::Kind::Unsupported) << "nothing was drawn";
    seen.picture.fill(Qt::black);
    EXPECT_TRUE(taken()) << "a guest may show that";
    seen.picture.fill(Qt::red);
    const auto picture = taken();
    ASSERT_TRUE(picture);
    EXPECT_EQ(QSize(picture->width, picture->height), QSize(8, 6));
    EXPECT_EQ(colour(*picture), QColor(Qt::red));

    // The view is hidden while it is paused: the last picture stays, and so does the console's.
    screens->paused = true;
    Q_EMIT screens->pausedChanged(mac, true);
    seen.picture.fill(Qt::transparent);
    surface->stop();
    EXPECT_EQ(colour(*taken()), QColor(Qt::red));
    EXPECT_EQ(surface->picture().pixelColor(3, 2), QColor(Qt::red));
    Q_EMIT screens->pausedChanged(mac, false);
    EXPECT_EQ(taken().error().kind, Error::Kind::Busy) << "another page is shown";
    seen.picture.fill(Qt::blue);
    surface->start();
    EXPECT_EQ(colour(*taken()), QColor(Qt::blue));
}

} // namespace vitrine::vz
