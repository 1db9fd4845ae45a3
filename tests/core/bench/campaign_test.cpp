// SPDX-License-Identifier: Apache-2.0
#include "core/bench/campaign.h"

#include "core/bench/fio_report.h"
#include "tests/core/bench/bench_support.h"

#include <QJsonDocument>

namespace vitrine::bench {

namespace {

BenchRun timed(const char* workload, const char* executor, int round, double seconds) {
    BenchRun run;
    run.workload = s(workload);
    run.executor = s(executor);
    run.round = round;
    run.figures.elapsed = Elapsed{seconds, 1, {}, {}, {}};
    return run;
}

QString failureOf(const char* json) {
    const auto campaign = Campaign::fromJson(QJsonDocument::fromJson(json).object());
    EXPECT_FALSE(campaign) << json;
    return campaign ? QString() : campaign.error().message;
}

} // namespace

TEST(Campaign, EverythingSurvivesAFile) {
    const auto fio = FioReport::fromOutput(fixture("fio-3.33-fdatasync.json"));
    ASSERT_TRUE(fio);
    Campaign campaign;
    campaign.id = s("20261201-090000-0001");
    campaign.title = s("Root disk");
    campaign.date = s("2026-12-01T09:00:00Z");
    campaign.suite = s("tart-fio");
    campaign.origin = Campaign::Origin::Measured;
    campaign.state = Campaign::State::Running;
    campaign.rounds = 3;
    campaign.host = {{s("os"), s("Debian 12")}};
    campaign.plan = {{s("executors"), QJsonArray{s("host")}}};
    campaign.notes = QStringList{s("short")};
    BenchRun run = timed("sync test", "host", 2, 1.5);
    run.figures = fio->figures;
    run.raw = fio->raw;
    run.command = s("fio --name=benchmark");
    run.started = s("2026-12-01T09:00:01Z");
    run.tool = fio->version;
    run.noise = {{s("load"), 0.5}};
    campaign.runs.append(run);
    run.failure = s("fio stopped.");
    run.figures = {};
    run.raw = {};
    campaign.runs.append(run);
    const QByteArray bytes = QJsonDocument(campaign.toJson()).toJson();
    const auto again = Campaign::fromJson(QJsonDocument::fromJson(bytes).object());
    ASSERT_TRUE(again) << again.error().message.toStdString();
    EXPECT_EQ(*again, campaign);
}

TEST(Campaign, UnknownFieldsAreKept) {
    const QByteArray text = R"({"format": "vitrine-benchmark", "version": 1, "colour": "blue",
        "runs": [{"workload": "w", "executor": "e", "elapsed_s": 2, "mood": {"good": true}}]})";
    const auto campaign = Campaign::fromJson(QJsonDocument::fromJson(text).object());
    ASSERT_TRUE(campaign);
    const QJsonObject again = campaign->toJson();
    EXPECT_EQ(again.value(s("colour")), s("blue"));
    EXPECT_TRUE(again.value(s("runs"))[0][s("mood")][s("good")].toBool());
}

TEST(Campaign, StatisticsStandInTheFileAndAreWorkedOutAnew) {
    Campaign campaign;
    for (int round = 1; round <= 11; ++round)
        campaign.runs.append(timed("boot", "host", round, round));
    QJsonObject json = campaign.toJson();
    const QJsonValue values = json.value(s("statistics"))[0][s("values")][s("elapsed")];
    EXPECT_EQ(values[s("median")].toDouble(), 6);
    EXPECT_EQ(values[s("count")].toInt(), 11);
    EXPECT_EQ(values[s("interval95")], (QJsonArray{3.0, 9.0}));
    EXPECT_NEAR(values[s("stddev")].toDouble(), 3.3166247903554, 1e-12);
    json.insert(s("statistics"), QJsonArray{QJsonObject{{s("workload"), s("a lie")}}});
    const auto again = Campaign::fromJson(json);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->toJson().value(s("statistics")), campaign.toJson().value(s("statistics")));
}

