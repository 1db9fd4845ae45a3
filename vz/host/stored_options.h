// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"
#include "vz/plan/host_caps.h"

// What is stored for later runs, perhaps of another computer, checked as a run would.
namespace vitrine::vz {

// Of the hardware: refuses what no Mac can run; the sentence why this one cannot, else an empty
// one. Less than the guest's own minimum is refused elsewhere.
[[nodiscard]] Result<QString> checkHardwareToStore(const HostCaps& host,
                                                   const MachineInfo& machine);

// Every reason for which a run with these options would be refused here. Neither what the machine
// is refused for without them nor a disk that is in use now is their fault.
[[nodiscard]] Result<>
checkOptionsToStore(const HostCaps& host, const MachineInfo& machine, const RunOptions& options);

} // namespace vitrine::vz
