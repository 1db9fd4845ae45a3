// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/result/result.h"

#include <QString>

#include <optional>

namespace vitrine {

// What is asked of a machine's disks whichever backend runs it. All touch the disk.

// "The disk … cannot be used." and the reason, a whole sentence. Not NotFound: that speaks of the
// machine.
[[nodiscard]] Error unusableDisk(const QString& path,
                                 const QString& reason,
                                 Error::Kind kind = Error::Kind::Unsupported);
// A file that is there, is not empty and may be read, or written too.
[[nodiscard]] Result<> checkDiskFile(const QString& path, bool readOnly);
// What its first bytes say: a disk format that is not raw, or something packed ("a qcow2 disk", "an
// xz archive"); nullopt for everything else, raw disks among it. To be named in an error, never to
// choose how a file is read.
[[nodiscard]] std::optional<QString> foreignDiskFormat(const QString& path);
// A raw disk image that becomes a machine's disk by copying it: a file that is not empty, of whole
// sectors, in no other format by its name or beginning, and used by nobody. Errors say how it is
// converted.
[[nodiscard]] Result<> checkDiskToCopy(const QString& path);
// The cached image whose disk an extra disk names, in the library that the machine stands in; a
// machine elsewhere has no images. Its configuration can be read.
[[nodiscard]] Result<MachineInfo> imageOfDisk(const QString& machineDirectory,
                                              const QString& reference);

} // namespace vitrine
