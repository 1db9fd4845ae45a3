// SPDX-License-Identifier: Apache-2.0
#include "core/bench/suspicion.h"

#include "core/bench/fio_report.h"
#include "core/bench/published.h"
#include "core/bench/tart_table.h"
#include "tests/core/bench/bench_support.h"

namespace vitrine::bench {

namespace {

using Kind = Suspicion::Kind;

Campaign published(const char* id) {
    for (const Campaign& campaign : publishedSets())
        if (campaign.id == s(id))
            return campaign;
    ADD_FAILURE() << id;
    return {};
}

QList<Suspicion> of(const QList<Suspicion>& all, Kind kind) {
    QList<Suspicion> some;
    for (const Suspicion& one : all)
        if (one.kind == kind)
            some.append(one);
    return some;
}

BenchRun written(const char* workload, const char* command, double bandwidth, double iops = 0) {
    BenchRun run;
    run.workload = s(workload);
    run.executor = s("host");
    run.command = s(command);
    run.figures.write = IoFigures{bandwidth, iops > 0 ? std::optional(iops) : std::nullopt, {}};
    return run;
}

QList<Suspicion> judged(const QList<BenchRun>& runs, const QJsonObject& host = {}) {
    Campaign campaign;
    campaign.runs = runs;
    campaign.host = host;
    return suspicionsOf(campaign);
}

} // namespace

TEST(Suspicion, EveryPublishedSetIsShippedWithATitleAndItsFlaws) {
    const QList<Campaign> sets = publishedSets();
    EXPECT_EQ(sets.size(), 8);
    for (const Campaign& set : sets) {
        EXPECT_FALSE(set.title.isEmpty()) << set.id.toStdString();
        EXPECT_EQ(set.origin, Campaign::Origin::Published);
        EXPECT_FALSE(of(suspicionsOf(set), Kind::Campaign).isEmpty()) << set.id.toStdString();
    }
}

TEST(Suspicion, TheSwappedRowOfTheSharedFoldersIsFound) {
    const auto all = suspicionsOf(published("shared-folders-2021-control"));
    const auto mismatches = of(all, Kind::Mismatch);
    ASSERT_EQ(mismatches.size(), 1);
    EXPECT_EQ(mismatches.first().workload, s("fio sync 4k randrw 75/25"));
    EXPECT_EQ(mismatches.first().executor, s("macOS host"));
    EXPECT_TRUE(mismatches.first().reason.contains(s("+900 %")))
        << mismatches.first().reason.toStdString();
    EXPECT_EQ(of(all, Kind::Remark).size(), 1);
}

TEST(Suspicion, TartsParallelWritesAreTheSpeedOfThePageCache) {
    const auto all = suspicionsOf(published("tart-2024-12-02-m1pro"));
    const auto cached = of(all, Kind::PageCache);
    const auto above = of(all, Kind::AboveDevice);
    EXPECT_EQ(cached.size(), 5);
    EXPECT_EQ(above.size(), 5);
    for (const auto& list : {cached, above})
        for (const Suspicion& one : list)
            EXPECT_EQ(one.workload, s("16 parallel 64KiB random write processes"));
    EXPECT_TRUE(of(all, Kind::Mismatch).isEmpty());
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const Suspicion& one) {
        return one.reason.contains(s("2.4 %"));
    }));
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const Suspicion& one) {
        return one.reason.contains(s("different systems"));
    }));
    EXPECT_FALSE(of(all, Kind::Unsteady).isEmpty());
}

TEST(Suspicion, AGuestThatIsMuchFasterThanTheHostMeetsTheHostsPageCache) {
    const char* direct = "fio --name=benchmark --direct=1 --rw=write --bs=1m";
    const auto judgedAt = [&](double guest, const char* kind, const char* command) {
        BenchRun host = written("1 MiB", command, 1.3e9);
        host.options.insert(s("kind"), s("host"));
        BenchRun machine = written("1 MiB", command, guest);
        machine.executor = s("default");
        machine.options.insert(s("kind"), s(kind));
        return of(judged({host, machine}), Kind::PageCache);
    };
    const auto found = judgedAt(2.8e9, "vm", direct);
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(found.first().executor, s("default"));
    EXPECT_TRUE(found.first().reason.contains(s("the host itself")))
        << found.first().reason.toStdString();
    EXPECT_TRUE(judgedAt(1.8e9, "vm", direct).isEmpty());
    EXPECT_TRUE(judgedAt(2.8e9, "host", direct).isEmpty());
}

TEST(Suspicion, WritesFasterThanTheNetworkDiskAreFound) {
    for (const char* id : {"tart-2024-12-04-m1-ebs-sonoma", "tart-2024-12-04-m1-ebs-sequoia"}) {
        const auto above = of(suspicionsOf(published(id)), Kind::AboveDevice);
        EXPECT_EQ(above.size(), 4) << id;
    }
}

TEST(Suspicion, SmallFilesOfTheFirstSetAreTheSpeedOfThePageCache) {
    const auto cached = of(suspicionsOf(published("tart-2024-03-27-m2pro")), Kind::PageCache);
    EXPECT_EQ(cached.size(), 8);
}

