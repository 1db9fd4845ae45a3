// SPDX-License-Identifier: Apache-2.0
#include "core/bench/charts/bar_chart.h"
#include "core/bench/charts/decimation.h"
#include "core/bench/charts/history_chart.h"
#include "core/bench/charts/percentile_chart.h"
#include "core/bench/charts/value_axis.h"
#include "core/bench/charts/winner.h"
#include "core/bench/published.h"
#include "tests/support/hand_made_campaign.h"

#include <QRandomGenerator>

#include <cmath>
#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::bench;
using namespace vitrine::test;

namespace {

ChartSource published(const char* id) {
    for (const Campaign& set : publishedSets())
        if (set.id == QLatin1String(id))
            return ChartSource(set);
    ADD_FAILURE() << "There is no published set " << id;
    return ChartSource({});
}

const ChartSeries* seriesNamed(const ChartData& data, const char* name, bool beside = false) {
    for (const ChartSeries& series : data.series)
        if (series.name == QLatin1String(name) && series.isBeside == beside)
            return &series;
    return nullptr;
}

QStringList textsOf(const ValueAxis& axis) {
    QStringList texts;
    for (const ValueAxis::Tick& tick : axis.ticks)
        texts.append(tick.text);
    return texts;
}

ChartData line(int points) {
    ChartData data;
    data.kind = ChartData::Kind::History;
    data.series.append({QStringLiteral("a"), {}, {}, 0, false, {}});
    QRandomGenerator random(7);
    for (int i = 0; i < points; ++i) {
        ChartMark mark;
        mark.x = i;
        mark.value = random.bounded(1000.0);
        data.series.first().marks.append(mark);
    }
    return data;
}

} // namespace

TEST(ExecutorIdentityTest, NamesOfTartAndOursAreTheSameExecutors) {
    const QJsonObject host{{QStringLiteral("kind"), QStringLiteral("host")}};
    const QJsonObject vm{{QStringLiteral("kind"), QStringLiteral("vm")}};
    EXPECT_EQ(identityOf(QStringLiteral("local"), host).key,
              identityOf(QStringLiteral("host"), host).key);
    EXPECT_EQ(identityOf(QStringLiteral("Tart"), vm).key,
              identityOf(QStringLiteral("default"), vm).key);
    QJsonObject none = vm;
    none.insert(QStringLiteral("sync"), QStringLiteral("none"));
    EXPECT_EQ(identityOf(QStringLiteral("x"), none).name, QStringLiteral("sync=none"));
    EXPECT_TRUE(identityOf(QStringLiteral("x"), none).isRootDiskChoice());
    // What is said although it is so anyway, and how large the machine was, tells nothing apart.
    QJsonObject full = vm;
    full.insert(QStringLiteral("sync"), QStringLiteral("full"));
    full.insert(QStringLiteral("cpus"), 4);
    EXPECT_EQ(identityOf(QStringLiteral("x"), full).key, identityOf(QStringLiteral("y"), vm).key);
    QJsonObject share = vm;
    share.insert(QStringLiteral("share"), QStringLiteral("9p"));
    EXPECT_FALSE(identityOf(QStringLiteral("x"), share).isRootDiskChoice());
    EXPECT_EQ(identityOf(QStringLiteral("share:9p,security=none"), share).name,
              QStringLiteral("Folder over 9P, security=none"));
    EXPECT_EQ(identityOf(QStringLiteral("kernel:virtiofs"), share).name,
              QStringLiteral("Kernel run over virtiofs"));
    EXPECT_NE(identityOf(QStringLiteral("x"), share).key, identityOf(QStringLiteral("x"), vm).key);
    EXPECT_FALSE(identityOf(QStringLiteral("running"), vm).isRootDiskChoice());
}

TEST(BarChartTest, EveryFigureIsABarWithItsInterval) {
    const ChartSource source(handMadeCampaign());
    const ChartData data = barsOf(source, {Quantity::Bandwidth, {}, {}});
    EXPECT_EQ(data.groups.size(), 6);
    EXPECT_EQ(data.series.size(), 5);
    EXPECT_EQ(data.markCount(), 30);
    const ChartSeries* const byDefault = seriesNamed(data, "Default");
    ASSERT_TRUE(byDefault);
    const ChartMark& mark = byDefault->marks.at(2);
    EXPECT_NEAR(mark.value, 20e6 * 3 * 0.8, 1);
    ASSERT_TRUE(mark.interval);
    EXPECT_LE(mark.interval->low, mark.value);
    EXPECT_GE(mark.interval->high, mark.value);
    EXPECT_EQ(mark.count, 5);
    EXPECT_TRUE(mark.command.startsWith(QStringLiteral("fio --name=benchmark")));
    EXPECT_EQ(mark.x, 2);
}

