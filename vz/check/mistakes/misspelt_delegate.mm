// |lint|-[Delegate virtualMachine:didStopWithErorr:] is declared nowhere
// SPDX-License-Identifier: Apache-2.0
#import <Virtualization/Virtualization.h>

@interface Delegate : NSObject <VZVirtualMachineDelegate>
@end
@implementation Delegate
- (void)virtualMachine:(VZVirtualMachine*)virtualMachine didStopWithErorr:(NSError*)error {
    (void)virtualMachine;
    (void)error;
}
@end
