// SPDX-License-Identifier: Apache-2.0
#include "vz/check/fake/fake_framework.h"
#include "vz/check/fake/fake_slots.h"

#include <cstring>
#include <unistd.h>

using vitrine::fake::errorOf;
using vitrine::fake::later;
using vitrine::fake::takeFailure;

// The devices keep what they were given. Like the framework they answer with an error what it
// answers with one, and raise where it raises.
// clang-format off
PLAIN(VZPlatformConfiguration)
PLAIN(VZBootLoader)
PLAIN(VZStorageDeviceAttachment)
PLAIN(VZNetworkDeviceAttachment)
PLAIN(VZDirectoryShare)
PLAIN(VZDirectorySharingDeviceConfiguration)
PLAIN(VZDirectorySharingDevice)
PLAIN(VZGraphicsDisplayConfiguration)
PLAIN(VZGraphicsDeviceConfiguration)
PLAIN(VZKeyboardConfiguration)
PLAIN(VZPointingDeviceConfiguration)
PLAIN(VZAudioDeviceConfiguration)
PLAIN(VZVirtioSoundDeviceStreamConfiguration)
PLAIN(VZAudioOutputStreamSink)
PLAIN(VZAudioInputStreamSource)
PLAIN(VZSerialPortAttachment)
PLAIN(VZConsoleDeviceConfiguration)
PLAIN(VZSocketDeviceConfiguration)
PLAIN(VZSocketDevice)
PLAIN(VZEntropyDeviceConfiguration)
PLAIN(VZMemoryBalloonDeviceConfiguration)
PLAIN(VZMemoryBalloonDevice)
PLAIN(VZNATNetworkDeviceAttachment)
PLAIN(VZUSBKeyboardConfiguration)
PLAIN(VZUSBScreenCoordinatePointingDeviceConfiguration)
PLAIN(VZMacKeyboardConfiguration)
PLAIN(VZMacTrackpadConfiguration)
PLAIN(VZHostAudioOutputStreamSink)
PLAIN(VZHostAudioInputStreamSource)
PLAIN(VZVirtioSocketDeviceConfiguration)
PLAIN(VZVirtioEntropyDeviceConfiguration)
PLAIN(VZVirtioTraditionalMemoryBalloonDeviceConfiguration)
PLAIN(VZMacOSBootLoader)
PLAIN(VZVirtioConsoleDeviceSerialPortConfiguration)
PLAIN(VZVirtioNetworkDeviceConfiguration)

// ---- platform and boot

#define IDENTIFIER(C) \
    @implementation C \
    - (instancetype)init { KEEP(NSData *, dataRepresentation, [@"new" dataUsingEncoding:NSUTF8StringEncoding]); return [super init]; } \
    - (instancetype)initWithDataRepresentation:(NSData *)d { if (d.length == 0) return nil; KEEP(NSData *, dataRepresentation, d); return [super init]; } \
    READ(NSData *, dataRepresentation)
IDENTIFIER(VZGenericMachineIdentifier)
@end
IDENTIFIER(VZMacMachineIdentifier)
@end
IDENTIFIER(VZMacHardwareModel)
- (BOOL)isSupported { return memcmp([self dataRepresentation].bytes, "old", 3) != 0; }
@end

