// SPDX-License-Identifier: Apache-2.0
// Names that Apple's Foundation has and GNUstep's lacks.
#pragma once
#ifndef NS_UNAVAILABLE
#define NS_UNAVAILABLE __attribute__((unavailable))
#endif
#ifndef FOUNDATION_EXPORT
#define FOUNDATION_EXPORT extern "C"
#endif
#ifndef API_AVAILABLE
#define API_AVAILABLE(...)
#endif
#ifndef VZSTUB_CHECKED
#define VZSTUB_CHECKED
#endif
typedef NSSize CGSize;
typedef NSRect CGRect;
static inline CGSize CGSizeMake(double width, double height) {
    return NSMakeSize(width, height);
}
typedef NSString* NSKeyValueChangeKey;
typedef struct {
    NSInteger majorVersion, minorVersion, patchVersion;
} NSOperatingSystemVersion;
@interface NSProcessInfo (Gaps)
- (NSOperatingSystemVersion)operatingSystemVersion;
- (NSTimeInterval)systemUptime;
@end
