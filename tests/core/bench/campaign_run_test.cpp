// SPDX-License-Identifier: Apache-2.0
#include "core/bench/campaign_run.h"

#include "core/bench/bench_host.h"
#include "core/bench/cache_check.h"
#include "core/bench/host_executor.h"
#include "core/bench/page_cache.h"
#include "tests/core/bench/bench_support.h"
#include "tests/support/event_wait.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QStorageInfo>
#include <QTemporaryDir>

#include <sys/mman.h>
#include <thread>

namespace vitrine::bench {

namespace {

// Answers with what it was given, and remembers what it was asked for.
class FakeExecutor final : public Executor {
public:
    explicit FakeExecutor(const char* name)
        : m_name(s(name)) {}
    [[nodiscard]] QString name() const override { return m_name; }
    [[nodiscard]] QJsonObject options() const override { return {{s("kind"), s("fake")}}; }
    [[nodiscard]] Result<Output> run(const QString& command, std::stop_token stop) override {
        asked.append(command);
        if (stop.stop_requested())
            return fail(Error::cancelled());
        if (beforeAnswer)
            beforeAnswer(command);
        if (stop.stop_requested())
            return fail(Error::cancelled());
        if (errors.contains(command))
            return fail(errors.value(command), s("nothing heard"));
        return answers.value(command, Output{0, {}, {}, 2});
    }
    Result<> dropCaches() override {
        asked.append(s("drop"));
        return {};
    }
    Result<> removeTestFiles(std::stop_token /*stop*/) override {
        asked.append(s("remove"));
        return {};
    }
    Result<> begin(std::stop_token /*stop*/) override {
        if (turns)
            turns->append(s("+") + m_name);
        return doesNotBegin ? fail(Error::Kind::Timeout, s("no guest")) : Result<>();
    }
    void end() override {
        if (turns)
            turns->append(s("-") + m_name);
    }
    [[nodiscard]] Result<quint64> freeSpace() const override { return space; }
    [[nodiscard]] QJsonObject noise() const override { return {{s("load"), 1}}; }

    QStringList asked;
    QMap<QString, Output> answers;
    QMap<QString, Error::Kind> errors;
    std::function<void(const QString&)> beforeAnswer;
    quint64 space = quint64{1} << 40;
    QStringList* turns = nullptr; // begins and ends
    bool doesNotBegin = false;

private:
    QString m_name;
};

Workload timedWorkload(const char* name) {
    return {s(name), Workload::Kind::Time, {}, s("do ") + s(name), {}};
}

class CampaignRunTest : public testing::Test {
protected:
    QString begin(const RunPlan& plan) {
        Campaign campaign;
        campaign.plan = plan.toJson();
        const auto added = store.add(campaign, QDateTime::currentDateTimeUtc());
        EXPECT_TRUE(added);
        return added ? added->id : QString();
    }
    static RunPlan planned(std::initializer_list<const char*> names, int rounds) {
        RunPlan plan;
        for (const char* name : names)
            plan.workloads.append(timedWorkload(name));
        plan.executors = QStringList{s("host")};
        plan.rounds = rounds;
        return plan;
    }
    [[nodiscard]] Campaign read(const QString& id) const {
        const auto campaign = store.read(id);
        EXPECT_TRUE(campaign);
        return campaign.value_or(Campaign{});
    }

