// SPDX-License-Identifier: Apache-2.0
#include "core/run/event_log.h"

#include "core/machine/sidecar.h"
#include "core/run/signal_watch.h"
#include "tests/support/event_wait.h"

#include <QTemporaryDir>

#include <csignal>
#include <gtest/gtest.h>

using vitrine::EventLog;
using vitrine::Sidecar;
using vitrine::SignalWatch;
using vitrine::test::waitUntil;

TEST(EventLog, KeepsTheLastFiftyInOrder) {
    const QTemporaryDir folder;
    {
        EventLog log(folder.path());
        for (int i = 0; i < 60; ++i) {
            EXPECT_TRUE(log.add(QStringLiteral("kind"),
                                QString::number(i),
                                QDateTime::fromMSecsSinceEpoch(1700000000000 + i)));
        }
    }
    const auto sidecar = Sidecar::read(folder.path());
    ASSERT_TRUE(sidecar);
    ASSERT_EQ(sidecar->events.size(), 50);
    const QJsonObject last = sidecar->events.last().toObject();
    EXPECT_EQ(last.value(QLatin1String("text")).toString(), QStringLiteral("59"));
    EXPECT_EQ(last.value(QLatin1String("time")).toString(),
              QStringLiteral("2023-11-14T22:13:20.059Z"));
}

TEST(EventLog, DoesNotRepeatItselfWithinAMinute) {
    const QTemporaryDir folder;
    EventLog log(folder.path());
    const QDateTime now = QDateTime::currentDateTime();
    EXPECT_TRUE(log.add(QStringLiteral("restarted"), QStringLiteral("x"), now));
    EXPECT_FALSE(log.add(QStringLiteral("restarted"), QStringLiteral("x"), now));
    EXPECT_TRUE(log.add(QStringLiteral("panic"), QStringLiteral("x"), now));
    log.flush();
    EXPECT_EQ(Sidecar::read(folder.path())->events.size(), 2);
}

TEST(EventLog, LosesOnlyTheEventWhenTheFileCannotBeWritten) {
    EventLog log(QStringLiteral("/nonexistent/machine"));
    EXPECT_TRUE(log.add(QStringLiteral("kind"), QStringLiteral("text"), QDateTime()));
    log.flush();
}

TEST(SignalWatch, TellsSignalsInOrderAndPutsTheOldHandlersBack) {
    struct sigaction before {};
    ::sigaction(SIGUSR1, nullptr, &before);
    {
        SignalWatch watch({SIGUSR1, SIGUSR2});
        QList<int> arrived;
        QObject::connect(
            &watch, &SignalWatch::arrived, &watch, [&arrived](int number) { arrived << number; });
        ::raise(SIGUSR2);
        ::raise(SIGUSR1);
        ::raise(SIGUSR1);
        EXPECT_TRUE(waitUntil([&arrived] { return arrived.size() == 3; }));
        EXPECT_EQ(arrived, (QList<int>{SIGUSR2, SIGUSR1, SIGUSR1}));
    }
    struct sigaction after {};
    ::sigaction(SIGUSR1, nullptr, &after);
    EXPECT_EQ(after.sa_handler, before.sa_handler);
}
