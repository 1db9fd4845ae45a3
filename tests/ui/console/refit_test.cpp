// SPDX-License-Identifier: Apache-2.0
// The guest's resolution follows the window. Run at the desktop's scale 1 and 2.
#include "tests/support/gui_support.h"
#include "tests/ui/console/fake_display.h"
#include "ui/console/framebuffer_surface.h"
#include "ui/console/framebuffer_view.h"

#include <gtest/gtest.h>

namespace vitrine::ui {

using test::FakeDisplay;
using test::waitUntil;

namespace {

struct RefitTest : testing::Test {
    RefitTest() {
        auto owned = std::make_unique<FakeDisplay>();
        display = owned.get();
        surface = std::make_unique<FramebufferSurface>(std::move(owned));
        surface->widget()->resize(900, 700);
        surface->widget()->show();
        surface->start();
        display->resize({800, 600});
    }
    // Of the room in the window, in pixels of this screen.
    [[nodiscard]] QSize room() const {
        const QWidget* widget = surface->widget();
        const int border = 2 * FramebufferView::room;
        const QSize pixels =
            ((widget->size() - QSize(border, border)).toSizeF() * widget->devicePixelRatioF())
                .toSize();
        return {pixels.width() & ~7, pixels.height()};
    }
    [[nodiscard]] bool asks(QSize size) const {
        return waitUntil(
            [&] { return !display->wantedSizes.isEmpty() && display->wantedSizes.last() == size; },
            3000);
    }

