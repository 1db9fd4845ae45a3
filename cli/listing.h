// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/machine/sidecar.h"

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
// Tart's whole GB are for what reads them; Fitting ("31 MB") is for somebody at a terminal.
enum class SizeStyle { WholeGB, Fitting };
[[nodiscard]] QString listText(const QList<MachineInfo>& machines,
                               const QDateTime& now,
                               SizeStyle style = SizeStyle::WholeGB);

// `config` is set. Beside Tart's keys: "DisplayRefit", "DisplayScale" and "RunOptions", as
// vitrine.json holds them; "Pending" if something waits for the next start. `running`: what the run
// under way has, at its start and now; empty when it is not known.
[[nodiscard]] QJsonObject getJson(const MachineInfo& machine,
                                  const Sidecar& sidecar = {},
                                  const QList<RunOptions>& running = {});
// Below Tart's table what waits, and, as options of `set`, what differs from the defaults.
[[nodiscard]] QString getText(const MachineInfo& machine,
                              const Sidecar& sidecar = {},
                              const QList<RunOptions>& running = {});

} // namespace vitrine::cli
