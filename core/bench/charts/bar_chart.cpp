// SPDX-License-Identifier: Apache-2.0
#include "core/bench/charts/bar_chart.h"

#include <cmath>

namespace vitrine::bench {

namespace {

std::optional<Interval> finite(const std::optional<Interval>& interval) {
    if (!interval || !std::isfinite(interval->low) || !std::isfinite(interval->high))
        return {};
    return interval;
}

std::optional<ChartMark> markOf(const ChartSource& source,
                                const ChartGroup& group,
                                const QString& executor,
                                const QString& baseline) {
    const Series* const series = source.find(group.workload, executor);
    if (!series)
        return {};
    const auto summary = summaryOf(*series, group.metric);
    if (!summary)
        return {};
    ChartMark mark;
    mark.median = summary->median;
    mark.spread = finite(summary->interval);
    mark.count = summary->count;
    mark.value = summary->median;
    mark.interval = mark.spread;
    if (!baseline.isEmpty()) {
        const Series* const base = source.find(group.workload, baseline);
        if (!base)
            return {};
        const auto ratio = ratioOf(valuesOf(*base, group.metric), valuesOf(*series, group.metric));
        if (!ratio || !std::isfinite(ratio->value))
            return {};
        mark.value = ratio->value;
        mark.interval = finite(ratio->interval);
    }
    source.tell(*series, group.metric, group, mark);
    return mark;
}

// The executor of `other` that is what `identity` is; empty if there is none.
QString pairOf(const ChartSource& other, const ExecutorIdentity& identity) {
    for (const QString& executor : other.executors())
        if (other.identity(executor).key == identity.key)
            return executor;
    return {};
}

} // namespace

ChartData barsOf(const ChartSource& source, const BarChoice& choice) {
    ChartData data;
    data.quantity = choice.quantity;
    data.isRatio = !choice.baseline.isEmpty();
    data.groups = source.groups(choice.quantity);
    if (data.isRatio)
        data.baseline = source.identity(choice.baseline).name;
    QList<ChartSeries> besides;
    const QString otherBaseline = choice.beside && data.isRatio
                                      ? pairOf(*choice.beside, source.identity(choice.baseline))
                                      : QString();
    int colour = 0;
    for (const QString& executor : source.executors()) {
        const ExecutorIdentity identity = source.identity(executor);
        ChartSeries series{identity.name, executor, identity.key, colour, false, {}};
        ++colour;
        if (executor == choice.baseline)
            continue;
        ChartSeries beside{identity.name, {}, identity.key, series.colour, true, {}};
        if (choice.beside)
            beside.executor = pairOf(*choice.beside, identity);
        for (qsizetype group = 0; group < data.groups.size(); ++group) {
            if (auto mark = markOf(source, data.groups.at(group), executor, choice.baseline)) {
                mark->x = static_cast<double>(group);
                series.marks.append(*mark);
            }
            if (beside.executor.isEmpty() || (data.isRatio && otherBaseline.isEmpty()))
                continue;
            if (auto mark =
                    markOf(*choice.beside, data.groups.at(group), beside.executor, otherBaseline)) {
                mark->x = static_cast<double>(group);
                beside.marks.append(*mark);
            }
        }
        if (!series.marks.isEmpty())
            data.series.append(series);
        if (!beside.marks.isEmpty())
            besides.append(beside);
    }
    data.series.append(besides);
    if (choice.beside)
        data.besideTitle = choice.beside->campaign().title;
    return data;
}

} // namespace vitrine::bench
