// SPDX-License-Identifier: Apache-2.0
// Own stand-in for the part of CoreGraphics that vz/ uses.
#pragma once
#import <Foundation/Foundation.h>
#ifdef VZ_FAKE_RUN // GNUstep's Foundation stands in; add what it lacks
#include "gnustep_gaps.h"
#endif
#ifdef __cplusplus
extern "C" {
#endif
typedef uint32_t CGDirectDisplayID;
typedef int32_t CGError;
enum { kCGErrorSuccess = 0 };
typedef struct CGDisplayMode* CGDisplayModeRef;
CGError CGGetActiveDisplayList(uint32_t maxDisplays,
                               CGDirectDisplayID* _Nullable activeDisplays,
                               uint32_t* _Nullable displayCount);
CGRect CGDisplayBounds(CGDirectDisplayID display);
CGDisplayModeRef _Nullable CGDisplayCopyDisplayMode(CGDirectDisplayID display);
size_t CGDisplayModeGetPixelWidth(CGDisplayModeRef _Nullable mode);
void CGDisplayModeRelease(CGDisplayModeRef _Nullable mode);
#ifdef __cplusplus
}
#endif
