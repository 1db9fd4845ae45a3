// SPDX-License-Identifier: Apache-2.0
#include "core/bench/comparison.h"

#include "core/bench/campaign_export.h"
#include "core/bench/campaign_import.h"
#include "core/bench/published.h"
#include "tests/core/bench/bench_support.h"

#include <QJsonDocument>

namespace vitrine::bench {

namespace {

BenchRun timed(const char* executor, double seconds) {
    BenchRun run;
    run.workload = s("boot");
    run.executor = s(executor);
    run.figures.elapsed = Elapsed{seconds, 1, {}, {}, {}};
    return run;
}

Campaign of(const char* executor, const QList<double>& seconds) {
    Campaign campaign;
    campaign.id = s("c");
    for (const double value : seconds)
        campaign.runs.append(timed(executor, value));
    return campaign;
}

BenchRun written(std::optional<double> bandwidth, double iops) {
    BenchRun run;
    run.workload = s("w");
    run.executor = s("host");
    run.figures.write = IoFigures{bandwidth, iops, {}};
    return run;
}

Campaign published(const char* id) {
    for (const Campaign& set : publishedSets())
        if (set.id == s(id))
            return set;
    ADD_FAILURE() << id;
    return {};
}

Campaign imported(const QByteArray& bytes) {
    const auto campaign = importCampaign(bytes, s("file"));
    EXPECT_TRUE(campaign) << campaign.error().message.toStdString();
    return campaign.value_or(Campaign{});
}

} // namespace

TEST(Comparison, MoreTimeIsSlowerAndLessIsFaster) {
    const auto compared =
        compare(of("host", {10, 10.1, 9.9, 10, 10}), of("host", {12, 12.1, 11.9, 12, 12}));
    ASSERT_TRUE(compared);
    ASSERT_EQ(compared->size(), 1);
    const Compared& one = compared->first();
    EXPECT_DOUBLE_EQ(one.ratio.value, 1.2);
    ASSERT_TRUE(one.ratio.interval);
    EXPECT_TRUE(one.isJudged);
    EXPECT_TRUE(one.isSlowerThan(0.1));
    EXPECT_FALSE(one.isSlowerThan(0.25));
    const auto back = compare(of("host", {12, 12}), of("host", {10, 10}));
    EXPECT_FALSE(back->first().isSlowerThan(0));
}

TEST(Comparison, WhatCanBeChanceIsNotSlower) {
    const auto compared = compare(of("host", {8, 10, 30, 9, 28}), of("host", {12, 9, 31, 14, 8}));
    ASSERT_TRUE(compared);
    EXPECT_GT(compared->first().slowdown(), 0.1);
    EXPECT_FALSE(compared->first().isSlowerThan(0.1));
    // One run on each side knows of no chance.
    EXPECT_TRUE(compare(of("host", {10}), of("host", {12}))->first().isSlowerThan(0.1));
}

TEST(Comparison, LessBandwidthIsSlowerAndIopsCountOnlyWithoutIt) {
    Campaign a;
    a.runs = {written(100e6, 1000)};
    Campaign b;
    b.runs = {written(80e6, 2000)};
    const auto compared = compare(a, b);
    ASSERT_TRUE(compared);
    ASSERT_EQ(compared->size(), 2);
    EXPECT_EQ(compared->at(0).metric, Metric::WriteBandwidth);
    EXPECT_NEAR(compared->at(0).slowdown(), 0.2, 1e-12);
    EXPECT_TRUE(compared->at(0).isJudged);
    EXPECT_FALSE(compared->at(1).isJudged);
    b.runs = {written({}, 500)};
    EXPECT_TRUE(compare(a, b)->first().isJudged);
    EXPECT_NEAR(compare(a, b)->first().slowdown(), 0.5, 1e-12);
}

TEST(Comparison, ExecutorsPairByNameByChoiceOrWhenThereIsOne) {
    EXPECT_TRUE(compare(of("host", {1}), of("guest", {2})));
    Campaign two = of("guest", {2});
    two.runs.append(timed("other", 3));
    EXPECT_EQ(compare(of("host", {1}), two).error().kind, Error::Kind::NotFound);
    EXPECT_EQ(compare(of("host", {1}), two, {}, s("other"))->first().b, 3);
    const auto unknown = compare(of("host", {1}), two, {}, s("nobody"));
    ASSERT_FALSE(unknown);
    EXPECT_TRUE(unknown.error().message.contains(s("guest; other")));
    const Campaign tart = published("tart-2025-03-23-xcode");
    const auto within = compare(tart, tart, s("local"), s("Tart"));
    ASSERT_TRUE(within);
    EXPECT_DOUBLE_EQ(within->first().ratio.value, 239.0 / 139.0);
}

TEST(CampaignImport, EveryKindOfFileIsToldByItsContent) {
    const Campaign fio = imported("note: something\n" + fixture("fio-3.33-fdatasync.json"));
    EXPECT_TRUE(isFioResult(fio));
    EXPECT_EQ(fio.runs.first().workload, s("benchmark"));
    EXPECT_EQ(fio.runs.first().tool, s("fio-3.33"));
    EXPECT_FALSE(fio.runs.first().raw.isEmpty());
    const Campaign table = imported(fixture("tart-2024-12-02-m1pro.table.txt"));
    EXPECT_EQ(table.runs.size(), 30);
    EXPECT_EQ(table.origin, Campaign::Origin::Imported);
    EXPECT_FALSE(table.notes.isEmpty());
    const Campaign set = published("vmtest-pr88-2024-08");
    const Campaign own = imported(QJsonDocument(set.toJson()).toJson());
    EXPECT_EQ(own.runs, set.runs);
    EXPECT_EQ(own.origin, Campaign::Origin::Imported);
    Campaign cut = of("host", {1});
    cut.state = Campaign::State::Running;
    EXPECT_EQ(imported(QJsonDocument(cut.toJson()).toJson()).state, Campaign::State::Cancelled);
    for (const char* bytes : {"",
                              "\x7f"
                              "ELF",
                              "[]",
                              "{}",
                              "{\"fio version\"",
                              "Name\tExecutor\n"}) {
        const auto none = importCampaign(bytes, s("file"));
        ASSERT_FALSE(none) << bytes;
        EXPECT_EQ(none.error().kind, Error::Kind::Integrity) << bytes;
    }
}

TEST(CampaignImport, MoreResultsOfFioAreRounds) {
    Campaign campaign = imported(fixture("fio-3.33-fdatasync.json"));
    addRounds(campaign, imported(fixture("fio-3.33-fdatasync.json")));
    addRounds(campaign, imported(fixture("fio-3.33-fdatasync.json")));
    EXPECT_EQ(campaign.rounds, 3);
    EXPECT_EQ(campaign.runs.last().round, 3);
    EXPECT_EQ(seriesOf(campaign).size(), 1);
}

TEST(CampaignExport, CsvHasALineForEachFigureAndNoFormulas) {
    Campaign campaign = of("host", {1, 2, 3});
    campaign.runs[0].workload = campaign.runs[1].workload = campaign.runs[2].workload =
        s("=cmd|\"a\",b");
    const QList<QByteArray> lines = toCsv(campaign).split('\n');
    ASSERT_EQ(lines.size(), 3);
    EXPECT_TRUE(lines.at(0).startsWith("campaign,workload,executor,figure,unit,count,median"));
    EXPECT_EQ(lines.at(1),
              QByteArray("c,\"'=cmd|\"\"a\"\",b\",host,elapsed,s,3,2,2,1,1,3,1,3,,,\r"));
    const QByteArray fio = toCsv(imported(fixture("fio-3.33-fdatasync.json")));
    EXPECT_TRUE(fio.contains(",sync.latency,ns,1,"));
    EXPECT_FALSE(fio.contains("read."));
    EXPECT_TRUE(fio.contains(",116224,3751936,3751936\r\n"));
}

TEST(CampaignExport, MarkdownHasTableDoubtsAndCommands) {
    Campaign campaign = published("shared-folders-2021-control");
    campaign.runs[0].workload = s("a|b <script>");
    campaign.runs[0].command = s("fio --bs=4k");
    const QString text = QString::fromUtf8(toMarkdown(campaign));
    EXPECT_TRUE(text.startsWith(s("## Shared folders of macOS")));
    EXPECT_TRUE(text.contains(s("| a\\|b \\<script\\> | Parallels")));
    EXPECT_TRUE(text.contains(s("900 %")));
    EXPECT_TRUE(text.contains(s("\n    fio --bs=4k\n")));
    EXPECT_TRUE(text.contains(s("| read bandwidth | 1.1 GB/s |")));
    const QString vmtest = QString::fromUtf8(toMarkdown(published("vmtest-pr88-2024-08")));
    EXPECT_TRUE(vmtest.contains(s("\u00B1 87ms")));
}

TEST(CampaignExport, TartsTableIsThatOfTheTool) {
    const QString text =
        toTartTable(published("tart-2024-12-02-m1pro"), Unmeasured::Exact).trimmed();
    EXPECT_EQ(text,
              QString::fromUtf8(fixture("tart-2024-12-02-m1pro.table.txt"))
                  .replace(s("1000 MB/s"), s("1.0 GB/s "))
                  .trimmed());
    EXPECT_EQ(valueText(Metric::ReadLatency, 203418), s("203.4\u00B5s"));
    EXPECT_EQ(valueText(Metric::Elapsed, 1.2345678), s("1.234568s"));
}

} // namespace vitrine::bench
