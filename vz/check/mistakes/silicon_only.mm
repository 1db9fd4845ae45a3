// |intel|use of undeclared identifier 'VZMacOSBootLoader'
// SPDX-License-Identifier: Apache-2.0
#import <Virtualization/Virtualization.h>

void boot(VZVirtualMachineConfiguration* configuration) {
    configuration.bootLoader = [[VZMacOSBootLoader alloc] init];
}