TEST(BarChartTest, RatiosAreToTheBaselineWhichIsNoBar) {
    const ChartSource source(handMadeCampaign());
    EXPECT_EQ(source.usualBaseline(), QStringLiteral("host"));
    ChartData data = barsOf(source, {Quantity::Bandwidth, QStringLiteral("host"), {}});
    EXPECT_TRUE(data.isRatio);
    EXPECT_EQ(data.baseline, QStringLiteral("Host"));
    EXPECT_FALSE(seriesNamed(data, "Host"));
    EXPECT_NEAR(seriesNamed(data, "sync=none")->marks.first().value, 0.9, 1e-9);
    EXPECT_NEAR(seriesNamed(data, "sync=none")->marks.first().median, 20e6 * 0.9, 1);
    data = barsOf(source, {Quantity::Bandwidth, QStringLiteral("sync=none"), {}});
    EXPECT_NEAR(seriesNamed(data, "Default")->marks.first().value, 0.8 / 0.9, 1e-9);
    EXPECT_TRUE(seriesNamed(data, "Host"));
}

TEST(BarChartTest, ASeriesKeepsItsColourWhateverTheBaselineIs) {
    const ChartSource source(handMadeCampaign());
    const auto colours = [&source](const QString& baseline) {
        QMap<QString, int> found;
        for (const ChartSeries& series : barsOf(source, {Quantity::Iops, baseline, {}}).series)
            found.insert(series.name, series.colour);
        return found;
    };
    const auto all = colours({});
    const auto toHost = colours(QStringLiteral("host"));
    for (auto it = toHost.begin(); it != toHost.end(); ++it)
        EXPECT_EQ(it.value(), all.value(it.key())) << it.key().toStdString();
}

TEST(BarChartTest, ReadAndWriteOfOneWorkloadAreGroupsOfTheirOwn) {
    const ChartSource source = published("tart-2024-12-02-m1pro");
    QStringList titles;
    for (const ChartGroup& group : source.groups(Quantity::Bandwidth))
        titles.append(group.title);
    EXPECT_TRUE(titles.contains(QStringLiteral("Random reads/writes (4k), read")));
    EXPECT_TRUE(titles.contains(QStringLiteral("Random reads/writes (4k), write")));
    EXPECT_TRUE(titles.contains(QStringLiteral("Single 4KiB random write process")));
    EXPECT_FALSE(source.has(Quantity::Time));
    EXPECT_TRUE(published("vmtest-pr88-2024-08").has(Quantity::Time));
}

TEST(BarChartTest, ThePageCacheIsToldOfTheBarsThatItMade) {
    const ChartSource source = published("tart-2024-12-02-m1pro");
    const ChartData data = barsOf(source, {Quantity::Bandwidth, {}, {}});
    const ChartSeries* const byDefault = seriesNamed(data, "Default");
    ASSERT_TRUE(byDefault);
    int cached = 0;
    for (const ChartMark& mark : byDefault->marks)
        if (mark.place == QStringLiteral("16 parallel 64KiB random write processes")) {
            EXPECT_TRUE(mark.isPageCache);
            EXPECT_FALSE(mark.doubt.isEmpty());
            EXPECT_TRUE(mark.remark.contains(mark.doubt));
            ++cached;
        }
    EXPECT_EQ(cached, 1);
}

TEST(BarChartTest, APublishedSetStandsBesideTheExecutorsItHasToo) {
    HandMade wish;
    Campaign campaign = handMadeCampaign(wish);
    for (BenchRun& run : campaign.runs)
        run.workload = QStringLiteral("Single 4KiB random write process");
    const ChartSource source(campaign);
    const auto beside = std::make_shared<const ChartSource>(published("tart-2024-12-02-m1pro"));
    ChartData data = barsOf(source, {Quantity::Bandwidth, QStringLiteral("host"), beside});
    const ChartSeries* const both = seriesNamed(data, "sync=none, caching=cached", true);
    ASSERT_TRUE(both);
    EXPECT_NEAR(both->marks.first().value, 22.0 / 19.0, 1e-9); // to its own host
    EXPECT_EQ(both->executor,
              QStringLiteral("Tart (--root-disk-opts=\"sync=none,caching=cached\")"));
    EXPECT_EQ(data.besideTitle, QStringLiteral("Tart on an M1 Pro, December 2024"));
    data = barsOf(source, {Quantity::Bandwidth, {}, beside});
    EXPECT_EQ(seriesNamed(data, "Host", true)->marks.first().value, 19e6);
}

