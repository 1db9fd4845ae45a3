// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/fio_options.h"
#include "core/bench/measurement.h"

namespace vitrine::bench {

// What fio wrote for --output-format json or json+ (fio's json.c and stat.c, 2.x to 3.4x).
//
// Bandwidth is "bw_bytes"; versions that have none (before 3.1) give bytes and run time, or "bw",
// which is KiB/s. Times are "lat_ns", before 3.0 "lat" in microseconds. Jobs that fio did not add
// up (no --group_reporting) are added up; their percentiles only where every job has "bins".
struct FioReport {
    QString version;     // "fio-3.33"
    Measurement figures; // of all jobs; a direction without requests is absent
    FioOptions options;  // of the first job
    QJsonObject raw;

    // Lines that fio writes before its JSON are no error. Integrity for what is no whole report;
    // what fio itself failed at is Internal, DiskFull or Permission with fio's reason.
    [[nodiscard]] static Result<FioReport> fromOutput(const QByteArray& output);
    [[nodiscard]] static Result<FioReport> fromJson(const QJsonObject& json);
};

// Largest output of fio that is read, bytes.
inline constexpr qint64 maximumFioOutput = 64 << 20;

} // namespace vitrine::bench
