// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/library/machine_info.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"
#include "vz/plan/host_caps.h"
#include "vz/plan/machine_plan.h"

#include <QList>
#include <QString>

#include <vector>

namespace vitrine::vz {

// The machine's own disk and the extra ones, specification 5.1 and 5.2. Looks at files and devices,
// changes nothing. What a kind of disk cannot do is refused with the reason, never dropped; all
// reasons go to `errors`. `copyFolder` is where copies of images' disks are going to be.
[[nodiscard]] QList<Disk> planDisks(const MachineInfo& machine,
                                    const RunOptions& options,
                                    const HostCaps& host,
                                    const QString& copyFolder,
                                    QList<vitrine::Error>& errors);

// Opens the block devices of the plan and puts their descriptors in; they have to stay open until
// the machine has started. Busy and Permission with what to do.
[[nodiscard]] Result<std::vector<FileDescriptor>> openBlockDevices(MachinePlan& plan);

} // namespace vitrine::vz
