// SPDX-License-Identifier: Apache-2.0
#include "app/watchdog.h"

#include <gtest/gtest.h>

#include <ctime>

using vitrine::app::Watchdog;

namespace {

// Processor time of this thread, so that a busy computer does not spoil the test.
void work(int milliseconds) {
    const auto now = [] {
        timespec time{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return time.tv_sec * 1000.0 + time.tv_nsec / 1e6;
    };
    const double end = now() + milliseconds;
    while (now() < end) {
    }
}

void deliver(Watchdog& watchdog, QEvent::Type type, const std::function<void()>& handler) {
    QObject receiver;
    receiver.setObjectName(QStringLiteral("receiver"));
    const QEvent event(type);
    const Watchdog::Delivery delivery(&watchdog, &receiver, &event);
    handler();
}

} // namespace

TEST(Watchdog, QuickEventsAreFine) {
    Watchdog watchdog;
    deliver(watchdog, QEvent::User, [] {});
    EXPECT_TRUE(watchdog.violations().isEmpty());
    EXPECT_EQ(watchdog.deliveries(), 1);
}

TEST(Watchdog, LongWorkOutsidePaintingIsNamed) {
    Watchdog watchdog;
    deliver(watchdog, QEvent::Timer, [] { work(25); });
    ASSERT_EQ(watchdog.violations().size(), 1);
    EXPECT_GE(watchdog.violations().at(0).own, 25);
    EXPECT_TRUE(watchdog.violations().at(0).what.contains(QStringLiteral("Timer")));
    EXPECT_TRUE(watchdog.violations().at(0).what.contains(QStringLiteral("receiver")));
}

TEST(Watchdog, PaintingIsCountedApart) {
    Watchdog watchdog;
    deliver(watchdog, QEvent::User, [&watchdog] {
        deliver(watchdog, QEvent::UpdateRequest, [&watchdog] {
            deliver(watchdog, QEvent::Paint, [] { work(25); });
        });
    });
    EXPECT_LT(watchdog.longestOwn(), 16);
    EXPECT_GE(watchdog.longestWhole(), 25);
}

TEST(Watchdog, PaintingMayNotTakeForEverEither) {
    Watchdog watchdog;
    deliver(watchdog, QEvent::Paint, [] { work(60); });
    EXPECT_EQ(watchdog.violations().size(), 1);
}

TEST(Watchdog, ExcusesAreNotHeldAgainstTheWindow) {
    Watchdog watchdog;
    deliver(watchdog, QEvent::User, [&watchdog] {
        const Watchdog::Excuse excuse(&watchdog);
        work(25);
    });
    EXPECT_TRUE(watchdog.violations().isEmpty());
}

TEST(Watchdog, WithoutOneNothingIsMeasured) {
    QObject receiver;
    const QEvent event(QEvent::User);
    const Watchdog::Delivery delivery(nullptr, &receiver, &event);
    const Watchdog::Excuse excuse(nullptr);
    SUCCEED();
}
