// SPDX-License-Identifier: Apache-2.0
#include "vz/check/fake/fake_framework.h"
#include "vz/check/fake/fake_slots.h"

// clang-format off
PLAIN(NSResponder)
@implementation NSScreen
+ (NSScreen *)mainScreen { static NSScreen *screen = [NSScreen new]; return screen; }
- (CGFloat)backingScaleFactor { return 2; }
@end
@implementation NSView
- (instancetype)initWithFrame:(NSRect)r { SET(NSRect, frame, r); return [super init]; }
VALUE(NSRect, frame, Frame)
@end
@implementation VZVirtualMachineView
OBJECT(VZVirtualMachine *, virtualMachine, VirtualMachine)
VALUE(BOOL, capturesSystemKeys, CapturesSystemKeys)
VALUE(BOOL, automaticallyReconfiguresDisplay, AutomaticallyReconfiguresDisplay)
@end
// clang-format on
