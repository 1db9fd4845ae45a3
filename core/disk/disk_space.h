// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/value/byte_count.h"

#include <QString>

namespace vitrine {

struct VolumeSpace {
    ByteCount total;
    ByteCount available; // to this user
};
[[nodiscard]] Result<VolumeSpace> volumeSpace(const QString& path);

struct FileSize {
    ByteCount logical;
    ByteCount allocated; // blocks on disk
};
// Missing file: NotFound.
[[nodiscard]] Result<FileSize> fileSize(const QString& path);

Result<> syncFile(int descriptor, const QString& path); // fsync with the path in the error
Result<> syncDirectory(const QString& path);

} // namespace vitrine
