// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign.h"
#include "core/bench/charts/chart_data.h"
#include "core/bench/charts/executor_identity.h"
#include "core/bench/suspicion.h"

#include <QHash>

#include <memory>

namespace vitrine::bench {

// A campaign with all that is judged of it, worked out once; then it is only read, by any thread.
class ChartSource final {
public:
    explicit ChartSource(Campaign campaign);

    [[nodiscard]] const Campaign& campaign() const { return m_campaign; }
    [[nodiscard]] const QList<Series>& series() const { return m_series; }
    [[nodiscard]] const QList<Suspicion>& suspicions() const { return m_suspicions; }
    // Executors in the order of their first appearance, those of the host first.
    [[nodiscard]] const QStringList& executors() const { return m_executors; }
    [[nodiscard]] ExecutorIdentity identity(const QString& executor) const;
    // What ratios are to if nothing else is chosen: the host, else the first; empty without any.
    [[nodiscard]] QString usualBaseline() const;
    [[nodiscard]] const Series* find(const QString& workload, const QString& executor) const;
    // Workloads with a figure of that quantity, one group for each direction.
    [[nodiscard]] QList<ChartGroup> groups(Quantity quantity) const;
    [[nodiscard]] bool has(Quantity quantity) const { return !groups(quantity).isEmpty(); }

    // Puts place, command, count and what is doubtful into the mark.
    void tell(const Series& series, Metric metric, const ChartGroup& group, ChartMark& mark) const;

private:
    Campaign m_campaign;
    QList<Series> m_series;
    QList<Suspicion> m_suspicions;
    QStringList m_executors;
    QHash<QString, ExecutorIdentity> m_identities;
    QHash<std::pair<QString, QString>, qsizetype> m_places;        // in m_series
    QHash<std::pair<QString, QString>, QList<qsizetype>> m_doubts; // in m_suspicions
};
using ChartSourcePointer = std::shared_ptr<const ChartSource>;

// The date of a campaign; published sets may have a day or less. Invalid if it is none.
[[nodiscard]] QDateTime dateOf(const Campaign& campaign);

} // namespace vitrine::bench
