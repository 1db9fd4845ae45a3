// SPDX-License-Identifier: Apache-2.0
#include "core/result/error.h"
#include "vz/shell/configuration_objc.h"
#include "vz/shell/convert_objc.h"

namespace vitrine::vz {

namespace {

VZDiskImageCachingMode cachingMode(Caching caching) {
    switch (caching) {
    case Caching::Automatic:
        return VZDiskImageCachingModeAutomatic;
    case Caching::Cached:
        return VZDiskImageCachingModeCached;
    case Caching::Uncached:
        return VZDiskImageCachingModeUncached;
    }
    return VZDiskImageCachingModeAutomatic;
}

VZDiskImageSynchronizationMode synchronizationMode(Synchronisation synchronisation) {
    switch (synchronisation) {
    case Synchronisation::Full:
        return VZDiskImageSynchronizationModeFull;
    case Synchronisation::Fsync:
        return VZDiskImageSynchronizationModeFsync;
    case Synchronisation::None:
        return VZDiskImageSynchronizationModeNone;
    }
    return VZDiskImageSynchronizationModeFull;
}

// Another enumeration than that of disk images, with other numbers.
API_AVAILABLE(macos(14.0))
VZDiskSynchronizationMode deviceMode(bool synchronised) {
    return synchronised ? VZDiskSynchronizationModeFull : VZDiskSynchronizationModeNone;
}

VZStorageDeviceAttachment* open(const ImageDisk& disk, VzFailure* failure) {
    NSError* error = nil;
    VZStorageDeviceAttachment* const attachment = [[VZDiskImageStorageDeviceAttachment alloc]
                initWithURL:fileUrl(disk.path)
                   readOnly:disk.readOnly
                cachingMode:cachingMode(disk.caching)
        synchronizationMode:synchronizationMode(disk.synchronisation)
                      error:&error];
    if (attachment == nil)
        *failure = failureOf(error);
    return attachment;
}

VZStorageDeviceAttachment* open(const NetworkDisk& disk, id delegate, VzFailure* failure) {
    if (@available(macOS 14.0, *)) {
        NSError* error = nil;
        NSURL* const url = [NSURL URLWithString:ns(disk.url)];
        if (url == nil) {
            *failure =
                refused(VzInvalidConfiguration, Tr::tr("\"%1\" is not an address.").arg(disk.url));
            return nil;
        }
        if (![VZNetworkBlockDeviceStorageDeviceAttachment validateURL:url error:&error]) {
            *failure = failureOf(error);
            return nil;
        }
        VZNetworkBlockDeviceStorageDeviceAttachment* const attachment =
            [[VZNetworkBlockDeviceStorageDeviceAttachment alloc]
                        initWithURL:url
                            timeout:disk.timeout
                     forcedReadOnly:disk.forcedReadOnly
                synchronizationMode:deviceMode(disk.synchronised)
                              error:&error];
        if (attachment == nil)
            *failure = failureOf(error);
        attachment.delegate = delegate;
        return attachment;
    }
    *failure = needsMacOs(14, Tr::tr("A network disk"));
    return nil;
}

VZStorageDeviceAttachment* open(const BlockDisk& disk, VzFailure* failure) {
    if (@available(macOS 14.0, *)) {
        NSError* error = nil;
        VZStorageDeviceAttachment* const attachment =
            [[VZDiskBlockDeviceStorageDeviceAttachment alloc]
                 initWithFileHandle:fileHandle(disk.descriptor)
                           readOnly:disk.readOnly
                synchronizationMode:deviceMode(disk.synchronised)
                              error:&error];
        if (attachment == nil)
            *failure = failureOf(error);
        return attachment;
    }
    *failure = needsMacOs(14, Tr::tr("A device of this Mac as a disk"));
    return nil;
}

VZStorageDeviceAttachment* open(const Disk& disk, id delegate, VzFailure* failure) {
    if (const auto* image = std::get_if<ImageDisk>(&disk.source))
        return open(*image, failure);
    if (const auto* network = std::get_if<NetworkDisk>(&disk.source))
        return open(*network, delegate, failure);
    return open(std::get<BlockDisk>(disk.source), failure);
}

VZStorageDeviceConfiguration*
device(DiskBus bus, VZStorageDeviceAttachment* attachment, VzFailure* failure) {
    switch (bus) {
    case DiskBus::VirtioBlock:
        return [[VZVirtioBlockDeviceConfiguration alloc] initWithAttachment:attachment];
    case DiskBus::UsbMassStorage:
        return [[VZUSBMassStorageDeviceConfiguration alloc] initWithAttachment:attachment];
    case DiskBus::NvmExpress:
        if (@available(macOS 14.0, *))
            return
                [[VZNVMExpressControllerDeviceConfiguration alloc] initWithAttachment:attachment];
        *failure = needsMacOs(14, Tr::tr("An NVMe disk"));
        return nil;
    }
    *failure = refused(VzInvalidConfiguration, Tr::tr("Unknown kind of disk."));
    return nil;
}

} // namespace

bool addDisks(VZVirtualMachineConfiguration* configuration,
              const MachinePlan& plan,
              const DiskDelegates& delegates,
              VzFailure* failure) {
    NSMutableArray<VZStorageDeviceConfiguration*>* const devices = [NSMutableArray array];
    int number = 0;
    for (const Disk& disk : plan.disks) {
        const bool network = std::holds_alternative<NetworkDisk>(disk.source);
        id const delegate = network && delegates ? delegates(number) : nil;
        ++number;
        VZStorageDeviceAttachment* const attachment = open(disk, delegate, failure);
        if (attachment == nil)
            return false;
        VZStorageDeviceConfiguration* const made = device(disk.bus, attachment, failure);
        if (made == nil)
            return false;
        [devices addObject:made];
    }
    configuration.storageDevices = devices;
    return true;
}

} // namespace vitrine::vz
