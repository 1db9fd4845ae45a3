// SPDX-License-Identifier: Apache-2.0
#pragma once
#import <AppKit/AppKit.h>
#import <dispatch/dispatch.h>
NS_ASSUME_NONNULL_BEGIN
FOUNDATION_EXPORT NSErrorDomain const VZErrorDomain;
typedef NS_ENUM(NSInteger, VZErrorCode) {
    VZErrorInternal = 1,
    VZErrorInvalidVirtualMachineConfiguration = 2,
    VZErrorInvalidVirtualMachineState = 3,
    VZErrorInvalidVirtualMachineStateTransition = 4,
    VZErrorInvalidDiskImage = 5,
    VZErrorVirtualMachineLimitExceeded = 6,
    VZErrorNetworkError = 7,
    VZErrorOutOfDiskSpace = 8,
    VZErrorOperationCancelled = 9,
    VZErrorNotSupported = 10,
    VZErrorSave = 11,
    VZErrorRestore = 12,
};
NS_ASSUME_NONNULL_END
