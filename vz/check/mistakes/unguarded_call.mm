// |silicon|'saveMachineStateToURL:completionHandler:' is only available on macOS 14.0 or newer
// SPDX-License-Identifier: Apache-2.0
#import <Virtualization/Virtualization.h>

void save(VZVirtualMachine* machine, NSURL* url) {
    [machine saveMachineStateToURL:url
                 completionHandler:^(NSError* error) {
                   (void)error;
                 }];
}
