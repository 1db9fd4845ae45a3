// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "core/result/result.h"

#include <QString>

namespace vitrine {

// Copies a file of this computer into a running guest: through its agent into the home folder
// of the user who logs in there, who owns it afterwards; where no agent answers, over ssh into the
// home folder of the user who is remembered for it, with the keys that ssh finds by itself. A name
// that is taken gets a number; a copy that was cut off leaves nothing. Returns its path in the
// guest. Straight through on the calling thread, which must not be the window's; reports bytes.
[[nodiscard]] Result<QString> copyIntoGuest(const QString& libraryHome,
                                            const QString& machineDirectory,
                                            const QString& file,
                                            const JobContext& context);

} // namespace vitrine
