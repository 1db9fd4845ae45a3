// SPDX-License-Identifier: Apache-2.0
#include "core/bench/cache_check.h"

#include "core/bench/campaign_run.h"
#include "core/bench/host_executor.h"
#include "core/bench/published.h"
#include "core/bench/suite.h"
#include "tests/core/bench/bench_support.h"

#include <QStorageInfo>
#include <QTemporaryDir>

namespace vitrine::bench {

namespace {

using Verdict = CacheCheck::Verdict;

constexpr double fileSize = 1e6;

// What one half of a check has measured; shares from 0 to 1, below 0: not known.
struct Half {
    double bandwidth = 0;
    double kept = -1;
    double fromDisk = -1;
};

BenchRun runOf(const char* state, const Half& half, int round) {
    BenchRun run;
    run.workload = s(state);
    run.executor = s("host");
    run.options = {{s("kind"), s("host")}, {s("cache"), s(state)}};
    run.round = round;
    run.figures.read = IoFigures{half.bandwidth, {}, {}};
    run.raw = {
        {s("jobs"), QJsonArray{QJsonObject{{s("read"), QJsonObject{{s("io_bytes"), fileSize}}}}}}};
    if (half.kept >= 0) {
        run.evidence.insert(s("file_bytes"), fileSize);
        run.evidence.insert(s("resident_bytes"), fileSize * half.kept);
    }
    if (half.fromDisk >= 0)
        run.evidence.insert(s("read_bytes"), fileSize * half.fromDisk);
    return run;
}

Campaign campaignOf(const Half& cached, const Half& invalidated, int rounds = 3) {
    Campaign campaign;
    campaign.plan = {
        {s("workloads"),
         QJsonArray{QJsonObject{{s("name"), s("cached")}, {s("pair"), s("invalidated")}}}}};
    for (int round = 1; round <= rounds; ++round) {
        campaign.runs.append(runOf("cached", cached, round));
        campaign.runs.append(runOf("invalidated", invalidated, round));
    }
    return campaign;
}

Verdict verdictOf(const Half& cached, const Half& invalidated) {
    const QList<CacheCheck> checks = cacheChecksOf(campaignOf(cached, invalidated));
    EXPECT_EQ(checks.size(), 1);
    return checks.isEmpty() ? Verdict::Unclear : checks.first().verdict;
}

// A folder on a disk, or the reason why there is none, as the test's name.
struct Place {
    QString folder;
    std::string name;
};
void PrintTo(const Place& place, std::ostream* stream) {
    *stream << place.name;
}
bool isInMemory(const QString& folder) {
    const QByteArray type = QStorageInfo(folder).fileSystemType();
    return type == "tmpfs" || type == "ramfs";
}
std::vector<Place> disks() {
    for (const char* folder : {VITRINE_BIN_DIR, "/var/tmp", "/tmp"})
        if (QFileInfo(s(folder)).isWritable() && !isInMemory(s(folder)))
            return {{s(folder), "OnADisk"}};
    return {{{}, "NotTriedAsNoFolderIsOnADisk"}};
}

// A short check with the real fio.
CacheCheck checkIn(const QString& folder, const QString& prepare = {}) {
    QTemporaryDir home;
    const CampaignStore store(home.path());
    const auto suite = findSuite(s("page-cache"), s("/nowhere"));
    EXPECT_TRUE(suite);
    Campaign campaign;
    RunPlan plan = planOf(suite.value_or(Suite{}), {s("host")}, 3, true, 1ULL << 30);
    plan.prepare = prepare;
    campaign.plan = plan.toJson();
    const auto added = store.add(campaign, QDateTime::currentDateTimeUtc());
    const QTemporaryDir work(folder + s("/check-XXXXXX"));
    const auto executor = HostExecutor::make(work.filePath(s("files")));
    if (!added || !executor) {
        ADD_FAILURE() << folder.toStdString();
        return {};
    }
    EXPECT_EQ(runCampaign(store, added->id, {executor->get()}, {}), 0);
    const QList<CacheCheck> checks = cacheChecksOf(store.read(added->id).value_or(Campaign{}));
    EXPECT_EQ(checks.size(), 1);
    return checks.value(0);
}

} // namespace

class PageCacheOfADisk : public testing::TestWithParam<Place> {};

TEST_P(PageCacheOfADisk, IsEmptiedAndTheCheckSaysSo) {
    if (GetParam().folder.isEmpty()) {
        EXPECT_TRUE(isInMemory(s("/tmp")) || !QFileInfo(s("/tmp")).isWritable());
        return;
    }
    const CacheCheck check = checkIn(GetParam().folder);
    EXPECT_EQ(check.verdict, Verdict::Works) << check.toText().toStdString();
    EXPECT_EQ(check.rounds, 3);
    EXPECT_GT(check.cachedBandwidth, check.invalidatedBandwidth) << check.toText().toStdString();
    EXPECT_LT(check.keptAfter.value_or(1), 0.5) << check.toText().toStdString();
}

TEST_P(PageCacheOfADisk, IsNotEmptiedByACommandThatDoesNothing) {
    if (GetParam().folder.isEmpty())
        return;
    const CacheCheck check = checkIn(GetParam().folder, s("true"));
    EXPECT_EQ(check.verdict, Verdict::DoesNot) << check.toText().toStdString();
}

INSTANTIATE_TEST_SUITE_P(CacheCheck,
                         PageCacheOfADisk,
                         testing::ValuesIn(disks()),
                         [](const auto& one) { return one.param.name; });

TEST(CacheCheck, InMemoryThereIsNothingToInvalidate) {
    ASSERT_TRUE(isInMemory(s("/dev/shm")));
    const CacheCheck check = checkIn(s("/dev/shm"));
    EXPECT_EQ(check.verdict, Verdict::DoesNot) << check.toText().toStdString();
    EXPECT_EQ(check.keptAfter, 1);
}

TEST(CacheCheck, ItIsDecidedByWhatTheSystemTellsAndThenBySpeed) {
    // Still there, however slow the read was.
    EXPECT_EQ(verdictOf({30, 1, 0}, {10, 0.5, 0}), Verdict::DoesNot);
    // Gone and read from a disk that is as fast as the cache.
    EXPECT_EQ(verdictOf({30, 1, 0}, {29, 0, 1}), Verdict::Works);
    EXPECT_EQ(verdictOf({30, -1, 0}, {29, -1, 0.5}), Verdict::Works);
    // No disk of its own (a shared folder): the speed tells.
    EXPECT_EQ(verdictOf({30, 1, 0}, {20, 0, 0}), Verdict::Works);
    EXPECT_EQ(verdictOf({30, 1, 0}, {29, 0, 0}), Verdict::Unclear);
    // The cache never had it.
    EXPECT_EQ(verdictOf({30, 0.1, 0}, {30, 0, 0}), Verdict::NothingCached);
    EXPECT_EQ(verdictOf({30, -1, 1}, {30, -1, 1}), Verdict::NothingCached);
    // Nothing is known but the speed.
    EXPECT_EQ(verdictOf({30, -1, -1}, {20, -1, -1}), Verdict::Works);
    EXPECT_EQ(verdictOf({30, -1, -1}, {21, -1, -1}), Verdict::DoesNot);
    EXPECT_EQ(verdictOf({30, -1, 0}, {29, -1, 0}), Verdict::DoesNot);
}

TEST(CacheCheck, ARatioThatCanBeChanceDecidesNothing) {
    Campaign campaign = campaignOf({30, -1, -1}, {15, -1, -1}, 3);
    campaign.runs[0].figures.read->bandwidth = 5;
    campaign.runs[2].figures.read->bandwidth = 5;
    campaign.runs[4].figures.read->bandwidth = 90;
    campaign.runs[1].figures.read->bandwidth = 1;
    campaign.runs[3].figures.read->bandwidth = 2;
    EXPECT_EQ(cacheChecksOf(campaign).first().verdict, Verdict::DoesNot);
}

TEST(CacheCheck, OneHalfIsNoCheckAndFailuresDoNotCount) {
    Campaign campaign = campaignOf({30, 1, 0}, {10, 0, 1});
    const QList<CacheCheck> whole = cacheChecksOf(campaign);
    ASSERT_EQ(whole.size(), 1);
    EXPECT_EQ(whole.first().rounds, 3);
    EXPECT_EQ(whole.first().ratio.value, 3);
    EXPECT_EQ(whole.first().keptBefore, 1);
    EXPECT_EQ(whole.first().invalidatedFromDisk, 1);
    for (BenchRun& run : campaign.runs)
        if (run.workload == s("invalidated"))
            run.failure = s("no");
    EXPECT_TRUE(cacheChecksOf(campaign).isEmpty());
    EXPECT_TRUE(cacheChecksOf({}).isEmpty());
}

TEST(CacheCheck, ItIsInTheFileForOtherProgramsAndWorkedOutAgain) {
    const Campaign campaign = campaignOf({30, 1, 0}, {10, 0, 1});
    const QJsonObject json = campaign.toJson();
    const QJsonValue check = json.value(s("cache_checks"))[0];
    EXPECT_EQ(check[s("verdict")], s("works"));
    EXPECT_EQ(check[s("cached_bytes_per_s")], 30);
    EXPECT_EQ(check[s("invalidated_from_disk")], 1);
    const auto again = Campaign::fromJson(json);
    ASSERT_TRUE(again) << again.error().message.toStdString();
    EXPECT_EQ(again->toJson(), json);
    EXPECT_EQ(again->runs.first().evidence, campaign.runs.first().evidence);
}

TEST(CacheCheck, ThePublishedOneIsJudgedToo) {
    for (const Campaign& set : publishedSets()) {
        if (set.id != s("fio-invalidation-2025"))
            continue;
        const QList<CacheCheck> checks = cacheChecksOf(set);
        ASSERT_EQ(checks.size(), 1);
        EXPECT_EQ(checks.first().verdict, Verdict::Works);
        EXPECT_NEAR(checks.first().ratio.value, 8.46, 0.01);
        return;
    }
    ADD_FAILURE() << "no such set";
}

TEST(CacheCheck, EvidenceIsReadAndNonsenseIsNotKnown) {
    QByteArray err = "a word\nread_bytes from disks: 4096\n";
    EXPECT_EQ(evidenceFrom("4096 8192\n0 4096\n", err),
              (QJsonObject{{s("resident_bytes"), 4096.0},
                           {s("file_bytes"), 12288.0},
                           {s("read_bytes"), 4096.0}}));
    EXPECT_EQ(err, QByteArray("a word\n"));
    QByteArray bad = "read_bytes from disks: many\n";
    EXPECT_TRUE(evidenceFrom("fincore: not found\n", bad).isEmpty());
    EXPECT_TRUE(evidenceFrom("4096 8192\n-1 4096\n", bad).isEmpty());
    EXPECT_TRUE(evidenceFrom("99999999999999999999999 1\n", bad).isEmpty());
    EXPECT_TRUE(evidenceFrom({}, bad).isEmpty());
}

TEST(CacheCheck, CountingReadsKeepsOutputAndExitCode) {
    QTemporaryDir parent;
    const auto executor = HostExecutor::make(parent.filePath(s("files")));
    ASSERT_TRUE(executor);
    auto output = (*executor)->run(countingReads(s("echo out; echo err >&2; (exit 3) # note")), {});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->exitCode, 3);
    EXPECT_EQ(output->out, QByteArray("out\n"));
    EXPECT_TRUE(evidenceFrom({}, output->err).contains(s("read_bytes")))
        << output->err.toStdString();
    EXPECT_EQ(output->err, QByteArray("err\n"));
}

} // namespace vitrine::bench
