// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/value/byte_count.h"

#include <QString>

namespace vitrine {

// Bytes that become free when this file goes: extents that no other file shares where the file
// system tells (FIEMAP), else all that is allocated.
[[nodiscard]] Result<ByteCount> exclusiveSize(const QString& path);

} // namespace vitrine
