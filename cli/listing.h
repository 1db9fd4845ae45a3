// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonObject>
#include <QList>
#include <QString>

namespace vitrine::cli {

// Output of `list` and `get`, specification 1.12. "GB" are whole 10^9 bytes. Besides Tart's states
// there are "broken" and "paused" (which is Running too); in the JSON of `list` they have the
// additional key "Reason", a paused one if there is a reason.
[[nodiscard]] QJsonArray listJson(const QList<MachineInfo>& machines);
[[nodiscard]] QString listText(const QList<MachineInfo>& machines, const QDateTime& now);

[[nodiscard]] QJsonObject getJson(const MachineInfo& machine); // `config` is set
[[nodiscard]] QString getText(const MachineInfo& machine);

} // namespace vitrine::cli
