// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/plan/machine_plan.h"
#include "vz/plan/vz_errors.h"

#include <functional>

#import <Virtualization/Virtualization.h>

namespace vitrine::vz {

// The delegate that is to hear of the plan's network disk of that number; may answer nil. Not kept
// by the framework.
using DiskDelegates = std::function<id _Nullable(int disk)>;

// A plan as the framework's configuration, member for member, validated. nil, with the reason in
// *failure, for what the framework or this system refuses; the framework never gets a value that it
// answers with an exception. Opens disk images; creates an EFI variable store where the plan
// says so. Main thread.
[[nodiscard]] VZVirtualMachineConfiguration* _Nullable makeConfiguration(
    const MachinePlan& plan, const DiskDelegates& disks, VzFailure* _Nonnull failure);

// Its parts, one file each.
[[nodiscard]] bool addGuest(VZVirtualMachineConfiguration* _Nonnull configuration,
                            const MachinePlan& plan,
                            VzFailure* _Nonnull failure);
[[nodiscard]] bool addDisks(VZVirtualMachineConfiguration* _Nonnull configuration,
                            const MachinePlan& plan,
                            const DiskDelegates& delegates,
                            VzFailure* _Nonnull failure);
[[nodiscard]] bool addScreen(VZVirtualMachineConfiguration* _Nonnull configuration,
                             const MachinePlan& plan,
                             VzFailure* _Nonnull failure);

// Used again while a machine runs. nil with the reason.
[[nodiscard]] VZNetworkDeviceAttachment* _Nullable makeAttachment(const NetworkCard& card,
                                                                  VzFailure* _Nonnull failure);
// nil without a failure for an empty share.
[[nodiscard]] VZDirectoryShare* _Nullable makeShare(const ShareDevice& device,
                                                    bool* _Nonnull refusedShare,
                                                    VzFailure* _Nonnull failure);

} // namespace vitrine::vz
