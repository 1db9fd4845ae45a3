// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/measurement.h"
#include "core/bench/statistics.h"

namespace vitrine::bench {

// What the value axis of a chart shows.
enum class Quantity { Bandwidth, Iops, Latency, Time };
inline constexpr std::array allQuantities{
    Quantity::Bandwidth, Quantity::Iops, Quantity::Latency, Quantity::Time};
[[nodiscard]] QList<Metric> metricsOf(Quantity quantity);
[[nodiscard]] Quantity quantityOf(Metric metric);
[[nodiscard]] QString nameOf(Quantity quantity); // translated: "Bandwidth", …

// One thing that is drawn: a bar, a point, a diamond; with all that is told of it.
struct ChartMark {
    double x = 0;                     // number of the group, ms since 1970, or see ninesOf()
    double value = 0;                 // in the metric's unit, or a ratio
    std::optional<Interval> interval; // 95 %
    double median = 0;                // in the metric's unit, also where `value` is a ratio
    std::optional<Interval> spread;   // of `median`
    qsizetype count = 0;              // of measurements
    Metric metric = Metric::Elapsed;
    QString place;   // "sync test, write"
    QString command; // as it was given to the shell; may be empty
    QString doubt;   // why the figure should not be quoted; empty: it may be. Drawn hatched
    QString remark;  // doubt and what else is to be said of it
    bool isPageCache = false;
};

struct ChartSeries {
    QString name;          // "Default", "sync=none"
    QString executor;      // as the campaign has it
    QString key;           // ExecutorIdentity::key
    int colour = 0;        // of Theme::series; a series keeps it
    bool isBeside = false; // of the set that is shown beside it: diamonds
    QList<ChartMark> marks;
};

struct ChartGroup {
    QString title; // "Random reads/writes (4k), read"
    QString workload;
    Metric metric = Metric::Elapsed;
    friend bool operator==(const ChartGroup&, const ChartGroup&) = default;
};

struct ChartData {
    enum class Kind { Bars, History, Percentiles };
    Kind kind = Kind::Bars;
    Quantity quantity = Quantity::Bandwidth;
    bool isRatio = false;     // values are ratios; 1 is the baseline
    QString baseline;         // translated name of it
    QList<ChartGroup> groups; // of bars: mark x belongs to groups[x]
    QList<ChartSeries> series;
    QString besideTitle;

    [[nodiscard]] qsizetype markCount() const;
    [[nodiscard]] bool isEmpty() const { return markCount() == 0; }
};

// "92 %" for a ratio, else with its unit.
[[nodiscard]] QString markText(const ChartData& data, const ChartMark& mark);
// Everything of a mark in a few lines, for a tool tip and for assistive technology.
[[nodiscard]] QStringList
describe(const ChartData& data, const ChartSeries& series, const ChartMark& mark);

[[nodiscard]] QString percentText(double ratio); // "92 %", "0.4 %"

} // namespace vitrine::bench
