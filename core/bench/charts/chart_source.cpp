// SPDX-License-Identifier: Apache-2.0
#include "core/bench/charts/chart_source.h"

#include <algorithm>

namespace vitrine::bench {

namespace {

QString suffixOf(Metric metric) {
    switch (metric) {
    case Metric::ReadBandwidth:
    case Metric::ReadIops:
    case Metric::ReadLatency:
        return Tr::tr("read");
    case Metric::WriteBandwidth:
    case Metric::WriteIops:
    case Metric::WriteLatency:
        return Tr::tr("write");
    case Metric::SyncLatency:
        return Tr::tr("sync");
    case Metric::Elapsed:
        break;
    }
    return Tr::tr("time");
}

// Latencies that vary say nothing against a bandwidth; one round far off is a remark only.
bool isDoubtOf(Suspicion::Kind kind, Quantity quantity) {
    switch (kind) {
    case Suspicion::Kind::Unsteady:
        return quantity == Quantity::Latency;
    case Suspicion::Kind::Mismatch:
        return quantity == Quantity::Bandwidth || quantity == Quantity::Iops;
    case Suspicion::Kind::AboveDevice:
    case Suspicion::Kind::PageCache:
    case Suspicion::Kind::Remark:
        return true;
    case Suspicion::Kind::Outlier:
    case Suspicion::Kind::Failed:
    case Suspicion::Kind::Campaign:
        break;
    }
    return false;
}

bool isSaidOf(Suspicion::Kind kind, Quantity quantity) {
    return isDoubtOf(kind, quantity) || kind == Suspicion::Kind::Outlier ||
           kind == Suspicion::Kind::Failed;
}

} // namespace

QDateTime dateOf(const Campaign& campaign) {
    QDateTime date = QDateTime::fromString(campaign.date, Qt::ISODate);
    if (!date.isValid())
        date = QDate::fromString(campaign.date.left(10), Qt::ISODate).startOfDay();
    return date;
}

ChartSource::ChartSource(Campaign campaign)
    : m_campaign(std::move(campaign))
    , m_series(seriesOf(m_campaign))
    , m_suspicions(suspicionsOf(m_campaign)) {
    QHash<QString, int> sameName;
    for (qsizetype i = 0; i < m_series.size(); ++i) {
        const Series& series = m_series.at(i);
        m_places.insert({series.workload, series.executor}, i);
        if (m_executors.contains(series.executor))
            continue;
        m_executors.append(series.executor);
        const ExecutorIdentity identity = identityOf(series.executor, series.options);
        ++sameName[identity.name];
        m_identities.insert(series.executor, identity);
    }
    for (auto it = m_identities.begin(); it != m_identities.end(); ++it)
        if (sameName.value(it->name) > 1)
            it->name = it.key();
    std::stable_partition(m_executors.begin(), m_executors.end(), [this](const QString& executor) {
        return m_identities.value(executor).kind == ExecutorIdentity::Kind::Host;
    });
    for (qsizetype i = 0; i < m_suspicions.size(); ++i) {
        const Suspicion& one = m_suspicions.at(i);
        if (!one.workload.isEmpty())
            m_doubts[{one.workload, one.executor}].append(i);
    }
}

ExecutorIdentity ChartSource::identity(const QString& executor) const {
    return m_identities.value(executor);
}

QString ChartSource::usualBaseline() const {
    return m_executors.value(0);
}

const Series* ChartSource::find(const QString& workload, const QString& executor) const {
    const auto place = m_places.constFind({workload, executor});
    return place == m_places.constEnd() ? nullptr : &m_series.at(*place);
}

QList<ChartGroup> ChartSource::groups(Quantity quantity) const {
    const QList<Metric> metrics = metricsOf(quantity);
    QStringList workloads;
    QHash<QString, QList<Metric>> found;
    for (const Series& series : m_series) {
        if (!workloads.contains(series.workload))
            workloads.append(series.workload);
        for (const Metric metric : metrics)
            if (!found[series.workload].contains(metric) && !valuesOf(series, metric).isEmpty())
                found[series.workload].append(metric);
    }
    QList<ChartGroup> all;
    for (const QString& workload : std::as_const(workloads)) {
        const QList<Metric> there = found.value(workload);
        for (const Metric metric : metrics) {
            if (!there.contains(metric))
                continue;
            const QString title = there.size() == 1
                                      ? workload
                                      : QStringLiteral("%1, %2").arg(workload, suffixOf(metric));
            all.append({title, workload, metric});
        }
    }
    return all;
}

void ChartSource::tell(const Series& series,
                       Metric metric,
                       const ChartGroup& group,
                       ChartMark& mark) const {
    mark.metric = metric;
    mark.place = group.title;
    if (!series.runs.isEmpty())
        mark.command = series.runs.first().command;
    const Quantity quantity = quantityOf(metric);
    QStringList remarks;
    for (const qsizetype index : m_doubts.value({series.workload, series.executor})) {
        const Suspicion& one = m_suspicions.at(index);
        if (!isSaidOf(one.kind, quantity))
            continue;
        if (isDoubtOf(one.kind, quantity) && mark.doubt.isEmpty())
            mark.doubt = one.reason;
        mark.isPageCache = mark.isPageCache || one.kind == Suspicion::Kind::PageCache;
        QString text = one.reason;
        if (one.kind == Suspicion::Kind::Outlier || one.kind == Suspicion::Kind::Failed)
            text = Tr::tr("Round %1: %2").arg(QString::number(one.round), one.reason);
        if (!remarks.contains(text))
            remarks.append(text);
    }
    mark.remark = remarks.join(QLatin1Char(' '));
}

} // namespace vitrine::bench
