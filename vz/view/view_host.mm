// SPDX-License-Identifier: Apache-2.0
#include "vz/view/view_host.h"

#include "vz/shell/convert_objc.h"
#include "vz/shell/shell.h"

#include <QWindow>

#include <utility>

#import <AppKit/AppKit.h>
#import <Virtualization/Virtualization.h>

using vitrine::vz::ViewHost;

namespace {

constexpr unsigned short rightControl = 62; // kVK_RightControl

} // namespace

// Tells when it gets and loses the keyboard: a click focuses it without Qt noticing.
@interface VitrineMachineView : VZVirtualMachineView {
@public
    ViewHost::Events events;
    bool rightControlAlone;
}
@end

@implementation VitrineMachineView

- (BOOL)becomeFirstResponder {
    const BOOL became = [super becomeFirstResponder];
    if (became && events.focusChanged)
        events.focusChanged(true);
    return became;
}

- (BOOL)resignFirstResponder {
    const BOOL resigned = [super resignFirstResponder];
    if (resigned && events.focusChanged)
        events.focusChanged(false);
    return resigned;
}

// Right Ctrl pressed and let go, nothing between.
- (void)flagsChanged:(NSEvent*)event {
    const bool ofRight = event.keyCode == rightControl;
    const bool pressed = (event.modifierFlags & NSEventModifierFlagControl) != 0;
    const bool asked = ofRight && !pressed && rightControlAlone;
    rightControlAlone = ofRight && pressed;
    [super flagsChanged:event];
    if (asked && events.releaseAsked)
        events.releaseAsked();
}

- (void)keyDown:(NSEvent*)event {
    rightControlAlone = false;
    [super keyDown:event];
}

@end

namespace vitrine::vz {

namespace {

// Modifiers reach a view as a change of flags.
NSEventModifierFlags flagOf(quint16 keyCode) {
    switch (keyCode) {
    case 54:
    case 55:
        return NSEventModifierFlagCommand;
    case 56:
    case 60:
        return NSEventModifierFlagShift;
    case 58:
    case 61:
        return NSEventModifierFlagOption;
    case 59:
    case rightControl:
        return NSEventModifierFlagControl;
    default:
        return 0;
    }
}

// Without another encoding, where the bitmap is as those of most screens: RGBA of 8 bits each, the
// colours multiplied.
QImage asItIs(NSBitmapImageRep* bitmap) {
    if (bitmap.bitmapData == nullptr || bitmap.bitmapFormat != 0 || bitmap.planar ||
        bitmap.bitsPerPixel != 32 || bitmap.samplesPerPixel != 4)
        return {};
    return QImage(bitmap.bitmapData,
                  static_cast<int>(bitmap.pixelsWide),
                  static_cast<int>(bitmap.pixelsHigh),
                  bitmap.bytesPerRow,
                  QImage::Format_RGBA8888_Premultiplied)
        .copy();
}

class VzViewHost final : public ViewHost {
public:
    VzViewHost()
        : m_view([[VitrineMachineView alloc] initWithFrame:NSMakeRect(0, 0, 640, 400)]) {
        m_view.capturesSystemKeys = NO;
    }
    ~VzViewHost() override {
        m_view->events = {};
        m_view.virtualMachine = nil;
    }
    VzViewHost(const VzViewHost&) = delete;
    VzViewHost& operator=(const VzViewHost&) = delete;

    void setEvents(Events events) override { m_view->events = std::move(events); }
    [[nodiscard]] QWindow* takeWindow() override {
        return QWindow::fromWinId(reinterpret_cast<WId>((__bridge void*)m_view));
    }
    void setMachine(const Machine* machine) override {
        m_view.virtualMachine =
            machine != nullptr ? (__bridge VZVirtualMachine*)nativeMachine(*machine) : nil;
    }
    void setHidden(bool hidden) override { m_view.hidden = hidden; }
    void setCapturesSystemKeys(bool captures) override { m_view.capturesSystemKeys = captures; }
    void setRefit(bool refit) override {
        if (@available(macOS 14.0, *))
            m_view.automaticallyReconfiguresDisplay = refit;
    }
    [[nodiscard]] bool canRefit() const override {
        if (@available(macOS 14.0, *))
            return true;
        return false;
    }
    void takeFocus() override { (void)[m_view.window makeFirstResponder:m_view]; }
    void giveFocusBack() override {
        NSWindow* const window = m_view.window;
        (void)[window makeFirstResponder:window.contentView];
    }
    void sendKey(quint16 keyCode, bool pressed) override;
    [[nodiscard]] QSize guestSize() const override {
        if (@available(macOS 14.0, *)) {
            VZGraphicsDisplay* const display =
                m_view.virtualMachine.graphicsDevices.firstObject.displays.firstObject;
            if (display != nil)
                return {static_cast<int>(display.sizeInPixels.width),
                        static_cast<int>(display.sizeInPixels.height)};
        }
        return {};
    }
    [[nodiscard]] QSize viewSize() const override {
        const NSSize size = [m_view convertSizeToBacking:m_view.bounds.size];
        return {static_cast<int>(size.width), static_cast<int>(size.height)};
    }
    [[nodiscard]] QImage picture() const override {
        const NSRect all = m_view.bounds;
        NSBitmapImageRep* const bitmap = [m_view bitmapImageRepForCachingDisplayInRect:all];
        if (bitmap == nil)
            return {};
        [m_view cacheDisplayInRect:all toBitmapImageRep:bitmap];
        if (QImage direct = asItIs(bitmap); !direct.isNull())
            return direct;
        return QImage::fromData(
            bytes([bitmap representationUsingType:NSBitmapImageFileTypePNG properties:@{}]), "PNG");
    }

private:
    VitrineMachineView* m_view = nil; // Qt leaves keeping a foreign view to the application
    NSEventModifierFlags m_flags = 0;
};

void VzViewHost::sendKey(quint16 keyCode, bool pressed) {
    const NSEventModifierFlags flag = flagOf(keyCode);
    m_flags = pressed ? m_flags | flag : m_flags & ~flag;
    const NSEventType type = flag != 0 ? NSEventTypeFlagsChanged
                             : pressed ? NSEventTypeKeyDown
                                       : NSEventTypeKeyUp;
    NSEvent* const event = [NSEvent keyEventWithType:type
                                            location:NSMakePoint(0, 0)
                                       modifierFlags:m_flags
                                           timestamp:NSProcessInfo.processInfo.systemUptime
                                        windowNumber:m_view.window.windowNumber
                                             context:nil
                                          characters:@""
                         charactersIgnoringModifiers:@""
                                           isARepeat:NO
                                             keyCode:keyCode];
    if (event == nil)
        return;
    if (flag != 0) {
        [m_view flagsChanged:event];
        m_view->rightControlAlone = false; // it was not the person at this Mac
    } else if (pressed)
        [m_view keyDown:event];
    else
        [m_view keyUp:event];
}

} // namespace

std::unique_ptr<ViewHost> makeViewHost() {
    return std::make_unique<VzViewHost>();
}

} // namespace vitrine::vz
