// SPDX-License-Identifier: Apache-2.0
#include "core/result/error.h"
#include "vz/shell/arm64.h"
#include "vz/shell/configuration_objc.h"
#include "vz/shell/convert_objc.h"

namespace vitrine::vz {

VZNetworkDeviceAttachment* makeAttachment(const NetworkCard& card, VzFailure* failure) {
    if (std::holds_alternative<NatAttachment>(card.attachment))
        return [[VZNATNetworkDeviceAttachment alloc] init];
    if (const auto* bridged = std::get_if<BridgedAttachment>(&card.attachment)) {
        for (VZBridgedNetworkInterface* interface in VZBridgedNetworkInterface.networkInterfaces) {
            if ([interface.identifier isEqualToString:ns(bridged->interface)])
                return [[VZBridgedNetworkDeviceAttachment alloc] initWithInterface:interface];
        }
        *failure = refused(VzNetwork,
                           Tr::tr("There is no network interface \"%1\" that machines may use.")
                               .arg(bridged->interface));
        return nil;
    }
    const auto& socket = std::get<SocketAttachment>(card.attachment);
    VZFileHandleNetworkDeviceAttachment* const attachment =
        [[VZFileHandleNetworkDeviceAttachment alloc]
            initWithFileHandle:fileHandle(socket.descriptor)];
    attachment.maximumTransmissionUnit = socket.mtu;
    return attachment;
}

namespace {

VZSharedDirectory* folder(const SharedFolder& shared) {
    return [[VZSharedDirectory alloc] initWithURL:fileUrl(shared.path) readOnly:shared.readOnly];
}

// An invalid or doubled name would be answered with an exception.
VZDirectoryShare* severalFolders(const ShareDevice& device, VzFailure* failure) {
    NSMutableDictionary<NSString*, VZSharedDirectory*>* const folders =
        [NSMutableDictionary dictionary];
    for (const SharedFolder& shared : device.folders) {
        NSError* error = nil;
        NSString* const name = ns(shared.name);
        if (![VZMultipleDirectoryShare validateName:name error:&error]) {
            *failure = failureOf(error);
            return nil;
        }
        [folders setObject:folder(shared) forKey:name];
    }
    return [[VZMultipleDirectoryShare alloc] initWithDirectories:folders];
}

VZDirectoryShare* rosetta(VzFailure* failure) {
#if VZ_ARM64
    NSError* error = nil;
    VZDirectoryShare* const share = [[VZLinuxRosettaDirectoryShare alloc] initWithError:&error];
    if (share == nil)
        *failure = failureOf(error);
    return share;
#else
    *failure = needsAppleSilicon(Tr::tr("Rosetta"));
    return nil;
#endif
}

bool addCards(VZVirtualMachineConfiguration* configuration,
              const MachinePlan& plan,
              VzFailure* failure) {
    NSMutableArray<VZNetworkDeviceConfiguration*>* const cards = [NSMutableArray array];
    for (const NetworkCard& card : plan.cards) {
        VZNetworkDeviceAttachment* const attachment = makeAttachment(card, failure);
        if (attachment == nil)
            return false;
        VZMACAddress* const address =
            [[VZMACAddress alloc] initWithString:ns(card.macAddress.toText())];
        if (address == nil) {
            *failure = refused(
                VzInvalidConfiguration,
                Tr::tr("The framework refuses the MAC address %1.").arg(card.macAddress.toText()));
            return false;
        }
        VZVirtioNetworkDeviceConfiguration* const made =
            [[VZVirtioNetworkDeviceConfiguration alloc] init];
        made.MACAddress = address;
        made.attachment = attachment;
        [cards addObject:made];
    }
    configuration.networkDevices = cards;
    return true;
}

bool addShares(VZVirtualMachineConfiguration* configuration,
               const MachinePlan& plan,
               VzFailure* failure) {
    NSMutableArray<VZDirectorySharingDeviceConfiguration*>* const devices = [NSMutableArray array];
    for (const ShareDevice& device : plan.shares) {
        NSError* error = nil;
        NSString* const tag = ns(device.tag);
        if (![VZVirtioFileSystemDeviceConfiguration validateTag:tag error:&error]) {
            *failure = failureOf(error);
            return false;
        }
        bool refusedShare = false;
        VZDirectoryShare* const share = makeShare(device, &refusedShare, failure);
        if (refusedShare)
            return false;
        VZVirtioFileSystemDeviceConfiguration* const made =
            [[VZVirtioFileSystemDeviceConfiguration alloc] initWithTag:tag];
        made.share = share;
        [devices addObject:made];
    }
    configuration.directorySharingDevices = devices;
    return true;
}

void addSound(VZVirtualMachineConfiguration* configuration, Sound sound) {
    if (sound == Sound::None)
        return;
    NSMutableArray<VZVirtioSoundDeviceStreamConfiguration*>* const streams = [NSMutableArray array];
    VZVirtioSoundDeviceOutputStreamConfiguration* const output =
        [[VZVirtioSoundDeviceOutputStreamConfiguration alloc] init];
    if (sound != Sound::SilentOutput)
        output.sink = [[VZHostAudioOutputStreamSink alloc] init];
    [streams addObject:output];
    if (sound == Sound::OutputAndInput) {
        VZVirtioSoundDeviceInputStreamConfiguration* const input =
            [[VZVirtioSoundDeviceInputStreamConfiguration alloc] init];
        input.source = [[VZHostAudioInputStreamSource alloc] init];
        [streams addObject:input];
    }
    VZVirtioSoundDeviceConfiguration* const device =
        [[VZVirtioSoundDeviceConfiguration alloc] init];
    device.streams = streams;
    configuration.audioDevices = @[ device ];
}

VZVirtioConsoleDeviceConfiguration* console(NSString* name, VZSerialPortAttachment* attachment) {
    VZVirtioConsolePortConfiguration* const port = [[VZVirtioConsolePortConfiguration alloc] init];
    port.name = name;
    port.attachment = attachment;
    VZVirtioConsoleDeviceConfiguration* const device =
        [[VZVirtioConsoleDeviceConfiguration alloc] init];
    [device.ports setObject:port atIndexedSubscript:0];
    return device;
}

void addConsoles(VZVirtualMachineConfiguration* configuration, const MachinePlan& plan) {
    NSMutableArray<VZConsoleDeviceConfiguration*>* const consoles = [NSMutableArray array];
    if (plan.clipboard) {
        VZSpiceAgentPortAttachment* const spice = [[VZSpiceAgentPortAttachment alloc] init];
        spice.sharesClipboard = YES;
        [consoles addObject:console(VZSpiceAgentPortAttachment.spiceAgentPortName, spice)];
    }
    if (!plan.versionPort.isEmpty())
        [consoles addObject:console(ns(plan.versionPort), nil)];
    configuration.consoleDevices = consoles;
    if (plan.serial) {
        VZVirtioConsoleDeviceSerialPortConfiguration* const serial =
            [[VZVirtioConsoleDeviceSerialPortConfiguration alloc] init];
        serial.attachment = [[VZFileHandleSerialPortAttachment alloc]
            initWithFileHandleForReading:fileHandle(plan.serial->forGuestToRead)
                    fileHandleForWriting:fileHandle(plan.serial->fromGuest)];
        configuration.serialPorts = @[ serial ];
    }
}

bool validate(VZVirtualMachineConfiguration* configuration, bool savable, VzFailure* failure) {
    NSError* error = nil;
    if (![configuration validateWithError:&error]) {
        *failure = failureOf(error);
        return false;
    }
    if (!savable)
        return true;
#if VZ_ARM64
    if (@available(macOS 14.0, *)) {
        if ([configuration validateSaveRestoreSupportWithError:&error])
            return true;
        *failure = failureOf(error);
    } else {
        *failure = needsMacOs(14, Tr::tr("Suspending a machine"));
    }
#else
    *failure = needsAppleSilicon(Tr::tr("Suspending a machine"));
#endif
    return false;
}

} // namespace

VZDirectoryShare* makeShare(const ShareDevice& device, bool* refusedShare, VzFailure* failure) {
    VZDirectoryShare* share = nil;
    switch (device.kind) {
    case ShareDevice::Kind::Empty:
        return nil;
    case ShareDevice::Kind::Single:
        if (device.folders.isEmpty())
            *failure = refused(VzInvalidConfiguration, Tr::tr("A share of one folder has none."));
        else
            share = [[VZSingleDirectoryShare alloc]
                initWithDirectory:folder(device.folders.constFirst())];
        break;
    case ShareDevice::Kind::Multiple:
        share = severalFolders(device, failure);
        break;
    case ShareDevice::Kind::Rosetta:
        share = rosetta(failure);
        break;
    }
    *refusedShare = share == nil;
    return share;
}

VZVirtualMachineConfiguration*
makeConfiguration(const MachinePlan& plan, const DiskDelegates& disks, VzFailure* failure) {
    VZVirtualMachineConfiguration* const configuration =
        [[VZVirtualMachineConfiguration alloc] init];
    configuration.CPUCount = static_cast<NSUInteger>(plan.processors);
    configuration.memorySize = plan.memory.bytes();
    if (!addGuest(configuration, plan, failure) || !addDisks(configuration, plan, disks, failure) ||
        !addCards(configuration, plan, failure) || !addShares(configuration, plan, failure) ||
        !addScreen(configuration, plan, failure))
        return nil;
    addSound(configuration, plan.sound);
    addConsoles(configuration, plan);
    if (plan.entropy)
        configuration.entropyDevices = @[ [[VZVirtioEntropyDeviceConfiguration alloc] init] ];
    if (plan.memoryBalloon)
        configuration.memoryBalloonDevices =
            @[ [[VZVirtioTraditionalMemoryBalloonDeviceConfiguration alloc] init] ];
    if (plan.vsock)
        configuration.socketDevices = @[ [[VZVirtioSocketDeviceConfiguration alloc] init] ];
    return validate(configuration, plan.savable, failure) ? configuration : nil;
}

} // namespace vitrine::vz
