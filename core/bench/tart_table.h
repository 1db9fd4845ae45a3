// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/measurement.h"

namespace vitrine::bench {

// The tables that Tart's benchmark tool prints (field notes 1.8): columns padded with blanks to one
// width and parted by tabs; bandwidths in decimal units, times as Go writes a duration.

struct TartRow {
    QString workload;
    QString executor; // "local", "Tart", "Tart (--root-disk-opts=\"sync=none\")"
    Measurement figures;
    friend bool operator==(const TartRow&, const TartRow&) = default;
};

// Tables of fio and of Xcode, also with the tabs turned to blanks by a terminal, one after the
// other. 0 is what was not measured. Integrity names the line and the cell that is not understood.
[[nodiscard]] Result<QList<TartRow>> tartTableFrom(const QString& text);
[[nodiscard]] bool looksLikeTartTable(const QString& text);

// Exact is what the tool would have printed, with 0 for what was not measured; Honest has a dash.
enum class Unmeasured { Exact, Honest };
// Rows with times only come as a second table. Newline at the end; empty for no rows.
[[nodiscard]] QString tartTable(const QList<TartRow>& rows, Unmeasured unmeasured);

// {"kind": "host"} or {"kind": "vm", …} with the root disk options that an executor's name holds.
[[nodiscard]] QJsonObject executorOptions(const QString& executor);

// "1.5s", "2m19s", "203.418µs": Go's time.Duration.
[[nodiscard]] QString goDuration(double nanoseconds);
[[nodiscard]] std::optional<double> fromGoDuration(const QString& text); // nanoseconds
[[nodiscard]] QString bandwidthText(double bytesPerSecond);              // "1.3 GB/s"
[[nodiscard]] QString iopsText(double perSecond);                        // "4.81 kIOPS"

} // namespace vitrine::bench
