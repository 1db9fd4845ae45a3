// SPDX-License-Identifier: Apache-2.0
#pragma once
#import <AppKit/AppKit.h>
#import <dispatch/dispatch.h>
NS_ASSUME_NONNULL_BEGIN
@interface VZGraphicsDisplayConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZMacGraphicsDisplayConfiguration : VZGraphicsDisplayConfiguration
- (instancetype)initWithWidthInPixels:(NSInteger)widthInPixels
                       heightInPixels:(NSInteger)heightInPixels
                        pixelsPerInch:(NSInteger)pixelsPerInch NS_DESIGNATED_INITIALIZER;
- (instancetype)initForScreen:(NSScreen*)screen sizeInPoints:(NSSize)sizeInPoints;
@end
@interface VZVirtioGraphicsScanoutConfiguration : VZGraphicsDisplayConfiguration
- (instancetype)initWithWidthInPixels:(NSInteger)widthInPixels
                       heightInPixels:(NSInteger)heightInPixels NS_DESIGNATED_INITIALIZER;
@end
@interface VZGraphicsDeviceConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZMacGraphicsDeviceConfiguration : VZGraphicsDeviceConfiguration
- (instancetype)init;
@property(copy) NSArray<VZMacGraphicsDisplayConfiguration*>* displays;
@end
@interface VZVirtioGraphicsDeviceConfiguration : VZGraphicsDeviceConfiguration
- (instancetype)init;
@property(copy) NSArray<VZVirtioGraphicsScanoutConfiguration*>* scanouts;
@end
@class VZGraphicsDisplay;
API_AVAILABLE(macos(14.0))
@protocol VZGraphicsDisplayObserver <NSObject>
@optional
- (void)displayDidBeginReconfiguration:(VZGraphicsDisplay*)display;
- (void)displayDidEndReconfiguration:(VZGraphicsDisplay*)display;
@end
API_AVAILABLE(macos(14.0))
@interface VZGraphicsDisplay : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@property(readonly) CGSize sizeInPixels;
- (void)addObserver:(id<VZGraphicsDisplayObserver>)observer;
- (void)removeObserver:(id<VZGraphicsDisplayObserver>)observer;
- (BOOL)reconfigureWithSizeInPixels:(CGSize)sizeInPixels error:(NSError**)error VZSTUB_CHECKED;
- (BOOL)reconfigureWithConfiguration:(VZGraphicsDisplayConfiguration*)configuration
                               error:(NSError**)error VZSTUB_CHECKED;
@end
API_AVAILABLE(macos(14.0))
@interface VZGraphicsDevice : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@property(readonly, copy) NSArray<VZGraphicsDisplay*>* displays;
@end
@interface VZKeyboardConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZUSBKeyboardConfiguration : VZKeyboardConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
@interface VZPointingDeviceConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZUSBScreenCoordinatePointingDeviceConfiguration : VZPointingDeviceConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
#ifdef __arm64__
API_AVAILABLE(macos(14.0))
@interface VZMacKeyboardConfiguration : VZKeyboardConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
@interface VZMacTrackpadConfiguration : VZPointingDeviceConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
#endif
NS_ASSUME_NONNULL_END