TEST(Suspicion, TheCachedReadOfTheCheckIsNamed) {
    const auto all = suspicionsOf(published("fio-invalidation-2025"));
    ASSERT_EQ(of(all, Kind::PageCache).size(), 1);
    EXPECT_EQ(of(all, Kind::PageCache).first().executor, s("cached"));
    EXPECT_EQ(of(all, Kind::AboveDevice).size(), 1);
}

TEST(Suspicion, FifteenPercentOffTheBlocksIsTheLimit) {
    const char* command = "fio --bs=4k --direct=1 --rw=randwrite";
    EXPECT_TRUE(judged({written("w", command, 1000 * 4096 * 1.149, 1000)}).isEmpty());
    EXPECT_TRUE(judged({written("w", command, 1000 * 4096 * 0.851, 1000)}).isEmpty());
    EXPECT_EQ(of(judged({written("w", command, 1000 * 4096 * 1.151, 1000)}), Kind::Mismatch).size(),
              1);
    EXPECT_EQ(of(judged({written("w", command, 1000 * 4096 * 0.849, 1000)}), Kind::Mismatch).size(),
              1);
    // A block size that nobody knows says nothing.
    EXPECT_TRUE(judged({written("w", "fio --direct=1", 5e6, 1)}).isEmpty());
}

TEST(Suspicion, MoreThanTheDiskCanDoIsFoundWithAndWithoutItsLimit) {
    const char* command = "fio --bs=1m --direct=1 --rw=write";
    EXPECT_EQ(of(judged({written("w", command, 16e9)}), Kind::AboveDevice).size(), 1);
    EXPECT_TRUE(judged({written("w", command, 15e9)}).isEmpty());
    EXPECT_EQ(of(judged({written("w", command, 600e6)}, {{s("device_bytes_per_s"), 550e6}}),
                 Kind::AboveDevice)
                  .size(),
              1);
}

TEST(Suspicion, ABufferedRunIsHeldAgainstItsPair) {
    const char* name = "4 KiB random write, depth 1";
    const QByteArray direct = QByteArray(name) + ", direct";
    const QByteArray buffered = QByteArray(name) + ", buffered";
    const BenchRun honest = written(direct.constData(), "fio --direct=1", 100e6);
    EXPECT_EQ(of(judged({honest, written(buffered.constData(), "fio --direct=0", 151e6)}),
                 Kind::PageCache)
                  .size(),
              1);
    EXPECT_TRUE(judged({honest, written(buffered.constData(), "fio --direct=0", 149e6)}).isEmpty());
}

TEST(Suspicion, FilesThatFitIntoMemoryAreHeldAgainstTheSpeedOfThePageCache) {
    const QJsonObject host{{s("memory_bytes"), 16e9}};
    const char* small = "fio --size=1g --bs=1m";
    EXPECT_EQ(of(judged({written("w", small, 2e9)}, host), Kind::PageCache).size(), 1);
    EXPECT_TRUE(judged({written("w", small, 0.5e9)}, host).isEmpty());
    EXPECT_TRUE(judged({written("w", "fio --size=20g --bs=1m", 2e9)}, host).isEmpty());
    EXPECT_TRUE(judged({written("w", "fio --size=1g --bs=1m --direct=1", 2e9)}, host).isEmpty());
    EXPECT_TRUE(judged({written("w", "fio --size=1g --bs=1m --fsync=1", 2e9)}, host).isEmpty());
    EXPECT_TRUE(judged({written("w", small, 2e9)}).isEmpty());
}

TEST(Suspicion, FiosOwnOptionsSayHowItWasMeasured) {
    const auto fio = FioReport::fromOutput(fixture("fio-3.33-gtod-reduce.json"));
    ASSERT_TRUE(fio);
    BenchRun run = written("w", "something else", 0);
    run.figures = fio->figures;
    run.raw = fio->raw;
    EXPECT_TRUE(judged({run}).isEmpty());
    run.figures.read->iops = *run.figures.read->iops * 2;
    EXPECT_EQ(of(judged({run}), Kind::Mismatch).size(), 1);
}

TEST(Suspicion, AnOutlyingRoundIsMarkedAndStays) {
    QList<BenchRun> runs;
    for (int round = 1; round <= 6; ++round) {
        runs.append(written("w", "fio --direct=1", round == 4 ? 50e6 : 100e6 + round * 1e5));
        runs.last().round = round;
    }
    const auto outliers = of(judged(runs), Kind::Outlier);
    ASSERT_EQ(outliers.size(), 1);
    EXPECT_EQ(outliers.first().round, 4);
    runs.removeLast();
    runs.removeLast();
    EXPECT_TRUE(of(judged(runs), Kind::Outlier).isEmpty()); // too few to tell
}

TEST(Suspicion, AFailedRunIsTold) {
    BenchRun run = written("w", "fio", 1e6);
    run.figures = {};
    run.failure = s("fio is missing.");
    const auto all = judged({run});
    ASSERT_EQ(all.size(), 1);
    EXPECT_EQ(all.first().kind, Kind::Failed);
    EXPECT_EQ(all.first().reason, s("fio is missing."));
}

} // namespace vitrine::bench
