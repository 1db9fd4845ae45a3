// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>

namespace vitrine {

// What is known of a block device, beyond its name: which one it is, and whether it was written to.
// The size and times of its file in /dev say neither. Linux; empty texts elsewhere.
struct BlockDeviceMark {
    quint64 size = 0; // bytes
    // World wide name, serial number or the like; empty for a device that has none.
    QString identity;
    // Boot of this computer, number of the device in it, and sectors written so far. Comparable
    // only with a text of the same boot.
    QString writes;

    // Needs the right to read the device. Any thread.
    [[nodiscard]] static Result<BlockDeviceMark> of(const QString& path);
};

// False as well when that cannot be known, because this computer was restarted or the device taken
// out meanwhile.
[[nodiscard]] bool wasWrittenBetween(const QString& writes, const QString& later);

} // namespace vitrine
