// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"

// What is stored for later runs, perhaps of another computer, checked as a run would.
namespace vitrine::vz {

// Why the machine cannot be run here as it is; empty when it can. A sentence for whoever changes
// its hardware, no error. Less than the guest's own minimum is refused elsewhere.
[[nodiscard]] QString whyNotRunHere(const Hypervisor& hypervisor, const MachineInfo& machine);

// What a run with these options would be refused for. Neither what the machine is refused for
// without them nor a disk that is in use now is their fault.
[[nodiscard]] Result<> checkOptionsToStore(const Hypervisor& hypervisor,
                                           const MachineInfo& machine,
                                           const RunOptions& options);

} // namespace vitrine::vz
