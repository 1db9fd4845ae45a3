// SPDX-License-Identifier: Apache-2.0
#include "ui/console/framebuffer_view.h"

#include "tests/ui/console/fake_display.h"
#include "ui/console/framebuffer_surface.h"
#include "ui/theme/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QDeadlineTimer>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QScrollArea>
#include <QShortcut>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <gtest/gtest.h>

#include <linux/input-event-codes.h>

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

// Collects what is painted.
struct PaintLog final : QObject {
    QRegion painted;
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Paint) {
            painted += static_cast<QPaintEvent*>(event)->region();
        }
        return QObject::eventFilter(watched, event);
    }
};

struct FramebufferViewTest : testing::Test {
    FramebufferViewTest() {
        layout.setContentsMargins(0, 0, 0, 0);
        layout.addWidget(&other);
        layout.addWidget(view, 1);
        window.resize(400, 400);
        window.show();
        window.activateWindow();
        EXPECT_TRUE(waitFor([this] { return window.isActiveWindow() && window.isVisible(); }));
        display.connectToGuest();
    }

    ~FramebufferViewTest() override { delete view; }
    Q_DISABLE_COPY_MOVE(FramebufferViewTest)

    // The guest's screen as large as the view has room for: one to one.
    void fillExactly() {
        const int border = 2 * FramebufferView::room;
        display.resize(view->size() - QSize(border, border), 0x202020);
        QCoreApplication::processEvents();
        ASSERT_DOUBLE_EQ(view->scale(), 1.0);
    }

    void key(QEvent::Type type,
             int qtKey,
             quint32 evdev,
             quint32 keysym = 0,
             Qt::KeyboardModifiers modifiers = {},
             bool repeat = false) {
        QKeyEvent event(type, qtKey, modifiers, evdev + 8, keysym, 0, {}, repeat);
        QCoreApplication::sendEvent(view, &event);
    }
    void press(int qtKey, quint32 evdev, quint32 keysym = 0, Qt::KeyboardModifiers m = {}) {
        key(QEvent::KeyPress, qtKey, evdev, keysym, m);
    }
    void release(int qtKey, quint32 evdev, quint32 keysym = 0, Qt::KeyboardModifiers m = {}) {
        key(QEvent::KeyRelease, qtKey, evdev, keysym, m);
    }
    void mouse(QEvent::Type type, QPointF at, Qt::MouseButton button, Qt::MouseButtons buttons) {
        QMouseEvent event(type, at, view->mapToGlobal(at), button, buttons, {});
        QCoreApplication::sendEvent(view, &event);
    }
    void wheel(QPointF at, QPoint delta) {
        QWheelEvent event(at, view->mapToGlobal(at), {}, delta, {}, {}, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(view, &event);
    }

    FakeDisplay display;
    QWidget window;
    QVBoxLayout layout{&window};
    QLineEdit other;
    FramebufferView* view = new FramebufferView(&display);
};

} // namespace

TEST_F(FramebufferViewTest, KeysArriveByScanCodeWhileTheKeyboardIsInTheGuest) {
    fillExactly();
    press(Qt::Key_A, KEY_A, 0x61);
    release(Qt::Key_A, KEY_A, 0x61);
    EXPECT_TRUE(display.keys.isEmpty()) << "it is not yet";

    view->grabInput();
    press(Qt::Key_A, KEY_A, 0x61);
    release(Qt::Key_A, KEY_A, 0x61);
    press(Qt::Key_Left, KEY_LEFT, 0xff51);
    release(Qt::Key_Left, KEY_LEFT, 0xff51);
    EXPECT_EQ(
        display.keys,
        (QList<FakeDisplay::Key>{
            {0x61, 0x1e, true}, {0x61, 0x1e, false}, {0xff51, 0xcb, true}, {0xff51, 0xcb, false}}));
}

