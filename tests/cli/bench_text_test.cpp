// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_text.h"

#include "core/bench/published.h"

#include <gtest/gtest.h>

namespace vitrine::cli {

namespace {

using namespace bench;

QString s(const char* text) {
    return QString::fromUtf8(text);
}

qsizetype widest(const QString& text) {
    qsizetype width = 0;
    for (const QString& line : text.split(QLatin1Char('\n')))
        width = std::max(width, line.size());
    return width;
}

// Every figure at its longest, on executors whose names differ at their ends only.
Campaign large() {
    Campaign campaign;
    for (const char* workload : {"first", "second"})
        for (int executor = 0; executor < 20; ++executor) {
            BenchRun run;
            run.workload = s(workload);
            run.executor = s("share:virtiofs,cache=always,and=a,very=long,name=%1").arg(executor);
            const IoFigures io{123.4e6, 273756.2, Latency{203418.5, 1.7e6, {}}};
            run.figures.read = run.figures.write = run.figures.sync = io;
            run.figures.elapsed = Elapsed{44.7712, 10, 1.5, 40.1234, 50.1234};
            campaign.runs.append(run);
        }
    return campaign;
}

} // namespace

TEST(BenchText, FitsIntoEightyColumnsHoweverManyExecutorsThereAre) {
    const Campaign campaign = large();
    const QString text = byWorkload(campaign);
    EXPECT_LE(widest(text), narrowWidth) << text.toStdString();
    EXPECT_TRUE(text.startsWith(s("first\n  share:"))) << text.toStdString();
    EXPECT_TRUE(text.contains(s("\n\nsecond\n  share:")));
    for (int executor = 0; executor < 20; ++executor)
        EXPECT_EQ(text.count(s("name=%1 ").arg(executor)), 2) << executor;
    const auto compared = compare(campaign, campaign);
    ASSERT_TRUE(compared);
    EXPECT_TRUE(byWorkload(*compared).contains(s("\n  write bandwidth  123 MB/s")))
        << byWorkload(*compared).toStdString();
}

TEST(BenchText, PublishedSetsFitToo) {
    for (const Campaign& set : publishedSets())
        EXPECT_LE(widest(byWorkload(set)), narrowWidth) << set.id.toStdString();
}

TEST(BenchText, WhatWasNotMeasuredIsADashAndNothingIsEmpty) {
    Campaign campaign;
    EXPECT_EQ(byWorkload(campaign), QString());
    BenchRun run;
    run.workload = s("w\x1b[31m");
    run.executor = s("host");
    run.figures.read = IoFigures{{}, 1000, {}};
    campaign.runs.append(run);
    const QString text = byWorkload(campaign);
    EXPECT_TRUE(text.contains(s("  host  read  \u2013  1 kIOPS  \u2013"))) << text.toStdString();
    EXPECT_FALSE(text.contains(QChar(0x1b)));
}

TEST(BenchText, ADoubtIsToldOnce) {
    const Suspicion doubt{Suspicion::Kind::PageCache, s("w"), s("host"), 1, s("It is fast.")};
    Suspicion again = doubt;
    again.round = 2;
    Suspicion elsewhere = doubt;
    elsewhere.executor = s("default");
    const Suspicion note{Suspicion::Kind::Campaign, {}, {}, 0, s("A trial.")};
    EXPECT_EQ(doubtsText({note, doubt, again, elsewhere}),
              s("- A trial.\n- w, host: It is fast.\n- w, default: It is fast.\n"));
}

} // namespace vitrine::cli
