// |intel|'VZNVMExpressControllerDeviceConfiguration' is only available on macOS 14.0 or newer
// SPDX-License-Identifier: Apache-2.0
#import <Virtualization/Virtualization.h>

VZStorageDeviceConfiguration* disk(VZStorageDeviceAttachment* attachment) {
    return [[VZNVMExpressControllerDeviceConfiguration alloc] initWithAttachment:attachment];
}