TEST_F(FramebufferViewTest, AKeyIsReleasedAsItWasPressedWhateverTheModifiersDid) {
    fillExactly();
    view->grabInput();
    press(Qt::Key_Shift, KEY_LEFTSHIFT, 0xffe1);
    press(Qt::Key_Exclam, KEY_1, 0x21, Qt::ShiftModifier);
    release(Qt::Key_Shift, KEY_LEFTSHIFT, 0xffe1);
    release(Qt::Key_1, KEY_1, 0x31);
    EXPECT_EQ(
        display.keys,
        (QList<FakeDisplay::Key>{
            {0xffe1, 0x2a, true}, {0x21, 0x02, true}, {0xffe1, 0x2a, false}, {0x21, 0x02, false}}));
}

TEST_F(FramebufferViewTest, RepeatsArePressesAndTheirReleasesAreNot) {
    fillExactly();
    view->grabInput();
    press(Qt::Key_A, KEY_A, 0x61);
    key(QEvent::KeyRelease, Qt::Key_A, KEY_A, 0x61, {}, true);
    key(QEvent::KeyPress, Qt::Key_A, KEY_A, 0x61, {}, true);
    release(Qt::Key_A, KEY_A, 0x61);
    EXPECT_EQ(
        display.keys,
        (QList<FakeDisplay::Key>{{0x61, 0x1e, true}, {0x61, 0x1e, true}, {0x61, 0x1e, false}}));
}

TEST_F(FramebufferViewTest, EverythingIsReleasedWhenTheFocusLeaves) {
    fillExactly();
    view->grabInput();
    press(Qt::Key_Control, KEY_LEFTCTRL, 0xffe3);
    press(Qt::Key_Alt, KEY_LEFTALT, 0xffe9);
    mouse(QEvent::MouseButtonPress, {50, 50}, Qt::LeftButton, Qt::LeftButton);
    display.keys.clear();
    other.setFocus();
    EXPECT_EQ(display.keys,
              (QList<FakeDisplay::Key>{{0xffe9, 0x38, false}, {0xffe3, 0x1d, false}}));
    EXPECT_EQ(display.pointers.last().buttons, 0);
    EXPECT_FALSE(view->isInputGrabbed());
}

TEST_F(FramebufferViewTest, RightCtrlAloneGivesTheKeyboardBack) {
    fillExactly();
    view->grabInput();
    press(Qt::Key_Control, KEY_RIGHTCTRL, 0xffe4);
    EXPECT_TRUE(view->isInputGrabbed());
    release(Qt::Key_Control, KEY_RIGHTCTRL, 0xffe4);
    EXPECT_FALSE(view->isInputGrabbed());
    EXPECT_TRUE(display.keys.isEmpty()) << "the guest never saw it";
}

TEST_F(FramebufferViewTest, RightCtrlWithAnotherKeyIsTheGuests) {
    fillExactly();
    view->grabInput();
    press(Qt::Key_Control, KEY_RIGHTCTRL, 0xffe4);
    press(Qt::Key_C, KEY_C, 0x63, Qt::ControlModifier);
    release(Qt::Key_C, KEY_C, 0x63, Qt::ControlModifier);
    release(Qt::Key_Control, KEY_RIGHTCTRL, 0xffe4);
    EXPECT_TRUE(view->isInputGrabbed());
    EXPECT_EQ(
        display.keys,
        (QList<FakeDisplay::Key>{
            {0xffe4, 0x9d, true}, {0x63, 0x2e, true}, {0x63, 0x2e, false}, {0xffe4, 0x9d, false}}));
}

TEST_F(FramebufferViewTest, EnterTakesTheKeyboardAndIsNotTyped) {
    fillExactly();
    view->setFocus();
    EXPECT_FALSE(view->isInputGrabbed());
    press(Qt::Key_Return, KEY_ENTER, 0xff0d);
    key(QEvent::KeyPress, Qt::Key_Return, KEY_ENTER, 0xff0d, {}, true);
    release(Qt::Key_Return, KEY_ENTER, 0xff0d);
    EXPECT_TRUE(view->isInputGrabbed());
    EXPECT_TRUE(display.keys.isEmpty());
    press(Qt::Key_Return, KEY_ENTER, 0xff0d);
    EXPECT_EQ(display.keys, (QList<FakeDisplay::Key>{{0xff0d, 0x1c, true}}));
}