    QTemporaryDir home;
    CampaignStore store{home.path()};
    FakeExecutor host{"host"};
};

QString orderOf(const QList<RunSlot>& all) {
    QString text;
    for (const RunSlot& slot : all)
        text += slot.workload.name + slot.executor + QString::number(slot.round) + s(" ");
    return text.trimmed();
}

// Ended, also where nobody has asked for its exit code yet.
bool hasEnded(const QByteArray& pid) {
    QFile status(s("/proc/%1/stat").arg(QString::fromLatin1(pid)));
    return !status.open(QIODevice::ReadOnly) || status.readAll().contains(") Z ");
}

} // namespace

TEST_F(CampaignRunTest, RoundsAreInterleaved) {
    EXPECT_EQ(orderOf(slotsOf(planned({"A", "B", "C"}, 3))),
              s("Ahost1 Bhost1 Chost1 Chost2 Ahost2 Bhost2 Bhost3 Chost3 Ahost3"));
    RunPlan two = planned({"A"}, 2);
    two.executors = QStringList{s("x"), s("y"), s("z")};
    EXPECT_EQ(orderOf(slotsOf(two)), s("Ax1 Ay1 Az1 Az2 Ax2 Ay2"));
}

TEST_F(CampaignRunTest, APlanSurvivesTheFile) {
    const auto suite = findSuite(s("honest-disk"), s("/nowhere"));
    ASSERT_TRUE(suite);
    RunPlan plan = planOf(*suite, QStringList{s("host")}, 4, true, 1ULL << 30);
    plan.prepare = s("sync");
    plan.folder = s("/somewhere");
    const auto again = RunPlan::fromJson(plan.toJson());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->toJson(), plan.toJson());
    EXPECT_EQ(again->workloads, plan.workloads);
    EXPECT_EQ(plan.space, 4U << 20);
    EXPECT_EQ(planOf(*suite, QStringList{s("host")}, 4, false, 1ULL << 30).space, 4ULL << 30);
    EXPECT_EQ(RunPlan::fromJson({}).error().kind, Error::Kind::Unsupported);
}

TEST_F(CampaignRunTest, EveryResultIsInTheFileBeforeTheNextBegins) {
    const QString id = begin(planned({"A", "B"}, 2));
    QList<qsizetype> kept;
    host.beforeAnswer = [&](const QString&) { kept.append(read(id).runs.size()); };
    const auto failures = runCampaign(store, id, {&host}, {});
    ASSERT_TRUE(failures) << failures.error().message.toStdString();
    EXPECT_EQ(*failures, 0);
    EXPECT_EQ(kept, (QList<qsizetype>{0, 1, 2, 3}));
    const Campaign campaign = read(id);
    EXPECT_EQ(campaign.state, Campaign::State::Complete);
    EXPECT_EQ(campaign.runs.first().figures.elapsed->seconds, 2);
    EXPECT_EQ(campaign.runs.first().noise.value(s("load")), 1);
    EXPECT_EQ(campaign.runs.first().options.value(s("kind")), s("fake"));
    EXPECT_EQ(host.asked.mid(0, 4), (QStringList{s("drop"), s("do A"), s("drop"), s("do B")}));
}

TEST_F(CampaignRunTest, FiosResultIsKeptRawAndItsFailuresAreTold) {
    RunPlan plan = planned({}, 1);
    plan.workloads = {{s("good"), Workload::Kind::Fio, {}, s("fio good"), {}},
                      {s("full"), Workload::Kind::Fio, {}, s("fio full"), {}},
                      {s("dead"), Workload::Kind::Fio, {}, s("fio dead"), {}},
                      {s("setup"), Workload::Kind::Time, s("bad"), s("never"), {}}};
    host.answers = {{s("fio good"), {0, fixture("fio-3.33-fdatasync.json"), {}, 1}},
                    {s("fio full"), {1, fixture("fio-3.33-no-space.json"), "fio: no space", 1}},
                    {s("fio dead"), {127, {}, "fio: not found", 1}},
                    {s("bad"), {2, {}, "mkdir: no", 1}}};
    const QString id = begin(plan);
    EXPECT_EQ(runCampaign(store, id, {&host}, {}), 3);
    const QList<BenchRun> runs = read(id).runs;
    ASSERT_EQ(runs.size(), 4);
    EXPECT_EQ(runs.at(0).tool, s("fio-3.33"));
    EXPECT_EQ(runs.at(0).raw.value(s("fio version")), s("fio-3.33"));
    EXPECT_TRUE(runs.at(0).figures.sync);
    EXPECT_TRUE(runs.at(1).failure.contains(s("No space left")))
        << runs.at(1).failure.toStdString();
    EXPECT_TRUE(runs.at(1).raw.isEmpty()) << "half a result is none";
    EXPECT_TRUE(runs.at(2).failure.contains(s("exit code 127 and said: fio: not found")));
    EXPECT_TRUE(runs.at(3).failure.contains(s("setup failed")));
    EXPECT_FALSE(host.asked.contains(s("never")));
}

