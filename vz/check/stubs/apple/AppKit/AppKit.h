// SPDX-License-Identifier: Apache-2.0
// Own minimal stand-in for the part of AppKit that vz/ uses.
#pragma once
#import <Foundation/Foundation.h>
#ifdef VZ_FAKE_RUN // GNUstep's Foundation stands in; add what it lacks
#include "gnustep_gaps.h"
#endif
NS_ASSUME_NONNULL_BEGIN
@interface NSScreen : NSObject
@property(readonly) CGFloat backingScaleFactor;
@property(readonly) NSRect frame;
@property(readonly, copy) NSString* localizedName;
@property(class, readonly, copy) NSArray<NSScreen*>* screens;
@property(class, readonly, strong, nullable) NSScreen* mainScreen;
@end
typedef NS_OPTIONS(NSUInteger, NSEventModifierFlags) {
    NSEventModifierFlagShift = 1 << 17,
    NSEventModifierFlagControl = 1 << 18,
    NSEventModifierFlagOption = 1 << 19,
    NSEventModifierFlagCommand = 1 << 20,
};
typedef NS_ENUM(NSUInteger, NSEventType) {
    NSEventTypeKeyDown = 10,
    NSEventTypeKeyUp = 11,
    NSEventTypeFlagsChanged = 12
};
@class NSGraphicsContext;
@interface NSEvent : NSObject
@property(readonly) NSEventModifierFlags modifierFlags;
@property(readonly) unsigned short keyCode;
+ (nullable NSEvent*)keyEventWithType:(NSEventType)type
                             location:(NSPoint)location
                        modifierFlags:(NSEventModifierFlags)flags
                            timestamp:(NSTimeInterval)time
                         windowNumber:(NSInteger)windowNumber
                              context:(nullable NSGraphicsContext*)unusedPassNil
                           characters:(NSString*)keys
          charactersIgnoringModifiers:(NSString*)ukeys
                            isARepeat:(BOOL)flag
                              keyCode:(unsigned short)code;
@end
@interface NSResponder : NSObject
- (BOOL)becomeFirstResponder;
- (BOOL)resignFirstResponder;
- (void)keyDown:(NSEvent*)event;
- (void)keyUp:(NSEvent*)event;
- (void)flagsChanged:(NSEvent*)event;
@end
@class NSView;
@interface NSWindow : NSResponder
@property(nullable, readonly, strong) NSScreen* screen;
@property(readonly) CGFloat backingScaleFactor;
@property(nullable, strong) __kindof NSView* contentView;
@property(nullable, readonly, weak) NSResponder* firstResponder;
@property(readonly) NSInteger windowNumber;
- (BOOL)makeFirstResponder:(nullable NSResponder*)responder;
@end
typedef NS_ENUM(NSUInteger, NSBitmapImageFileType) { NSBitmapImageFileTypePNG = 4 };
typedef NS_OPTIONS(NSUInteger, NSBitmapFormat) {
    NSBitmapFormatAlphaFirst = 1 << 0,
    NSBitmapFormatAlphaNonpremultiplied = 1 << 1,
    NSBitmapFormatFloatingPointSamples = 1 << 2,
};
@interface NSBitmapImageRep : NSObject
@property(nullable, readonly) unsigned char* bitmapData;
@property(readonly) NSInteger pixelsWide;
@property(readonly) NSInteger pixelsHigh;
@property(readonly) NSInteger bytesPerRow;
@property(readonly) NSInteger bitsPerPixel;
@property(readonly) NSInteger samplesPerPixel;
@property(readonly, getter=isPlanar) BOOL planar;
@property(readonly) NSBitmapFormat bitmapFormat;
- (nullable NSData*)representationUsingType:(NSBitmapImageFileType)storageType
                                 properties:(NSDictionary<NSString*, id>*)properties;
@end
@interface NSView : NSResponder
- (instancetype)initWithFrame:(NSRect)frameRect NS_DESIGNATED_INITIALIZER;
@property NSRect frame;
@property NSRect bounds;
@property(nullable, readonly, assign) NSWindow* window;
@property(getter=isHidden) BOOL hidden;
- (void)addSubview:(NSView*)view;
- (void)removeFromSuperview;
- (NSSize)convertSizeToBacking:(NSSize)size;
- (nullable NSBitmapImageRep*)bitmapImageRepForCachingDisplayInRect:(NSRect)rect;
- (void)cacheDisplayInRect:(NSRect)rect toBitmapImageRep:(NSBitmapImageRep*)bitmapImageRep;
@end
NS_ASSUME_NONNULL_END