TEST_F(FramebufferViewTest, TabAndShortcutsGoToTheGuestOnlyWhileItHasTheKeyboard) {
    fillExactly();
    int activated = 0;
    QShortcut shortcut(QKeySequence(Qt::CTRL | Qt::Key_Q), &window);
    QObject::connect(&shortcut, &QShortcut::activated, &window, [&] { ++activated; });
    view->setFocus();
    QKeyEvent override(QEvent::ShortcutOverride, Qt::Key_Q, Qt::ControlModifier);
    override.ignore();
    QCoreApplication::sendEvent(view, &override);
    EXPECT_FALSE(override.isAccepted());

    view->grabInput();
    override.ignore();
    QCoreApplication::sendEvent(view, &override);
    EXPECT_TRUE(override.isAccepted()) << "then Qt sends it as a key";
    press(Qt::Key_Tab, KEY_TAB, 0xff09);
    EXPECT_EQ(display.keys, (QList<FakeDisplay::Key>{{0xff09, 0x0f, true}}));
    EXPECT_TRUE(view->hasFocus());

    view->releaseInput();
    QKeyEvent tab(QEvent::KeyPress, Qt::Key_Tab, Qt::NoModifier);
    QCoreApplication::sendEvent(view, &tab);
    EXPECT_TRUE(other.hasFocus()) << "Tab leaves a screen that does not hold the keyboard";
}

TEST_F(FramebufferViewTest, CombinationsArePressedInOrderAndReleasedInReverse) {
    fillExactly();
    view->sendKeys(sendableCombinations().at(0).at(0));
    EXPECT_EQ(display.keys,
              (QList<FakeDisplay::Key>{{0xffe3, 0x1d, true},
                                       {0xffe9, 0x38, true},
                                       {0xffff, 0xd3, true},
                                       {0xffff, 0xd3, false},
                                       {0xffe9, 0x38, false},
                                       {0xffe3, 0x1d, false}}));
}

TEST_F(FramebufferViewTest, PointerPositionsAreScaledToTheGuest) {
    display.resize({1280, 800});
    const QRectF picture = view->pictureRect();
    EXPECT_LT(view->scale(), 1);
    EXPECT_NEAR(picture.width() / picture.height(), 1.6, 0.02);
    mouse(QEvent::MouseMove, picture.center(), Qt::NoButton, {});
    EXPECT_NEAR(display.pointers.last().position.x(), 640, 3);
    EXPECT_NEAR(display.pointers.last().position.y(), 400, 3);
    mouse(QEvent::MouseMove, picture.topLeft() + QPointF(0.1, 0.1), Qt::NoButton, {});
    EXPECT_EQ(display.pointers.last().position, QPoint(0, 0));
    mouse(QEvent::MouseMove, picture.bottomRight() - QPointF(0.1, 0.1), Qt::NoButton, {});
    EXPECT_EQ(display.pointers.last().position, QPoint(1279, 799));
}

TEST_F(FramebufferViewTest, ButtonsAreHeldOutsideAndMovesThereAreClamped) {
    fillExactly();
    mouse(QEvent::MouseButtonPress, {1, 1}, Qt::LeftButton, Qt::LeftButton);
    EXPECT_TRUE(display.pointers.isEmpty()) << "beside the picture";
    EXPECT_FALSE(view->isInputGrabbed());
    mouse(QEvent::MouseButtonPress, {54, 64}, Qt::LeftButton, Qt::LeftButton);
    EXPECT_TRUE(view->isInputGrabbed());
    mouse(QEvent::MouseButtonPress, {54, 64}, Qt::RightButton, Qt::LeftButton | Qt::RightButton);
    mouse(QEvent::MouseMove, {-100, 70}, Qt::NoButton, Qt::LeftButton | Qt::RightButton);
    mouse(QEvent::MouseButtonRelease, {-100, 70}, Qt::LeftButton, Qt::RightButton);
    mouse(QEvent::MouseButtonRelease, {-100, 70}, Qt::RightButton, {});
    EXPECT_EQ(display.pointers,
              (QList<FakeDisplay::Pointer>{
                  {{50, 60}, 1}, {{50, 60}, 5}, {{0, 66}, 5}, {{0, 66}, 4}, {{0, 66}, 0}}));
}

