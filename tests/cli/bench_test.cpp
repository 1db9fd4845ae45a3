// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line_support.h"
#include "tests/support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QJsonArray>
#include <QJsonObject>

namespace vitrine::test {

namespace {

const QString data = s(VITRINE_TEST_DATA "/bench/");
const QString m1pro = s("tart-2024-12-02-m1pro");

} // namespace

class BenchCommand : public CommandLine {
protected:
    QString import(const QStringList& more) {
        const Finished done = run(QStringList{s("bench"), s("import")} + more);
        EXPECT_EQ(done.code, 0) << done.err.toStdString();
        return QString::fromUtf8(done.out).trimmed();
    }
    [[nodiscard]] QString folder() const { return m_small.library.home() + s("/benchmarks"); }
    // A suite of the user's own, of workloads "first", "second", … that are these lines.
    void putSuite(const QStringList& lines, const char* kind = "time") {
        EXPECT_TRUE(QDir().mkpath(folder() + s("/suites")));
        QJsonArray workloads;
        for (const QString& line : lines)
            workloads.append(QJsonObject{{s("name"), s("w%1").arg(workloads.size() + 1)},
                                         {s("kind"), s(kind)},
                                         {s("command"), line}});
        QFile file(folder() + s("/suites/mine.json"));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(QJsonDocument(QJsonObject{{s("format"), s("vitrine-suite")},
                                             {s("version"), 1},
                                             {s("id"), s("mine")},
                                             {s("title"), s("Mine")},
                                             {s("workloads"), workloads}})
                       .toJson());
    }
    [[nodiscard]] QJsonObject shown(const QString& id) {
        return run({s("bench"), s("show"), id, s("--format"), s("json")}).json().object();
    }
    [[nodiscard]] QStringList testFolders() const {
        return QDir(m_small.library.home() + s("/tmp"))
            .entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    }
    // A run whose third measurement waits for ever; returns when it is there.
    std::unique_ptr<QProcess> startWaiting(QString& id) {
        putSuite({s("true"),
                  s("true"),
                  s("test -e \"$HOME/go\" || { touch \"$HOME/waits\"; sleep 1000; }")});
        auto process = start({s("bench"),
                              s("run"),
                              s("--suite"),
                              s("mine"),
                              s("--rounds"),
                              s("1"),
                              s("--prepare"),
                              s("true")});
        EXPECT_TRUE(waitUntil([&] { return QFile::exists(m_home.filePath(s("waits"))); }, 30000));
        id = QString::fromUtf8(process->readAllStandardOutput()).trimmed();
        EXPECT_FALSE(id.isEmpty());
        return process;
    }
    void letGo() { EXPECT_TRUE(QFile(m_home.filePath(s("go"))).open(QIODevice::WriteOnly)); }
    // A campaign of one workload that took those seconds.
    QString timed(const QByteArray& seconds) {
        QFile file(m_home.filePath(s("timed.json")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        QByteArray runs;
        for (const QByteArray& one : seconds.split(' '))
            runs += QByteArray(runs.isEmpty() ? "" : ",") +
                    R"({"workload": "boot", "executor": "host", "elapsed_s": )" + one + '}';
        file.write(R"({"format": "vitrine-benchmark", "version": 1, "runs": [)" + runs + "]}");
        file.close();
        return import({file.fileName()});
    }
};

TEST_F(BenchCommand, PublishedSetsAreThereFromTheStart) {
    const Finished text = run({"bench", "list"});
    EXPECT_EQ(text.code, 0);
    EXPECT_TRUE(text.out.contains("tart-2024-12-02-m1pro")) << text.out.toStdString();
    EXPECT_EQ(run({"bench", "list", "--format", "json"}).json().array().size(), 8);
    EXPECT_FALSE(QDir(folder()).exists());
    EXPECT_EQ(run({"bench", "suites", "--format", "json"}).json().array().size(), 6);
}

TEST_F(BenchCommand, ShowPrintsTartsTableWithDashesAndWhatIsDoubtful) {
    const Finished text = run({"bench", "show", "tart-2024-12-02"});
    EXPECT_EQ(text.code, 0);
    EXPECT_TRUE(text.out.startsWith("Name                                    \tExecutor"));
    EXPECT_TRUE(text.out.contains("\t273.76 kIOPS\t")) << text.out.toStdString();
    EXPECT_FALSE(text.out.contains("0 B/s  "));
    EXPECT_TRUE(text.out.contains("Doubtful:\n"));
    EXPECT_TRUE(text.out.contains("the speed of the cache"));
    const QJsonObject json =
        run({"bench", "show", "tart-2024-12-02", "--format", "json"}).json().object();
    EXPECT_EQ(json.value(s("runs")).toArray().size(), 30);
    EXPECT_EQ(json.value(s("statistics")).toArray().size(), 30);
    EXPECT_FALSE(json.value(s("suspicions")).toArray().isEmpty());
}

TEST_F(BenchCommand, NarrowTextFitsIntoEightyColumns) {
    const Finished shown = run({"bench", "show", "tart-2024-12-02", "--narrow"});
    EXPECT_TRUE(shown.out.startsWith("Single 4KiB random write process\n  local  "))
        << shown.out.toStdString();
    EXPECT_TRUE(shown.out.contains("Doubtful:\n- "));
    const Finished compared =
        run({"bench", "compare", "tart-2024-12-02", "tart-2024-12-04-m1-ebs-sonoma", "--narrow"});
    EXPECT_EQ(compared.code, 0) << compared.err.toStdString();
    EXPECT_TRUE(compared.out.contains("\n  write bandwidth  ")) << compared.out.toStdString();
}

TEST_F(BenchCommand, ImportedFilesAreCampaigns) {
    const QString table =
        import({data + s("tart-2024-12-02-m1pro.table.txt"), s("--title"), s("T")});
    const QString fio = import({data + s("fio-3.33-fdatasync.json"),
                                data + s("fio-3.33-fdatasync.json"),
                                s("--workload"),
                                s("sync test"),
                                s("--executor"),
                                s("local")});
    const QJsonArray list = run({"bench", "list", "--format", "json"}).json().array();
    EXPECT_EQ(list.size(), 10);
    const QJsonObject shown =
        run({s("bench"), s("show"), fio, s("--format"), s("json")}).json().object();
    EXPECT_EQ(shown.value(s("rounds")).toInt(), 2);
    EXPECT_EQ(shown.value(s("runs"))[1][s("raw")][s("fio version")], s("fio-3.33"));
    const Finished compared = run({s("bench"), s("compare"), table, fio});
    EXPECT_EQ(compared.code, 0) << compared.err.toStdString();
    EXPECT_TRUE(compared.out.contains("sync latency")) << compared.out.toStdString();
    EXPECT_EQ(QDir(folder()).entryList(QDir::Files).size(), 2);
}

TEST_F(BenchCommand, AFileThatIsNotUnderstoodKeepsAllOut) {
    const Finished refused = run({s("bench"),
                                  s("import"),
                                  data + s("fio-3.33-fdatasync.json"),
                                  data + s("fio-3.33-no-space.json")});
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("fio-3.33-no-space.json")) << refused.err.toStdString();
    EXPECT_TRUE(refused.err.contains("was not imported"));
    EXPECT_FALSE(QDir(folder()).exists());
    EXPECT_EQ(run({"bench", "import", "/nonexistent"}).code, 2);
}

TEST_F(BenchCommand, CompareFailsWhenSlowerAndOnlyThen) {
    const QString a = timed("10 10.1 9.9 10 10");
    const QString b = timed("12 12.1 11.9 12 12");
    const auto compare = [&](const QString& x, const QString& y, const char* limit) {
        return run({s("bench"), s("compare"), x, y, s("--fail-if-slower"), s(limit)});
    };
    const Finished slower = compare(a, b, "10%");
    EXPECT_EQ(slower.code, 1);
    EXPECT_TRUE(slower.err.contains("20.0 % worse")) << slower.err.toStdString();
    EXPECT_TRUE(slower.out.contains("1.200"));
    EXPECT_EQ(compare(a, b, "25").code, 0);
    EXPECT_EQ(compare(b, a, "10 %").code, 0);
    EXPECT_EQ(compare(a, b, "much").code, 64);
    EXPECT_EQ(compare(a, b, "-1%").code, 64);
    EXPECT_EQ(run({s("bench"), s("compare"), a, b}).code, 0);
    EXPECT_EQ(run({s("bench"), s("compare"), a, m1pro}).code, 2);
    const QJsonArray json =
        run({s("bench"), s("compare"), a, b, s("--format"), s("json")}).json().array();
    EXPECT_EQ(json[0][s("interval95")].toArray().size(), 2);
}

TEST_F(BenchCommand, ExportsAreNewFilesOrTheOutput) {
    const Finished tart = run({s("bench"), s("export"), m1pro, s("--as"), s("tart")});
    EXPECT_TRUE(tart.out.contains("\t0 B/s     \t")) << tart.out.toStdString();
    EXPECT_TRUE(run({s("bench"), s("export"), m1pro, s("--as"), s("csv")})
                    .out.contains("write.bandwidth,bytes/s,1,19000000,"));
    EXPECT_TRUE(
        run({s("bench"), s("export"), m1pro, s("--as"), s("markdown")}).out.startsWith("## Tart"));
    const QString path = m_home.filePath(s("out.json"));
    EXPECT_EQ(run({s("bench"), s("export"), m1pro, s("-o"), path}).code, 0);
    const QByteArray before = read(path);
    const Finished again = run({s("bench"), s("export"), m1pro, s("-o"), path});
    EXPECT_EQ(again.code, 1);
    EXPECT_TRUE(again.err.contains("not written over"));
    EXPECT_EQ(read(path), before);
    const QString id = import({path});
    EXPECT_EQ(run({s("bench"), s("show"), id, s("--format"), s("json")})
                  .json()
                  .object()
                  .value(s("runs"))
                  .toArray()
                  .size(),
              30);
}

TEST_F(BenchCommand, APictureIsExportedByTheWindowAndThatIsSaid) {
    const Finished refused = run({s("bench"), s("export"), m1pro, s("--as"), s("svg")});
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("Export, Picture (SVG)")) << refused.err.toStdString();
}

TEST_F(BenchCommand, CampaignsAreDeletedAllOrNone) {
    const QString a = timed("1");
    const QString b = timed("2");
    EXPECT_EQ(run({s("bench"), s("delete"), a, s("nosuch")}).code, 2);
    const Finished refused = run({s("bench"), s("delete"), a, m1pro});
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("published by others")) << refused.err.toStdString();
    EXPECT_EQ(run({s("bench"), s("show"), a}).code, 0) << "nothing has gone";
    EXPECT_EQ(run({s("bench"), s("delete"), a, b, a}).code, 0);
    EXPECT_EQ(run({s("bench"), s("show"), a}).code, 2);
    EXPECT_EQ(run({s("bench"), s("show"), b}).code, 2);
}

