// SPDX-License-Identifier: Apache-2.0
#pragma once
#import <AppKit/AppKit.h>
#import <dispatch/dispatch.h>
NS_ASSUME_NONNULL_BEGIN
@interface VZSharedDirectory : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithURL:(NSURL*)url readOnly:(BOOL)readOnly NS_DESIGNATED_INITIALIZER;
@end
@interface VZDirectoryShare : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZSingleDirectoryShare : VZDirectoryShare
- (instancetype)initWithDirectory:(VZSharedDirectory*)directory NS_DESIGNATED_INITIALIZER;
@end
@interface VZMultipleDirectoryShare : VZDirectoryShare
- (instancetype)initWithDirectories:(NSDictionary<NSString*, VZSharedDirectory*>*)directories
    NS_DESIGNATED_INITIALIZER;
+ (BOOL)validateName:(NSString*)name error:(NSError**)error VZSTUB_CHECKED;
+ (nullable NSString*)canonicalizedNameFromName:(NSString*)name;
@end
@interface VZDirectorySharingDeviceConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZVirtioFileSystemDeviceConfiguration : VZDirectorySharingDeviceConfiguration
- (instancetype)initWithTag:(NSString*)tag NS_DESIGNATED_INITIALIZER;
@property(copy) NSString* tag;
+ (BOOL)validateTag:(NSString*)tag error:(NSError**)error VZSTUB_CHECKED;
@property(nullable, strong) VZDirectoryShare* share;
@property(class, readonly) NSString* macOSGuestAutomountTag;
@end
@interface VZDirectorySharingDevice : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZVirtioFileSystemDevice : VZDirectorySharingDevice
@property(readonly, copy) NSString* tag;
@property(nullable, strong) VZDirectoryShare* share;
@end
#ifdef __arm64__
typedef NS_ENUM(NSInteger, VZLinuxRosettaAvailability) {
    VZLinuxRosettaAvailabilityNotSupported = 0,
    VZLinuxRosettaAvailabilityNotInstalled = 1,
    VZLinuxRosettaAvailabilityInstalled = 2
};
@interface VZLinuxRosettaDirectoryShare : VZDirectoryShare
- (nullable instancetype)initWithError:(NSError**)error NS_DESIGNATED_INITIALIZER;
+ (void)installRosettaWithCompletionHandler:(void (^)(NSError* _Nullable error))completionHandler;
@property(class, readonly) VZLinuxRosettaAvailability availability;
@end
#endif
NS_ASSUME_NONNULL_END
