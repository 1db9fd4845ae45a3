// SPDX-License-Identifier: Apache-2.0
#include "vz/shell/convert_objc.h"
#include "vz/shell/machine_objc.h"

#include <fcntl.h>
#include <unistd.h>

using namespace vitrine::vz;

namespace vitrine::vz {

VmState vmState(VZVirtualMachineState state) {
    switch (state) {
    case VZVirtualMachineStateStopped:
        return VmState::Stopped;
    case VZVirtualMachineStateRunning:
        return VmState::Running;
    case VZVirtualMachineStatePaused:
        return VmState::Paused;
    case VZVirtualMachineStateError:
        return VmState::Error;
    case VZVirtualMachineStateStarting:
        return VmState::Starting;
    case VZVirtualMachineStatePausing:
        return VmState::Pausing;
    case VZVirtualMachineStateResuming:
        return VmState::Resuming;
    case VZVirtualMachineStateStopping:
        return VmState::Stopping;
    case VZVirtualMachineStateSaving:
        return VmState::Saving;
    case VZVirtualMachineStateRestoring:
        return VmState::Restoring;
    }
    return VmState::Error;
}

} // namespace vitrine::vz

@implementation VitrineMachineDelegate

- (void)observe:(VZVirtualMachine*)machine {
    machine.delegate = self;
    [machine addObserver:self
              forKeyPath:NSStringFromSelector(@selector(state))
                 options:NSKeyValueObservingOptionNew
                 context:nullptr];
}

- (void)leave:(VZVirtualMachine*)machine {
    [machine removeObserver:self forKeyPath:NSStringFromSelector(@selector(state))];
    machine.delegate = nil;
}

- (void)guestDidStopVirtualMachine:(VZVirtualMachine*)virtualMachine {
    (void)virtualMachine;
    if (relay && relay->events != nullptr)
        relay->events->guestStopped();
}

- (void)virtualMachine:(VZVirtualMachine*)virtualMachine didStopWithError:(NSError*)error {
    (void)virtualMachine;
    if (relay && relay->events != nullptr)
        relay->events->stoppedWithError(failureOf(error));
}

- (void)virtualMachine:(VZVirtualMachine*)virtualMachine
                         networkDevice:(VZNetworkDevice*)networkDevice
    attachmentWasDisconnectedWithError:(NSError*)error {
    if (!relay || relay->events == nullptr)
        return;
    int card = 0;
    for (VZNetworkDevice* device in virtualMachine.networkDevices) {
        if (device == networkDevice)
            break;
        ++card;
    }
    relay->events->networkDropped(card, failureOf(error));
}

// Arrives on the machine's queue, which is the main one. The state is taken now and told from the
// event loop: a change of state comes from inside the calls that cause it.
- (void)observeValueForKeyPath:(NSString*)keyPath
                      ofObject:(id)object
                        change:(NSDictionary<NSKeyValueChangeKey, id>*)change
                       context:(void*)context {
    (void)keyPath;
    (void)change;
    (void)context;
    const VmState state = vmState(static_cast<VZVirtualMachine*>(object).state);
    const QPointer<EventRelay> target = relay;
    dispatch_async(dispatch_get_main_queue(), ^{
      if (target && target->events != nullptr)
          target->events->stateChanged(state);
    });
}

@end

@implementation VitrineDiskDelegate

- (void)attachment:(VZNetworkBlockDeviceStorageDeviceAttachment*)attachment
    didEncounterError:(NSError*)error {
    (void)attachment;
    const VzFailure failure = failureOf(error);
    const int number = disk;
    const QPointer<EventRelay> target = relay;
    dispatch_async(dispatch_get_main_queue(), ^{
      if (target && target->events != nullptr)
          target->events->diskFailed(number, failure);
    });
}

@end

@implementation VitrineDisplayObserver

- (void)displayDidEndReconfiguration:(VZGraphicsDisplay*)display {
    (void)display;
    const QPointer<EventRelay> target = relay;
    dispatch_async(dispatch_get_main_queue(), ^{
      if (target && target->events != nullptr)
          target->events->displayReconfigured();
    });
}

@end

@implementation VitrineVsockDelegate

- (BOOL)listener:(VZVirtioSocketListener*)listener
    shouldAcceptNewConnection:(VZVirtioSocketConnection*)connection
             fromSocketDevice:(VZVirtioSocketDevice*)socketDevice {
    (void)listener;
    (void)socketDevice;
    if (!relay)
        return NO;
    // It closes its own descriptor when it goes.
    const int descriptor = ::fcntl(connection.fileDescriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0)
        return NO;
    const QPointer<EventRelay> target = relay;
    const Machine::Incoming receive = accepted;
    dispatch_async(dispatch_get_main_queue(), ^{
      if (target)
          receive(descriptor);
      else
          ::close(descriptor);
    });
    return YES;
}

@end