TEST_F(CampaignRunTest, WhatWasStoppedGoesOnWhereItWas) {
    const QString id = begin(planned({"A", "B"}, 2));
    std::stop_source source;
    RunContext context;
    context.stop = source.get_token();
    host.beforeAnswer = [&](const QString&) {
        if (read(id).runs.size() == 2)
            source.request_stop();
    };
    const auto stopped = runCampaign(store, id, {&host}, context);
    ASSERT_FALSE(stopped);
    EXPECT_TRUE(stopped.error().isCancelled());
    EXPECT_EQ(read(id).state, Campaign::State::Cancelled);
    EXPECT_EQ(read(id).runs.size(), 2);
    host.beforeAnswer = {};
    QList<int> done;
    RunContext again;
    again.report = [&](const RunProgress& progress) {
        done.append(progress.done);
        EXPECT_EQ(progress.total, 4);
        EXPECT_TRUE(progress.secondsLeft);
    };
    EXPECT_EQ(runCampaign(store, id, {&host}, again), 0);
    EXPECT_EQ(done, (QList<int>{2, 3}));
    EXPECT_EQ(read(id).runs.size(), 4);
    EXPECT_TRUE(slotsLeft(planned({"A", "B"}, 2), read(id)).isEmpty());
}

TEST_F(CampaignRunTest, AFailureIsTriedAgainWhenTheCampaignGoesOn) {
    const QString id = begin(planned({"A"}, 1));
    host.answers = {{s("do A"), {1, {}, "no", 1}}};
    EXPECT_EQ(runCampaign(store, id, {&host}, {}), 1);
    host.answers.clear();
    EXPECT_EQ(runCampaign(store, id, {&host}, {}), 0);
    EXPECT_EQ(read(id).runs.size(), 2);
    EXPECT_FALSE(read(id).runs.at(0).failure.isEmpty());
}

TEST_F(CampaignRunTest, AFullDiskIsToldAndEmptiedAndTheRestGoesOn) {
    RunPlan plan = planned({"A", "B"}, 1);
    plan.workloads.first().kind = Workload::Kind::Fio;
    plan.executors = QStringList{s("host"), s("default")};
    plan.guest.source = s("debian");
    FakeExecutor guest("default");
    const Executor::Output small{0, fixture("fio-3.33-fdatasync.json"), {}, 1};
    host.answers.insert(s("do A"), small);
    // What fio 3.33 says with posixaio: the line is not its last one.
    guest.answers.insert(
        s("do A"),
        {2,
         fixture("fio-3.33-no-space.json"),
         "fio: io_u error on file benchmark.0.0: No space left on device: write offset=4096\n"
         "fio: io_u_queue.h:37: io_u_qpush: Assertion `0' failed.\n",
         1});
    const QString id = begin(plan);
    EXPECT_EQ(runCampaign(store, id, {&host, &guest}, {}), 1);
    const Campaign campaign = read(id);
    EXPECT_EQ(campaign.state, Campaign::State::Complete);
    ASSERT_EQ(campaign.runs.size(), 4);
    const BenchRun& full = campaign.runs.at(1);
    EXPECT_EQ(full.executor, s("default"));
    EXPECT_EQ(
        full.failure,
        s("Not measured. The disk of its guest filled up. Clones have the disk of their "
          "machine: enlarge it with vitrinectl set debian --disk-size GB, or choose a "
          "smaller suite. The command said: fio: io_u error on file benchmark.0.0: No space left "
          "on device: write offset=4096"));
    EXPECT_TRUE(full.figures.isEmpty());
    for (const int other : {0, 2, 3})
        EXPECT_EQ(campaign.runs.at(other).failure, QString());
    EXPECT_EQ(guest.asked, (QStringList{s("drop"), s("do A"), s("remove"), s("drop"), s("do B")}));
    EXPECT_FALSE(host.asked.contains(s("remove")));
    // Nothing but the failure is tried again.
    guest.answers.insert(s("do A"), small);
    host.asked.clear();
    EXPECT_EQ(runCampaign(store, id, {&host, &guest}, {}), 0);
    EXPECT_TRUE(host.asked.isEmpty());
}

