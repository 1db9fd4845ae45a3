// SPDX-License-Identifier: Apache-2.0
#include "core/bench/charts/winner.h"

#include <algorithm>
#include <cmath>

namespace vitrine::bench {

namespace {

struct Figure {
    QString workload;
    Metric metric = Metric::Elapsed;
    double base = 0; // median of the first set of options
};

struct Score {
    QString executor;
    QList<double> rounds;
    Summary summary;
};

bool isDoubtful(const ChartSource& source,
                const QString& workload,
                const QString& executor,
                Metric metric) {
    const Series* const series = source.find(workload, executor);
    if (!series)
        return true;
    ChartMark mark;
    source.tell(*series, metric, {}, mark);
    return !mark.doubt.isEmpty();
}

// What all of the executors have, one metric for each direction, without doubt.
QList<Figure> figuresOf(const ChartSource& source, const QStringList& executors) {
    QList<Figure> figures;
    for (const Series& series : source.series()) {
        if (series.executor != executors.first())
            continue;
        for (const Metric metric : {Metric::ReadBandwidth,
                                    Metric::WriteBandwidth,
                                    Metric::SyncLatency,
                                    Metric::Elapsed}) {
            const QList<double> values = valuesOf(series, metric);
            const bool counts =
                !values.isEmpty() && medianOf(values) > 0 &&
                std::all_of(executors.begin(), executors.end(), [&](const QString& executor) {
                    const Series* const other = source.find(series.workload, executor);
                    return other && !valuesOf(*other, metric).isEmpty() &&
                           !isDoubtful(source, series.workload, executor, metric);
                });
            if (counts)
                figures.append({series.workload, metric, medianOf(values)});
        }
    }
    return figures;
}

// Of the rounds in which the executor has every figure.
QList<double>
scoresOf(const ChartSource& source, const QString& executor, const QList<Figure>& figures) {
    QMap<int, std::pair<double, qsizetype>> sums; // round -> logarithms, how many
    for (const Figure& figure : figures)
        for (const BenchRun& run : source.find(figure.workload, executor)->runs) {
            const auto value = valueOf(run.figures, figure.metric);
            if (!value || *value <= 0)
                continue;
            const double times =
                moreIsBetter(figure.metric) ? *value / figure.base : figure.base / *value;
            auto& [sum, count] = sums[run.round];
            sum += std::log(times);
            ++count;
        }
    QList<double> scores;
    for (const auto& [sum, count] : std::as_const(sums))
        if (count == figures.size())
            scores.append(std::exp(sum / static_cast<double>(count)));
    return scores;
}

Winner none(const QString& reason) {
    Winner winner;
    winner.reason = reason;
    return winner;
}

} // namespace

Winner winnerOf(const ChartSource& source) {
    QStringList executors;
    for (const QString& executor : source.executors())
        if (source.identity(executor).isRootDiskChoice())
            executors.append(executor);
    if (executors.size() < 2)
        return none(Tr::tr("There is no choice: measure two sets of root disk options at least."));
    const QList<Figure> figures = figuresOf(source, executors);
    if (figures.isEmpty())
        return none(Tr::tr("No figure that may be quoted was measured with all the options."));
    QList<Score> scores;
    for (const QString& executor : std::as_const(executors)) {
        Score score{executor, scoresOf(source, executor, figures), {}};
        const auto summary = summarize(score.rounds);
        if (!summary || !summary->interval)
            return none(
                Tr::tr("\"%1\" has too few whole rounds to know the spread. Measure three at "
                       "least.")
                    .arg(source.identity(executor).name));
        score.summary = *summary;
        scores.append(score);
    }
    std::stable_sort(scores.begin(), scores.end(), [](const Score& a, const Score& b) {
        return a.summary.median > b.summary.median;
    });
    const Score& first = scores.first();
    const double highest =
        std::max_element(scores.begin() + 1, scores.end(), [](const Score& a, const Score& b) {
            return a.summary.interval->high < b.summary.interval->high;
        })->summary.interval->high;
    if (first.summary.interval->low <= highest)
        return none(
            Tr::tr("It may be chance: the 95 % intervals of \"%1\" and \"%2\" overlap. More "
                   "runs may tell them apart.")
                .arg(source.identity(first.executor).name,
                     source.identity(scores.at(1).executor).name));
    Winner winner;
    winner.executor = first.executor;
    winner.identity = source.identity(first.executor);
    winner.nextOne = source.identity(scores.at(1).executor).name;
    if (const auto ratio = ratioOf(scores.at(1).rounds, first.rounds))
        winner.faster = *ratio;
    return winner;
}

} // namespace vitrine::bench
