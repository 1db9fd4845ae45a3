// SPDX-License-Identifier: Apache-2.0
#include "core/registry/retry_policy.h"

#include <QElapsedTimer>

#include <gtest/gtest.h>
#include <thread>

namespace vitrine {
namespace {

using std::chrono::milliseconds;

Failure passing() {
    return Failure::passing(Error{Error::Kind::Network, {}, {}});
}

TEST(RetryPolicy, RetryAfterIsSecondsOrADate) {
    const QDateTime now(QDate(2026, 5, 12), QTime(21, 45, 0), Qt::UTC);
    EXPECT_EQ(parseRetryAfter("0", now), milliseconds(0));
    EXPECT_EQ(parseRetryAfter(" 120 ", now), milliseconds(120000));
    EXPECT_EQ(parseRetryAfter("Tue, 12 May 2026 21:45:30 GMT", now), milliseconds(30000));
    EXPECT_EQ(parseRetryAfter("Tue, 12 May 2026 21:44:00 GMT", now), milliseconds(0));
    EXPECT_GT(parseRetryAfter("99999999999999999999999", now), milliseconds(0));
    for (const char* bad : {"", "soon", "-1", "1.5", "12 s"})
        EXPECT_FALSE(parseRetryAfter(bad, now)) << bad;
}

TEST(RetryPolicy, WaitsGrowButStayBelowTwentySeconds) {
    for (int round = 0; round < 50; ++round) {
        RetryBudget budget(RetryPolicy{10, 1.0});
        for (const int longest : {1000, 2000, 4000, 8000, 16000, 20000, 20000, 20000, 20000}) {
            const auto wait = budget.next(passing());
            ASSERT_TRUE(wait);
            EXPECT_GE(*wait, milliseconds(0));
            EXPECT_LE(*wait, milliseconds(longest));
        }
        EXPECT_FALSE(budget.next(passing()));
    }
}

TEST(RetryPolicy, FiveAttemptsWithoutProgressAreTheEnd) {
    RetryBudget budget{RetryPolicy()};
    for (int i = 0; i < 4; ++i)
        EXPECT_TRUE(budget.next(passing()));
    EXPECT_FALSE(budget.next(passing()));
}

TEST(RetryPolicy, ProgressStartsTheCountAnew) {
    RetryBudget budget{RetryPolicy()};
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(budget.next(passing()));
        budget.progressed();
    }
}

TEST(RetryPolicy, AFinalErrorIsNotRepeated) {
    RetryBudget budget{RetryPolicy()};
    EXPECT_FALSE(budget.next(Failure::permanent(Error())));
}

TEST(RetryPolicy, TheServersWaitIsKeptAndALongOneIsTheEnd) {
    RetryBudget budget{RetryPolicy()};
    Failure failure = passing();
    failure.retryAfter = milliseconds(45000);
    EXPECT_EQ(budget.next(failure), milliseconds(45000));
    failure.retryAfter = std::chrono::minutes(10);
    EXPECT_EQ(budget.next(failure), std::chrono::minutes(10));
    failure.retryAfter = std::chrono::minutes(11);
    EXPECT_FALSE(budget.next(failure));
}

TEST(RetryPolicy, AStopEndsTheWait) {
    std::stop_source stop;
    QElapsedTimer timer;
    timer.start();
    std::jthread other([&] { stop.request_stop(); });
    EXPECT_FALSE(waitFor(std::chrono::minutes(5), stop.get_token()));
    EXPECT_LT(timer.elapsed(), 5000);
    EXPECT_TRUE(waitFor(milliseconds(1), std::stop_token()));
}

} // namespace
} // namespace vitrine