TEST(Campaign, RoundsAreOneSeriesAndFailedOnesAreNoFigures) {
    Campaign campaign;
    campaign.runs = {
        timed("a", "x", 1, 1), timed("b", "x", 1, 9), timed("a", "y", 1, 5), timed("a", "x", 2, 3)};
    BenchRun failed = timed("a", "x", 3, 1000);
    failed.failure = s("It broke.");
    campaign.runs.append(failed);
    const QList<Series> series = seriesOf(campaign);
    ASSERT_EQ(series.size(), 3);
    EXPECT_EQ(valuesOf(series.at(0), Metric::Elapsed), (QList<double>{1, 3}));
    EXPECT_EQ(typicalOf(series.at(0)).elapsed->seconds, 2);
    EXPECT_FALSE(typicalOf(series.at(0)).read);
    EXPECT_EQ(series.at(1).workload, s("b"));
}

TEST(Campaign, APublishedSpreadIsToldAsItIs) {
    const auto vmtest = Campaign::fromJson(
        QJsonDocument::fromJson(contentOf(s(VITRINE_SOURCE "/resources/bench/published/"
                                                           "vmtest-pr88-2024-08.json")))
            .object());
    ASSERT_TRUE(vmtest) << vmtest.error().message.toStdString();
    EXPECT_EQ(vmtest->origin, Campaign::Origin::Published);
    const QList<Series> series = seriesOf(*vmtest);
    ASSERT_EQ(series.size(), 2);
    const auto summary = summaryOf(series.at(0), Metric::Elapsed);
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->count, 10);
    EXPECT_EQ(summary->mean, 1.316);
    EXPECT_EQ(summary->sigma, 0.087);
    EXPECT_EQ(summary->maximum, 1.463);
    EXPECT_EQ(series.at(0).runs.first().figures.cpu->system, 1.104);
}

TEST(Campaign, TheTreeOfInvalidationTimesBecomesRuns) {
    const auto set = Campaign::fromJson(
        QJsonDocument::fromJson(contentOf(s(VITRINE_SOURCE "/resources/bench/published/"
                                                           "fio-invalidation-2025.json")))
            .object());
    ASSERT_TRUE(set) << set.error().message.toStdString();
    EXPECT_EQ(set->runs.size(), 3 * 4 * 6 + 4 + 2);
    EXPECT_EQ(set->runs.last().figures.read->bandwidth, 3.45e9);
    EXPECT_TRUE(std::any_of(set->runs.begin(), set->runs.end(), [](const BenchRun& run) {
        return run.executor == s("Linux AMD EPYC 7742") &&
               run.workload == s("invalidate after rand read") &&
               run.figures.elapsed->seconds == 4.6355044;
    }));
}

TEST(Campaign, WhatIsNoCampaignSaysWhatAndWhere) {
    EXPECT_TRUE(failureOf("{}").contains(s("results")));
    EXPECT_TRUE(failureOf(R"({"format": "zip", "version": 1})").contains(s("format")));
    EXPECT_TRUE(
        failureOf(R"({"format": "vitrine-benchmark", "version": 2})").contains(s("newer Vitrine")));
    EXPECT_TRUE(failureOf(R"({"format": "vitrine-benchmark", "version": 1, "runs": 5})")
                    .contains(s("\"runs\"")));
    EXPECT_TRUE(failureOf(R"({"format": "vitrine-benchmark", "version": 1, "state": "odd"})")
                    .contains(s("state")));
    EXPECT_TRUE(failureOf(R"({"format": "vitrine-benchmark", "version": 1, "rounds": 0})")
                    .contains(s("rounds")));
    const QString run = failureOf(R"({"format": "vitrine-benchmark", "version": 1,
        "runs": [{"workload": "w", "executor": "e"}, {"workload": "w", "executor": "e",
                  "read": {"bytes_per_s": -1}}]})");
    EXPECT_TRUE(run.contains(s("runs[1]")) && run.contains(s("bytes_per_s"))) << run.toStdString();
    EXPECT_TRUE(failureOf(R"({"results": [{"executor": "e"}]})").contains(s("workload")));
    EXPECT_TRUE(failureOf(R"({"results": [{"workload": "w", "executor": "e", "elapsed_s": "1"}]})")
                    .contains(s("elapsed_s")));
}

} // namespace vitrine::bench
