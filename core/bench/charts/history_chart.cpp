// SPDX-License-Identifier: Apache-2.0
#include "core/bench/charts/history_chart.h"

#include <algorithm>

namespace vitrine::bench {

ChartData historyOf(const QList<ChartSourcePointer>& sources, const ChartGroup& group) {
    ChartData data;
    data.kind = ChartData::Kind::History;
    data.quantity = quantityOf(group.metric);
    data.groups = {group};
    for (const ChartSourcePointer& source : sources) {
        const QDateTime date = dateOf(source->campaign());
        if (!date.isValid())
            continue;
        for (const QString& executor : source->executors()) {
            const Series* const found = source->find(group.workload, executor);
            const auto summary = found ? summaryOf(*found, group.metric) : std::nullopt;
            if (!summary)
                continue;
            ChartMark mark;
            mark.x = static_cast<double>(date.toMSecsSinceEpoch());
            mark.value = summary->median;
            mark.interval = summary->interval;
            mark.median = summary->median;
            mark.spread = summary->interval;
            mark.count = summary->count;
            source->tell(*found, group.metric, group, mark);
            const ExecutorIdentity identity = source->identity(executor);
            auto series = std::find_if(data.series.begin(),
                                       data.series.end(),
                                       [&](const auto& one) { return one.key == identity.key; });
            if (series == data.series.end()) {
                const auto colour = static_cast<int>(data.series.size());
                data.series.append({identity.name, executor, identity.key, colour, false, {}});
                series = data.series.end() - 1;
            }
            series->marks.append(mark);
        }
    }
    for (ChartSeries& series : data.series)
        std::stable_sort(series.marks.begin(),
                         series.marks.end(),
                         [](const auto& a, const auto& b) { return a.x < b.x; });
    return data;
}

} // namespace vitrine::bench
