// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"

#include <QAbstractListModel>

#include <vector>

namespace vitrine {

// The jobs of the program, newest first. Owns them. One row per job; parts are read from the job
// itself.
class JobListModel final : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { JobRole = Qt::UserRole + 1, KindRole, StateRole, FractionRole };

    using QAbstractListModel::QAbstractListModel;
    ~JobListModel() override;

    // Takes ownership and starts it.
    Job* add(std::unique_ptr<Job> job);
    void clearFinished();
    void removeFinished(const Job* job); // nothing while it is under way
    [[nodiscard]] Job* jobAt(int row) const;
    [[nodiscard]] int runningCount() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

Q_SIGNALS:
    void jobChanged(vitrine::Job* job);
    void jobFinished(vitrine::Job* job);

private:
    [[nodiscard]] int rowOf(const Job* job) const;
    void changed(Job* job);
    std::vector<std::unique_ptr<Job>> m_jobs;
};

} // namespace vitrine
