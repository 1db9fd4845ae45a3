// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line_support.h"

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
    EXPECT_EQ(run({"bench", "suites", "--format", "json"}).json().array().size(), 3);
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