TEST_F(CampaignRunTest, ASetupThatFillsTheDiskIsEmptiedTooAndSuccessIsNot) {
    RunPlan plan = planned({"A", "B"}, 1);
    plan.workloads.first().setup = s("fill");
    host.answers = {{s("fill"), {1, {}, "dd: x: No space left on device", 1}},
                    {s("do B"), {0, {}, "tried: No space left on device", 1}}};
    const QString id = begin(plan);
    EXPECT_EQ(runCampaign(store, id, {&host}, {}), 1);
    EXPECT_EQ(host.asked, (QStringList{s("fill"), s("remove"), s("drop"), s("do B")}));
    EXPECT_TRUE(read(id).runs.first().failure.contains(s("--directory")));
    EXPECT_TRUE(read(id).runs.at(1).failure.isEmpty());
}

TEST_F(CampaignRunTest, OneExecutorAtATimeIsUpAlsoAfterFailures) {
    RunPlan plan = planned({"A", "B"}, 2);
    plan.executors = QStringList{s("host"), s("default"), s("sync=none")};
    plan.guest.source = s("debian");
    QStringList turns;
    FakeExecutor one("default");
    FakeExecutor other("sync=none");
    for (FakeExecutor* const executor : {&host, &one, &other})
        executor->turns = &turns;
    one.answers.insert(s("do A"), {1, {}, "No space left on device", 1});
    other.errors.insert(s("do B"), Error::Kind::Busy);
    const QString id = begin(plan);
    EXPECT_EQ(runCampaign(store, id, {&host, &one, &other}, {}), 4);
    ASSERT_EQ(turns.size(), 2 * 12);
    for (qsizetype i = 0; i < turns.size(); i += 2) {
        EXPECT_TRUE(turns.at(i).startsWith(s("+")));
        EXPECT_EQ(turns.at(i + 1), s("-") + turns.at(i).mid(1));
    }
    EXPECT_EQ(read(id).runs.size(), 12);
}

TEST_F(CampaignRunTest, AGuestThatDoesNotComeUpDoesNotStayBesideTheOthers) {
    RunPlan plan = planned({"A"}, 2);
    plan.executors = QStringList{s("default"), s("host")};
    QStringList turns;
    FakeExecutor guest("default");
    guest.turns = host.turns = &turns;
    guest.doesNotBegin = true;
    EXPECT_EQ(runCampaign(store, begin(plan), {&guest, &host}, {}), 2);
    EXPECT_EQ(
        turns,
        (QStringList{s("+default"), s("-default"), s("+host"), s("-host"), s("+host"), s("-host")}))
        << "ended at once, then given up";
    EXPECT_TRUE(guest.asked.isEmpty());
}

TEST_F(CampaignRunTest, AnExecutorWhoseGuestDiedIsGivenUpAndTheOthersGoOn) {
    for (const auto kind : {Error::Kind::Timeout, Error::Kind::NotRunning}) {
        RunPlan plan = planned({"A", "B"}, 2);
        plan.executors = QStringList{s("host"), s("default")};
        FakeExecutor guest("default");
        FakeExecutor other("host");
        guest.errors.insert(s("do B"), kind);
        const QString id = begin(plan);
        EXPECT_EQ(runCampaign(store, id, {&other, &guest}, {}), 3);
        EXPECT_EQ(guest.asked, (QStringList{s("drop"), s("do A"), s("drop"), s("do B")}));
        const Campaign campaign = read(id);
        EXPECT_EQ(campaign.state, Campaign::State::Complete);
        ASSERT_EQ(campaign.runs.size(), 8);
        for (const BenchRun& run : campaign.runs) {
            const bool isLost =
                run.executor == s("default") && (run.round == 2 || run.workload == s("B"));
            EXPECT_EQ(run.failure.isEmpty(), !isLost) << run.failure.toStdString();
            EXPECT_EQ(run.failure.startsWith(s("Not measured")), isLost && run.round == 2);
            EXPECT_EQ(run.failure.contains(s("nothing heard")), isLost);
        }
        // Another try has another guest.
        guest.errors.clear();
        EXPECT_EQ(runCampaign(store, id, {&other, &guest}, {}), 0);
        EXPECT_TRUE(slotsLeft(plan, read(id)).isEmpty());
    }
}