TEST_F(BenchCommand, ADamagedCampaignIsToldAndTheOthersAreShown) {
    const QString id = timed("1 2");
    const QString path = folder() + QLatin1Char('/') + id + s(".json");
    const QByteArray half = read(path).left(100);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(half);
    file.close();
    const Finished list = run({"bench", "list"});
    EXPECT_EQ(list.code, 0);
    EXPECT_TRUE(list.out.contains("damaged"));
    EXPECT_TRUE(list.out.contains("vmtest"));
    EXPECT_TRUE(list.err.contains("breaks off")) << list.err.toStdString();
    const Finished show = run({s("bench"), s("show"), id});
    EXPECT_EQ(show.code, 1);
    EXPECT_TRUE(show.err.contains(path.toUtf8()));
    EXPECT_EQ(read(path), half);
}

TEST_F(BenchCommand, AFileOfANewerVersionIsNotCalledDamaged) {
    ASSERT_TRUE(QDir().mkpath(folder()));
    QFile file(folder() + s("/later.json"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(R"({"format": "vitrine-benchmark", "version": 99, "runs": []})");
    file.close();
    const Finished list = run({"bench", "list"});
    EXPECT_TRUE(list.out.contains("of a newer version")) << list.out.toStdString();
    EXPECT_FALSE(list.out.contains("damaged"));
    EXPECT_EQ(list.err.count("stays as it is"), 1) << list.err.toStdString();
    const QJsonArray json = run({"bench", "list", "--format", "json"}).json().array();
    EXPECT_EQ(json[0][s("State")], s("newer"));
}

TEST_F(BenchCommand, WhatHasFailedAndWhatIsOfOthersIsSaid) {
    putSuite({s("exit 3")});
    const Finished failed =
        run({"bench", "run", "--suite", "mine", "--rounds", "1", "--prepare", "true"});
    const Finished show = run({s("bench"), s("show"), QString::fromUtf8(failed.out).trimmed()});
    EXPECT_TRUE(show.err.contains("all measurements have failed")) << show.err.toStdString();
    EXPECT_FALSE(show.err.contains("Nothing has been measured"));
    const Finished resumed = run({s("bench"), s("run"), s("--resume"), m1pro});
    EXPECT_EQ(resumed.code, 1);
    EXPECT_TRUE(resumed.err.contains("published by others")) << resumed.err.toStdString();
    putSuite({QString()});
    const Finished refused = run({"bench", "run", "--suite", "mine"});
    EXPECT_TRUE(refused.err.contains("Correct the file.")) << refused.err.toStdString();
    EXPECT_FALSE(refused.err.contains("measure again"));
}

TEST_F(BenchCommand, ASuiteForKernelsWorksOnTheHostAlone) {
    const Finished host = run({"bench",
                               "run",
                               "--suite",
                               "boot-to-command",
                               "--executor",
                               "host",
                               "--rounds",
                               "1",
                               "--prepare",
                               "true"});
    EXPECT_EQ(host.code, 0) << host.err.toStdString();
    const QJsonObject json = shown(QString::fromUtf8(host.out).trimmed());
    EXPECT_EQ(json.value(s("runs")).toArray().size(), 1);
    EXPECT_EQ(json.value(s("plan"))[s("kernel")], QJsonValue(QJsonValue::Undefined));
}

TEST_F(BenchCommand, AVeryShortTimeIsNotPrintedAsZero) {
    const QString id = timed("0.0000043 0.0000043");
    const Finished show = run({s("bench"), s("show"), id});
    EXPECT_TRUE(show.out.contains("4.3\u00B5s")) << show.out.toStdString();
    EXPECT_FALSE(show.out.contains("\t0s"));
    EXPECT_FALSE(show.out.contains("0.000 s")) << show.out.toStdString();
}

TEST_F(BenchCommand, RunMeasuresInRoundsAndCleansUp) {
    putSuite({s("true"), s("echo x > file")});
    const Finished done = run({"bench", "run", "--suite", "mine", "--rounds", "2"});
    EXPECT_EQ(done.code, 0) << done.err.toStdString();
    const QString id = QString::fromUtf8(done.out).trimmed();
    const QJsonObject json = shown(id);
    EXPECT_EQ(json.value(s("runs")).toArray().size(), 4);
    EXPECT_EQ(json.value(s("state")), s("complete"));
    EXPECT_EQ(json.value(s("runs"))[2][s("workload")], s("w2")); // A B, B A
    EXPECT_TRUE(json.value(s("host")).toObject().contains(s("memory_bytes")));
    EXPECT_TRUE(done.err.contains("Round 1 of 2: w1 on host")) << done.err.toStdString();
    EXPECT_EQ(testFolders(), QStringList());
}

TEST_F(BenchCommand, AProgramIsToldTheCampaignAndHowManyMeasurementsAreDone) {
    putSuite({s("true"), s("true")});
    const Finished done = run({"bench",
                               "run",
                               "--suite",
                               "mine",
                               "--rounds",
                               "1",
                               "--prepare",
                               "true",
                               "--progress",
                               "json"});
    const QList<QByteArray> lines = done.out.trimmed().split('\n');
    ASSERT_EQ(lines.size(), 4) << done.out.toStdString();
    const auto line = [&](int i) { return QJsonDocument::fromJson(lines.at(i)).object(); };
    const QString id = line(0).value(s("log")).toString().section(QLatin1Char(' '), 1);
    EXPECT_EQ(shown(id).value(s("state")), s("complete"));
    EXPECT_EQ(line(2).value(s("done")).toInt(), 1);
    EXPECT_EQ(line(2).value(s("total")).toInt(), 2);
    EXPECT_TRUE(line(2).value(s("step")).toString().startsWith(s("Round 1 of 1: w2 on host")));
    EXPECT_TRUE(line(3).value(s("finished")).toBool());
}

TEST_F(BenchCommand, TheRealFioIsMeasuredWith) {
    putSuite({s("fio --name=benchmark --rw=write --ioengine=sync --fdatasync=5 --size=46000 "
                "--bs=2300 --output-format json --unlink 1")},
             "fio");
    const Finished done =
        run({"bench", "run", "--suite", "mine", "--rounds", "2", "--prepare", "true"});
    EXPECT_EQ(done.code, 0) << done.err.toStdString();
    const QJsonObject json = shown(QString::fromUtf8(done.out).trimmed());
    const QJsonValue one = json.value(s("runs"))[1];
    EXPECT_TRUE(one[s("tool")].toString().startsWith(s("fio-")));
    EXPECT_EQ(one[s("raw")][s("fio version")], one[s("tool")]);
    EXPECT_GT(one[s("sync")][s("latency_ns")][s("mean")].toDouble(), 0);
    EXPECT_TRUE(one[s("read")].isUndefined());
}

TEST_F(BenchCommand, ThePageCacheCheckIsKeptAndShown) {
    const Finished done = run({"bench",
                               "run",
                               "--suite",
                               "page-cache",
                               "--short",
                               "--rounds",
                               "2",
                               "--directory",
                               "/dev/shm"});
    EXPECT_EQ(done.code, 0) << done.err.toStdString();
    const QString id = QString::fromUtf8(done.out).trimmed();
    const Finished text = run({s("bench"), s("show"), id});
    EXPECT_TRUE(text.out.contains("Page cache:\n- host: Invalidation does not work here"))
        << text.out.toStdString();
    EXPECT_EQ(shown(id).value(s("title")), s("Short trial: Page-cache check"));
    const QJsonValue check = shown(id).value(s("cache_checks"))[0];
    EXPECT_EQ(check[s("verdict")], s("does-not"));
    EXPECT_GT(check[s("invalidated_bytes_per_s")].toDouble(), 0);
    QFile file(folder() + QLatin1Char('/') + id + s(".json"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(QJsonDocument::fromJson(file.readAll())[s("cache_checks")][0], check);
}

TEST_F(BenchCommand, AnyCommandIsTimed) {
    const Finished done = run({"bench",
                               "run",
                               "--command",
                               "test -f made",
                               "--command",
                               "false",
                               "--setup",
                               "touch made",
                               "--rounds",
                               "2",
                               "--prepare",
                               "true"});
    EXPECT_EQ(done.code, 1);
    const QJsonObject json = shown(QString::fromUtf8(done.out).trimmed());
    EXPECT_EQ(json.value(s("suite")), s("command"));
    EXPECT_EQ(json.value(s("runs")).toArray().size(), 4);
    EXPECT_GT(json.value(s("runs"))[0][s("elapsed_s")].toDouble(), 0);
    EXPECT_TRUE(json.value(s("runs"))[1][s("failure")].toString().contains(s("exit code 1")));
    const Finished told = run({"bench",
                               "run",
                               "--suite",
                               "command",
                               "--command",
                               "echo Time: 2 m 19 s",
                               "--reported",
                               "--rounds",
                               "1",
                               "--prepare",
                               "true"});
    EXPECT_EQ(told.code, 0) << told.err.toStdString();
    const QString id = QString::fromUtf8(told.out).trimmed();
    EXPECT_TRUE(run({s("bench"), s("show"), id}).out.contains("2m19s"));
}

TEST_F(BenchCommand, AFailedWorkloadIsToldAndTheRestIsMeasured) {
    putSuite({s("echo broken >&2; exit 7"), s("true")});
    const Finished done =
        run({"bench", "run", "--suite", "mine", "--rounds", "1", "--prepare", "true"});
    EXPECT_EQ(done.code, 1);
    const QString id = QString::fromUtf8(done.out).trimmed();
    EXPECT_TRUE(done.err.contains("1 of the measurements failed")) << done.err.toStdString();
    const Finished show = run({s("bench"), s("show"), id});
    EXPECT_TRUE(show.out.contains("exit code 7 and said: broken")) << show.out.toStdString();
    EXPECT_EQ(shown(id).value(s("runs")).toArray().size(), 2);
}

TEST_F(BenchCommand, KillingItLosesNothingThatWasMeasuredAndItGoesOn) {
    QString id;
    const auto process = startWaiting(id);
    EXPECT_EQ(run({s("bench"), s("run"), s("--resume"), id}).code, 1); // it runs
    EXPECT_TRUE(run({"bench", "list"}).out.contains(" running "));
    const Finished kept = run({s("bench"), s("delete"), id});
    EXPECT_EQ(kept.code, 1);
    EXPECT_TRUE(kept.err.contains("being measured")) << kept.err.toStdString();
    process->kill();
    EXPECT_TRUE(process->waitForFinished(30000));
    const QJsonObject cut = shown(id);
    EXPECT_EQ(cut.value(s("runs")).toArray().size(), 2);
    EXPECT_EQ(cut.value(s("state")), s("running"));
    letGo();
    const Finished resumed = run({s("bench"), s("run"), s("--resume"), id});
    EXPECT_EQ(resumed.code, 0) << resumed.err.toStdString();
    const QJsonObject whole = shown(id);
    ASSERT_EQ(whole.value(s("runs")).toArray().size(), 3);
    EXPECT_EQ(whole.value(s("runs"))[0], cut.value(s("runs"))[0]);
    EXPECT_EQ(whole.value(s("state")), s("complete"));
    EXPECT_EQ(testFolders(), QStringList());
}

TEST_F(BenchCommand, OnlyWhatIsLeftNeedsItsExecutor) {
    putSuite({s("true")});
    const Finished done =
        run({"bench", "run", "--suite", "mine", "--rounds", "1", "--prepare", "true"});
    const QString id = QString::fromUtf8(done.out).trimmed();
    const QString path = folder() + QLatin1Char('/') + id + s(".json");
    QJsonObject file = QJsonDocument::fromJson(read(path)).object();
    QJsonObject plan = file.value(s("plan")).toObject();
    plan.insert(s("machine"), s("gone"));
    plan.insert(s("executors"), QJsonArray{s("host"), s("default")});
    QJsonObject inClone = file.value(s("runs")).toArray().first().toObject();
    inClone.insert(s("executor"), s("default"));
    file.insert(s("plan"), plan);
    file.insert(s("runs"), QJsonArray{inClone});
    QFile written(path);
    ASSERT_TRUE(written.open(QIODevice::WriteOnly));
    written.write(QJsonDocument(file).toJson());
    written.close();
    const Finished resumed = run({s("bench"), s("run"), s("--resume"), id});
    EXPECT_EQ(resumed.code, 0) << resumed.err.toStdString();
    EXPECT_EQ(shown(id).value(s("runs")).toArray().size(), 2);
    const Finished again = run({s("bench"), s("run"), s("--resume"), id});
    EXPECT_EQ(again.code, 0) << again.err.toStdString();
    EXPECT_TRUE(again.err.contains("complete")) << again.err.toStdString();
    EXPECT_EQ(again.out.trimmed(), id.toUtf8());
}

TEST_F(BenchCommand, OneBenchmarkAtATimeIsMeasured) {
    putSuite({s("true")});
    const QStringList line{s("bench"), s("run"), s("--suite"), s("mine"), s("--rounds"), s("1")};
    ASSERT_EQ(run(line).code, 0);
    auto other = DirectoryLock::tryLock(folder() + s("/running"));
    ASSERT_TRUE(other);
    const Finished refused = run(line);
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("Another benchmark")) << refused.err.toStdString();
    EXPECT_EQ(QDir(folder()).entryList(QDir::Files).size(), 1) << "nothing of it stays";
    other = fail(Error{});
    EXPECT_EQ(run(line).code, 0);
}

TEST_F(BenchCommand, AResultThatCannotBeKeptSaysHowToGoOn) {
    putSuite({s("cd '%1' && mkdir \"$(ls *.json).new\"").arg(folder())});
    const Finished full =
        run({"bench", "run", "--suite", "mine", "--rounds", "1", "--prepare", "true"});
    EXPECT_NE(full.code, 0);
    const QString id = QString::fromUtf8(full.out).trimmed();
    EXPECT_TRUE(full.err.contains("--resume " + id.toUtf8())) << full.err.toStdString();
    EXPECT_EQ(testFolders(), QStringList());
}

TEST_F(BenchCommand, NothingIsLeftOfACampaignThatHasNoRoom) {
    ASSERT_TRUE(QDir(m_home.path()).mkpath(s("bin")));
    QFile fio(m_home.filePath(s("bin/fio")));
    ASSERT_TRUE(fio.open(QIODevice::WriteOnly));
    ASSERT_TRUE(fio.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    m_environment.insert(s("PATH"), m_home.filePath(s("bin:")) + qEnvironmentVariable("PATH"));
    putSuite({s("fio --name=x --rw=read --size=100000t --output-format json")}, "fio");
    const Finished refused = run({"bench", "run", "--suite", "mine"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("The test files need")) << refused.err.toStdString();
    EXPECT_EQ(run({"bench", "list", "--format", "json"}).json().array().size(), 8);
}

TEST_F(BenchCommand, KillingItEndsTheWorkloadToo) {
    putSuite({s("sh -c 'echo $$ > \"$HOME/part\"; mv \"$HOME/part\" \"$HOME/pid\"; exec sleep "
                "1000'; true")});
    const auto process =
        start({s("bench"), s("run"), s("--suite"), s("mine"), s("--prepare"), s("true")});
    const QString pidFile = m_home.filePath(s("pid"));
    ASSERT_TRUE(waitUntil([&] { return QFile::exists(pidFile); }, 30000));
    const QByteArray pid = read(pidFile).trimmed();
    process->kill();
    EXPECT_TRUE(process->waitForFinished(30000));
    EXPECT_TRUE(waitUntil([&] {
        QFile status(s("/proc/%1/stat").arg(QString::fromLatin1(pid)));
        return !status.open(QIODevice::ReadOnly) || status.readAll().contains(") Z ");
    }));
}

TEST_F(BenchCommand, AnInterruptedRunSaysHowToGoOn) {
    QString id;
    const auto process = startWaiting(id);
    vitrine::test::sendSignal(static_cast<pid_t>(process->processId()), SIGINT);
    const Finished stopped = finish(*process);
    EXPECT_EQ(stopped.code, 130);
    EXPECT_TRUE(stopped.err.contains("--resume " + id.toUtf8())) << stopped.err.toStdString();
    EXPECT_EQ(shown(id).value(s("state")), s("cancelled"));
    EXPECT_EQ(shown(id).value(s("runs")).toArray().size(), 2);
    EXPECT_EQ(testFolders(), QStringList());
}

TEST_F(BenchCommand, RunRefusesWhatCannotBe) {
    EXPECT_EQ(run({"bench", "run"}).code, 64);
    EXPECT_EQ(run({"bench", "run", "--suite", "command"}).code, 64);
    EXPECT_EQ(run({"bench", "run", "--command", " "}).code, 64);
    EXPECT_EQ(run({"bench", "run", "--command", "true", "--suite", "tart-fio"}).code, 64);
    EXPECT_EQ(run({"bench", "run", "--suite", "tart-fio", "--reported"}).code, 64);
    EXPECT_EQ(run({"bench", "run", "--suite", "none"}).code, 2);
    EXPECT_EQ(run({"bench", "run", "--suite", "mine", "--rounds", "0"}).code, 64);
    putSuite({s("true")});
    EXPECT_EQ(run({"bench", "run", "--suite", "mine", "--executor", "moon"}).code, 64);
    EXPECT_EQ(run({"bench", "run", "--suite", "mine", "--directory", "/nonexistent"}).code, 2);
    EXPECT_EQ(run({"bench", "run", "--resume", "nothing"}).code, 2);
    m_environment.insert(s("PATH"), s("/nonexistent"));
    const Finished missing = run({"bench", "run", "--suite", "tart-fio", "--short"});
    EXPECT_EQ(missing.code, 1);
    EXPECT_TRUE(missing.err.contains("apt install fio")) << missing.err.toStdString();
    EXPECT_EQ(run({"bench", "list", "--format", "json"}).json().array().size(), 8);
}

TEST_F(BenchCommand, WhereAndInWhatIsCheckedBeforeAnythingStarts) {
    putSuite({s("true"), s("false")});
    const QString web = add("web");
    const auto refused = [&](std::initializer_list<const char*> more) {
        QStringList line{s("bench"), s("run"), s("--suite"), s("mine")};
        for (const char* word : more)
            line.append(s(word));
        const Finished done = run(line);
        EXPECT_NE(done.code, 0);
        return QString::fromUtf8(done.err);
    };
    EXPECT_TRUE(refused({"--executor", "default"}).contains(s("--machine")));
    EXPECT_TRUE(refused({"--cpus", "2"}).contains(s("--machine")));
    EXPECT_TRUE(refused({"--machine", "web", "--image", "a.b/c:d"}).contains(s("exclude")));
    EXPECT_TRUE(refused({"--machine", "nothing"}).contains(s("nothing")));
    EXPECT_TRUE(refused({"--image", "a.b/c:d"}).contains(s("vitrinectl pull a.b/c:d")));
    EXPECT_TRUE(refused({"--machine", "web", "--executor", "host"}).contains(s("No executor")));
    EXPECT_TRUE(refused({"--machine", "web", "--executor", "running"}).contains(s("does not run")));
    EXPECT_TRUE(refused({"--machine", "web", "--memory", "1000000000"}).contains(s("at most")));
    EXPECT_TRUE(refused({"--machine", "web", "--executor", "default"}).contains(s("--grow")))
        << "its disk is smaller than the files";
    EXPECT_TRUE(refused({"--machine", "web", "--executor", "default", "--directory", "/tmp"})
                    .contains(s("host")));
    EXPECT_TRUE(refused({"--workload", "w3"}).contains(s("It has: w1; w2.")));
    const auto holder = hold(web);
    EXPECT_TRUE(refused({"--machine", "web"}).contains(s("--executor running")));
    EXPECT_TRUE(QDir(folder()).entryList(QDir::Files).isEmpty()) << "no campaign was begun";
    EXPECT_TRUE(testFolders().isEmpty());
    // One workload of two.
    EXPECT_EQ(run({"bench", "run", "--suite", "mine", "--workload", "w1", "--rounds", "1"}).code, 0)
        << "the other one would fail";
}

TEST_F(BenchCommand, WrongLinesSayHowItIsWritten) {
    EXPECT_EQ(run({"bench"}).code, 64);
    EXPECT_EQ(run({"bench", "frob"}).code, 64);
    EXPECT_EQ(run({"bench", "show"}).code, 64);
    const Finished one = run({"bench", "compare", "a"});
    EXPECT_EQ(one.code, 64);
    EXPECT_TRUE(one.err.contains("vitrinectl bench compare A B"));
    EXPECT_EQ(run({"bench", "show", "nothing"}).code, 2);
    const Finished many = run({"bench", "show", "tart"});
    EXPECT_EQ(many.code, 64);
    EXPECT_TRUE(many.err.contains("several"));
}

} // namespace vitrine::test
