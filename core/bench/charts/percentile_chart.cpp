// SPDX-License-Identifier: Apache-2.0
#include "core/bench/charts/percentile_chart.h"

#include <algorithm>
#include <cmath>

namespace vitrine::bench {

namespace {

constexpr double mostNines = 7; // 100 % has no end

const std::optional<IoFigures>& directionOf(const Measurement& figures, Metric metric) {
    if (metric == Metric::ReadLatency)
        return figures.read;
    return metric == Metric::SyncLatency ? figures.sync : figures.write;
}

} // namespace

double ninesOf(double percent) {
    const double rest = 1 - std::clamp(percent, 0.0, 100.0) / 100;
    return rest <= std::pow(10, -mostNines) ? mostNines : -std::log10(rest);
}

double percentOfNines(double nines) {
    return 100 * (1 - std::pow(10, -nines));
}

ChartData percentilesOf(const ChartSource& source, const ChartGroup& group) {
    ChartData data;
    data.kind = ChartData::Kind::Percentiles;
    data.quantity = Quantity::Latency;
    data.groups = {group};
    int colour = 0;
    for (const QString& executor : source.executors()) {
        const ExecutorIdentity identity = source.identity(executor);
        ChartSeries series{identity.name, executor, identity.key, colour++, false, {}};
        const Series* const found = source.find(group.workload, executor);
        if (!found)
            continue;
        const Measurement typical = typicalOf(*found);
        const auto& io = directionOf(typical, group.metric);
        if (!io || !io->latency)
            continue;
        const auto& percentiles = io->latency->percentiles;
        for (auto it = percentiles.begin(); it != percentiles.end(); ++it) {
            ChartMark mark;
            mark.x = ninesOf(it.key());
            mark.value = it.value();
            mark.median = it.value();
            mark.count = found->runs.size();
            source.tell(*found, group.metric, group, mark);
            series.marks.append(mark);
        }
        if (!series.marks.isEmpty())
            data.series.append(series);
    }
    return data;
}

} // namespace vitrine::bench