TEST_F(CampaignRunTest, AMachineThatIsPausedForAWhileIsNotGivenUp) {
    host.errors.insert(s("do A"), Error::Kind::Busy);
    const QString id = begin(planned({"A", "B"}, 2));
    EXPECT_EQ(runCampaign(store, id, {&host}, {}), 2);
    EXPECT_EQ(host.asked.count(s("do B")), 2);
}

TEST_F(CampaignRunTest, AKilledWorkloadSaysSo) {
    const QString id = begin(planned({"a"}, 1));
    host.answers.insert(s("do a"), {137, {}, {}, 1});
    EXPECT_EQ(runCampaign(store, id, {&host}, {}).value_or(-1), 1);
    const Campaign campaign = read(id);
    ASSERT_EQ(campaign.runs.size(), 1);
    EXPECT_TRUE(campaign.runs.first().failure.contains(s("killed")))
        << campaign.runs.first().failure.toStdString();
}

TEST_F(CampaignRunTest, ATimeThatTheCommandPrintsIsTheResult) {
    RunPlan plan = planned({}, 1);
    for (const char* name : {"good", "failed", "silent", "dead"})
        plan.workloads.append({s(name), Workload::Kind::Reported, {}, s("sh ") + s(name), {}});
    host.answers = {{s("sh good"), {0, "Time: 2m19s\n", {}, 500}},
                    {s("sh failed"), {0, "** BUILD FAILED **\nTime: 2m19s\n", {}, 500}},
                    {s("sh silent"), {0, "done\n", {}, 500}},
                    {s("sh dead"), {3, "Time: 2m19s\n", "no disk", 500}}};
    const QString id = begin(plan);
    EXPECT_EQ(RunPlan::fromJson(read(id).plan)->workloads, plan.workloads);
    EXPECT_EQ(runCampaign(store, id, {&host}, {}), 3);
    const QList<BenchRun> runs = read(id).runs;
    EXPECT_EQ(runs.at(0).figures.elapsed->seconds, 139);
    EXPECT_TRUE(runs.at(1).failure.contains(s("BUILD FAILED")));
    EXPECT_TRUE(runs.at(2).failure.contains(s("told no time")));
    EXPECT_TRUE(runs.at(3).failure.contains(s("exit code 3 and said: no disk")));
    EXPECT_FALSE(runs.at(3).figures.elapsed);
}

TEST_F(CampaignRunTest, TheHalvesOfACheckDifferInWhatThePageCacheHolds) {
    RunPlan plan = planned({}, 1);
    plan.workloads = {
        {s("c"), Workload::Kind::Fio, s("warm c"), s("fio c"), s("i"), Workload::Cache::Cached},
        {s("i"), Workload::Kind::Fio, s("warm i"), s("fio i"), {}, Workload::Cache::Invalidated}};
    host.answers = {{residencyLine(), {0, "4096 8192\n", {}, 1}},
                    {countingReads(s("fio c")), {0, fixture("fio-3.33-fdatasync.json"), {}, 1}},
                    {countingReads(s("fio i")), {127, {}, "fio: not found", 1}}};
    const QString id = begin(plan);
    EXPECT_EQ(RunPlan::fromJson(read(id).plan)->workloads, plan.workloads);
    EXPECT_EQ(runCampaign(store, id, {&host}, {}), 1);
    EXPECT_EQ(host.asked,
              (QStringList{s("warm c"),
                           residencyLine(),
                           countingReads(s("fio c")),
                           s("warm i"),
                           s("drop"),
                           residencyLine(),
                           countingReads(s("fio i"))}));
    const QList<BenchRun> runs = read(id).runs;
    EXPECT_EQ(runs.at(0).command, s("fio c"));
    EXPECT_EQ(runs.at(0).options.value(s("cache")), s("cached"));
    EXPECT_EQ(runs.at(0).evidence.value(s("resident_bytes")), 4096);
    EXPECT_TRUE(runs.at(1).failure.contains(s("fio: not found")));
}

