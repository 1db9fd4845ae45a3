// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "core/result/result.h"

#include <QString>

namespace vitrine {

enum class CopyMethod { Reflink, CopyFileRange, Sparse };

// Copies a disk: FICLONE, else copy_file_range over data extents, else a sparse copy that finds
// holes with SEEK_DATA and skips blocks of zeros. `target` must not exist (created with O_EXCL,
// mode 0600). Holes stay holes. The target is fsynced. On failure or cancel it is removed. Returns
// the way that was used. Reports bytes copied through the context.
Result<CopyMethod>
copyDisk(const QString& source, const QString& target, const JobContext& context);

// Whether files of `targetDirectory` can share blocks with `source`: tried with one block of a file
// without a name.
[[nodiscard]] bool canReflink(const QString& source, const QString& targetDirectory);

// Forces one way down, for tests: methods before it are skipped.
Result<CopyMethod> copyDiskFrom(CopyMethod first,
                                const QString& source,
                                const QString& target,
                                const JobContext& context);

} // namespace vitrine
