// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "ui/theme/theme.h"

#include <QHash>
#include <QString>
#include <QStringList>

namespace vitrine::ui {

// "Linux · amd64", "macOS · arm64"; empty for a broken machine.
[[nodiscard]] QString systemText(const MachineInfo& info);
// The state in a word and as a shape; one that does not answer says that instead.
[[nodiscard]] QString stateText(const MachineInfo& info);
[[nodiscard]] Glyph stateShape(const MachineInfo& info);
// The line below the state: the system, why it is broken, or which process holds it.
[[nodiscard]] QString detailText(const MachineInfo& info);
// One sentence for assistive technology: name, state, system.
[[nodiscard]] QString spokenText(const MachineInfo& info);

// "ubuntu" and ":24.04" of "ghcr.io/acme/ubuntu:24.04"; digests are shortened.
struct ImageLabel {
    QString name;
    QString tag;
    friend bool operator==(const ImageLabel&, const ImageLabel&) = default;
};
[[nodiscard]] ImageLabel imageLabel(const QString& reference);
// The same for a list, by reference: where two would read alike, their names say as much of the
// repository, and if need be of the registry, as tells them apart ("acme/ubuntu", "debian/ubuntu").
[[nodiscard]] QHash<QString, ImageLabel> imageLabels(const QStringList& references);

// "2 h 14 min", "12 s"; whole minutes from one minute up.
[[nodiscard]] QString durationText(qint64 seconds);
// "1 core", "4 cores".
[[nodiscard]] QString coresText(int count);
// The path with the home directory shortened to "~".
[[nodiscard]] QString homeShortened(const QString& path);

} // namespace vitrine::ui
