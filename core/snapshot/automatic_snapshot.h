// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_lock.h"
#include "core/job/job.h"
#include "core/result/result.h"

#include <QString>

namespace vitrine {

// Before something risky, by whoever holds the machine's lock: an automatic snapshot when the
// machine asks for those (takesAutomaticSnapshots), else nothing. `machineDirectory`: also by way
// of /proc/self/fd. May take long; after an error the risky thing should not be done.
Result<> keepBeforeRisk(const ConfigFile& held,
                        const QString& machineDirectory,
                        const QString& name,
                        const JobContext& context);

} // namespace vitrine
