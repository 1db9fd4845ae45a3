// SPDX-License-Identifier: Apache-2.0
#include "core/bench/charts/value_axis.h"

#include "core/bench/campaign_export.h"
#include "core/bench/charts/percentile_chart.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>

namespace vitrine::bench {

namespace {

constexpr int wantedTicks = 6;
constexpr int mostPowers = 8;
constexpr double day = 86400e3; // ms

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] bool isEmpty() const { return low > high; }
};

Range valuesIn(const ChartData& data, bool onlyPositive) {
    Range range;
    const auto add = [&range, onlyPositive](double value) {
        if (std::isfinite(value) && (!onlyPositive || value > 0))
            range.add(value);
    };
    for (const ChartSeries& series : data.series)
        for (const ChartMark& mark : series.marks) {
            add(mark.value);
            if (mark.interval) {
                add(mark.interval->low);
                add(mark.interval->high);
            }
        }
    if (data.isRatio)
        add(1);
    return range;
}

// 1, 2, 2.5 or 5 times a power of ten.
double niceStep(double range) {
    const double rough = range / wantedTicks;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 2.5, 5.0})
        if (rough <= factor * power * 1.0001)
            return factor * power;
    return 10 * power;
}

QString textOf(const ChartData& data, double value) {
    if (value == 0)
        return QStringLiteral("0");
    return data.isRatio ? percentText(value)
                        : valueText(metricsOf(data.quantity).constFirst(), value);
}

void fillLinear(const ChartData& data, ValueAxis& axis) {
    const Range range = valuesIn(data, false);
    const double high = range.isEmpty() || range.high <= 0 ? 1 : range.high;
    const double step = niceStep(high * 1.02);
    axis.maximum = step * std::ceil(high * 1.02 / step);
    for (int i = 0; i * step <= axis.maximum * 1.0001; ++i)
        axis.ticks.append({i * step, textOf(data, i * step)});
}

void fillLogarithmic(const ChartData& data, ValueAxis& axis) {
    const Range range = valuesIn(data, true);
    const double low = range.isEmpty() ? 1 : range.low;
    const double high = range.isEmpty() ? 10 : range.high;
    // A bar has to have a height: its value is above the axis' beginning.
    axis.minimum = std::ceil(std::log10(low)) - 1;
    axis.maximum = std::max(axis.minimum + 1, std::ceil(std::log10(high)));
    const auto powers = static_cast<int>(std::lround(axis.maximum - axis.minimum));
    const int step = 1 + (powers - 1) / mostPowers;
    for (int i = 0; i <= powers; i += step) {
        const double exponent = axis.minimum + i;
        axis.ticks.append({exponent, textOf(data, std::pow(10, exponent))});
    }
}

void fillPercentiles(const ChartData& data, ValueAxis& axis) {
    double last = 2;
    for (const ChartSeries& series : data.series)
        for (const ChartMark& mark : series.marks)
            last = std::max(last, mark.x);
    axis.maximum = last + 0.1;
    for (const double percent : {0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999})
        if (ninesOf(percent) <= axis.maximum)
            axis.ticks.append({ninesOf(percent),
                               QLocale().toString(percent, 'g', 6) + QStringLiteral("\u00A0%")});
}

void fillDates(const ChartData& data, ValueAxis& axis) {
    Range range;
    for (const ChartSeries& series : data.series)
        for (const ChartMark& mark : series.marks)
            range.add(mark.x);
    if (range.isEmpty())
        range.add(0);
    const double margin = std::max((range.high - range.low) * 0.04, day / 48);
    axis.minimum = range.low - margin;
    axis.maximum = range.high + margin;
    const QLocale locale;
    const auto text = [&](double at) {
        const QDateTime date = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(at));
        const bool withTime = range.high - range.low < 3 * day;
        return withTime ? locale.toString(date, QLocale::ShortFormat)
                        : locale.toString(date.date(), QLocale::ShortFormat);
    };
    constexpr int dates = 4;
    const int count = range.high > range.low ? dates : 0;
    for (int i = 0; i <= count; ++i) {
        const double at = count == 0 ? range.low : range.low + (range.high - range.low) * i / count;
        axis.ticks.append({at, text(at)});
    }
}

} // namespace

double ValueAxis::positionOf(double value) const {
    if (!isLogarithmic)
        return value;
    return value > 0 ? std::max(std::log10(value), minimum) : minimum;
}

ValueAxis ValueAxis::forValues(const ChartData& data, bool logarithmic) {
    ValueAxis axis;
    axis.isLogarithmic = logarithmic;
    if (logarithmic)
        fillLogarithmic(data, axis);
    else
        fillLinear(data, axis);
    return axis;
}

ValueAxis ValueAxis::along(const ChartData& data) {
    ValueAxis axis;
    switch (data.kind) {
    case ChartData::Kind::Bars:
        axis.minimum = -0.5;
        axis.maximum = std::max(0.5, static_cast<double>(data.groups.size()) - 0.5);
        for (qsizetype i = 0; i < data.groups.size(); ++i)
            axis.ticks.append({static_cast<double>(i), data.groups.at(i).title});
        break;
    case ChartData::Kind::History:
        fillDates(data, axis);
        break;
    case ChartData::Kind::Percentiles:
        fillPercentiles(data, axis);
        break;
    }
    return axis;
}

} // namespace vitrine::bench
