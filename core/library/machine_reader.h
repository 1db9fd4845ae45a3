// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/foreign_volume.h"
#include "core/library/machine_info.h"

#include <QString>

namespace vitrine {

// Reads one machine's or image's directory. Made for listings: less than twenty system calls a
// machine.
// A machine on a volume of its own that does not answer within a second is Broken, with that
// reason. A value; may be used from any thread.
class MachineReader final {
public:
    explicit MachineReader(const QString& libraryHome);

    // Everything a listing shows. Whatever is wrong ends in state Broken with the reason: a part
    // that is missing or no file, config.json, or the vitrine.json of one that does not run.
    [[nodiscard]] MachineInfo read(const QString& directory, const QString& name) const;
    // Only lock, `alive` and saved states; Broken when config.json is missing and `alive` is free.
    [[nodiscard]] MachineState stateOf(const QString& directory, qint64* holderPid) const;

    // A saved state exists (state.vzvmsave or state.qemu), whoever holds the lock.
    [[nodiscard]] static bool isSuspended(const QString& directory);

private:
    [[nodiscard]] MachineInfo readNow(const QString& directory, const QString& name) const;
    [[nodiscard]] MachineState stateNow(const QString& directory, qint64* holderPid) const;
    [[nodiscard]] bool isAlive(const QString& directory) const;
    QString m_runtimeBase;
    ForeignVolumes m_foreign;
};

} // namespace vitrine
