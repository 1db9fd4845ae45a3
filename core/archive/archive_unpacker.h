// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "core/result/result.h"

#include <QByteArray>
#include <QString>

#include <functional>

namespace vitrine {

struct UnpackLimits {
    quint64 bytes = 32ULL << 30; // of all files together, unpacked
    quint64 entries = 1000000;
    int depth = 100; // folders within folders
};

// The next bytes of an archive; empty at its end. An error ends the unpacking.
using ArchiveSource = std::function<Result<QByteArray>()>;

// Unpacks a tar archive, plain or compressed with gzip, into a folder that exists and is empty.
// Nothing outside the folder is made, changed or reached, whatever the archive says: names that are
// absolute or have "..", links that lead out, and devices are refused, and with them the whole
// archive; nothing is written through a link. Everything belongs to the user of this process, has
// no set-uid bits and can be read and removed by that user; folders that have no entry are 0755.
// After an error the folder may be partly filled: the caller removes it. Any thread; straight
// through.
//
// Integrity for a damaged or refused archive, DiskFull, Cancelled.
Result<> unpackArchive(const ArchiveSource& source,
                       const QString& folder,
                       const UnpackLimits& limits,
                       const JobContext& context);

} // namespace vitrine
