// |intel|enumeration value 'VZVirtualMachineStateRestoring' not handled
// SPDX-License-Identifier: Apache-2.0
#import <Virtualization/Virtualization.h>

bool isUp(VZVirtualMachineState state) {
    switch (state) {
    case VZVirtualMachineStateStopped:
    case VZVirtualMachineStateError:
        return false;
    case VZVirtualMachineStateRunning:
    case VZVirtualMachineStatePaused:
    case VZVirtualMachineStateStarting:
    case VZVirtualMachineStatePausing:
    case VZVirtualMachineStateResuming:
    case VZVirtualMachineStateStopping:
    case VZVirtualMachineStateSaving:
        return true;
    }
    return false;
}
