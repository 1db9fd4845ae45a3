// SPDX-License-Identifier: Apache-2.0
#include "core/job/job.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QSignalSpy>
#include <QThread>

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace vitrine {
namespace {

constexpr int deadline = 20000; // milliseconds

bool waitForEnd(const Job& job) {
    const QDeadlineTimer limit(deadline);
    while (!job.isFinished() && !limit.hasExpired())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 50);
    return job.isFinished();
}

std::unique_ptr<Job> jobOf(Job::Work work) {
    return std::make_unique<Job>(QStringLiteral("kind"),
                                 QStringLiteral("Title"),
                                 QStringLiteral("subtitle"),
                                 std::move(work));
}

// Work that ends only when it is cancelled.
Result<> untilCancelled(const JobContext& context) {
    while (!context.cancelled())
        QThread::yieldCurrentThread();
    return fail(Error::cancelled());
}

TEST(Job, WorkRunsOnAThreadOfItsOwnAndSucceeds) {
    Qt::HANDLE thread = nullptr;
    const auto job = jobOf([&thread](const JobContext&) -> Result<> {
        thread = QThread::currentThreadId();
        return {};
    });
    EXPECT_EQ(job->state(), Job::State::Queued);
    QSignalSpy finished(job.get(), &Job::finished);
    job->start();
    EXPECT_EQ(job->state(), Job::State::Running);
    job->start();
    ASSERT_TRUE(waitForEnd(*job));
    EXPECT_EQ(job->state(), Job::State::Succeeded);
    EXPECT_NE(thread, QThread::currentThreadId());
    EXPECT_EQ(finished.size(), 1);
    EXPECT_LE(job->startedAt(), job->finishedAt());
    EXPECT_EQ(job->kind(), QStringLiteral("kind"));
    EXPECT_EQ(job->title(), QStringLiteral("Title"));
    EXPECT_EQ(job->subtitle(), QStringLiteral("subtitle"));
}

TEST(Job, AFailureKeepsItsError) {
    const auto job = jobOf([](const JobContext&) -> Result<> {
        return fail(Error::Kind::DiskFull, QStringLiteral("Full."));
    });
    job->start();
    ASSERT_TRUE(waitForEnd(*job));
    EXPECT_EQ(job->state(), Job::State::Failed);
    EXPECT_EQ(job->error().kind, Error::Kind::DiskFull);
}

TEST(Job, CancellingIsNotAFailure) {
    const auto job = jobOf(untilCancelled);
    QSignalSpy finished(job.get(), &Job::finished);
    job->start();
    job->cancel();
    EXPECT_EQ(job->state(), Job::State::Running) << "cancel() returns at once";
    ASSERT_TRUE(waitForEnd(*job));
    EXPECT_EQ(job->state(), Job::State::Cancelled);
    EXPECT_EQ(finished.size(), 1);
    job->cancel();
    EXPECT_EQ(finished.size(), 1);
}

TEST(Job, AQueuedJobIsCancelledAtOnce) {
    bool ran = false;
    const auto job = jobOf([&ran](const JobContext&) -> Result<> {
        ran = true;
        return {};
    });
    QSignalSpy finished(job.get(), &Job::finished);
    job->cancel();
    EXPECT_EQ(job->state(), Job::State::Cancelled);
    EXPECT_EQ(finished.size(), 1);
    job->start();
    QCoreApplication::processEvents();
    EXPECT_FALSE(ran);
}

TEST(Job, WorkThatFinishesInSpiteOfACancelSucceeds) {
    const auto job = jobOf([](const JobContext& context) -> Result<> {
        while (!context.cancelled())
            QThread::yieldCurrentThread();
        return {};
    });
    job->start();
    job->cancel();
    ASSERT_TRUE(waitForEnd(*job));
    EXPECT_EQ(job->state(), Job::State::Succeeded);
}

TEST(Job, RetryRunsTheSameWorkAgainFromTheBeginning) {
    std::atomic<int> runs = 0;
    const auto job = jobOf([&runs](const JobContext& context) -> Result<> {
        context.log(QStringLiteral("run"));
        if (++runs == 1) {
            context.report({70, 100, QStringLiteral("far"), {}});
            return fail(Error::Kind::Network, QStringLiteral("Cut."));
        }
        return {};
    });
    job->retry();
    EXPECT_EQ(job->state(), Job::State::Queued) << "there is nothing to retry yet";
    job->start();
    ASSERT_TRUE(waitForEnd(*job));
    EXPECT_EQ(job->progress().done, 70U);
    QSignalSpy finished(job.get(), &Job::finished);
    job->retry();
    EXPECT_EQ(job->state(), Job::State::Running);
    EXPECT_EQ(job->progress().done, 0U) << "what the first run reached says nothing of this one";
    ASSERT_TRUE(waitForEnd(*job));
    EXPECT_EQ(job->state(), Job::State::Succeeded);
    EXPECT_EQ(finished.size(), 1);
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(job->logLines().size(), 2) << "the log is kept";
    EXPECT_TRUE(job->error().message.isEmpty());
    job->retry();
    EXPECT_EQ(job->state(), Job::State::Succeeded);
}

TEST(Job, TheLastProgressAndEveryLogLineArrive) {
    const auto job = jobOf([](const JobContext& context) -> Result<> {
        for (int i = 1; i <= 1000; ++i) {
            context.report({static_cast<quint64>(i), 1000, QStringLiteral("step"), {}});
            context.log(QString::number(i));
        }
        return {};
    });
    QSignalSpy progressed(job.get(), &Job::progressed);
    QSignalSpy logged(job.get(), &Job::logged);
    job->start();
    ASSERT_TRUE(waitForEnd(*job));
    EXPECT_EQ(job->progress().done, 1000U);
    EXPECT_EQ(*job->progress().total, 1000U);
    EXPECT_EQ(logged.size(), 1000);
    EXPECT_TRUE(job->logLines().last().endsWith(QStringLiteral("  1000")));
    EXPECT_LT(progressed.size(), 200);
}

TEST(Job, TheLogIsBounded) {
    const auto job = jobOf([](const JobContext& context) -> Result<> {
        for (int i = 0; i < 12000; ++i)
            context.log(QString::number(i));
        return {};
    });
    job->start();
    ASSERT_TRUE(waitForEnd(*job));
    EXPECT_EQ(job->logLines().size(), 5000);
    EXPECT_TRUE(job->logLines().last().endsWith(QStringLiteral(" 11999")));
}

TEST(Job, ManyThreadsOfTheWorkMayReport) {
    const auto job = jobOf([](const JobContext& context) -> Result<> {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([context] {
                for (int j = 0; j < 200; ++j) {
                    context.report({1, std::nullopt, {}, {}});
                    context.log(QStringLiteral("x"));
                }
            });
        return {};
    });
    job->start();
    ASSERT_TRUE(waitForEnd(*job));
    EXPECT_EQ(job->logLines().size(), 800);
}

TEST(Job, DestroyingItCancelsTheWorkWithoutWaiting) {
    std::promise<void> released;
    auto gate = std::make_shared<std::shared_future<void>>(released.get_future());
    auto sawCancel = std::make_shared<std::atomic<bool>>(false);
    {
        const auto job = jobOf([gate, sawCancel](const JobContext& context) -> Result<> {
            gate->wait();
            *sawCancel = context.cancelled();
            context.report({1, 1, {}, {}}); // to nobody
            return {};
        });
        job->start();
    }
    EXPECT_FALSE(Job::waitForAbandoned(20));
    released.set_value();
    EXPECT_TRUE(Job::waitForAbandoned(deadline));
    EXPECT_TRUE(*sawCancel);
}

TEST(Job, ItMayBeDestroyedAtAnyMoment) {
    for (int turns = 0; turns < 50; ++turns) {
        const auto job = jobOf([](const JobContext& context) -> Result<> {
            context.report({1, 2, {}, {}});
            return {};
        });
        job->start();
        for (int i = 0; i < turns % 5; ++i)
            QCoreApplication::processEvents();
    }
    EXPECT_TRUE(Job::waitForAbandoned(deadline));
    QCoreApplication::processEvents();
}

TEST(Job, WhatIsLeftIsKnownOnlyWithASpeed) {
    const auto job = jobOf(untilCancelled);
    EXPECT_FALSE(job->secondsLeft());
    job->start();
    EXPECT_FALSE(job->secondsLeft());
    EXPECT_EQ(job->bytesPerSecond(), 0);
}

TEST(Job, SpeedIsMeasuredWhileItRuns) {
    const auto job = jobOf([](const JobContext& context) -> Result<> {
        for (quint64 done = 0; !context.cancelled(); ++done) {
            context.report({done, quint64(1) << 60, {}, {}});
            QThread::yieldCurrentThread();
        }
        return fail(Error::cancelled());
    });
    job->start();
    const QDeadlineTimer limit(deadline);
    while (job->bytesPerSecond() <= 0 && !limit.hasExpired())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 50);
    EXPECT_GT(job->bytesPerSecond(), 0);
    ASSERT_TRUE(job->secondsLeft());
    EXPECT_GT(*job->secondsLeft(), 0);
    job->cancel();
    ASSERT_TRUE(waitForEnd(*job));
    EXPECT_FALSE(job->secondsLeft());
}

} // namespace
} // namespace vitrine
