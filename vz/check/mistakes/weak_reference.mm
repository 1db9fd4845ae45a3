// |lint|__weak does not exist without ARC
// SPDX-License-Identifier: Apache-2.0
#import <Foundation/Foundation.h>

void hold(NSObject* object) {
    __weak NSObject* weak = object;
    (void)weak;
}
