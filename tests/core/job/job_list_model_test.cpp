// SPDX-License-Identifier: Apache-2.0
#include "core/job/job_list_model.h"

#include <QAbstractItemModelTester>
#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QSignalSpy>

#include <gtest/gtest.h>

namespace vitrine {
namespace {

std::unique_ptr<Job> jobCalled(const QString& title, Job::Work work) {
    return std::make_unique<Job>(QStringLiteral("pull"), title, QString(), std::move(work));
}

Result<> succeed(const JobContext& context) {
    context.report({1, 4, {}, {}});
    return {};
}

Result<> untilCancelled(const JobContext& context) {
    while (!context.cancelled())
        QThread::yieldCurrentThread();
    return fail(Error::cancelled());
}

bool waitFor(const std::function<bool()>& condition) {
    const QDeadlineTimer limit(20000);
    while (!condition() && !limit.hasExpired())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 50);
    return condition();
}

class JobListModelTest : public testing::Test {
protected:
    JobListModel m_model;
    QAbstractItemModelTester m_tester{&m_model,
                                      QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(JobListModelTest, NewJobsStartAndComeFirst) {
    Job* first = m_model.add(jobCalled(QStringLiteral("a"), untilCancelled));
    Job* second = m_model.add(jobCalled(QStringLiteral("b"), untilCancelled));
    EXPECT_EQ(m_model.rowCount(), 2);
    EXPECT_EQ(m_model.jobAt(0), second);
    EXPECT_EQ(m_model.jobAt(1), first);
    EXPECT_EQ(m_model.jobAt(2), nullptr);
    EXPECT_EQ(m_model.jobAt(-1), nullptr);
    EXPECT_EQ(m_model.runningCount(), 2);
    EXPECT_EQ(first->state(), Job::State::Running);
    EXPECT_EQ(m_model.index(0).data().toString(), QStringLiteral("b"));
    EXPECT_EQ(m_model.index(0).data(JobListModel::KindRole).toString(), QStringLiteral("pull"));
    EXPECT_EQ(m_model.index(0).data(JobListModel::JobRole).value<Job*>(), second);
}

TEST_F(JobListModelTest, ChangesAndTheEndAreTold) {
    QSignalSpy data(&m_model, &QAbstractItemModel::dataChanged);
    QSignalSpy finished(&m_model, &JobListModel::jobFinished);
    Job* job = m_model.add(jobCalled(QStringLiteral("a"), succeed));
    ASSERT_TRUE(waitFor([&] { return !finished.isEmpty(); }));
    EXPECT_EQ(finished.first().first().value<Job*>(), job);
    EXPECT_GE(data.size(), 2);
    EXPECT_DOUBLE_EQ(m_model.index(0).data(JobListModel::FractionRole).toDouble(), 0.25);
    EXPECT_EQ(m_model.index(0).data(JobListModel::StateRole).toInt(),
              static_cast<int>(Job::State::Succeeded));
    EXPECT_EQ(m_model.runningCount(), 0);
}

TEST_F(JobListModelTest, AnUnknownTotalHasNoFraction) {
    m_model.add(jobCalled(QStringLiteral("a"), untilCancelled));
    EXPECT_FALSE(m_model.index(0).data(JobListModel::FractionRole).isValid());
}

TEST_F(JobListModelTest, OnlyFinishedJobsAreCleared) {
    m_model.add(jobCalled(QStringLiteral("a"), succeed));
    Job* running = m_model.add(jobCalled(QStringLiteral("b"), untilCancelled));
    m_model.add(jobCalled(QStringLiteral("c"), succeed));
    ASSERT_TRUE(waitFor([this] { return m_model.runningCount() == 1; }));
    m_model.clearFinished();
    ASSERT_EQ(m_model.rowCount(), 1);
    EXPECT_EQ(m_model.jobAt(0), running);
}

TEST_F(JobListModelTest, AJobMayBeClearedWhenItsEndIsTold) {
    QObject::connect(
        &m_model, &JobListModel::jobFinished, &m_model, [this](Job*) { m_model.clearFinished(); });
    m_model.add(jobCalled(QStringLiteral("a"), succeed));
    EXPECT_TRUE(waitFor([this] { return m_model.rowCount() == 0; }));
}

TEST_F(JobListModelTest, RunningJobsDoNotHoldTheModelWhenItGoes) {
    {
        JobListModel model;
        model.add(jobCalled(QStringLiteral("a"), untilCancelled));
    }
    EXPECT_TRUE(Job::waitForAbandoned(20000));
}

} // namespace
} // namespace vitrine
