// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QList>
#include <QString>

namespace vitrine {

// What the firmware tries to start from, one after the other. Empty: disks in their order, then
// CDs.
enum class BootDevice { Disk, Cd, Network };
using BootOrder = QList<BootDevice>;
// "cd,disk,network". InvalidInput names the word; each may stand once; empty is the default.
[[nodiscard]] Result<BootOrder> bootOrderFromText(const QString& text);
[[nodiscard]] QString toText(const BootOrder& order);

// Where the guest's first serial line leads besides the log.
struct SerialLine {
    enum class Kind { Console, NewTerminal, Device };
    Kind kind = Kind::Console; // the window's own serial console
    QString path;              // Device: a terminal device, opened for reading and writing

    // "", "terminal", or the path of a device.
    [[nodiscard]] static SerialLine fromText(const QString& text);
    [[nodiscard]] QString toText() const;
    friend bool operator==(const SerialLine&, const SerialLine&) = default;
};

} // namespace vitrine
