// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/machine_config.h"
#include "core/machine/sidecar.h"

#include <QDateTime>
#include <QMetaType>
#include <QString>

#include <optional>

namespace vitrine {

enum class MachineState {
    Stopped,
    Starting,
    Running,
    Paused,
    ShuttingDown,
    Suspending, // its state is being written to the disk
    Suspended,
    RunningElsewhere,
    Broken
};
[[nodiscard]] QString
toText(MachineState state); // translated word: "Running", "Running elsewhere", …
// Tart's word for `list` and `get`: "running", "suspended", "stopped" ("broken" for a broken one).
[[nodiscard]] QString toTartText(MachineState state);

// What a listing knows of a machine or image without starting anything.
struct MachineInfo {
    QString name;      // machine name, or the reference of a cached image
    QString directory; // absolute path
    MachineState state = MachineState::Stopped;
    QString brokenReason;                // translated; set when state is Broken
    std::optional<MachineConfig> config; // absent when broken
    qint64 holderPid = 0;                // lock holder, 0 when stopped
    ByteCount diskSize;                  // logical size of disk.img
    ByteCount size;                      // logical, config + disk + nvram
    ByteCount allocated;                 // on disk, config + disk + nvram
    QDateTime accessed;                  // last used: last_used.h
    bool isImage = false;                // cached image
    bool byDigest = false;
    bool responding = true; // false: it runs, and has not answered for a while

    friend bool operator==(const MachineInfo&, const MachineInfo&) = default;
};

} // namespace vitrine

Q_DECLARE_METATYPE(vitrine::MachineInfo)
