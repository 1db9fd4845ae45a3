// SPDX-License-Identifier: Apache-2.0
#include "core/bench/suite.h"

#include "core/bench/default_kernel.h"
#include "core/bench/fio_options.h"
#include "tests/core/bench/bench_support.h"

#include <QDir>
#include <QTemporaryDir>

namespace vitrine::bench {

namespace {

Suite shipped(const char* id) {
    const auto suite = findSuite(s(id), s("/nowhere"));
    EXPECT_TRUE(suite) << suite.error().message.toStdString();
    return suite.value_or(Suite{});
}

QByteArray suiteOf(const QByteArray& workloads, const QByteArray& more = {}) {
    return R"({"format": "vitrine-suite", "version": 1, "id": "mine", "title": "Mine", )" + more +
           R"("workloads": )" + workloads + '}';
}

QString failureOf(const QByteArray& bytes) {
    const auto suite = Suite::fromJson(bytes);
    EXPECT_FALSE(suite) << bytes.toStdString();
    return suite ? QString() : suite.error().message;
}

const QByteArray boot = R"([{"name": "boot", "kind": "time", "command": "true"}])";

} // namespace

TEST(Suite, TartsSetHasItsLinesUnchanged) {
    const Suite suite = shipped("tart-fio");
    const std::pair<const char*, const char*> lines[]{
        {"Single 4KiB random write process",
         "--ioengine=posixaio --rw=randwrite --bs=4k --size=4g --numjobs=1 --iodepth=1 "
         "--runtime=60 --time_based --end_fsync=1"},
        {"16 parallel 64KiB random write processes",
         "--ioengine=posixaio --rw=randwrite --bs=64k --size=256m --numjobs=16 --iodepth=16 "
         "--runtime=60 --time_based --end_fsync=1 --group_reporting"},
        {"Single 1MiB random write process",
         "--ioengine=posixaio --rw=randwrite --bs=1m --size=10g --numjobs=1 --iodepth=1 "
         "--runtime=60 --time_based --end_fsync=1"},
        {"Random reads/writes (4k)",
         "--size=2GB --direct=1 --rw=randrw --bs=4k --ioengine=posixaio --iodepth=256 "
         "--runtime=120 --numjobs=4 --time_based --group_reporting"},
        {"Random reads/writes (64k)",
         "--size=2GB --direct=1 --rw=randrw --bs=64k --ioengine=posixaio --iodepth=64 "
         "--runtime=120 --numjobs=4 --time_based --group_reporting"},
        {"sync test",
         "--rw=write --ioengine=sync --fdatasync=1 --directory=test-data --size=22m --bs=2300"}};
    ASSERT_EQ(suite.workloads.size(), 6);
    for (std::size_t i = 0; i < std::size(lines); ++i) {
        const Workload& workload = suite.workloads.at(static_cast<qsizetype>(i));
        EXPECT_EQ(workload.name, s(lines[i].first));
        const QString start = i == 5 ? s("mkdir -p test-data && ") : QString();
        EXPECT_EQ(workload.command,
                  start + s("fio --name=benchmark ") + s(lines[i].second) +
                      s(" --output-format json --unlink 1"));
        EXPECT_EQ(suite.commandOf(workload, 1), workload.command);
    }
}

TEST(Suite, TheSharedFolderSetHasTheLinesOfTheComparison) {
    const Suite suite = shipped("shared-folder");
    ASSERT_EQ(suite.workloads.size(), 5);
    EXPECT_TRUE(suite.workloads.at(0).command.contains(
        s("--randrepeat=1 --ioengine=libaio --direct=1 --gtod_reduce=1 --bs=4k --iodepth=64 "
          "--readwrite=randrw --rwmixread=75 --size=512M")));
    EXPECT_TRUE(suite.workloads.at(1).command.contains(
        s("--ioengine=sync --direct=0 --gtod_reduce=1 --bs=4k --iodepth=64 --readwrite=randrw "
          "--rwmixread=75 --size=128M")));
    EXPECT_EQ(suite.workloads.at(4).kind, Workload::Kind::Time);
    EXPECT_TRUE(suite.workloads.at(4).setup.contains(s("folders=200;")));
}

TEST(Suite, TheHonestSetPairsEveryPatternAndIsLargerThanMemory) {
    const Suite suite = shipped("honest-disk");
    int pairs = 0;
    for (const Workload& workload : suite.workloads) {
        const auto options = FioOptions::fromCommand(suite.commandOf(workload, 8ULL << 30));
        ASSERT_TRUE(options);
        EXPECT_EQ(options->workingSet(), 12ULL << 30);
        EXPECT_TRUE(workload.command.contains(s("--ramp_time=")));
        EXPECT_TRUE(workload.command.contains(s("99.9")));
        EXPECT_EQ(options->direct, workload.pair.isEmpty());
        if (workload.pair.isEmpty())
            continue;
        ++pairs;
        QString direct = workload.command;
        direct.replace(s("--direct=0"), s("--direct=1"));
        EXPECT_TRUE(
            std::any_of(suite.workloads.begin(), suite.workloads.end(), [&](const Workload& other) {
                return other.name == workload.pair && other.command == direct;
            }));
    }
    EXPECT_EQ(pairs * 2, suite.workloads.size());
    EXPECT_EQ(suite.workingSetFor(1), 4ULL << 30);
    EXPECT_EQ(suite.workingSetFor(1ULL << 40), 64ULL << 30);
}

TEST(Suite, ThePageCacheCheckReadsOneFileTwice) {
    const Suite suite = shipped("page-cache");
    EXPECT_EQ(suite.rounds, 5);
    EXPECT_EQ(shipped("tart-fio").rounds, 3);
    ASSERT_EQ(suite.workloads.size(), 2);
    const Workload& cached = suite.workloads.at(0);
    const Workload& invalidated = suite.workloads.at(1);
    EXPECT_EQ(cached.cache, Workload::Cache::Cached);
    EXPECT_EQ(invalidated.cache, Workload::Cache::Invalidated);
    EXPECT_EQ(cached.pair, invalidated.name);
    EXPECT_EQ(cached.command, invalidated.command);
    EXPECT_EQ(cached.setup, invalidated.setup);
    // fio would empty the cache itself.
    EXPECT_TRUE(cached.command.contains(s("--direct=0 --invalidate=0")));
}

TEST(Suite, XcodesBenchmarkIsTheOneOfThePublishedSet) {
    const Suite suite = shipped("xcode");
    ASSERT_EQ(suite.workloads.size(), 1);
    EXPECT_EQ(suite.workloads.first().kind, Workload::Kind::Reported);
    EXPECT_EQ(suite.workloads.first().name, s("XcodeBenchmark (d869315)"));
    EXPECT_TRUE(suite.workloads.first().setup.contains(
        s("git reset --hard d86931529ada1df2a1c6646dd85958c360954065")));
}

TEST(Suite, CommandsAreASuiteMadeOnTheSpot) {
    const QString line = s("make  -j2 && echo \"done\"");
    const auto suite = commandSuite(
        {line, line, QString(500, QLatin1Char('x'))}, s("make clean"), Workload::Kind::Time);
    ASSERT_TRUE(suite) << suite.error().message.toStdString();
    EXPECT_EQ(suite->id, s("command"));
    ASSERT_EQ(suite->workloads.size(), 3);
    EXPECT_EQ(suite->workloads.at(0).name, s("make -j2 && echo \"done\""));
    EXPECT_EQ(suite->workloads.at(0).command, line);
    EXPECT_EQ(suite->workloads.at(0).setup, s("make clean"));
    EXPECT_EQ(suite->workloads.at(1).name, s("make -j2 && echo \"done\" (2)"));
    EXPECT_LT(suite->workloads.at(2).name.size(), 100);
    EXPECT_FALSE(commandSuite({}, {}, Workload::Kind::Time));
    EXPECT_FALSE(commandSuite({QString(20000, QLatin1Char('x'))}, {}, Workload::Kind::Time));
}

TEST(Suite, ATrialIsShort) {
    EXPECT_EQ(shortened(s("fio --size=2GB --bs=4k --runtime=120 --ramp_time=5")),
              s("fio --size=4m --bs=4k --runtime=1 --ramp_time=0"));
    EXPECT_EQ(shortened(s("fio --bs=2300 --size=22m")), s("fio --bs=2300 --size=4m"));
    EXPECT_EQ(shortened(s("dd if=/dev/zero of=x bs=1048576 count=64 2> /dev/null")),
              s("dd if=/dev/zero of=x bs=1048576 count=4 2> /dev/null"));
    EXPECT_EQ(shortened(s("folders=200; while [ $d -lt $folders ]")),
              s("folders=2; while [ $d -lt $folders ]"));
    EXPECT_EQ(shortened(s("tar -xf a")), s("tar -xf a"));
}

TEST(Suite, NamesItsOwnExecutors) {
    EXPECT_EQ(shipped("boot-to-command").executors,
              (QStringList{s("kernel:9p"), s("kernel:virtiofs")}));
    EXPECT_TRUE(shipped("tart-fio").executors.isEmpty());
    EXPECT_TRUE(failureOf(suiteOf(boot, R"("executors": ["moon"], )")).contains(s("executors")));
    EXPECT_TRUE(failureOf(suiteOf(boot, R"("executors": [7], )")).contains(s("executors")));
}

TEST(Suite, KnowsWhereItsLimitMakesTheFilesSmaller) {
    const Suite suite = shipped("honest-disk");
    EXPECT_FALSE(suite.isLimitedFor(32ULL << 30));
    EXPECT_TRUE(suite.isLimitedFor(64ULL << 30));
    EXPECT_FALSE(shipped("tart-fio").isLimitedFor(64ULL << 30));
}

TEST(DefaultKernel, IsTheNewestByItsVersionThatMayBeRead) {
    QTemporaryDir folder;
    EXPECT_TRUE(newestKernel(folder.path()).isEmpty());
    EXPECT_TRUE(newestKernel(s("/nonexistent")).isEmpty());
    for (const char* name : {"vmlinuz-6.1.0-9-amd64",
                             "vmlinuz-6.1.0-57-amd64",
                             "vmlinuz-5.10.0-99-amd64",
                             "vmlinuz-0-rescue-12",
                             "initrd.img-7.0"})
        EXPECT_TRUE(QFile(folder.filePath(s(name))).open(QIODevice::WriteOnly));
    EXPECT_TRUE(QFile::link(s("/nonexistent"), folder.filePath(s("vmlinuz-9.0"))));
    EXPECT_EQ(newestKernel(folder.path()), folder.filePath(s("vmlinuz-6.1.0-57-amd64")));
}

TEST(Suite, AUsersOwnStandsBesideTheShippedOnes) {
    QTemporaryDir folder;
    const auto put = [&](const char* name, const QByteArray& bytes) {
        QFile file(folder.filePath(s(name)));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    };
    put("mine.json", suiteOf(boot));
    put("broken.json", "{");
    put("twice.json", suiteOf(boot));
    put("no suite.txt", "x");
    const auto mine = findSuite(s("mine"), folder.path());
    ASSERT_TRUE(mine) << mine.error().message.toStdString();
    EXPECT_EQ(mine->workloads.first().name, s("boot"));
    int broken = 0;
    for (const SuiteEntry& entry : allSuites(folder.path())) {
        if (entry.suite)
            continue;
        ++broken;
        EXPECT_TRUE(entry.suite.error().message.contains(entry.path));
    }
    EXPECT_EQ(broken, 2);
    EXPECT_TRUE(findSuite(s("broken"), folder.path()).error().message.contains(s("breaks off")));
    const auto none = findSuite(s("none"), folder.path());
    EXPECT_EQ(none.error().kind, Error::Kind::NotFound);
    EXPECT_TRUE(none.error().message.contains(s("honest-disk")));
    EXPECT_EQ(allSuites(s("/nowhere")).size(), 6);
}

TEST(Suite, WhatIsWrongIsNamed) {
    EXPECT_TRUE(Suite::fromJson(suiteOf(boot)));
    EXPECT_TRUE(failureOf({}).contains(s("empty")));
    EXPECT_TRUE(failureOf("{}").contains(s("format")));
    EXPECT_TRUE(failureOf(R"({"format": "vitrine-suite", "version": 9})").contains(s("newer")));
    EXPECT_TRUE(failureOf(suiteOf("[]")).contains(s("workloads")));
    EXPECT_TRUE(failureOf(suiteOf("7")).contains(s("workloads")));
    EXPECT_TRUE(failureOf(suiteOf("[7]")).contains(s("workloads[0]")));
    EXPECT_TRUE(failureOf(suiteOf(boot, R"("rouds": 3, )")).contains(s("rouds")));
    EXPECT_TRUE(failureOf(suiteOf(R"([{"name": "a", "kind": "time", "command": ""}])"))
                    .contains(s("workloads[0].command")));
    EXPECT_TRUE(failureOf(suiteOf(R"([{"name": "a", "kind": "tim", "command": "x"}])"))
                    .contains(s("workloads[0].kind")));
    EXPECT_TRUE(failureOf(suiteOf(R"([{"name": "a\n", "kind": "time", "command": "x"}])"))
                    .contains(s("workloads[0].name")));
    EXPECT_TRUE(failureOf(suiteOf(R"([{"name": "a", "kind": "fio", "command": "fio --bs=4k"}])"))
                    .contains(s("--output-format json")));
    EXPECT_TRUE(failureOf(suiteOf(R"([{"name": "a", "kind": "time", "command": "x ${SIZE}"}])"))
                    .contains(s("workingSet")));
    EXPECT_TRUE(failureOf(suiteOf(R"([{"name": "a", "kind": "time", "command": "x"},
                                      {"name": "a", "kind": "time", "command": "y"}])"))
                    .contains(s("twice")));
    EXPECT_TRUE(
        failureOf(suiteOf(R"([{"name": "a", "kind": "time", "command": "x", "pair": "b"}])"))
            .contains(s("\"b\"")));
    EXPECT_TRUE(failureOf(suiteOf(boot, R"("rounds": 0, )")).contains(s("\"rounds\"")));
    EXPECT_TRUE(failureOf(suiteOf(boot, R"("rounds": 2.5, )")).contains(s("\"rounds\"")));
    const QByteArray fio = R"("kind": "fio", "command": "fio --output-format json", )";
    EXPECT_TRUE(failureOf(suiteOf("[{" + fio + R"("name": "a", "setup": "x", "cache": "warm"}])"))
                    .contains(s("workloads[0].cache")));
    EXPECT_TRUE(failureOf(suiteOf("[{" + fio + R"("name": "a", "cache": "invalidated"}])"))
                    .contains(s("\"setup\"")));
    EXPECT_TRUE(failureOf(suiteOf("[{" + fio + R"("name": "a", "setup": "x", "cache": "cached"}])"))
                    .contains(s("for \"a\"")));
    EXPECT_TRUE(failureOf(suiteOf(boot, R"("workingSet": {"timesMemory": 0}, )"))
                    .contains(s("workingSet.timesMemory")));
    EXPECT_TRUE(failureOf(suiteOf(boot, R"("workingSet": {"atLeast": 9e6, "atMost": 8e6}, )"))
                    .contains(s("atMost")));
}

} // namespace vitrine::bench
