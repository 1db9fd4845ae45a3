// SPDX-License-Identifier: Apache-2.0
#pragma once
#import <AppKit/AppKit.h>
#import <Virtualization/VZDevices.h>
#import <Virtualization/VZDisplay.h>
#import <Virtualization/VZNetwork.h>
#import <Virtualization/VZPlatform.h>
#import <Virtualization/VZShares.h>
#import <Virtualization/VZStorage.h>
#import <dispatch/dispatch.h>
NS_ASSUME_NONNULL_BEGIN
@interface VZVirtualMachineConfiguration : NSObject <NSCopying>
@property(nullable, strong) VZBootLoader* bootLoader;
@property(readwrite) uint64_t memorySize;
@property(readwrite) NSUInteger CPUCount;
@property(strong) VZPlatformConfiguration* platform;
@property(readwrite, copy) NSArray<VZAudioDeviceConfiguration*>* audioDevices;
@property(readwrite, copy) NSArray<VZConsoleDeviceConfiguration*>* consoleDevices;
@property(readwrite, copy) NSArray<VZDirectorySharingDeviceConfiguration*>* directorySharingDevices;
@property(readwrite, copy) NSArray<VZEntropyDeviceConfiguration*>* entropyDevices;
@property(readwrite, copy) NSArray<VZMemoryBalloonDeviceConfiguration*>* memoryBalloonDevices;
@property(readwrite, copy) NSArray<VZNetworkDeviceConfiguration*>* networkDevices;
@property(readwrite, copy) NSArray<VZSerialPortConfiguration*>* serialPorts;
@property(readwrite, copy) NSArray<VZSocketDeviceConfiguration*>* socketDevices;
@property(readwrite, copy) NSArray<VZStorageDeviceConfiguration*>* storageDevices;
@property(copy) NSArray<VZKeyboardConfiguration*>* keyboards;
@property(copy) NSArray<VZPointingDeviceConfiguration*>* pointingDevices;
@property(copy) NSArray<VZGraphicsDeviceConfiguration*>* graphicsDevices;
- (BOOL)validateWithError:(NSError**)error VZSTUB_CHECKED;
@property(class, readonly) uint64_t minimumAllowedMemorySize;
@property(class, readonly) uint64_t maximumAllowedMemorySize;
@property(class, readonly) NSUInteger minimumAllowedCPUCount;
@property(class, readonly) NSUInteger maximumAllowedCPUCount;
#ifdef __arm64__
- (BOOL)validateSaveRestoreSupportWithError:(NSError**)error VZSTUB_CHECKED
    API_AVAILABLE(macos(14.0));
#endif
@end
@interface VZVirtualMachineStartOptions : NSObject
@end
#ifdef __arm64__
@interface VZMacOSVirtualMachineStartOptions : VZVirtualMachineStartOptions
@property BOOL startUpFromMacOSRecovery;
@end
#endif
typedef NS_ENUM(NSInteger, VZVirtualMachineState) {
    VZVirtualMachineStateStopped,
    VZVirtualMachineStateRunning,
    VZVirtualMachineStatePaused,
    VZVirtualMachineStateError,
    VZVirtualMachineStateStarting,
    VZVirtualMachineStatePausing,
    VZVirtualMachineStateResuming,
    VZVirtualMachineStateStopping,
    VZVirtualMachineStateSaving API_AVAILABLE(macos(14.0)),
    VZVirtualMachineStateRestoring API_AVAILABLE(macos(14.0)),
};
@protocol VZVirtualMachineDelegate;
@interface VZVirtualMachine : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithConfiguration:(VZVirtualMachineConfiguration*)configuration;
- (instancetype)initWithConfiguration:(VZVirtualMachineConfiguration*)configuration
                                queue:(dispatch_queue_t)queue NS_DESIGNATED_INITIALIZER;
@property(class, readonly, getter=isSupported) BOOL supported;
@property(readonly) VZVirtualMachineState state;
@property(nullable, weak) id<VZVirtualMachineDelegate> delegate;
@property(readonly) BOOL canStart;
@property(readonly) BOOL canStop;
@property(readonly) BOOL canPause;
@property(readonly) BOOL canResume;
@property(readonly) BOOL canRequestStop;
@property(readonly, copy) NSArray<VZDirectorySharingDevice*>* directorySharingDevices;
@property(readonly, copy) NSArray<VZGraphicsDevice*>* graphicsDevices API_AVAILABLE(macos(14.0));
@property(readonly, copy) NSArray<VZMemoryBalloonDevice*>* memoryBalloonDevices;
@property(readonly, copy) NSArray<VZNetworkDevice*>* networkDevices;
@property(readonly, copy) NSArray<VZSocketDevice*>* socketDevices;
- (void)startWithCompletionHandler:(void (^)(NSError* _Nullable errorOrNil))completionHandler;
- (void)startWithOptions:(VZVirtualMachineStartOptions*)options
       completionHandler:(void (^)(NSError* _Nullable errorOrNil))completionHandler;
- (void)stopWithCompletionHandler:(void (^)(NSError* _Nullable errorOrNil))completionHandler;
- (void)pauseWithCompletionHandler:(void (^)(NSError* _Nullable errorOrNil))completionHandler;
- (void)resumeWithCompletionHandler:(void (^)(NSError* _Nullable errorOrNil))completionHandler;
#ifdef __arm64__
- (void)restoreMachineStateFromURL:(NSURL*)saveFileURL
                 completionHandler:(void (^)(NSError* _Nullable errorOrNil))completionHandler
    API_AVAILABLE(macos(14.0));
- (void)saveMachineStateToURL:(NSURL*)saveFileURL
            completionHandler:(void (^)(NSError* _Nullable errorOrNil))completionHandler
    API_AVAILABLE(macos(14.0));
#endif
- (BOOL)requestStopWithError:(NSError**)error VZSTUB_CHECKED;
@end
@protocol VZVirtualMachineDelegate <NSObject>
@optional
- (void)guestDidStopVirtualMachine:(VZVirtualMachine*)virtualMachine;
- (void)virtualMachine:(VZVirtualMachine*)virtualMachine didStopWithError:(NSError*)error;
- (void)virtualMachine:(VZVirtualMachine*)virtualMachine
                         networkDevice:(VZNetworkDevice*)networkDevice
    attachmentWasDisconnectedWithError:(NSError*)error;
@end
@interface VZVirtualMachineView : NSView
@property(nullable, strong) VZVirtualMachine* virtualMachine;
@property BOOL capturesSystemKeys;
@property BOOL automaticallyReconfiguresDisplay API_AVAILABLE(macos(14.0));
@end
NS_ASSUME_NONNULL_END