@implementation VZGenericPlatformConfiguration
OBJECT(VZGenericMachineIdentifier *, machineIdentifier, MachineIdentifier)
+ (BOOL)isNestedVirtualizationSupported { return YES; }
- (BOOL)isNestedVirtualizationEnabled { return slot<BOOL>(self, "nested"); }
- (void)setNestedVirtualizationEnabled:(BOOL)v { slot<BOOL>(self, "nested") = v; }
@end
@implementation VZMacPlatformConfiguration
OBJECT(VZMacHardwareModel *, hardwareModel, HardwareModel)
OBJECT(VZMacMachineIdentifier *, machineIdentifier, MachineIdentifier)
OBJECT(VZMacAuxiliaryStorage *, auxiliaryStorage, AuxiliaryStorage)
@end
@implementation VZMacAuxiliaryStorage
- (instancetype)initWithURL:(NSURL *)u { KEEP(NSURL *, URL, u); return [super init]; }
- (instancetype)initCreatingStorageAtURL:(NSURL *)u hardwareModel:(VZMacHardwareModel *)m options:(VZMacAuxiliaryStorageInitializationOptions)o error:(NSError **)e
{
    (void)m; (void)o;
    if (NSError *const failure = takeFailure("auxiliary")) { *e = failure; return nil; }
    return [self initWithURL:u];
}
READ(NSURL *, URL)
@end
@implementation VZEFIVariableStore
- (instancetype)initWithURL:(NSURL *)u { KEEP(NSURL *, URL, u); return [super init]; }
- (instancetype)initCreatingVariableStoreAtURL:(NSURL *)u options:(VZEFIVariableStoreInitializationOptions)o error:(NSError **)e
{
    if (NSError *const failure = takeFailure("efi")) { *e = failure; return nil; }
    SET(NSUInteger, options, o);
    return [self initWithURL:u];
}
READ(NSURL *, URL)
@end
@implementation VZEFIBootLoader
OBJECT(VZEFIVariableStore *, variableStore, VariableStore)
@end
@implementation VZLinuxBootLoader
- (instancetype)initWithKernelURL:(NSURL *)u { KEEP(NSURL *, kernelURL, u); return [super init]; }
OBJECT(NSURL *, kernelURL, KernelURL)
OBJECT(NSString *, commandLine, CommandLine)
OBJECT(NSURL *, initialRamdiskURL, InitialRamdiskURL)
@end

// ---- storage

@implementation VZDiskImageStorageDeviceAttachment
- (instancetype)initWithURL:(NSURL *)url readOnly:(BOOL)ro cachingMode:(VZDiskImageCachingMode)c synchronizationMode:(VZDiskImageSynchronizationMode)s error:(NSError **)e
{
    if (access(url.path.UTF8String, F_OK) != 0) { *e = errorOf(VZErrorInvalidDiskImage, "no such image"); return nil; }
    KEEP(NSURL *, URL, url);
    SET(BOOL, readOnly, ro);
    SET(VZDiskImageCachingMode, cachingMode, c);
    SET(VZDiskImageSynchronizationMode, synchronizationMode, s);
    return [super init];
}
READ(NSURL *, URL)
READ(BOOL, readOnly)
READ(VZDiskImageCachingMode, cachingMode)
READ(VZDiskImageSynchronizationMode, synchronizationMode)
@end
@implementation VZNetworkBlockDeviceStorageDeviceAttachment
+ (BOOL)validateURL:(NSURL *)u error:(NSError **)e
{
    if ([[u scheme] hasPrefix:@"nbd"]) return YES;
    *e = errorOf(VZErrorInvalidVirtualMachineConfiguration, "no NBD address");
    return NO;
}
- (instancetype)initWithURL:(NSURL *)u timeout:(NSTimeInterval)t forcedReadOnly:(BOOL)r synchronizationMode:(VZDiskSynchronizationMode)s error:(NSError **)e
{
    if (NSError *const failure = takeFailure("nbd")) { *e = failure; return nil; }
    KEEP(NSURL *, URL, u);
    SET(NSTimeInterval, timeout, t);
    SET(BOOL, forcedReadOnly, r);
    SET(VZDiskSynchronizationMode, synchronizationMode, s);
    return [super init];
}
READ(NSURL *, URL)
READ(NSTimeInterval, timeout)
READ(BOOL, forcedReadOnly)
READ(VZDiskSynchronizationMode, synchronizationMode)
VALUE(id, delegate, Delegate)
@end
@implementation VZDiskBlockDeviceStorageDeviceAttachment
- (instancetype)initWithFileHandle:(NSFileHandle *)h readOnly:(BOOL)r synchronizationMode:(VZDiskSynchronizationMode)s error:(NSError **)e
{
    (void)e;
    KEEP(NSFileHandle *, fileHandle, h);
    SET(BOOL, readOnly, r);
    SET(VZDiskSynchronizationMode, synchronizationMode, s);
    return [super init];
}
READ(NSFileHandle *, fileHandle)
READ(BOOL, readOnly)
READ(VZDiskSynchronizationMode, synchronizationMode)
@end
@implementation VZStorageDeviceConfiguration
READ(VZStorageDeviceAttachment *, attachment)
@end
#define ATTACHED(C) @implementation C - (instancetype)initWithAttachment:(VZStorageDeviceAttachment *)a { KEEP(VZStorageDeviceAttachment *, attachment, a); return [super init]; } @end
ATTACHED(VZVirtioBlockDeviceConfiguration)
ATTACHED(VZUSBMassStorageDeviceConfiguration)
ATTACHED(VZNVMExpressControllerDeviceConfiguration)

