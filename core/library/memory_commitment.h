// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"
#include "core/result/result.h"
#include "core/value/byte_count.h"

#include <QString>
#include <QStringList>

namespace vitrine {

// How much memory machines may use together if this one starts too. Guests take their memory as
// they touch it, so too little of it shows long after the start: it is told before.
struct MemoryCommitment {
    QString machine;
    ByteCount wanted;     // by the machine that is to start
    ByteCount running;    // given to the machines that run
    QStringList machines; // their names
    ByteCount total;      // of this computer
    ByteCount available;  // of it now, without swapping

    // Translated, what can happen and what to do; empty when the memory suffices.
    [[nodiscard]] QString warning() const;
};

// Reads the library and hostMemory(). Any thread but the window's.
[[nodiscard]] Result<MemoryCommitment> memoryCommitment(const Library& library,
                                                        const MachineInfo& machine);

// MemTotal and MemAvailable of /proc/meminfo; zero when missing.
struct HostMemory {
    ByteCount total;
    ByteCount available;
};
[[nodiscard]] HostMemory hostMemoryFrom(const QByteArray& memInfo);
// Of this computer now; zero what it does not tell.
[[nodiscard]] HostMemory hostMemory();

} // namespace vitrine
