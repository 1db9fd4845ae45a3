// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/measurement.h"
#include "core/bench/statistics.h"

#include <QDateTime>
#include <QJsonArray>
#include <QStringList>

namespace vitrine::bench {

// One measurement of one workload on one executor, or the one figure that was published of it.
struct BenchRun {
    QString workload;
    QString executor;    // "host", "local", "Tart (--root-disk-opts=\"sync=none\")"
    QJsonObject options; // {"kind": "host"}, {"kind": "vm", "sync": "none"}
    int round = 1;
    QString command; // as it was given to the shell
    QString started; // ISO 8601, UTC
    QString tool;    // "fio-3.33"
    Measurement figures;
    QJsonObject noise;    // of the host: "load", …
    QJsonObject raw;      // fio's JSON, whole
    QJsonObject evidence; // of a page-cache check: what cache_check.h reads
    QString failure;      // a sentence; then there are no figures
    QString remark;
    QJsonObject unknown;

    friend bool operator==(const BenchRun&, const BenchRun&) = default;
};

// A set of results: measured here, imported, or published elsewhere. docs/benchmarks.md has the
// file. What this version does not know is kept.
struct Campaign {
    enum class Origin { Measured, Imported, Published };
    enum class State { Complete, Running, Cancelled };

    QString id;
    QString title;
    QString date; // ISO 8601; published sets may have a day or a year only
    QString suite;
    QString source; // where published or imported figures come from
    Origin origin = Origin::Measured;
    State state = State::Complete;
    int rounds = 1;
    QJsonObject host;  // "hardware", "os", "memory_bytes", "device_bytes_per_s"
    QJsonObject guest; // "hypervisor", "os"
    QJsonObject plan;  // what a campaign that was cut off needs to go on
    QStringList notes; // what has to be known of all figures
    QList<BenchRun> runs;
    QJsonObject unknown;

    // "format" and "version" say that it is one of ours; without them the layout of the published
    // sets ("results") is read. Integrity names the key; Unsupported for a newer version.
    [[nodiscard]] static Result<Campaign> fromJson(const QJsonObject& json);
    // With "statistics" and "cache_checks", which are for other programs: reading works them out
    // again.
    [[nodiscard]] QJsonObject toJson() const;

    friend bool operator==(const Campaign&, const Campaign&) = default;
};

inline constexpr int campaignVersion = 1;

// All rounds of one workload on one executor, in the order of their first appearance.
struct Series {
    QString workload;
    QString executor;
    QJsonObject options;
    QList<BenchRun> runs; // without those that failed
};
[[nodiscard]] QList<Series> seriesOf(const Campaign& campaign);

[[nodiscard]] QList<double> valuesOf(const Series& series, Metric metric);
// A figure that was published with its spread is told as it was published.
[[nodiscard]] std::optional<Summary> summaryOf(const Series& series, Metric metric);
// The median of each figure.
[[nodiscard]] Measurement typicalOf(const Series& series);

} // namespace vitrine::bench
