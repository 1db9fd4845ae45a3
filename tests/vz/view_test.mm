// SPDX-License-Identifier: Apache-2.0
// The system's view as the console uses it.
#include "tests/vz/shell_run.h"
#include "vz/view/view_host.h"

namespace vitrine::vz {

namespace {

class ViewTest : public ShellTest {
protected:
    ViewTest() {
        host->setEvents({[this](bool focused) { focus.append(focused); }, [this] { ++released; }});
    }
    void rightControl(bool pressed) {
        [fake::lastView() flagsChanged:key(62, pressed ? NSEventModifierFlagControl : 0)];
    }
    [[nodiscard]] static NSEvent* key(unsigned short code, NSEventModifierFlags flags) {
        return [NSEvent keyEventWithType:NSEventTypeFlagsChanged
                                location:NSMakePoint(0, 0)
                           modifierFlags:flags
                               timestamp:0
                            windowNumber:1
                                 context:nil
                              characters:@""
             charactersIgnoringModifiers:@""
                               isARepeat:NO
                                 keyCode:code];
    }
    std::unique_ptr<ViewHost> host = makeViewHost();
    QList<bool> focus;
    int released = 0;
};

} // namespace

TEST_F(ViewTest, ShowsAMachineUntilItGoes) {
    auto machine = *makeMachineFactory()->create(linuxPlan());
    EXPECT_TRUE(host->guestSize().isEmpty());
    host->setMachine(machine.get());
    EXPECT_TRUE(fake::lastView().virtualMachine == fake::lastMachine());
    EXPECT_TRUE(machine->resizeDisplay({1280, 800}));
    EXPECT_EQ(host->guestSize(), QSize(1280, 800));
    EXPECT_EQ(host->viewSize(), QSize(1280, 800)); // 640 x 400 points on a Retina screen
    host->setMachine(nullptr);
    EXPECT_TRUE(fake::lastView().virtualMachine == nil);
    host->setMachine(machine.get());
    host.reset();
    EXPECT_TRUE(fake::lastView().virtualMachine == nil);
}

TEST_F(ViewTest, TellsAClickThatFocusesIt) {
    [fake::lastView().window makeFirstResponder:fake::lastView()];
    EXPECT_EQ(focus, QList<bool>{true});
    host->giveFocusBack();
    EXPECT_EQ(focus, (QList<bool>{true, false}));
    EXPECT_TRUE(fake::lastView().window.firstResponder == fake::lastView().window.contentView);
    host->takeFocus();
    EXPECT_TRUE(fake::lastView().window.firstResponder == fake::lastView());
}

TEST_F(ViewTest, RightControlAloneAsksForTheKeyboardBack) {
    rightControl(true);
    EXPECT_EQ(released, 0);
    rightControl(false);
    EXPECT_EQ(released, 1);
    rightControl(true);
    [fake::lastView() keyDown:key(8, NSEventModifierFlagControl)]; // Right Ctrl+C
    rightControl(false);
    EXPECT_EQ(released, 1);
    [fake::lastView() flagsChanged:key(59, NSEventModifierFlagControl)]; // the left one
    [fake::lastView() flagsChanged:key(59, 0)];
    EXPECT_EQ(released, 1);
    EXPECT_EQ(fake::keysOfView().size(), 7U); // the guest gets all of them
}

TEST_F(ViewTest, SendsKeysWithTheirModifiers) {
    host->sendKey(59, true);
    host->sendKey(58, true);
    host->sendKey(117, true);
    host->sendKey(117, false);
    host->sendKey(58, false);
    host->sendKey(59, false);
    host->sendKey(62, true);
    host->sendKey(62, false);
    EXPECT_EQ(fake::keysOfView(),
              (std::vector<std::string>{"flags 59 2",
                                        "flags 58 6",
                                        "down 117 6",
                                        "up 117 6",
                                        "flags 58 2",
                                        "flags 59 0",
                                        "flags 62 2",
                                        "flags 62 0"}));
    EXPECT_EQ(released, 0);
}

TEST_F(ViewTest, CapturesRefitsAndHides) {
    EXPECT_FALSE(fake::lastView().capturesSystemKeys);
    host->setCapturesSystemKeys(true);
    EXPECT_TRUE(fake::lastView().capturesSystemKeys);
    EXPECT_TRUE(host->canRefit());
    EXPECT_FALSE(fake::lastView().automaticallyReconfiguresDisplay);
    host->setRefit(true);
    EXPECT_TRUE(fake::lastView().automaticallyReconfiguresDisplay);
    host->setHidden(true);
    EXPECT_TRUE([fake::lastView() isHidden]);
}

TEST_F(ViewTest, ItsPictureIsWhatItShows) {
    EXPECT_EQ(host->picture().pixelColor(5, 5).alpha(), 0) << "nothing was drawn";
    auto machine = *makeMachineFactory()->create(linuxPlan());
    host->setMachine(machine.get());
    const QImage picture = host->picture();
    EXPECT_EQ(picture.size(), host->viewSize());
    EXPECT_EQ(picture.pixelColor(picture.width() - 1, picture.height() - 1), QColor(255, 128, 0));
    EXPECT_EQ(picture.pixelColor(0, 1), QColor(255, 128, 0)) << "each row begins where it does";
}

TEST_F(ViewTest, APictureThatCannotBeReadIsNull) {
    fake::setBitmapFormat(NSBitmapFormatFloatingPointSamples);
    EXPECT_TRUE(host->picture().isNull());
}

} // namespace vitrine::vz
