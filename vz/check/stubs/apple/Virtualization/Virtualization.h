// SPDX-License-Identifier: Apache-2.0
// Own minimal stand-in for the part of Virtualization.framework that vz/ uses: facts only, by
// subject, not by Apple's layout of files. API_AVAILABLE is given for what is newer than macOS 13,
// the oldest that Vitrine runs on.
#pragma once
#import <Virtualization/VZDevices.h>
#import <Virtualization/VZDisplay.h>
#import <Virtualization/VZErrors.h>
#import <Virtualization/VZInstall.h>
#import <Virtualization/VZMachine.h>
#import <Virtualization/VZNetwork.h>
#import <Virtualization/VZPlatform.h>
#import <Virtualization/VZShares.h>
#import <Virtualization/VZStorage.h>
