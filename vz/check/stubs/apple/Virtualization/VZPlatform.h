// SPDX-License-Identifier: Apache-2.0
#pragma once
#import <AppKit/AppKit.h>
#import <dispatch/dispatch.h>
NS_ASSUME_NONNULL_BEGIN
@interface VZPlatformConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZBootLoader : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZGenericMachineIdentifier : NSObject <NSCopying>
- (instancetype)init;
- (nullable instancetype)initWithDataRepresentation:(NSData*)dataRepresentation;
@property(readonly, copy) NSData* dataRepresentation;
@end
@interface VZGenericPlatformConfiguration : VZPlatformConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@property(copy) VZGenericMachineIdentifier* machineIdentifier;
@property(class, readonly, getter=isNestedVirtualizationSupported)
    BOOL nestedVirtualizationSupported API_AVAILABLE(macos(15.0));
@property(readwrite, getter=isNestedVirtualizationEnabled)
    BOOL nestedVirtualizationEnabled API_AVAILABLE(macos(15.0));
@end
typedef NS_OPTIONS(NSUInteger, VZEFIVariableStoreInitializationOptions) {
    VZEFIVariableStoreInitializationOptionAllowOverwrite = 1ULL << 0
};
@interface VZEFIVariableStore : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithURL:(NSURL*)URL;
- (nullable instancetype)initCreatingVariableStoreAtURL:(NSURL*)URL
                                                options:
                                                    (VZEFIVariableStoreInitializationOptions)options
                                                  error:(NSError**)error;
@property(readonly, copy) NSURL* URL;
@end
@interface VZLinuxBootLoader : VZBootLoader
- (instancetype)initWithKernelURL:(NSURL*)kernelURL NS_DESIGNATED_INITIALIZER;
@property(copy) NSURL* kernelURL;
@property(copy) NSString* commandLine;
@property(copy, nullable) NSURL* initialRamdiskURL;
@end
@interface VZEFIBootLoader : VZBootLoader
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@property(nullable, strong) VZEFIVariableStore* variableStore;
@end
#ifdef __arm64__
@interface VZMacHardwareModel : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
- (nullable instancetype)initWithDataRepresentation:(NSData*)dataRepresentation;
@property(readonly, copy) NSData* dataRepresentation;
@property(readonly, getter=isSupported) BOOL supported;
@end
@interface VZMacMachineIdentifier : NSObject <NSCopying>
- (instancetype)init;
- (nullable instancetype)initWithDataRepresentation:(NSData*)dataRepresentation;
@property(readonly, copy) NSData* dataRepresentation;
@end
typedef NS_OPTIONS(NSUInteger, VZMacAuxiliaryStorageInitializationOptions) {
    VZMacAuxiliaryStorageInitializationOptionAllowOverwrite = 1ULL << 0
};
@interface VZMacAuxiliaryStorage : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithURL:(NSURL*)URL;
- (nullable instancetype)initCreatingStorageAtURL:(NSURL*)URL
                                    hardwareModel:(VZMacHardwareModel*)hardwareModel
                                          options:
                                              (VZMacAuxiliaryStorageInitializationOptions)options
                                            error:(NSError**)error;
@property(readonly, copy) NSURL* URL;
@end
@interface VZMacPlatformConfiguration : VZPlatformConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@property(copy) VZMacHardwareModel* hardwareModel;
@property(copy) VZMacMachineIdentifier* machineIdentifier;
@property(nullable, strong) VZMacAuxiliaryStorage* auxiliaryStorage;
@end
@interface VZMacOSBootLoader : VZBootLoader
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
#endif
NS_ASSUME_NONNULL_END