TEST(BarChartTest, NothingAndOneFigureAreChartsToo) {
    const ChartSource nothing(Campaign{});
    EXPECT_TRUE(barsOf(nothing, {}).isEmpty());
    EXPECT_FALSE(textsOf(ValueAxis::forValues(barsOf(nothing, {}), false)).isEmpty());
    EXPECT_FALSE(textsOf(ValueAxis::forValues(barsOf(nothing, {}), true)).isEmpty());
    HandMade wish;
    wish.workloads = 1;
    wish.rounds = 1;
    wish.executors.resize(1);
    const ChartData one = barsOf(ChartSource(handMadeCampaign(wish)), {});
    ASSERT_EQ(one.markCount(), 1);
    EXPECT_FALSE(one.series.first().marks.first().interval);
    EXPECT_TRUE(describe(one, one.series.first(), one.series.first().marks.first())
                    .join(QLatin1Char('\n'))
                    .contains(QStringLiteral("nothing is known of the spread")));
}

TEST(BarChartTest, ABaselineThatMeasuredNothingMakesNoRatios) {
    Campaign campaign = handMadeCampaign();
    for (BenchRun& run : campaign.runs)
        if (run.executor == QStringLiteral("host"))
            run.figures.write->bandwidth = 0;
    const ChartData data =
        barsOf(ChartSource(campaign), {Quantity::Bandwidth, QStringLiteral("host"), {}});
    EXPECT_TRUE(data.isEmpty());
}

TEST(HistoryChartTest, CampaignsStandInTheOrderOfTheirDates) {
    QList<ChartSourcePointer> sources;
    for (const char* date : {"2026-11-03T08:00:00Z", "2026-10-01", "2026", "no date"}) {
        Campaign campaign = handMadeCampaign();
        campaign.date = QLatin1String(date);
        sources.append(std::make_shared<const ChartSource>(campaign));
    }
    const ChartGroup group = sources.first()->groups(Quantity::Bandwidth).first();
    const ChartData data = historyOf(sources, group);
    ASSERT_EQ(data.series.size(), 5);
    const auto& marks = data.series.first().marks;
    ASSERT_GE(marks.size(), 2);
    for (qsizetype i = 1; i < marks.size(); ++i)
        EXPECT_LT(marks.at(i - 1).x, marks.at(i).x);
    EXPECT_TRUE(marks.first().interval);
    EXPECT_TRUE(historyOf({}, group).isEmpty());
}

TEST(PercentileChartTest, TheEndOfTheAxisIsSpreadOut) {
    EXPECT_DOUBLE_EQ(ninesOf(0), 0);
    EXPECT_NEAR(ninesOf(90), 1, 1e-9);
    EXPECT_NEAR(ninesOf(99.9), 3, 1e-9);
    EXPECT_NEAR(percentOfNines(ninesOf(99.5)), 99.5, 1e-9);
    EXPECT_TRUE(std::isfinite(ninesOf(100)));
    const ChartSource source(handMadeCampaign());
    const ChartData data = percentilesOf(source, source.groups(Quantity::Latency).first());
    ASSERT_EQ(data.series.size(), 5);
    EXPECT_EQ(data.series.first().marks.size(), 8);
    EXPECT_TRUE(textsOf(ValueAxis::along(data)).contains(QStringLiteral("99.9\u00A0%")));
}

TEST(DecimationTest, TenThousandPointsBecomeAtMostTwoThousandAndNoPeakIsLost) {
    ChartData data = line(10000);
    data.series.first().marks[4321].value = 5000;
    data.series.first().marks[8765].value = -100;
    const ChartData drawn = decimated(data);
    EXPECT_LE(drawn.markCount(), mostMarks);
    EXPECT_GT(drawn.markCount(), mostMarks * 9 / 10);
    const auto& marks = drawn.series.first().marks;
    EXPECT_EQ(marks.first().x, 0);
    EXPECT_EQ(marks.last().x, 9999);
    for (qsizetype i = 1; i < marks.size(); ++i)
        EXPECT_LT(marks.at(i - 1).x, marks.at(i).x);
    const auto has = [&marks](double x) {
        return std::any_of(
            marks.begin(), marks.end(), [x](const ChartMark& mark) { return mark.x == x; });
    };
    EXPECT_TRUE(has(4321));
    EXPECT_TRUE(has(8765));
}