TEST_F(FramebufferViewTest, TheWheelTurnsInNotchesWhileTheGuestHasTheInput) {
    fillExactly();
    wheel({50, 50}, {0, 120});
    EXPECT_TRUE(display.pointers.isEmpty());
    view->grabInput();
    wheel({50, 50}, {0, 60});
    wheel({50, 50}, {0, 60});
    wheel({50, 50}, {0, -240});
    wheel({50, 50}, {120, 0});
    QList<int> buttons;
    for (const FakeDisplay::Pointer& pointer : display.pointers) {
        if (pointer.buttons != 0) {
            buttons.append(pointer.buttons);
        }
    }
    EXPECT_EQ(buttons, (QList<int>{0x08, 0x10, 0x10, 0x20}));
    EXPECT_EQ(display.pointers.last().buttons, 0);
}

TEST_F(FramebufferViewTest, OnlyChangedPartsArePainted) {
    fillExactly();
    ASSERT_TRUE(waitFor([this] { return view->testAttribute(Qt::WA_WState_Visible); }));
    PaintLog log;
    view->installEventFilter(&log);
    display.fill({10, 20, 30, 5}, 0xff0000);
    ASSERT_TRUE(waitFor([&] { return !log.painted.isEmpty(); }));
    const int room = FramebufferView::room;
    EXPECT_EQ(log.painted, QRegion(10 + room, 20 + room, 30, 5));
    const QImage image = view->grab().toImage();
    EXPECT_EQ(image.pixelColor(10 + room, 20 + room), QColor(255, 0, 0));
    EXPECT_EQ(image.pixelColor(9 + room, 20 + room), QColor(0x20, 0x20, 0x20));
}

TEST_F(FramebufferViewTest, OnlyChangedPartsArePaintedWhenScaled) {
    display.resize({1280, 800}, 0x202020);
    QCoreApplication::processEvents();
    view->grab();
    PaintLog log;
    view->installEventFilter(&log);
    // Paints of what was before may still be on their way.
    QRect box;
    const auto isSmall = [&] {
        return box.width() <= 64 * view->scale() + 3 && box.height() <= 40 * view->scale() + 3;
    };
    for (int attempt = 0; attempt == 0 || (attempt < 5 && !isSmall()); ++attempt) {
        log.painted = {};
        display.fill({640, 400, 64, 40}, attempt % 2 == 0 ? 0xffffff : 0xfffffe);
        ASSERT_TRUE(waitFor([&] { return !log.painted.isEmpty(); }));
        box = log.painted.boundingRect();
    }
    EXPECT_TRUE(isSmall()) << box.width() << " x " << box.height();
    const QImage image = view->grab().toImage();
    EXPECT_GE(image.pixelColor(box.center()).blue(), 254);
    EXPECT_EQ(image.pixelColor(box.center() - QPoint(40, 0)), QColor(0x20, 0x20, 0x20));
}

TEST_F(FramebufferViewTest, TheRingIsShownWhileTheKeyboardIsInTheGuest) {
    fillExactly();
    const QPoint ring(FramebufferView::room - 1, view->height() / 2);
    const QColor before = view->grab().toImage().pixelColor(ring);
    EXPECT_EQ(before, Theme::current().window);
    view->grabInput();
    EXPECT_EQ(view->grab().toImage().pixelColor(ring), Theme::current().accent);
    view->releaseInput();
    EXPECT_EQ(view->grab().toImage().pixelColor(ring), before);
}

TEST_F(FramebufferViewTest, ThePictureIsACopyOfTheGuestsScreen) {
    EXPECT_TRUE(view->picture().isNull());
    display.resize({320, 200}, 0x123456);
    const QImage picture = view->picture();
    display.fill({0, 0, 320, 200}, 0);
    EXPECT_EQ(picture.size(), QSize(320, 200));
    EXPECT_EQ(picture.pixelColor(319, 199), QColor(0x12, 0x34, 0x56));
}

