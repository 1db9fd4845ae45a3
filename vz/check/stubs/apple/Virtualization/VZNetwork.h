// SPDX-License-Identifier: Apache-2.0
#pragma once
#import <AppKit/AppKit.h>
#import <dispatch/dispatch.h>
NS_ASSUME_NONNULL_BEGIN
@interface VZMACAddress : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
- (nullable instancetype)initWithString:(NSString*)string;
+ (instancetype)randomLocallyAdministeredAddress;
@property(readonly, copy) NSString* string;
@end
@interface VZNetworkDeviceAttachment : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZNATNetworkDeviceAttachment : VZNetworkDeviceAttachment
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
@interface VZBridgedNetworkInterface : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@property(class, readonly, copy) NSArray<VZBridgedNetworkInterface*>* networkInterfaces;
@property(readonly, copy) NSString* identifier;
@property(readonly, copy, nullable) NSString* localizedDisplayName;
@end
@interface VZBridgedNetworkDeviceAttachment : VZNetworkDeviceAttachment
- (instancetype)initWithInterface:(VZBridgedNetworkInterface*)interface NS_DESIGNATED_INITIALIZER;
@end
@interface VZFileHandleNetworkDeviceAttachment : VZNetworkDeviceAttachment
- (instancetype)initWithFileHandle:(NSFileHandle*)fileHandle NS_DESIGNATED_INITIALIZER;
@property(readwrite) NSInteger maximumTransmissionUnit;
@end
@interface VZNetworkDeviceConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@property(copy) VZMACAddress* MACAddress;
@property(strong, nullable) VZNetworkDeviceAttachment* attachment;
@end
@interface VZVirtioNetworkDeviceConfiguration : VZNetworkDeviceConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
@interface VZNetworkDevice : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@property(strong, nullable) VZNetworkDeviceAttachment* attachment;
@end
NS_ASSUME_NONNULL_END
