// SPDX-License-Identifier: Apache-2.0
#include "core/bench/charts/chart_data.h"

#include "core/bench/campaign_export.h"
#include "core/bench/charts/percentile_chart.h"

#include <QDateTime>
#include <QLocale>

#include <cmath>

namespace vitrine::bench {

namespace {

constexpr qsizetype longestCommand = 400;

QString intervalText(const ChartMark& mark) {
    return QStringLiteral("%1 \u2026 %2")
        .arg(valueText(mark.metric, mark.spread->low), valueText(mark.metric, mark.spread->high));
}

} // namespace

QList<Metric> metricsOf(Quantity quantity) {
    switch (quantity) {
    case Quantity::Bandwidth:
        return {Metric::ReadBandwidth, Metric::WriteBandwidth};
    case Quantity::Iops:
        return {Metric::ReadIops, Metric::WriteIops};
    case Quantity::Latency:
        return {Metric::ReadLatency, Metric::WriteLatency, Metric::SyncLatency};
    case Quantity::Time:
        break;
    }
    return {Metric::Elapsed};
}

Quantity quantityOf(Metric metric) {
    for (const Quantity quantity : allQuantities)
        if (metricsOf(quantity).contains(metric))
            return quantity;
    return Quantity::Time;
}

QString nameOf(Quantity quantity) {
    switch (quantity) {
    case Quantity::Bandwidth:
        return Tr::tr("Bandwidth");
    case Quantity::Iops:
        return Tr::tr("IOPS");
    case Quantity::Latency:
        return Tr::tr("Latency");
    case Quantity::Time:
        break;
    }
    return Tr::tr("Time");
}

qsizetype ChartData::markCount() const {
    qsizetype count = 0;
    for (const ChartSeries& one : series)
        count += one.marks.size();
    return count;
}

QString percentText(double ratio) {
    const double percent = ratio * 100;
    const int digits = percent != 0 && std::abs(percent) < 10 ? 1 : 0;
    return QStringLiteral("%1\u00A0%").arg(QLocale().toString(percent, 'f', digits));
}

QString markText(const ChartData& data, const ChartMark& mark) {
    return data.isRatio ? percentText(mark.value) : valueText(mark.metric, mark.value);
}

QStringList describe(const ChartData& data, const ChartSeries& series, const ChartMark& mark) {
    const QString who = series.isBeside && !data.besideTitle.isEmpty()
                            ? QStringLiteral("%1 (%2)").arg(series.name, data.besideTitle)
                            : series.name;
    QStringList lines{QStringLiteral("%1 \u00B7 %2").arg(mark.place, who)};
    if (data.kind == ChartData::Kind::Percentiles)
        lines[0] += QStringLiteral(" \u00B7 ") +
                    Tr::tr("percentile %1").arg(QString::number(percentOfNines(mark.x), 'g', 6));
    if (data.kind == ChartData::Kind::History)
        lines[0] += QStringLiteral(" \u00B7 ") +
                    QLocale().toString(QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(mark.x)),
                                       QLocale::ShortFormat);
    QString value = valueText(mark.metric, mark.median);
    if (data.isRatio)
        value = Tr::tr("%1 of %2 (%3)").arg(percentText(mark.value), data.baseline, value);
    if (mark.spread)
        value += QStringLiteral(", ") + Tr::tr("95 % interval %1").arg(intervalText(mark));
    if (mark.count > 1)
        value += QStringLiteral(", ") + Tr::tr("median of %1 runs").arg(mark.count);
    else if (data.kind != ChartData::Kind::Percentiles)
        value += QStringLiteral(", ") + Tr::tr("one run: nothing is known of the spread");
    lines.append(value);
    if (!mark.remark.isEmpty())
        lines.append(mark.remark);
    if (!mark.command.isEmpty())
        lines.append(mark.command.size() > longestCommand
                         ? mark.command.left(longestCommand) + QChar(0x2026)
                         : mark.command);
    return lines;
}

} // namespace vitrine::bench
