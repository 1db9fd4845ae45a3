// SPDX-License-Identifier: Apache-2.0
#include "core/job/job_list_model.h"

#include <algorithm>

namespace vitrine {

JobListModel::~JobListModel() = default;

Job* JobListModel::add(std::unique_ptr<Job> job) {
    Job* raw = job.get();
    beginInsertRows({}, 0, 0);
    m_jobs.insert(m_jobs.begin(), std::move(job));
    endInsertRows();
    connect(raw, &Job::stateChanged, this, [this, raw] { changed(raw); });
    connect(raw, &Job::progressed, this, [this, raw] { changed(raw); });
    connect(raw, &Job::finished, this, [this, raw] { Q_EMIT jobFinished(raw); });
    raw->start();
    return raw;
}

void JobListModel::clearFinished() {
    for (int row = static_cast<int>(m_jobs.size()) - 1; row >= 0; --row) {
        if (!m_jobs[static_cast<size_t>(row)]->isFinished())
            continue;
        beginRemoveRows({}, row, row);
        m_jobs.erase(m_jobs.begin() + row);
        endRemoveRows();
    }
}

void JobListModel::removeFinished(const Job* job) {
    const int row = rowOf(job);
    if (row < 0 || !job->isFinished())
        return;
    beginRemoveRows({}, row, row);
    m_jobs.erase(m_jobs.begin() + row);
    endRemoveRows();
}

Job* JobListModel::jobAt(int row) const {
    return row >= 0 && row < static_cast<int>(m_jobs.size())
               ? m_jobs[static_cast<size_t>(row)].get()
               : nullptr;
}

int JobListModel::runningCount() const {
    return static_cast<int>(std::count_if(
        m_jobs.begin(), m_jobs.end(), [](const auto& job) { return !job->isFinished(); }));
}

int JobListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_jobs.size());
}

QVariant JobListModel::data(const QModelIndex& index, int role) const {
    Job* job = index.isValid() ? jobAt(index.row()) : nullptr;
    if (!job)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return job->title();
    case JobRole:
        return QVariant::fromValue(job);
    case KindRole:
        return job->kind();
    case StateRole:
        return static_cast<int>(job->state());
    case FractionRole: {
        const Progress& progress = job->progress();
        if (!progress.total || *progress.total == 0)
            return {};
        return static_cast<double>(progress.done) / static_cast<double>(*progress.total);
    }
    default:
        return {};
    }
}

int JobListModel::rowOf(const Job* job) const {
    for (size_t i = 0; i < m_jobs.size(); ++i)
        if (m_jobs[i].get() == job)
            return static_cast<int>(i);
    return -1;
}

void JobListModel::changed(Job* job) {
    const int row = rowOf(job);
    if (row < 0)
        return;
    Q_EMIT dataChanged(index(row), index(row));
    Q_EMIT jobChanged(job);
}

} // namespace vitrine