TEST_F(CampaignRunTest, TestFilesThatDoNotFitAreRefusedBeforehand) {
    RunPlan plan = planned({"A"}, 1);
    plan.space = quint64{10} << 30;
    host.space = quint64{10} << 30;
    const QString id = begin(plan);
    const auto refused = runCampaign(store, id, {&host}, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::DiskFull);
    EXPECT_TRUE(host.asked.isEmpty());
}

TEST(HostExecutor, RunsInAFolderOfItsOwnThatGoes) {
    QTemporaryDir parent;
    const QString folder = parent.filePath(s("work"));
    {
        auto executor = HostExecutor::make(folder);
        ASSERT_TRUE(executor) << executor.error().message.toStdString();
        const auto output = (*executor)->run(s("pwd; echo oops >&2; exit 3"), {});
        ASSERT_TRUE(output);
        EXPECT_EQ(output->exitCode, 3);
        EXPECT_EQ(output->out.trimmed(), QFileInfo(folder).canonicalFilePath().toUtf8());
        EXPECT_EQ(output->err.trimmed(), QByteArray("oops"));
        EXPECT_GT(output->seconds, 0);
        EXPECT_GT((*executor)->freeSpace().value_or(0), 0U);
        EXPECT_EQ(HostExecutor::make(folder).error().kind, Error::Kind::Busy);
    }
    EXPECT_FALSE(QFileInfo::exists(folder));
    ASSERT_TRUE(QDir().mkpath(folder + s("/somebody's")));
    EXPECT_EQ(HostExecutor::make(folder).error().kind, Error::Kind::AlreadyExists);
    EXPECT_TRUE(QFileInfo::exists(folder + s("/somebody's")));
}

TEST(HostExecutor, TestFilesCanBeRemovedBeforeItsEnd) {
    QTemporaryDir parent;
    auto executor = HostExecutor::make(parent.filePath(s("work")));
    ASSERT_TRUE(executor);
    ASSERT_TRUE((*executor)->run(s("mkdir -p a/b; touch -- a/b/c '-rf' 'x y'"), {}));
    ASSERT_TRUE((*executor)->removeTestFiles({}));
    EXPECT_EQ((*executor)->run(s("ls"), {})->out, QByteArray());
    EXPECT_EQ(HostExecutor::make(parent.filePath(s("work"))).error().kind, Error::Kind::Busy)
        << "its mark and lock stay";
}

TEST(HostExecutor, TooMuchOutputEndsTheCommandWhereverItGoes) {
    QTemporaryDir parent;
    auto executor = HostExecutor::make(parent.filePath(s("work")));
    ASSERT_TRUE(executor);
    for (const char* line : {"head -c 80000000 /dev/zero", "head -c 80000000 /dev/zero >&2"}) {
        const auto output = (*executor)->run(s(line), {});
        ASSERT_FALSE(output) << line;
        EXPECT_EQ(output.error().kind, Error::Kind::Integrity);
    }
}

TEST(HostExecutor, AKilledCommandHasTheExitCodeThatShellsGiveIt) {
    QTemporaryDir parent;
    auto executor = HostExecutor::make(parent.filePath(s("work")));
    ASSERT_TRUE(executor);
    const auto output = (*executor)->run(s("kill -KILL $$"), {});
    ASSERT_TRUE(output);
    EXPECT_EQ(output->exitCode, 137);
}

