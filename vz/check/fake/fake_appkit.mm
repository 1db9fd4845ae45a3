// SPDX-License-Identifier: Apache-2.0
#include "vz/check/fake/fake_framework.h"
#include "vz/check/fake/fake_slots.h"

namespace vitrine::fake {
static bool mainScreen = true;
static bool anyScreen = true;
void setScreens(bool mainThere, bool anyThere) {
    mainScreen = mainThere;
    anyScreen = anyThere;
}
static NSScreen* theScreen() {
    static NSScreen* const screen = [NSScreen new];
    return screen;
}
} // namespace vitrine::fake

// A window whose first responder is what was made so, and a view that notes the keys it gets.
// clang-format off
@implementation NSResponder
- (BOOL)becomeFirstResponder { return YES; }
- (BOOL)resignFirstResponder { return YES; }
- (void)keyDown:(NSEvent *)event { (void)event; }
- (void)keyUp:(NSEvent *)event { (void)event; }
- (void)flagsChanged:(NSEvent *)event { (void)event; }
@end
@implementation NSEvent
READ(NSEventModifierFlags, modifierFlags)
READ(unsigned short, keyCode)
+ (NSEvent *)keyEventWithType:(NSEventType)type location:(NSPoint)location modifierFlags:(NSEventModifierFlags)flags timestamp:(NSTimeInterval)time windowNumber:(NSInteger)number context:(NSGraphicsContext *)context characters:(NSString *)keys charactersIgnoringModifiers:(NSString *)plain isARepeat:(BOOL)repeats keyCode:(unsigned short)code
{
    (void)type; (void)location; (void)time; (void)number; (void)context; (void)keys; (void)plain; (void)repeats;
    NSEvent *const event = [[NSEvent alloc] init];
    slot<NSEventModifierFlags>(event, "modifierFlags") = flags;
    slot<unsigned short>(event, "keyCode") = code;
    return event;
}
@end
@implementation NSScreen
+ (NSScreen *)mainScreen { return vitrine::fake::mainScreen ? vitrine::fake::theScreen() : nil; }
+ (NSArray *)screens { return vitrine::fake::anyScreen ? @[ vitrine::fake::theScreen() ] : @[]; }
- (CGFloat)backingScaleFactor { return 2; }
@end
@implementation NSWindow
OBJECT(NSView *, contentView, ContentView)
READ(NSResponder *, firstResponder)
- (NSInteger)windowNumber { return 1; }
- (BOOL)makeFirstResponder:(NSResponder *)responder
{
    NSResponder *const before = slot<NSResponder *>(self, "firstResponder");
    if (before == responder) return YES;
    [before resignFirstResponder];
    SET(NSResponder *, firstResponder, responder);
    return [responder becomeFirstResponder];
}
@end
@implementation NSBitmapImageRep
READ(unsigned char *, bitmapData)
READ(NSInteger, pixelsWide)
READ(NSInteger, pixelsHigh)
READ(NSInteger, bytesPerRow)
- (NSInteger)bitsPerPixel { return 32; }
- (NSInteger)samplesPerPixel { return 4; }
- (BOOL)isPlanar { return NO; }
- (NSBitmapFormat)bitmapFormat { return vitrine::fake::bitmapFormat(); }
- (NSData *)representationUsingType:(NSBitmapImageFileType)type properties:(NSDictionary *)properties { (void)type; (void)properties; return [NSData data]; }
@end
@implementation NSView
- (instancetype)initWithFrame:(NSRect)r { SET(NSRect, frame, r); return [super init]; }
VALUE(NSRect, frame, Frame)
- (NSRect)bounds { return [self frame]; }
OBJECT(NSWindow *, window, Window)
- (BOOL)isHidden { return slot<BOOL>(self, "hidden"); }
- (void)setHidden:(BOOL)v { slot<BOOL>(self, "hidden") = v; }
- (NSSize)convertSizeToBacking:(NSSize)size { return NSMakeSize(size.width * 2, size.height * 2); }
- (NSBitmapImageRep *)bitmapImageRepForCachingDisplayInRect:(NSRect)r
{
    NSBitmapImageRep *const bitmap = [NSBitmapImageRep new];
    const NSSize size = [self convertSizeToBacking:r.size];
    const auto wide = static_cast<NSInteger>(size.width), high = static_cast<NSInteger>(size.height);
    slot<NSInteger>(bitmap, "pixelsWide") = wide;
    slot<NSInteger>(bitmap, "pixelsHigh") = high;
    slot<NSInteger>(bitmap, "bytesPerRow") = wide * 4 + 32; // rows need not touch
    slot<unsigned char *>(bitmap, "bitmapData") = new unsigned char[static_cast<size_t>((wide * 4 + 32) * high)]();
    return bitmap;
}
- (void)cacheDisplayInRect:(NSRect)r toBitmapImageRep:(NSBitmapImageRep *)bitmap { (void)r; (void)bitmap; }
@end
@implementation VZVirtualMachineView
- (instancetype)initWithFrame:(NSRect)r { self = [super initWithFrame:r]; vitrine::fake::setView(self); return self; }
OBJECT(VZVirtualMachine *, virtualMachine, VirtualMachine)
- (void)cacheDisplayInRect:(NSRect)r toBitmapImageRep:(NSBitmapImageRep *)bitmap // orange, as wide as it is
{
    (void)r;
    if ([self virtualMachine] == nil || [self isHidden]) return;
    const unsigned char colour[] = {255, 128, 0, 255};
    for (NSInteger y = 0; y < bitmap.pixelsHigh; ++y)
        for (NSInteger x = 0; x < bitmap.pixelsWide * 4; ++x)
            bitmap.bitmapData[y * bitmap.bytesPerRow + x] = colour[x % 4];
}
VALUE(BOOL, capturesSystemKeys, CapturesSystemKeys)
VALUE(BOOL, automaticallyReconfiguresDisplay, AutomaticallyReconfiguresDisplay)
- (void)keyDown:(NSEvent *)event { vitrine::fake::noteKey("down", event); }
- (void)keyUp:(NSEvent *)event { vitrine::fake::noteKey("up", event); }
- (void)flagsChanged:(NSEvent *)event { vitrine::fake::noteKey("flags", event); }
@end
// clang-format on

namespace vitrine::fake {

namespace {
VZVirtualMachineView* view = nil;
std::vector<std::string> keys;
NSBitmapFormat format = 0;
} // namespace

void setView(VZVirtualMachineView* made) {
    view = [made retain];
    NSWindow* const window = [[NSWindow alloc] init];
    window.contentView = [[NSView alloc] initWithFrame:NSMakeRect(0, 0, 800, 600)];
    slot<NSWindow*>(view, "window") = window;
    keys.clear();
    format = 0;
}
void setBitmapFormat(NSBitmapFormat wanted) {
    format = wanted;
}
NSBitmapFormat bitmapFormat() {
    return format;
}
VZVirtualMachineView* lastView() {
    return view;
}
void noteKey(const char* kind, NSEvent* event) {
    keys.push_back(std::string(kind) + " " + std::to_string(event.keyCode) + " " +
                   std::to_string(event.modifierFlags >> 17));
}
std::vector<std::string> keysOfView() {
    return keys;
}

} // namespace vitrine::fake
