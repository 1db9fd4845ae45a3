// |intel|undeclared selector 'sate'
// SPDX-License-Identifier: Apache-2.0
#import <Virtualization/Virtualization.h>

NSString* key() {
    return NSStringFromSelector(@selector(sate));
}