TEST(DecimationTest, WhatIsFewStaysAsItIsAndSmallSeriesAreNotTouched) {
    EXPECT_EQ(decimated(line(2000)).markCount(), 2000);
    ChartData data = line(9000);
    ChartSeries few = data.series.first();
    few.marks = few.marks.mid(0, 50);
    data.series.append(few);
    const ChartData drawn = decimated(data);
    EXPECT_LE(drawn.markCount(), mostMarks);
    EXPECT_EQ(drawn.series.at(1).marks.size(), 50);
    // More series than there may be marks.
    ChartData many = line(3);
    for (int i = 0; i < 5000; ++i)
        many.series.append(many.series.first());
    EXPECT_LE(decimated(many).markCount(), mostMarks);
}

TEST(ValueAxisTest, TicksAreRoundAndHoldAllValues) {
    const ChartSource source(handMadeCampaign());
    const ChartData values = barsOf(source, {Quantity::Bandwidth, {}, {}});
    const ValueAxis axis = ValueAxis::forValues(values, false);
    EXPECT_EQ(axis.minimum, 0);
    EXPECT_EQ(textsOf(axis).first(), QStringLiteral("0"));
    EXPECT_EQ(textsOf(axis).at(1), QStringLiteral("25 MB/s"));
    for (const ChartSeries& series : values.series)
        for (const ChartMark& mark : series.marks)
            EXPECT_LE(mark.interval->high, axis.maximum);
    const ChartData ratios = barsOf(source, {Quantity::Bandwidth, QStringLiteral("host"), {}});
    EXPECT_TRUE(
        textsOf(ValueAxis::forValues(ratios, false)).contains(QStringLiteral("100\u00A0%")));
}

TEST(ValueAxisTest, ALogarithmicAxisHasPowersOfTen) {
    const ChartData data = barsOf(ChartSource(handMadeCampaign()), {Quantity::Bandwidth, {}, {}});
    const ValueAxis axis = ValueAxis::forValues(data, true);
    EXPECT_EQ(textsOf(axis),
              (QStringList{QStringLiteral("10 MB/s"),
                           QStringLiteral("100 MB/s"),
                           QStringLiteral("1.0 GB/s")}));
    EXPECT_DOUBLE_EQ(axis.positionOf(1e7), 7);
    EXPECT_DOUBLE_EQ(axis.positionOf(0), axis.minimum); // no place of its own
}

TEST(WinnerTest, TheFastestOptionsWinWhereTheIntervalsAreApart) {
    const Winner winner = winnerOf(ChartSource(handMadeCampaign()));
    EXPECT_EQ(winner.executor, QStringLiteral("sync=none,caching=cached"));
    EXPECT_EQ(winner.identity.sync, QStringLiteral("none"));
    EXPECT_EQ(winner.identity.caching, QStringLiteral("cached"));
    EXPECT_NEAR(winner.faster.value, 1.1 / 0.9, 1e-6);
    EXPECT_EQ(winner.nextOne, QStringLiteral("sync=none"));
    EXPECT_TRUE(winner.reason.isEmpty());
}

TEST(WinnerTest, WhereIntervalsOverlapThereIsNone) {
    HandMade wish;
    wish.spread = 0.2;
    const Winner winner = winnerOf(ChartSource(handMadeCampaign(wish)));
    EXPECT_TRUE(winner.executor.isEmpty());
    EXPECT_TRUE(winner.reason.contains(QStringLiteral("overlap")));
}

TEST(WinnerTest, OneRoundOneChoiceAndDoubtfulFiguresDecideNothing) {
    HandMade once;
    once.rounds = 1;
    EXPECT_TRUE(winnerOf(ChartSource(handMadeCampaign(once)))
                    .reason.contains(QStringLiteral("too few whole rounds")));
    HandMade alone;
    alone.executors.resize(2);
    EXPECT_TRUE(winnerOf(ChartSource(handMadeCampaign(alone)))
                    .reason.contains(QStringLiteral("There is no choice")));
    EXPECT_TRUE(winnerOf(ChartSource(Campaign{})).executor.isEmpty());
    Campaign doubtful = handMadeCampaign();
    for (BenchRun& run : doubtful.runs)
        run.remark = QStringLiteral("measured on a moving train");
    EXPECT_TRUE(winnerOf(ChartSource(doubtful))
                    .reason.contains(QStringLiteral("No figure that may be quoted")));
}

TEST(WinnerTest, LessTimeIsFaster) {
    Campaign campaign = handMadeCampaign();
    for (BenchRun& run : campaign.runs) {
        const double bandwidth = *run.figures.write->bandwidth;
        run.figures = {};
        run.figures.elapsed = Elapsed{1e9 / bandwidth, 1, {}, {}, {}};
    }
    EXPECT_EQ(winnerOf(ChartSource(campaign)).executor, QStringLiteral("sync=none,caching=cached"));
}
