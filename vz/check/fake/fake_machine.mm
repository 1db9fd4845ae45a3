// SPDX-License-Identifier: Apache-2.0
#include "vz/check/fake/fake_framework.h"
#include "vz/check/fake/fake_slots.h"

using namespace vitrine::fake;

// clang-format off
PLAIN(VZVirtualMachineStartOptions)
@implementation VZMacOSVirtualMachineStartOptions
VALUE(BOOL, startUpFromMacOSRecovery, StartUpFromMacOSRecovery)
@end

@implementation VZVirtualMachineConfiguration
OBJECT(VZBootLoader *, bootLoader, BootLoader)
VALUE(uint64_t, memorySize, MemorySize)
VALUE(NSUInteger, CPUCount, CPUCount)
OBJECT(VZPlatformConfiguration *, platform, Platform)
OBJECT(NSArray *, audioDevices, AudioDevices)
OBJECT(NSArray *, consoleDevices, ConsoleDevices)
OBJECT(NSArray *, directorySharingDevices, DirectorySharingDevices)
OBJECT(NSArray *, entropyDevices, EntropyDevices)
OBJECT(NSArray *, memoryBalloonDevices, MemoryBalloonDevices)
OBJECT(NSArray *, networkDevices, NetworkDevices)
OBJECT(NSArray *, serialPorts, SerialPorts)
OBJECT(NSArray *, socketDevices, SocketDevices)
OBJECT(NSArray *, storageDevices, StorageDevices)
OBJECT(NSArray *, keyboards, Keyboards)
OBJECT(NSArray *, pointingDevices, PointingDevices)
OBJECT(NSArray *, graphicsDevices, GraphicsDevices)
+ (uint64_t)minimumAllowedMemorySize { return 128ull << 20; }
+ (uint64_t)maximumAllowedMemorySize { return 32ull << 30; }
+ (NSUInteger)minimumAllowedCPUCount { return 1; }
+ (NSUInteger)maximumAllowedCPUCount { return 11; }
- (BOOL)validateWithError:(NSError **)e
{
    if (NSError *const failure = takeFailure("validate")) { *e = failure; return NO; }
    if (self.memorySize % (1024 * 1024) == 0 && self.CPUCount > 0 && self.bootLoader && self.platform) return YES;
    *e = errorOf(VZErrorInvalidVirtualMachineConfiguration, "invalid configuration");
    return NO;
}
- (BOOL)validateSaveRestoreSupportWithError:(NSError **)e
{
    if (NSError *const failure = takeFailure("validateSave")) { *e = failure; return NO; }
    return YES;
}
@end
// clang-format on

@implementation VZVirtualMachine
+ (BOOL)isSupported {
    return YES;
}
- (instancetype)initWithConfiguration:(VZVirtualMachineConfiguration*)configuration {
    self = [super init];
    NSMutableArray* const files = [NSMutableArray array];
    for (VZVirtioFileSystemDeviceConfiguration* device in configuration.directorySharingDevices) {
        VZVirtioFileSystemDevice* const made = [VZVirtioFileSystemDevice alloc];
        slot<NSString*>(made, "tag") = [device.tag retain];
        made.share = device.share;
        [files addObject:made];
    }
    KEEP(NSArray*, directorySharingDevices, files);
    NSMutableArray* const cards = [NSMutableArray array];
    for (VZNetworkDeviceConfiguration* card in configuration.networkDevices) {
        VZNetworkDevice* const made = [VZNetworkDevice alloc];
        made.attachment = card.attachment;
        [cards addObject:made];
    }
    KEEP(NSArray*, networkDevices, cards);
    VZGraphicsDevice* const graphics = [VZGraphicsDevice alloc];
    slot<NSArray*>(graphics, "displays") = [@[ [VZGraphicsDisplay alloc] ] retain];
    KEEP(NSArray*, graphicsDevices, @[ graphics ]);
    KEEP(NSArray*,
         socketDevices,
         configuration.socketDevices.count > 0 ? @[ [VZVirtioSocketDevice alloc] ] : @[]);
    KEEP(NSArray*,
         memoryBalloonDevices,
         configuration.memoryBalloonDevices.count > 0
             ? @[ [VZVirtioTraditionalMemoryBalloonDevice alloc] ]
             : @[]);
    setLast([configuration retain], [self retain]);
    return self;
}
// clang-format off
VALUE(id, delegate, Delegate)
READ(NSArray *, directorySharingDevices)
READ(NSArray *, graphicsDevices)
READ(NSArray *, socketDevices)
READ(NSArray *, networkDevices)
READ(NSArray *, memoryBalloonDevices)
// clang-format on
- (VZVirtualMachineState)state {
    return slot<VZVirtualMachineState>(self, "state");
}
- (void)enter:(VZVirtualMachineState)state {
    [self willChangeValueForKey:@"state"];
    SET(VZVirtualMachineState, state, state);
    [self didChangeValueForKey:@"state"];
}

