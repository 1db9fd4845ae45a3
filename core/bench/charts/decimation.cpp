// SPDX-License-Identifier: Apache-2.0
#include "core/bench/charts/decimation.h"

#include <algorithm>

namespace vitrine::bench {

QList<ChartMark> decimated(const QList<ChartMark>& marks, qsizetype limit) {
    limit = std::max<qsizetype>(limit, 2);
    if (marks.size() <= limit)
        return marks;
    QList<ChartMark> kept{marks.first()};
    const qsizetype stretches = (limit - 2) / 2;
    const qsizetype inner = marks.size() - 2;
    for (qsizetype i = 0; i < stretches; ++i) {
        const auto begin = marks.begin() + 1 + inner * i / stretches;
        const auto end = marks.begin() + 1 + inner * (i + 1) / stretches;
        const auto [low, high] = std::minmax_element(
            begin, end, [](const ChartMark& a, const ChartMark& b) { return a.value < b.value; });
        kept.append(*std::min(low, high));
        if (low != high)
            kept.append(*std::max(low, high));
    }
    kept.append(marks.last());
    return kept;
}

ChartData decimated(ChartData data, qsizetype limit) {
    if (data.markCount() <= limit)
        return data;
    // Series that need less than an equal share leave the rest to the others.
    QList<qsizetype> order;
    for (qsizetype i = 0; i < data.series.size(); ++i)
        order.append(i);
    std::stable_sort(order.begin(), order.end(), [&data](qsizetype a, qsizetype b) {
        return data.series.at(a).marks.size() < data.series.at(b).marks.size();
    });
    if (order.size() * 2 > limit) { // not even two for each
        std::sort(order.begin(), order.end());
        data.series.resize(limit / 2);
        order.resize(limit / 2);
    }
    qsizetype left = limit;
    for (qsizetype i = 0; i < order.size(); ++i) {
        ChartSeries& series = data.series[order.at(i)];
        series.marks = decimated(series.marks, left / (order.size() - i));
        left -= series.marks.size();
    }
    return data;
}

} // namespace vitrine::bench
