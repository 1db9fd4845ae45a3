// SPDX-License-Identifier: Apache-2.0
#include "core/bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace vitrine::bench {

namespace {

constexpr int resamples = 4000;
constexpr std::mt19937_64::result_type seed = 0x7669747269'6e65; // any, as long as it stays
constexpr double tail = 0.025;

// Draws as many values as there are, with replacement. std::uniform_int_distribution gives other
// numbers with other libraries.
double medianOfDraw(const QList<double>& values, std::mt19937_64& random, QList<double>& drawn) {
    const auto count = static_cast<std::mt19937_64::result_type>(values.size());
    for (double& value : drawn)
        value = values.at(static_cast<qsizetype>(random() % count));
    const auto middle = drawn.begin() + drawn.size() / 2;
    std::nth_element(drawn.begin(), middle, drawn.end());
    if (drawn.size() % 2 == 1)
        return *middle;
    return (*std::max_element(drawn.begin(), middle) + *middle) / 2;
}

Interval middleOf(QList<double> medians) {
    std::sort(medians.begin(), medians.end());
    const auto cut = static_cast<qsizetype>(tail * static_cast<double>(medians.size()));
    return {medians.at(cut), medians.at(medians.size() - 1 - cut)};
}

} // namespace

double medianOf(QList<double> values) {
    std::sort(values.begin(), values.end());
    const qsizetype middle = values.size() / 2;
    return values.size() % 2 == 1 ? values.at(middle)
                                  : (values.at(middle - 1) + values.at(middle)) / 2;
}

std::optional<Summary> summarize(const QList<double>& values) {
    if (values.isEmpty())
        return {};
    Summary summary;
    summary.count = values.size();
    summary.median = medianOf(values);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    summary.minimum = *least;
    summary.maximum = *most;
    double squares = 0; // Welford: large values that differ little keep their digits
    double n = 0;
    for (const double value : values) {
        n += 1;
        const double before = value - summary.mean;
        summary.mean += before / n;
        squares += before * (value - summary.mean);
    }
    if (values.size() < 2)
        return summary;
    summary.sigma = std::sqrt(squares / (n - 1));
    std::mt19937_64 random(seed);
    QList<double> drawn(values.size());
    QList<double> medians(resamples);
    for (double& median : medians)
        median = medianOfDraw(values, random, drawn);
    summary.interval = middleOf(std::move(medians));
    return summary;
}

std::optional<Ratio> ratioOf(const QList<double>& a, const QList<double>& b) {
    if (a.isEmpty() || b.isEmpty())
        return {};
    const double base = medianOf(a);
    if (!(base > 0))
        return {};
    Ratio ratio{medianOf(b) / base, {}};
    if (a.size() < 2 || b.size() < 2)
        return ratio;
    std::mt19937_64 random(seed);
    QList<double> drawnA(a.size());
    QList<double> drawnB(b.size());
    QList<double> ratios;
    ratios.reserve(resamples);
    for (int i = 0; i < resamples; ++i) {
        const double one = medianOfDraw(a, random, drawnA);
        const double other = medianOfDraw(b, random, drawnB);
        ratios.append(one > 0 ? other / one : std::numeric_limits<double>::infinity());
    }
    ratio.interval = middleOf(std::move(ratios));
    return ratio;
}

std::optional<double> percentileOf(const Histogram& histogram, double percent) {
    double total = 0;
    for (const quint64 count : histogram)
        total += static_cast<double>(count);
    if (!(total > 0))
        return {};
    double sum = 0;
    for (auto bin = histogram.begin(); bin != histogram.end(); ++bin) {
        sum += static_cast<double>(bin.value());
        if (sum >= percent / 100 * total)
            return static_cast<double>(bin.key());
    }
    return static_cast<double>(histogram.lastKey());
}

} // namespace vitrine::bench