// ---- network

@implementation VZMACAddress
- (instancetype)initWithString:(NSString *)s { if (s.length != 17) return nil; KEEP(NSString *, string, s); return [super init]; }
READ(NSString *, string)
@end
@implementation VZBridgedNetworkInterface
+ (NSArray *)networkInterfaces
{
    static NSArray *all = nil;
    if (!all) {
        VZBridgedNetworkInterface *const one = [VZBridgedNetworkInterface alloc];
        slot<NSString *>(one, "identifier") = @"en0";
        slot<NSString *>(one, "localizedDisplayName") = @"Wi-Fi";
        all = [@[ one ] retain];
    }
    return all;
}
READ(NSString *, identifier)
READ(NSString *, localizedDisplayName)
@end
@implementation VZBridgedNetworkDeviceAttachment
- (instancetype)initWithInterface:(VZBridgedNetworkInterface *)i { KEEP(VZBridgedNetworkInterface *, interface, i); return [super init]; }
READ(VZBridgedNetworkInterface *, interface)
@end
@implementation VZFileHandleNetworkDeviceAttachment
- (instancetype)initWithFileHandle:(NSFileHandle *)h { KEEP(NSFileHandle *, fileHandle, h); SET(NSInteger, maximumTransmissionUnit, 1500); return [super init]; }
READ(NSFileHandle *, fileHandle)
VALUE(NSInteger, maximumTransmissionUnit, MaximumTransmissionUnit)
@end
@implementation VZNetworkDeviceConfiguration
OBJECT(VZMACAddress *, MACAddress, MACAddress)
OBJECT(VZNetworkDeviceAttachment *, attachment, Attachment)
@end
@implementation VZNetworkDevice
OBJECT(VZNetworkDeviceAttachment *, attachment, Attachment)
@end

// ---- shares

