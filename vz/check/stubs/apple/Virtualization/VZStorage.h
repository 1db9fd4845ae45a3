// SPDX-License-Identifier: Apache-2.0
#pragma once
#import <AppKit/AppKit.h>
#import <dispatch/dispatch.h>
NS_ASSUME_NONNULL_BEGIN
@interface VZStorageDeviceAttachment : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
typedef NS_ENUM(NSInteger, VZDiskImageCachingMode) {
    VZDiskImageCachingModeAutomatic = 0,
    VZDiskImageCachingModeUncached = 1,
    VZDiskImageCachingModeCached = 2
};
typedef NS_ENUM(NSInteger, VZDiskImageSynchronizationMode) {
    VZDiskImageSynchronizationModeFull = 1,
    VZDiskImageSynchronizationModeFsync = 2,
    VZDiskImageSynchronizationModeNone = 3
};
typedef NS_ENUM(NSInteger, VZDiskSynchronizationMode) {
    VZDiskSynchronizationModeFull = 0,
    VZDiskSynchronizationModeNone = 1
} API_AVAILABLE(macos(14.0));
@interface VZDiskImageStorageDeviceAttachment : VZStorageDeviceAttachment
- (nullable instancetype)initWithURL:(NSURL*)url
                            readOnly:(BOOL)readOnly
                               error:(NSError**)error NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithURL:(NSURL*)url
                            readOnly:(BOOL)readOnly
                         cachingMode:(VZDiskImageCachingMode)cachingMode
                 synchronizationMode:(VZDiskImageSynchronizationMode)synchronizationMode
                               error:(NSError**)error NS_DESIGNATED_INITIALIZER;
@end
API_AVAILABLE(macos(14.0))
@interface VZDiskBlockDeviceStorageDeviceAttachment : VZStorageDeviceAttachment
- (nullable instancetype)initWithFileHandle:(NSFileHandle*)fileHandle
                                   readOnly:(BOOL)readOnly
                        synchronizationMode:(VZDiskSynchronizationMode)synchronizationMode
                                      error:(NSError**)error NS_DESIGNATED_INITIALIZER;
@end
@protocol VZNetworkBlockDeviceStorageDeviceAttachmentDelegate;
API_AVAILABLE(macos(14.0))
@interface VZNetworkBlockDeviceStorageDeviceAttachment : VZStorageDeviceAttachment
- (nullable instancetype)initWithURL:(NSURL*)URL
                             timeout:(NSTimeInterval)timeout
                      forcedReadOnly:(BOOL)forcedReadOnly
                 synchronizationMode:(VZDiskSynchronizationMode)synchronizationMode
                               error:(NSError**)error NS_DESIGNATED_INITIALIZER;
+ (BOOL)validateURL:(NSURL*)URL error:(NSError**)error VZSTUB_CHECKED;
@property(nullable, weak) id<VZNetworkBlockDeviceStorageDeviceAttachmentDelegate> delegate;
@end
API_AVAILABLE(macos(14.0))
@protocol VZNetworkBlockDeviceStorageDeviceAttachmentDelegate <NSObject>
@optional
- (void)attachmentWasConnected:(VZNetworkBlockDeviceStorageDeviceAttachment*)attachment;
- (void)attachment:(VZNetworkBlockDeviceStorageDeviceAttachment*)attachment
    didEncounterError:(NSError*)error;
@end
@interface VZStorageDeviceConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZVirtioBlockDeviceConfiguration : VZStorageDeviceConfiguration
- (instancetype)initWithAttachment:(VZStorageDeviceAttachment*)attachment NS_DESIGNATED_INITIALIZER;
@property(copy) NSString* blockDeviceIdentifier;
+ (BOOL)validateBlockDeviceIdentifier:(NSString*)blockDeviceIdentifier
                                error:(NSError**)error VZSTUB_CHECKED;
@end
@interface VZUSBMassStorageDeviceConfiguration : VZStorageDeviceConfiguration
- (instancetype)initWithAttachment:(VZStorageDeviceAttachment*)attachment NS_DESIGNATED_INITIALIZER;
@end
API_AVAILABLE(macos(14.0))
@interface VZNVMExpressControllerDeviceConfiguration : VZStorageDeviceConfiguration
- (instancetype)initWithAttachment:(VZStorageDeviceAttachment*)attachment NS_DESIGNATED_INITIALIZER;
@end
NS_ASSUME_NONNULL_END
