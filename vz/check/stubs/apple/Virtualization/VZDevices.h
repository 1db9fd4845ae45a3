// SPDX-License-Identifier: Apache-2.0
#pragma once
#import <AppKit/AppKit.h>
#import <dispatch/dispatch.h>
NS_ASSUME_NONNULL_BEGIN
@interface VZAudioDeviceConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZVirtioSoundDeviceStreamConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZAudioOutputStreamSink : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZHostAudioOutputStreamSink : VZAudioOutputStreamSink
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
@interface VZVirtioSoundDeviceOutputStreamConfiguration : VZVirtioSoundDeviceStreamConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@property(nullable, strong) VZAudioOutputStreamSink* sink;
@end
@interface VZAudioInputStreamSource : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZHostAudioInputStreamSource : VZAudioInputStreamSource
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
@interface VZVirtioSoundDeviceInputStreamConfiguration : VZVirtioSoundDeviceStreamConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@property(nullable, strong) VZAudioInputStreamSource* source;
@end
@interface VZVirtioSoundDeviceConfiguration : VZAudioDeviceConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@property(copy) NSArray<VZVirtioSoundDeviceStreamConfiguration*>* streams;
@end
@interface VZSerialPortAttachment : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZFileHandleSerialPortAttachment : VZSerialPortAttachment
- (instancetype)initWithFileHandleForReading:(nullable NSFileHandle*)fileHandleForReading
                        fileHandleForWriting:(nullable NSFileHandle*)fileHandleForWriting
    NS_DESIGNATED_INITIALIZER;
@end
@interface VZSpiceAgentPortAttachment : VZSerialPortAttachment
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@property BOOL sharesClipboard;
@property(class, readonly, copy) NSString* spiceAgentPortName;
@end
@interface VZSerialPortConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@property(nullable, strong) VZSerialPortAttachment* attachment;
@end
@interface VZVirtioConsoleDeviceSerialPortConfiguration : VZSerialPortConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
@interface VZConsolePortConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@property(nullable, strong) VZSerialPortAttachment* attachment;
@end
@interface VZVirtioConsolePortConfiguration : VZConsolePortConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@property(nullable, copy) NSString* name;
@property BOOL isConsole;
@end
@interface VZVirtioConsolePortConfigurationArray : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
- (nullable VZVirtioConsolePortConfiguration*)objectAtIndexedSubscript:(NSUInteger)portIndex;
- (void)setObject:(nullable VZVirtioConsolePortConfiguration*)configuration
    atIndexedSubscript:(NSUInteger)portIndex;
@end
@interface VZConsoleDeviceConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZVirtioConsoleDeviceConfiguration : VZConsoleDeviceConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@property(readonly, strong) VZVirtioConsolePortConfigurationArray* ports;
@end
@interface VZSocketDeviceConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZVirtioSocketDeviceConfiguration : VZSocketDeviceConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
@interface VZSocketDevice : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZVirtioSocketConnection : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@property(readonly) uint32_t destinationPort;
@property(readonly) uint32_t sourcePort;
@property(readonly) int fileDescriptor;
- (void)close;
@end
@class VZVirtioSocketListener, VZVirtioSocketDevice;
@protocol VZVirtioSocketListenerDelegate <NSObject>
@optional
- (BOOL)listener:(VZVirtioSocketListener*)listener
    shouldAcceptNewConnection:(VZVirtioSocketConnection*)connection
             fromSocketDevice:(VZVirtioSocketDevice*)socketDevice;
@end
@interface VZVirtioSocketListener : NSObject
- (instancetype)init;
@property(nullable, weak) id<VZVirtioSocketListenerDelegate> delegate;
@end
@interface VZVirtioSocketDevice : VZSocketDevice
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
- (void)setSocketListener:(VZVirtioSocketListener*)listener forPort:(uint32_t)port;
- (void)removeSocketListenerForPort:(uint32_t)port;
- (void)connectToPort:(uint32_t)port
    completionHandler:(void (^)(VZVirtioSocketConnection* _Nullable connection,
                                NSError* _Nullable error))completionHandler;
@end
@interface VZEntropyDeviceConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZVirtioEntropyDeviceConfiguration : VZEntropyDeviceConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
@interface VZMemoryBalloonDeviceConfiguration : NSObject <NSCopying>
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZVirtioTraditionalMemoryBalloonDeviceConfiguration : VZMemoryBalloonDeviceConfiguration
- (instancetype)init NS_DESIGNATED_INITIALIZER;
@end
@interface VZMemoryBalloonDevice : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end
@interface VZVirtioTraditionalMemoryBalloonDevice : VZMemoryBalloonDevice
@property uint64_t targetVirtualMachineMemorySize;
@end
NS_ASSUME_NONNULL_END