@implementation VZSharedDirectory
- (instancetype)initWithURL:(NSURL *)u readOnly:(BOOL)r { KEEP(NSURL *, URL, u); SET(BOOL, readOnly, r); return [super init]; }
READ(NSURL *, URL)
READ(BOOL, readOnly)
@end
@implementation VZSingleDirectoryShare
- (instancetype)initWithDirectory:(VZSharedDirectory *)d { KEEP(VZSharedDirectory *, directory, d); return [super init]; }
READ(VZSharedDirectory *, directory)
@end
@implementation VZMultipleDirectoryShare
+ (BOOL)validateName:(NSString *)name error:(NSError **)e
{
    if (name.length > 0 && [name rangeOfString:@"/"].location == NSNotFound) return YES;
    *e = errorOf(VZErrorInvalidVirtualMachineConfiguration, "bad name");
    return NO;
}
- (instancetype)initWithDirectories:(NSDictionary *)d
{
    NSError *error = nil;
    for (NSString *name in d)
        if (![VZMultipleDirectoryShare validateName:name error:&error])
            [NSException raise:NSInvalidArgumentException format:@"invalid name"];
    KEEP(NSDictionary *, directories, d);
    return [super init];
}
READ(NSDictionary *, directories)
@end
@implementation VZLinuxRosettaDirectoryShare
+ (VZLinuxRosettaAvailability)availability { return VZLinuxRosettaAvailabilityNotInstalled; }
+ (void)installRosettaWithCompletionHandler:(void (^)(NSError *))done
{
    void (^const answer)(NSError *) = (void (^)(NSError *))Block_copy(done);
    NSError *const failure = takeFailure("rosetta");
    later("rosetta", ^{ answer(failure); });
}
- (instancetype)initWithError:(NSError **)e
{
    if (NSError *const failure = takeFailure("rosetta")) { *e = failure; return nil; }
    return [super init];
}
@end
@implementation VZVirtioFileSystemDeviceConfiguration
+ (BOOL)validateTag:(NSString *)tag error:(NSError **)e
{
    if (tag.length > 0 && strlen(tag.UTF8String) < 36) return YES;
    *e = errorOf(VZErrorInvalidVirtualMachineConfiguration, "bad tag");
    return NO;
}
- (instancetype)initWithTag:(NSString *)t { KEEP(NSString *, tag, t); return [super init]; }
OBJECT(NSString *, tag, Tag)
OBJECT(VZDirectoryShare *, share, Share)
@end
@implementation VZVirtioFileSystemDevice
READ(NSString *, tag)
OBJECT(VZDirectoryShare *, share, Share)
@end

// ---- screen

@implementation VZMacGraphicsDisplayConfiguration
- (instancetype)initWithWidthInPixels:(NSInteger)w heightInPixels:(NSInteger)h pixelsPerInch:(NSInteger)p { SET(NSInteger, widthInPixels, w); SET(NSInteger, heightInPixels, h); SET(NSInteger, pixelsPerInch, p); return [super init]; }
- (instancetype)initForScreen:(NSScreen *)s sizeInPoints:(NSSize)z
{
    SET(NSInteger, widthInPixels, NSInteger(z.width * s.backingScaleFactor));
    SET(NSInteger, heightInPixels, NSInteger(z.height * s.backingScaleFactor));
    return [super init];
}
READ(NSInteger, widthInPixels)
READ(NSInteger, heightInPixels)
READ(NSInteger, pixelsPerInch)
@end
@implementation VZVirtioGraphicsScanoutConfiguration
- (instancetype)initWithWidthInPixels:(NSInteger)w heightInPixels:(NSInteger)h { SET(NSInteger, widthInPixels, w); SET(NSInteger, heightInPixels, h); return [super init]; }
READ(NSInteger, widthInPixels)
READ(NSInteger, heightInPixels)
@end
@implementation VZMacGraphicsDeviceConfiguration
OBJECT(NSArray *, displays, Displays)
@end
@implementation VZVirtioGraphicsDeviceConfiguration
OBJECT(NSArray *, scanouts, Scanouts)
@end
@implementation VZGraphicsDisplay
VALUE(id, observer, Observer)
- (void)addObserver:(id<VZGraphicsDisplayObserver>)o { [self setObserver:o]; }
- (void)removeObserver:(id<VZGraphicsDisplayObserver>)o { (void)o; [self setObserver:nil]; }
- (BOOL)reconfigureWithSizeInPixels:(CGSize)s error:(NSError **)e
{
    if (NSError *const failure = takeFailure("resize")) { *e = failure; return NO; }
    SET(CGSize, sizeInPixels, s);
    return YES;
}
READ(CGSize, sizeInPixels)
@end
@implementation VZGraphicsDevice
READ(NSArray *, displays)
@end

// ---- sound, consoles, sockets, memory