TEST_F(FramebufferViewTest, TheGuestsPointerIsTheCursor) {
    fillExactly();
    PointerShape shape;
    shape.width = 2;
    shape.height = 2;
    shape.hotSpot = {1, 1};
    shape.pixels = QByteArray(16, '\xff');
    Q_EMIT display.pointerShapeChanged(shape);
    EXPECT_EQ(view->cursor().pixmap().size(), QSize(2, 2));
    EXPECT_EQ(view->cursor().hotSpot(), QPoint(1, 1));
    Q_EMIT display.pointerShapeChanged({});
    EXPECT_EQ(view->cursor().shape(), Qt::BlankCursor);
    shape.width = 200; // lies about its size
    Q_EMIT display.pointerShapeChanged(shape);
    EXPECT_EQ(view->cursor().shape(), Qt::BlankCursor);
}

TEST(FramebufferSurface, OneToOneScrollsAndFitDoesNot) {
    auto owned = std::make_unique<FakeDisplay>();
    FakeDisplay* display = owned.get();
    FramebufferSurface surface(std::move(owned));
    surface.setMachineName(QStringLiteral("box"));
    EXPECT_EQ(surface.view()->accessibleName(), QStringLiteral("Screen of \"box\""));
    surface.widget()->resize(400, 300);
    surface.widget()->show();
    surface.start();
    display->resize({1280, 800});
    EXPECT_LT(surface.scale(), 0.4);
    surface.setScaling(ConsoleSurface::Scaling::Natural);
    EXPECT_DOUBLE_EQ(surface.scale(), 1);
    EXPECT_GE(surface.view()->width(), 1280);
    display->resize({200, 100});
    EXPECT_DOUBLE_EQ(surface.scale(), 1);
    EXPECT_LT(surface.view()->width(), 400);
    surface.setScaling(ConsoleSurface::Scaling::Fit);
    EXPECT_GT(surface.scale(), 1.5);
}

TEST(FramebufferSurface, FollowingAsksForTheRoomThereIsAndSaysWhenTheGuestDoesNot) {
    auto owned = std::make_unique<FakeDisplay>();
    FakeDisplay* display = owned.get();
    FramebufferSurface surface(std::move(owned));
    surface.widget()->resize(808, 608);
    surface.widget()->show();
    surface.start();
    display->resize({1280, 800});
    surface.setScaling(ConsoleSurface::Scaling::Follow);
    ASSERT_EQ(display->wantedSizes, (QList<QSize>{{800, 600}}));
    Q_EMIT display->resizeAnswered(4);
    EXPECT_TRUE(surface.followReason().isEmpty());
    display->resize({800, 600});
    EXPECT_DOUBLE_EQ(surface.scale(), 1);

    surface.widget()->resize(1008, 708);
    ASSERT_TRUE(waitFor([&] { return display->wantedSizes.size() == 2; }));
    EXPECT_EQ(display->wantedSizes.last(), QSize(1000, 700));
    Q_EMIT display->resizeAnswered(3);
    EXPECT_FALSE(surface.followReason().isEmpty());
    EXPECT_EQ(surface.scaling(), ConsoleSurface::Scaling::Fit);
    display->resize({1024, 768});
    EXPECT_TRUE(surface.followReason().isEmpty()) << "it may be tried again";
}

TEST(FramebufferSurface, AGuestThatOnlyHearsTheRequestIsATextConsole) {
    auto owned = std::make_unique<FakeDisplay>();
    FakeDisplay* display = owned.get();
    FramebufferSurface surface(std::move(owned));
    surface.widget()->resize(808, 608);
    surface.widget()->show();
    surface.start();
    display->resize({1280, 800});
    surface.setScaling(ConsoleSurface::Scaling::Follow);
    Q_EMIT display->resizeAnswered(4);
    ASSERT_TRUE(waitFor([&] { return !surface.followReason().isEmpty(); }));
    EXPECT_EQ(surface.followReason(),
              QStringLiteral("A text console cannot follow the window's size."));
    EXPECT_EQ(surface.scaling(), ConsoleSurface::Scaling::Fit);
}

} // namespace vitrine::ui