// One operation: at once into `via`, later into `to`, or back when it was told to fail. From
// another state than `need` it is refused and nothing changes.
- (void)run:(const char*)call
       from:(VZVirtualMachineState)need
        via:(VZVirtualMachineState)via
         to:(VZVirtualMachineState)to
       done:(void (^)(NSError*))done {
    void (^const answer)(NSError*) = (void (^)(NSError*))Block_copy(done);
    NSError* const failure = takeFailure(call);
    const std::string name = call;
    const VZVirtualMachineState before = self.state;
    const bool stops = name == "stop" && before != VZVirtualMachineStateStopped &&
                       before != VZVirtualMachineStateStarting;
    if (before != need && !stops) {
        later("refusal", ^{
          answer(errorOf(VZErrorInvalidVirtualMachineStateTransition, "invalid transition"));
        });
        return;
    }
    [self enter:via];
    later(name, ^{
      if (self.state == via)
          [self enter:failure ? before : to];
      answer(failure);
    });
}
- (void)startWithCompletionHandler:(void (^)(NSError*))done {
    [self run:"start"
         from:VZVirtualMachineStateStopped
          via:VZVirtualMachineStateStarting
           to:VZVirtualMachineStateRunning
         done:done];
}
- (void)startWithOptions:(VZVirtualMachineStartOptions*)options
       completionHandler:(void (^)(NSError*))done {
    SET(BOOL,
        recovery,
        static_cast<VZMacOSVirtualMachineStartOptions*>(options).startUpFromMacOSRecovery);
    [self startWithCompletionHandler:done];
}
- (BOOL)recovery {
    return slot<BOOL>(self, "recovery");
}
- (void)pauseWithCompletionHandler:(void (^)(NSError*))done {
    [self run:"pause"
         from:VZVirtualMachineStateRunning
          via:VZVirtualMachineStatePausing
           to:VZVirtualMachineStatePaused
         done:done];
}
- (void)resumeWithCompletionHandler:(void (^)(NSError*))done {
    [self run:"resume"
         from:VZVirtualMachineStatePaused
          via:VZVirtualMachineStateResuming
           to:VZVirtualMachineStateRunning
         done:done];
}
- (void)stopWithCompletionHandler:(void (^)(NSError*))done {
    [self run:"stop"
         from:VZVirtualMachineStateRunning
          via:VZVirtualMachineStateStopping
           to:VZVirtualMachineStateStopped
         done:done];
}
- (void)saveMachineStateToURL:(NSURL*)url completionHandler:(void (^)(NSError*))done {
    KEEP(NSURL*, stateURL, url);
    [self run:"save"
         from:VZVirtualMachineStatePaused
          via:VZVirtualMachineStateSaving
           to:VZVirtualMachineStatePaused
         done:done];
}
- (void)restoreMachineStateFromURL:(NSURL*)url completionHandler:(void (^)(NSError*))done {
    KEEP(NSURL*, stateURL, url);
    [self run:"restore"
         from:VZVirtualMachineStateStopped
          via:VZVirtualMachineStateRestoring
           to:VZVirtualMachineStatePaused
         done:done];
}
- (NSURL*)stateURL {
    return slot<NSURL*>(self, "stateURL");
}
- (BOOL)requestStopWithError:(NSError**)error {
    if (NSError* const failure = takeFailure("requestStop")) {
        *error = failure;
        return NO;
    }
    if (self.state != VZVirtualMachineStateRunning) {
        *error = errorOf(VZErrorInvalidVirtualMachineState, "it does not run");
        return NO;
    }
    return YES; // the guest may ignore it: guestStops()
}
@end

// ---- installing

@interface FakeProgress : NSProgress
@end
@implementation FakeProgress
// clang-format off
READ(double, fractionCompleted)
VALUE(id, owner, Owner)
// clang-format on
- (void)cancel {
    (void)takeFailure("cancel");
    void (^const done)(NSError*) = slot<void (^)(NSError*)>([self owner], "done");
    slot<void (^)(NSError*)>([self owner], "done") = nullptr;
    if (done)
        later("cancel", ^{
          done(errorOf(VZErrorOperationCancelled, "cancelled"));
        });
}
@end

@implementation VZMacOSInstaller
- (instancetype)initWithVirtualMachine:(VZVirtualMachine*)machine restoreImageURL:(NSURL*)url {
    if (![url isFileURL])
        [NSException raise:NSInvalidArgumentException format:@"not a file"];
    FakeProgress* const progress = [[FakeProgress alloc] init];
    slot<id>(progress, "owner") = self;
    KEEP(NSProgress*, progress, progress);
    KEEP(VZVirtualMachine*, virtualMachine, machine);
    KEEP(NSURL*, restoreImageURL, url);
    setProgress(progress);
    return [super init];
}
// clang-format off
READ(NSProgress *, progress)
READ(VZVirtualMachine *, virtualMachine)
READ(NSURL *, restoreImageURL)
// clang-format on
- (void)installWithCompletionHandler:(void (^)(NSError*))done {
    if (slot<BOOL>(self, "installs"))
        [NSException raise:NSInternalInconsistencyException format:@"called twice"];
    SET(BOOL, installs, YES);
    slot<void (^)(NSError*)>(self, "done") = (void (^)(NSError*))Block_copy(done);
    NSError* const failure = takeFailure("install");
    later("install", ^{
      void (^const answer)(NSError*) = slot<void (^)(NSError*)>(self, "done");
      slot<void (^)(NSError*)>(self, "done") = nullptr;
      if (answer)
          answer(failure);
    });
}
@end

