// SPDX-License-Identifier: Apache-2.0
#include "core/bench/campaign_export.h"

#include "core/bench/suspicion.h"
#include "core/value/csv_field.h"

#include <QLocale>

#include <cmath>

namespace vitrine::bench {

namespace {

constexpr std::array csvPercentiles{50.0, 99.0, 99.9};

QString number(const std::optional<double>& value) {
    return value ? QString::number(*value, 'f', QLocale::FloatingPointShortest) : QString();
}

const std::optional<IoFigures>* latencyOf(const Measurement& figures, Metric metric) {
    switch (metric) {
    case Metric::ReadLatency:
        return &figures.read;
    case Metric::WriteLatency:
        return &figures.write;
    case Metric::SyncLatency:
        return &figures.sync;
    default:
        return nullptr;
    }
}

QStringList percentilesOf(const Measurement& figures, Metric metric) {
    const auto* const io = latencyOf(figures, metric);
    QStringList fields;
    for (const double percent : csvPercentiles) {
        std::optional<double> value;
        if (io && *io && (*io)->latency && (*io)->latency->percentiles.contains(percent))
            value = (*io)->latency->percentiles.value(percent);
        fields.append(number(value));
    }
    return fields;
}

// Plain text in a cell of a table.
QString cell(QString text) {
    for (const char c : {'\\', '|', '*', '_', '`', '[', ']', '<', '>'})
        text.replace(QLatin1Char(c), QLatin1Char('\\') + QString(QLatin1Char(c)));
    return text.simplified();
}

QString placeOf(const Suspicion& suspicion) {
    if (suspicion.workload.isEmpty())
        return {};
    return QStringLiteral("%1, %2: ").arg(cell(suspicion.workload), cell(suspicion.executor));
}

QString spreadText(Metric metric, const Summary& summary) {
    if (summary.interval)
        return QStringLiteral("%1 \u2026 %2")
            .arg(valueText(metric, summary.interval->low),
                 valueText(metric, summary.interval->high));
    if (summary.sigma)
        return QStringLiteral("\u00B1 %1").arg(valueText(metric, *summary.sigma));
    return QString(QChar(0x2013));
}

QString about(const Campaign& campaign) {
    QString text;
    const std::pair<QString, QString> lines[]{
        {Tr::tr("Date"), campaign.date},
        {Tr::tr("Suite"), campaign.suite},
        {Tr::tr("Host"),
         QStringList{campaign.host.value(QLatin1String("hardware")).toString(),
                     campaign.host.value(QLatin1String("os")).toString()}
             .join(QStringLiteral(", "))},
        {Tr::tr("Guest"),
         QStringList{campaign.guest.value(QLatin1String("hypervisor")).toString(),
                     campaign.guest.value(QLatin1String("os")).toString()}
             .join(QStringLiteral(", "))},
        {Tr::tr("Source"), campaign.source}};
    for (const auto& [title, value] : lines)
        if (!value.isEmpty() && value != QLatin1String(", "))
            text += QStringLiteral("- %1: %2\n").arg(title, cell(value));
    return text;
}

} // namespace

QString valueText(Metric metric, double value) {
    switch (metric) {
    case Metric::ReadBandwidth:
    case Metric::WriteBandwidth:
        return bandwidthText(value);
    case Metric::ReadIops:
    case Metric::WriteIops:
        return iopsText(value);
    case Metric::Elapsed:
        return goDuration(value < 1e-4 ? value * 1e9                      // never 0
                                       : std::round(value * 1e6) * 1000); // microseconds are enough
    default:
        break;
    }
    // Four digits are more than a latency deserves.
    const double unit =
        std::pow(10, std::max(0.0, std::floor(std::log10(std::max(value, 1.0))) - 3));
    return goDuration(std::round(value / unit) * unit);
}

QByteArray toCsv(const Campaign& campaign) {
    QString text = QStringLiteral("campaign,workload,executor,figure,unit,count,median,mean,stddev,"
                                  "min,max,low95,high95,p50,p99,p99.9\r\n");
    for (const Series& series : seriesOf(campaign)) {
        const Measurement typical = typicalOf(series);
        for (const Metric metric : allMetrics) {
            const auto summary = summaryOf(series, metric);
            if (!summary)
                continue;
            const auto& interval = summary->interval;
            QStringList fields{campaign.id,
                               series.workload,
                               series.executor,
                               wordOf(metric),
                               unitOf(metric),
                               QString::number(summary->count),
                               number(summary->median),
                               number(summary->mean),
                               number(summary->sigma),
                               number(summary->minimum),
                               number(summary->maximum),
                               number(interval ? std::optional(interval->low) : std::nullopt),
                               number(interval ? std::optional(interval->high) : std::nullopt)};
            fields += percentilesOf(typical, metric);
            for (QString& field : fields)
                field = csvField(field);
            text += fields.join(QLatin1Char(',')) + QStringLiteral("\r\n");
        }
    }
    return text.toUtf8();
}

QByteArray toMarkdown(const Campaign& campaign) {
    QString text =
        QStringLiteral("## %1\n\n%2\n")
            .arg(cell(campaign.title.isEmpty() ? campaign.id : campaign.title), about(campaign));
    text += QStringLiteral("| %1 |\n|---|---|---|---|---|---|\n")
                .arg(QStringList{Tr::tr("Workload"),
                                 Tr::tr("Executor"),
                                 Tr::tr("Figure"),
                                 Tr::tr("Median"),
                                 Tr::tr("95 % interval or \u00B1 \u03C3"),
                                 Tr::tr("Runs")}
                         .join(QStringLiteral(" | ")));
    QStringList commands;
    for (const Series& series : seriesOf(campaign)) {
        for (const BenchRun& run : series.runs)
            if (!run.command.isEmpty() && !commands.contains(run.command))
                commands.append(run.command);
        for (const Metric metric : allMetrics) {
            const auto summary = summaryOf(series, metric);
            if (!summary)
                continue;
            text += QStringLiteral("| %1 |\n")
                        .arg(QStringList{cell(series.workload),
                                         cell(series.executor),
                                         nameOf(metric),
                                         valueText(metric, summary->median),
                                         spreadText(metric, *summary),
                                         QString::number(summary->count)}
                                 .join(QStringLiteral(" | ")));
        }
    }
    const QList<Suspicion> suspicions = suspicionsOf(campaign);
    if (!suspicions.isEmpty())
        text += QStringLiteral("\n%1\n\n").arg(Tr::tr("Doubtful:"));
    for (const Suspicion& one : suspicions)
        text += QStringLiteral("- %1%2\n").arg(placeOf(one), cell(one.reason));
    if (!commands.isEmpty())
        text += QStringLiteral("\n%1\n\n").arg(Tr::tr("Commands:"));
    for (const QString& command : std::as_const(commands))
        text += QStringLiteral("    ") + command.simplified() + QLatin1Char('\n');
    return text.toUtf8();
}

QString toTartTable(const Campaign& campaign, Unmeasured unmeasured) {
    QList<TartRow> rows;
    for (const Series& series : seriesOf(campaign))
        rows.append({series.workload, series.executor, typicalOf(series)});
    return tartTable(rows, unmeasured);
}

} // namespace vitrine::bench
