// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QJsonObject>
#include <QList>
#include <QMap>
#include <QString>

#include <array>
#include <optional>

namespace vitrine::bench {

// What one run measured. What is absent was not measured; it is never 0.

struct Latency {
    double mean = 0;                  // nanoseconds
    std::optional<double> sigma;      // nanoseconds
    QMap<double, double> percentiles; // percent -> nanoseconds
    friend bool operator==(const Latency&, const Latency&) = default;
};

struct IoFigures {
    std::optional<double> bandwidth; // bytes per second
    std::optional<double> iops;
    std::optional<Latency> latency;
    [[nodiscard]] bool isEmpty() const { return !bandwidth && !iops && !latency; }
    friend bool operator==(const IoFigures&, const IoFigures&) = default;
};

struct Elapsed {
    double seconds = 0; // the mean where `runs` is more than one
    int runs = 1;       // that were published as one figure
    std::optional<double> sigma;
    std::optional<double> minimum;
    std::optional<double> maximum;
    friend bool operator==(const Elapsed&, const Elapsed&) = default;
};

struct CpuTime {
    double user = 0;   // seconds
    double system = 0; // seconds
    friend bool operator==(const CpuTime&, const CpuTime&) = default;
};

struct Measurement {
    std::optional<IoFigures> read;
    std::optional<IoFigures> write;
    std::optional<IoFigures> sync; // latency of fsync and fdatasync
    std::optional<Elapsed> elapsed;
    std::optional<CpuTime> cpu;

    [[nodiscard]] bool isEmpty() const { return !read && !write && !sync && !elapsed; }
    // Puts its keys into `object`: "read", "write", "sync", "elapsed_s", "cpu_s", as the published
    // sets have them, with "percentiles" in "latency_ns".
    void writeTo(QJsonObject& object) const;
    // Takes its keys out of `object`. Integrity names the key that is no number or below 0.
    [[nodiscard]] static Result<Measurement> takeFrom(QJsonObject& object);

    friend bool operator==(const Measurement&, const Measurement&) = default;
};

// The figures that are compared and drawn.
enum class Metric {
    ReadBandwidth,
    WriteBandwidth,
    ReadIops,
    WriteIops,
    ReadLatency,
    WriteLatency,
    SyncLatency,
    Elapsed
};
inline constexpr std::array allMetrics{Metric::ReadBandwidth,
                                       Metric::WriteBandwidth,
                                       Metric::ReadIops,
                                       Metric::WriteIops,
                                       Metric::ReadLatency,
                                       Metric::WriteLatency,
                                       Metric::SyncLatency,
                                       Metric::Elapsed};

[[nodiscard]] std::optional<double> valueOf(const Measurement& measurement, Metric metric);
[[nodiscard]] bool moreIsBetter(Metric metric);
[[nodiscard]] QString wordOf(Metric metric); // for files: "read.bandwidth", …
[[nodiscard]] QString nameOf(Metric metric); // translated: "read bandwidth", …
[[nodiscard]] QString unitOf(Metric metric); // "bytes/s", "1/s", "ns", "s"

} // namespace vitrine::bench