// clang-format off
@implementation VZMacOSConfigurationRequirements
READ(VZMacHardwareModel *, hardwareModel)
- (NSUInteger)minimumSupportedCPUCount { return 2; }
- (uint64_t)minimumSupportedMemorySize { return 4ull << 30; }
@end
@implementation VZMacOSRestoreImage
READ(NSURL *, URL)
- (NSString *)buildVersion { return @"24F74"; }
- (NSOperatingSystemVersion)operatingSystemVersion { return [[NSProcessInfo processInfo] operatingSystemVersion]; }
- (BOOL)isSupported { return [self mostFeaturefulSupportedConfiguration] != nil; }
- (VZMacOSConfigurationRequirements *)mostFeaturefulSupportedConfiguration
{
    if ([[[self URL] path] hasSuffix:@"newer.ipsw"]) return nil;
    VZMacOSConfigurationRequirements *const needs = [VZMacOSConfigurationRequirements alloc];
    slot<VZMacHardwareModel *>(needs, "hardwareModel") = [[VZMacHardwareModel alloc] initWithDataRepresentation:[@"model" dataUsingEncoding:NSUTF8StringEncoding]];
    return needs;
}
// clang-format on
+ (void)answer:(const char*)call
           url:(NSURL*)url
          done:(void (^)(VZMacOSRestoreImage*, NSError*))done {
    void (^const answer)(VZMacOSRestoreImage*, NSError*) =
        (void (^)(VZMacOSRestoreImage*, NSError*))Block_copy(done);
    NSError* const failure = takeFailure(call);
    VZMacOSRestoreImage* const image = failure ? nil : [VZMacOSRestoreImage alloc];
    slot<NSURL*>(image, "URL") = [url retain];
    later(call, ^{
      answer(image, failure);
    });
}
+ (void)loadFileURL:(NSURL*)url completionHandler:(void (^)(VZMacOSRestoreImage*, NSError*))done {
    if (![url isFileURL])
        [NSException raise:NSInvalidArgumentException format:@"not a file"];
    [self answer:"load" url:url done:done];
}
+ (void)fetchLatestSupportedWithCompletionHandler:(void (^)(VZMacOSRestoreImage*, NSError*))done {
    [self answer:"latest" url:[NSURL URLWithString:@"https://example.com/a.ipsw"] done:done];
}
@end

// ---- what the guest and the network do

namespace vitrine::fake {

void guestStops() {
    VZVirtualMachine* const machine = lastMachine();
    [machine enter:VZVirtualMachineStateStopped];
    [machine.delegate guestDidStopVirtualMachine:machine];
}

void stopsWithError(int code, const std::string& text) {
    VZVirtualMachine* const machine = lastMachine();
    [machine enter:VZVirtualMachineStateError];
    [machine.delegate virtualMachine:machine didStopWithError:errorOf(code, text)];
}

void dropNetwork(unsigned card, const std::string& text) {
    VZVirtualMachine* const machine = lastMachine();
    VZNetworkDevice* const device = [machine.networkDevices objectAtIndex:card];
    device.attachment = nil;
    [machine.delegate virtualMachine:machine
                             networkDevice:device
        attachmentWasDisconnectedWithError:errorOf(VZErrorNetworkError, text)];
}

bool connectsTo(uint32_t port, const std::string& says) {
    VZVirtioSocketDevice* const device =
        static_cast<VZVirtioSocketDevice*>(lastMachine().socketDevices.firstObject);
    VZVirtioSocketListener* const listener =
        slot<id>(device, ("port" + std::to_string(port)).c_str());
    int ends[2];
    if (listener == nil || pipe(ends) != 0)
        return false;
    if (write(ends[1], says.data(), says.size()) != static_cast<ssize_t>(says.size()))
        abort();
    close(ends[1]);
    VZVirtioSocketConnection* const connection = [VZVirtioSocketConnection alloc];
    slot<int>(connection, "fileDescriptor") = ends[0];
    const bool taken = [listener.delegate listener:listener
                         shouldAcceptNewConnection:connection
                                  fromSocketDevice:device];
    close(ends[0]); // the framework's own end
    return taken;
}

void loseDisk(unsigned disk, const std::string& text) {
    VZStorageDeviceConfiguration* const device =
        [lastConfiguration().storageDevices objectAtIndex:disk];
    id const attachment = [(id)device attachment];
    [[attachment delegate] attachment:attachment didEncounterError:errorOf(20002, text)];
}

void reconfigured() {
    VZGraphicsDisplay* const display =
        lastMachine().graphicsDevices.firstObject.displays.firstObject;
    [slot<id>(display, "observer") displayDidEndReconfiguration:display];
}

} // namespace vitrine::fake