    FakeDisplay* display = nullptr;
    std::unique_ptr<FramebufferSurface> surface;
};

} // namespace

TEST_F(RefitTest, TheDesktopsScaleIsThatOfThisRun) {
    EXPECT_EQ(surface->widget()->devicePixelRatioF(),
              qEnvironmentVariable("QT_SCALE_FACTOR").toDouble());
}

TEST_F(RefitTest, AsksForTheRoomInPixelsOfThisScreen) {
    surface->setScaling(ConsoleSurface::Scaling::Follow);
    ASSERT_TRUE(asks(room()));
    display->resize(room());
    EXPECT_DOUBLE_EQ(surface->scale(), 1.0) << "one pixel for one pixel, whatever the scale";
    EXPECT_TRUE(surface->followReason().isEmpty());
    EXPECT_EQ(display->wantedSizes.size(), 1) << "no loop";
}

TEST_F(RefitTest, AScaleOfItsOwnChangesWhatTheGuestIsAskedForAtOnce) {
    surface->setScaling(ConsoleSurface::Scaling::Follow);
    ASSERT_TRUE(asks(room()));
    display->resize(room());
    const double screen = surface->widget()->devicePixelRatioF();
    for (const DisplayScale scale : {100, 150, 200, automaticDisplayScale}) {
        const double factor = scale == automaticDisplayScale ? screen : scale / 100.0;
        const int border = 2 * FramebufferView::room;
        QSize wanted =
            ((surface->widget()->size() - QSize(border, border)).toSizeF() * factor).toSize();
        wanted = QSize(wanted.width() & ~7, wanted.height());
        surface->setGuestScale(scale);
        if (surface->guestSize() != wanted) {
            ASSERT_FALSE(display->wantedSizes.isEmpty());
            EXPECT_EQ(display->wantedSizes.last(), wanted) << scale;
            display->resize(wanted);
        }
        EXPECT_NEAR(surface->scale(), screen / factor, 0.01) << scale;
        // It fills the window whatever the scale.
        EXPECT_GT(surface->view()->pictureRect().width(), surface->widget()->width() - 24) << scale;
    }
}

TEST_F(RefitTest, OneToOneIsAPointForAPixelWhenTheScaleSaysSo) {
    surface->setScaling(ConsoleSurface::Scaling::Natural);
    EXPECT_DOUBLE_EQ(surface->scale(), 1.0);
    surface->setGuestScale(100);
    EXPECT_DOUBLE_EQ(surface->scale(), surface->widget()->devicePixelRatioF());
    EXPECT_EQ(surface->view()->pictureRect().size(), QSizeF(800, 600));
    surface->setGuestScale(200);
    EXPECT_EQ(surface->view()->pictureRect().size(), QSizeF(400, 300));
}

TEST_F(RefitTest, APictureThatNearlyFillsTheWindowIsNotBlurred) {
    surface->setScaling(ConsoleSurface::Scaling::Follow);
    ASSERT_TRUE(asks(room()));
    display->resize(room() - QSize(0, 5));
    EXPECT_DOUBLE_EQ(surface->scale(), 1.0);
}

TEST_F(RefitTest, AsksOnceTheWindowRestsAndNotForEveryStep) {
    surface->setScaling(ConsoleSurface::Scaling::Follow);
    ASSERT_TRUE(asks(room()));
    display->resize(room());
    display->wantedSizes.clear();
    for (int width = 700; width < 1000; width += 10) {
        surface->widget()->resize(width, 600);
        QApplication::processEvents();
    }
    ASSERT_TRUE(asks(room()));
    EXPECT_LE(display->wantedSizes.size(), 2);
}

TEST_F(RefitTest, ClampsBothWaysAndTakesTheClampedSizeForAnAnswer) {
    surface->setScaling(ConsoleSurface::Scaling::Follow);
    surface->widget()->resize(200, 150);
    ASSERT_TRUE(asks({640, 480}));
    display->resize({640, 480});
    display->wantedSizes.clear();
    surface->widget()->resize(210, 160);
    EXPECT_FALSE(waitUntil([&] { return !display->wantedSizes.isEmpty(); }, 800))
        << "it has that size";
    surface->widget()->resize(4000, 3000);
    ASSERT_TRUE(asks({2560, 2048}));
    display->resize({2560, 2048});
    EXPECT_TRUE(surface->followReason().isEmpty());
    EXPECT_EQ(surface->scaling(), ConsoleSurface::Scaling::Follow);
}

TEST_F(RefitTest, AGuestThatDoesNotFollowIsScaledSaysSoAndIsAskedAgainLater) {
    surface->setScaling(ConsoleSurface::Scaling::Follow);
    ASSERT_TRUE(asks(room()));
    ASSERT_TRUE(waitUntil([&] { return !surface->followReason().isEmpty(); }, 6000));
    EXPECT_EQ(surface->scaling(), ConsoleSurface::Scaling::Fit);
    display->wantedSizes.clear();
    surface->widget()->resize(1000, 800);
    ASSERT_TRUE(asks(room())) << "another program may be on the screen by now";
    display->resize(room());
    EXPECT_EQ(surface->scaling(), ConsoleSurface::Scaling::Follow);
    EXPECT_TRUE(surface->followReason().isEmpty());
}

TEST_F(RefitTest, ADesktopThatStartsLaterFollowsByItself) {
    surface->setScaling(ConsoleSurface::Scaling::Follow);
    ASSERT_TRUE(waitUntil([&] { return !surface->followReason().isEmpty(); }, 6000));
    display->wantedSizes.clear();
    display->resize({1024, 768});
    EXPECT_EQ(surface->scaling(), ConsoleSurface::Scaling::Follow);
    ASSERT_TRUE(asks(room()));
}

TEST_F(RefitTest, AGuestThatTakesAnotherSizeIsNotAskedAgainAndAgain) {
    surface->setScaling(ConsoleSurface::Scaling::Follow);
    ASSERT_TRUE(asks(room()));
    display->resize({720, 400});
    EXPECT_FALSE(waitUntil([&] { return display->wantedSizes.size() > 1; }, 1500));
    EXPECT_EQ(surface->scaling(), ConsoleSurface::Scaling::Follow);
}

TEST_F(RefitTest, AnotherChoiceEndsItAndItCanBeChosenAgain) {
    surface->setScaling(ConsoleSurface::Scaling::Follow);
    ASSERT_TRUE(waitUntil([&] { return !surface->followReason().isEmpty(); }, 6000));
    surface->setScaling(ConsoleSurface::Scaling::Natural);
    EXPECT_TRUE(surface->followReason().isEmpty());
    display->wantedSizes.clear();
    surface->widget()->resize(820, 640);
    EXPECT_FALSE(waitUntil([&] { return !display->wantedSizes.isEmpty(); }, 800));
    surface->setScaling(ConsoleSurface::Scaling::Follow);
    EXPECT_TRUE(asks(room()));
}

TEST_F(RefitTest, FullScreenLeavesNoBorder) {
    surface->setBorderless(true);
    surface->setScaling(ConsoleSurface::Scaling::Follow);
    const QSize whole = surface->widget()->size() * surface->widget()->devicePixelRatioF();
    EXPECT_TRUE(asks({whole.width() & ~7, whole.height()}));
}

} // namespace vitrine::ui
