// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "core/library/library.h"
#include "core/result/result.h"

namespace vitrine {

// `set --disk` (specification 2.4): the machine's disk becomes a copy of this raw disk image file,
// and the disk it had is gone. Refused while the machine runs or is suspended and while the file is
// in use. The copy is complete and on the drive before it takes the old disk's place in one step;
// on failure and cancel the old disk stays. Holds the machine's lock for as long as the copy takes,
// so it belongs into a vitrinectl process.
Result<> replaceDisk(const Library& library,
                     const MachineName& name,
                     const QString& source,
                     const JobContext& context);

} // namespace vitrine
