// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QMap>

#include <optional>

namespace vitrine::bench {

struct Interval {
    double low = 0;
    double high = 0;
    friend bool operator==(const Interval&, const Interval&) = default;
};

// What repeated measurements of one thing say, in their own unit.
struct Summary {
    qsizetype count = 0;
    double median = 0;
    double mean = 0;
    double minimum = 0;
    double maximum = 0;
    std::optional<double> sigma;      // of the sample (n - 1); from two values on
    std::optional<Interval> interval; // 95 % bootstrap interval of the median; from two on
};

// nullopt for no values. The same values give the same interval, on every computer.
[[nodiscard]] std::optional<Summary> summarize(const QList<double>& values);

// Median of b over median of a.
struct Ratio {
    double value = 0;
    std::optional<Interval> interval; // 95 %, both sides drawn anew; needs two values on each side
};
// nullopt without values on one side or where a's median is not above 0.
[[nodiscard]] std::optional<Ratio> ratioOf(const QList<double>& a, const QList<double>& b);

[[nodiscard]] double medianOf(QList<double> values); // of at least one

// fio's "bins": nanoseconds -> how many requests took about that.
using Histogram = QMap<quint64, quint64>;
// The least time within which `percent` of the requests were done, as fio counts it; nullopt for an
// empty histogram.
[[nodiscard]] std::optional<double> percentileOf(const Histogram& histogram, double percent);

} // namespace vitrine::bench
