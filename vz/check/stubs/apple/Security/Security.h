// SPDX-License-Identifier: Apache-2.0
// Own stand-in for the part of Security.framework that vz/ uses.
#pragma once
#import <Foundation/Foundation.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef const void* CFTypeRef;
typedef const struct __CFString* CFStringRef;
typedef const struct __CFAllocator* CFAllocatorRef;
typedef const struct __CFBoolean* CFBooleanRef;
typedef struct __SecTask* SecTaskRef;
typedef struct __CFError* CFErrorRef;
typedef unsigned long CFTypeID;
typedef unsigned char Boolean;
SecTaskRef _Nullable SecTaskCreateFromSelf(CFAllocatorRef _Nullable allocator);
CFTypeRef _Nullable SecTaskCopyValueForEntitlement(SecTaskRef _Nonnull task,
                                                   CFStringRef _Nonnull entitlement,
                                                   CFErrorRef _Nullable* _Nullable error);
CFTypeID CFGetTypeID(CFTypeRef _Nonnull object);
CFTypeID CFBooleanGetTypeID(void);
Boolean CFBooleanGetValue(CFBooleanRef _Nonnull boolean);
void CFRelease(CFTypeRef _Nonnull object);
#ifdef __cplusplus
}
#endif
