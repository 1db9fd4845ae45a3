// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/result/result.h"

#include <QString>

namespace vitrine {

// What is asked of a machine's disks whichever backend runs it. All touch the disk.

// "The disk … cannot be used." and the reason, a whole sentence. Not NotFound: that speaks of the
// machine.
[[nodiscard]] Error unusableDisk(const QString& path,
                                 const QString& reason,
                                 Error::Kind kind = Error::Kind::Unsupported);
// A file that is there, is not empty and may be read, or written too.
[[nodiscard]] Result<> checkDiskFile(const QString& path, bool readOnly);
// The cached image whose disk an extra disk names, in the library that the machine stands in; a
// machine elsewhere has no images. Its configuration can be read.
[[nodiscard]] Result<MachineInfo> imageOfDisk(const QString& machineDirectory,
                                              const QString& reference);

} // namespace vitrine
