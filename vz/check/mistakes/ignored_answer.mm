// |intel|ignoring return value
// SPDX-License-Identifier: Apache-2.0
#import <Virtualization/Virtualization.h>

void check(VZVirtualMachineConfiguration* configuration) {
    NSError* error = nil;
    [configuration validateWithError:&error];
}
