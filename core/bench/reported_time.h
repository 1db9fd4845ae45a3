// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QString>

namespace vitrine::bench {

// How long something took as the command itself says on its output.
struct ReportedTime {
    double seconds = 0; // above 0
    QString tool;       // "Xcode 16.2" where a line says so

    // The first of these that is there; of several alike, the last:
    // - XcodeBenchmark's "Started 16:28:13" and "Ended   16:30:32" (field notes 1.8), also past
    //   midnight; only with a line "** BUILD SUCCEEDED **", as its exit code says nothing;
    // - a line that is a duration, alone or behind "real", "time", "elapsed", "took", "total" or
    //   "duration": "2m19s", "2 m 19 s", "real 2m19.004s", "Time: 139.5 s", "1:02:19".
    // Integrity when there is none or it is no time; Internal for "** BUILD FAILED **".
    [[nodiscard]] static Result<ReportedTime> fromOutput(const QByteArray& output);
};

// "2m19s", "2 m 19 s", "1 h 5 min", "139.5 seconds", "250 ms", "2:19", "1:02:19.5"; nullopt for
// another text, for parts out of order and for more than a year.
[[nodiscard]] std::optional<double> secondsFromText(const QString& text);

} // namespace vitrine::bench
