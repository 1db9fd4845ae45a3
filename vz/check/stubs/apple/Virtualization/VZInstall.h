// SPDX-License-Identifier: Apache-2.0
#pragma once
#import <Virtualization/VZMachine.h>
#import <Virtualization/VZPlatform.h>
NS_ASSUME_NONNULL_BEGIN
#ifdef __arm64__
@interface VZMacOSConfigurationRequirements : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@property(readonly, copy) VZMacHardwareModel* hardwareModel;
@property(readonly) NSUInteger minimumSupportedCPUCount;
@property(readonly) uint64_t minimumSupportedMemorySize;
@end
@interface VZMacOSRestoreImage : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
+ (void)loadFileURL:(NSURL*)fileURL
    completionHandler:(void (^)(VZMacOSRestoreImage* _Nullable restoreImage,
                                NSError* _Nullable error))completionHandler;
+ (void)fetchLatestSupportedWithCompletionHandler:
    (void (^)(VZMacOSRestoreImage* _Nullable restoreImage,
              NSError* _Nullable error))completionHandler;
@property(readonly, getter=isSupported) BOOL supported;
@property(readonly, copy) NSURL* URL;
@property(readonly, copy) NSString* buildVersion;
@property(readonly) NSOperatingSystemVersion operatingSystemVersion;
@property(nullable, readonly)
    VZMacOSConfigurationRequirements* mostFeaturefulSupportedConfiguration;
@end
@interface VZMacOSInstaller : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithVirtualMachine:(VZVirtualMachine*)virtualMachine
                       restoreImageURL:(NSURL*)restoreImageFileURL NS_DESIGNATED_INITIALIZER;
- (void)installWithCompletionHandler:(void (^)(NSError* _Nullable))completionHandler;
@property(readonly) NSProgress* progress;
@property(readonly) VZVirtualMachine* virtualMachine;
@property(readonly) NSURL* restoreImageURL;
@end
#endif
NS_ASSUME_NONNULL_END