TEST(HostExecutor, StoppingEndsTheCommandAndItsChildren) {
    QTemporaryDir parent;
    auto executor = HostExecutor::make(parent.filePath(s("work")));
    ASSERT_TRUE(executor);
    std::stop_source source;
    const QString pidFile = parent.filePath(s("pid"));
    std::thread stopper([&] {
        const QDeadlineTimer deadline(30000);
        while (!QFileInfo::exists(pidFile) && !deadline.hasExpired())
            std::this_thread::yield();
        source.request_stop();
    });
    const auto output = (*executor)->run(
        s("sh -c 'echo $$ > %1.part; mv %1.part %1; exec sleep 1000' & sleep 1000").arg(pidFile),
        source.get_token());
    stopper.join();
    ASSERT_FALSE(output);
    EXPECT_TRUE(output.error().isCancelled());
    EXPECT_TRUE(test::waitUntil([pid = contentOf(pidFile).trimmed()] { return hasEnded(pid); }));
}

TEST(HostExecutor, ThePageCacheIsEmptiedOnADiskAndCannotBeInMemory) {
    // Beside the test programs: /tmp may be in memory.
    for (const char* place : {VITRINE_BIN_DIR "/../tests/cache-XXXXXX", "/dev/shm/cache-XXXXXX"}) {
        QTemporaryDir folder{s(place)};
        ASSERT_TRUE(folder.isValid()) << place;
        QFile file(folder.filePath(s("file")));
        ASSERT_TRUE(file.open(QIODevice::ReadWrite));
        constexpr qint64 size = 4 << 20;
        file.write(QByteArray(size, 'x'));
        file.flush();
        const auto cachedPages = [&] {
            uchar* const at = file.map(0, size);
            std::vector<unsigned char> pages(size / 4096);
            EXPECT_EQ(::mincore(at, size, pages.data()), 0);
            file.unmap(at);
            return std::count_if(pages.begin(), pages.end(), [](auto p) { return (p & 1U) != 0; });
        };
        EXPECT_EQ(cachedPages(), size / 4096);
        ASSERT_TRUE(dropPageCache(folder.path()));
        if (QStorageInfo(folder.path()).fileSystemType() == "tmpfs")
            EXPECT_EQ(cachedPages(), size / 4096) << place;
        else
            EXPECT_LT(cachedPages(), size / 4096 / 10) << place;
    }
}

TEST(BenchHost, WhatTheComputerIsAndDoesIsRead) {
    QTemporaryDir root;
    const auto put = [&](const char* path, const char* text) {
        const QString full = root.filePath(s(path));
        QDir().mkpath(QFileInfo(full).path());
        QFile file(full);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
    };
    put("proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast 9\n\nprocessor\t: 1\n");
    put("proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n");
    put("proc/loadavg", "1.25 0.5 0.25 1/100 4242\n");
    put("proc/pressure/memory", "some avg10=0.50 avg60=0 avg300=0 total=1\nfull avg10=0.1\n");
    put("etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian 12\"\n");
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2400000\n");
    put("sys/class/thermal/thermal_zone0/temp", "45000\n");
    put("sys/class/thermal/thermal_zone1/temp", "61500\n");
    put("sys/class/power_supply/BAT0/type", "Battery\n");
    put("sys/class/power_supply/BAT0/status", "Discharging\n");
    const QJsonObject info = hostInfo(root.path());
    EXPECT_EQ(info.value(s("hardware")), s("Fast 9, 2 processors"));
    EXPECT_EQ(info.value(s("os")), s("Debian 12"));
    EXPECT_EQ(info.value(s("memory_bytes")).toDouble(), 16384.0 * 1024);
    EXPECT_EQ(hostNoise(root.path()),
              (QJsonObject{{s("load"), 1.25},
                           {s("mhz"), 2400.0},
                           {s("memory_pressure"), 0.5},
                           {s("celsius"), 61.5},
                           {s("on_battery"), true}}));
    QTemporaryDir nothing;
    EXPECT_TRUE(hostNoise(nothing.path()).isEmpty());
}

} // namespace vitrine::bench
