// |intel|cannot initialize a parameter of type 'VZDiskImageSynchronizationMode'
// SPDX-License-Identifier: Apache-2.0
#import <Virtualization/Virtualization.h>

VZStorageDeviceAttachment* disk(NSURL* url) {
    return [[VZDiskImageStorageDeviceAttachment alloc] initWithURL:url
                                                          readOnly:NO
                                                       cachingMode:VZDiskImageCachingModeCached
                                               synchronizationMode:VZDiskSynchronizationModeFull
                                                             error:nil];
}
