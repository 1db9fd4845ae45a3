// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"

#include <QString>

namespace vitrine::ui {

// "Linux · amd64", "macOS · arm64"; empty for a broken machine.
[[nodiscard]] QString systemText(const MachineInfo& info);
// The line below the state: the system, why it is broken, or which process holds it.
[[nodiscard]] QString detailText(const MachineInfo& info);
// One sentence for assistive technology: name, state, system.
[[nodiscard]] QString spokenText(const MachineInfo& info);

// "ubuntu" and ":24.04" of "ghcr.io/acme/ubuntu:24.04"; digests are shortened.
struct ImageLabel {
    QString name;
    QString tag;
};
[[nodiscard]] ImageLabel imageLabel(const QString& reference);

// "2 h 14 min", "12 s"; whole minutes from one minute up.
[[nodiscard]] QString durationText(qint64 seconds);
// "1 core", "4 cores".
[[nodiscard]] QString coresText(int count);
// The path with the home directory shortened to "~".
[[nodiscard]] QString homeShortened(const QString& path);

} // namespace vitrine::ui
