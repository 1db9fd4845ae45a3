// SPDX-License-Identifier: Apache-2.0
#include "core/bench/comparison.h"

namespace vitrine::bench {

namespace {

QStringList executorsOf(const QList<Series>& all) {
    QStringList names;
    for (const Series& series : all)
        if (!names.contains(series.executor))
            names.append(series.executor);
    return names;
}

Result<>
checkExecutor(const QString& executor, const Campaign& campaign, const QStringList& known) {
    if (executor.isEmpty() || known.contains(executor))
        return {};
    return fail(Error::Kind::NotFound,
                Tr::tr("The campaign \"%1\" has no executor \"%2\". It has: %3.")
                    .arg(campaign.id, executor, known.join(QStringLiteral("; "))));
}

const Series* pairOf(const Series& series, const QList<Series>& others, const QString& executor) {
    for (const Series& other : others)
        if (other.workload == series.workload && other.executor == executor)
            return &other;
    return nullptr;
}

void addFigures(const Series& a, const Series& b, QList<Compared>& compared) {
    for (const Metric metric : allMetrics) {
        const QList<double> before = valuesOf(a, metric);
        const QList<double> after = valuesOf(b, metric);
        const auto ratio = ratioOf(before, after);
        if (!ratio)
            continue;
        const bool isIops = metric == Metric::ReadIops || metric == Metric::WriteIops;
        const Metric bandwidth =
            metric == Metric::ReadIops ? Metric::ReadBandwidth : Metric::WriteBandwidth;
        const bool isLatency = metric == Metric::ReadLatency || metric == Metric::WriteLatency;
        const bool hasBandwidth =
            !valuesOf(a, bandwidth).isEmpty() && !valuesOf(b, bandwidth).isEmpty();
        compared.append({a.workload,
                         a.executor,
                         b.executor,
                         metric,
                         medianOf(before),
                         medianOf(after),
                         *ratio,
                         !isLatency && !(isIops && hasBandwidth)});
    }
}

} // namespace

double Compared::slowdown() const {
    return moreIsBetter(metric) ? 1 - ratio.value : ratio.value - 1;
}

bool Compared::isSlowerThan(double limit) const {
    if (slowdown() <= limit)
        return false;
    return !ratio.interval || ratio.interval->low > 1 || ratio.interval->high < 1;
}

Result<QList<Compared>>
compare(const Campaign& a, const Campaign& b, const QString& executorA, const QString& executorB) {
    const QList<Series> before = seriesOf(a);
    const QList<Series> after = seriesOf(b);
    const QStringList namesA = executorsOf(before);
    const QStringList namesB = executorsOf(after);
    if (const auto checked = checkExecutor(executorA, a, namesA); !checked)
        return fail(checked.error());
    if (const auto checked = checkExecutor(executorB, b, namesB); !checked)
        return fail(checked.error());
    QList<Compared> compared;
    for (const Series& series : before) {
        if (!executorA.isEmpty() && series.executor != executorA)
            continue;
        QString wanted = executorB.isEmpty() ? series.executor : executorB;
        if (executorB.isEmpty() && namesB.size() == 1 &&
            (namesA.size() == 1 || !executorA.isEmpty()))
            wanted = namesB.first();
        if (const Series* const other = pairOf(series, after, wanted))
            addFigures(series, *other, compared);
    }
    if (compared.isEmpty())
        return fail(
            Error::Kind::NotFound,
            Tr::tr("The campaigns \"%1\" and \"%2\" have no figure of one workload on one executor "
                   "in common. Executors of the first: %3. Of the second: %4. Name one of each.")
                .arg(a.id,
                     b.id,
                     namesA.join(QStringLiteral("; ")),
                     namesB.join(QStringLiteral("; "))));
    return compared;
}

} // namespace vitrine::bench