@implementation VZVirtioSoundDeviceOutputStreamConfiguration
OBJECT(VZAudioOutputStreamSink *, sink, Sink)
@end
@implementation VZVirtioSoundDeviceInputStreamConfiguration
OBJECT(VZAudioInputStreamSource *, source, Source)
@end
@implementation VZVirtioSoundDeviceConfiguration
OBJECT(NSArray *, streams, Streams)
@end
@implementation VZFileHandleSerialPortAttachment
- (instancetype)initWithFileHandleForReading:(NSFileHandle *)r fileHandleForWriting:(NSFileHandle *)w { KEEP(NSFileHandle *, fileHandleForReading, r); KEEP(NSFileHandle *, fileHandleForWriting, w); return [super init]; }
READ(NSFileHandle *, fileHandleForReading)
READ(NSFileHandle *, fileHandleForWriting)
@end
@implementation VZSpiceAgentPortAttachment
VALUE(BOOL, sharesClipboard, SharesClipboard)
+ (NSString *)spiceAgentPortName { return @"com.redhat.spice.0"; }
@end
@implementation VZSerialPortConfiguration
OBJECT(VZSerialPortAttachment *, attachment, Attachment)
@end
@implementation VZConsolePortConfiguration
OBJECT(VZSerialPortAttachment *, attachment, Attachment)
@end
@implementation VZVirtioConsolePortConfiguration
OBJECT(NSString *, name, Name)
@end
@implementation VZVirtioConsolePortConfigurationArray
- (void)setObject:(VZVirtioConsolePortConfiguration *)c atIndexedSubscript:(NSUInteger)i { slot<id>(self, std::to_string(i).c_str()) = [c retain]; }
- (VZVirtioConsolePortConfiguration *)objectAtIndexedSubscript:(NSUInteger)i { return slot<id>(self, std::to_string(i).c_str()); }
@end
@implementation VZVirtioConsoleDeviceConfiguration
- (instancetype)init { self = [super init]; KEEP(VZVirtioConsolePortConfigurationArray *, ports, [VZVirtioConsolePortConfigurationArray alloc]); return self; }
READ(VZVirtioConsolePortConfigurationArray *, ports)
@end
@implementation VZVirtioSocketConnection
READ(int, fileDescriptor)
@end
@implementation VZVirtioSocketListener
VALUE(id, delegate, Delegate)
@end
@implementation VZVirtioSocketDevice
- (void)setSocketListener:(VZVirtioSocketListener *)listener forPort:(uint32_t)port { slot<id>(self, ("port" + std::to_string(port)).c_str()) = [listener retain]; }
- (void)removeSocketListenerForPort:(uint32_t)port { slot<id>(self, ("port" + std::to_string(port)).c_str()) = nil; }
- (void)connectToPort:(uint32_t)port completionHandler:(void (^)(VZVirtioSocketConnection *, NSError *))done
{
    void (^const answer)(VZVirtioSocketConnection *, NSError *) = (void (^)(VZVirtioSocketConnection *, NSError *))Block_copy(done);
    NSError *const failure = takeFailure("connect");
    VZVirtioSocketConnection *connection = nil;
    if (!failure) {
        connection = [VZVirtioSocketConnection alloc];
        int ends[2];
        if (pipe(ends) == 0) {
            const uint32_t sent = port; // what the guest says first
            if (write(ends[1], &sent, sizeof(sent)) != ssize_t(sizeof(sent))) abort();
            close(ends[1]);
            slot<int>(connection, "fileDescriptor") = ends[0];
        }
    }
    later("connect", ^{ answer(connection, failure); if (connection) close(connection.fileDescriptor); });
}
@end
@implementation VZVirtioTraditionalMemoryBalloonDevice
VALUE(uint64_t, targetVirtualMachineMemorySize, TargetVirtualMachineMemorySize)
@end
// clang-format on
