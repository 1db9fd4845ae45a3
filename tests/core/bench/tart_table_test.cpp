// SPDX-License-Identifier: Apache-2.0
#include "core/bench/tart_table.h"

#include "tests/core/bench/bench_support.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace vitrine::bench {

namespace {

QList<TartRow> rowsOf(const QString& text) {
    const auto rows = tartTableFrom(text);
    EXPECT_TRUE(rows) << rows.error().message.toStdString();
    return rows.value_or(QList<TartRow>{});
}

QJsonArray published(const char* name) {
    return QJsonDocument::fromJson(
               contentOf(s(VITRINE_SOURCE "/resources/bench/published/") + s(name)))
        .object()
        .value(s("results"))
        .toArray();
}

QString printedTable() {
    return QString::fromUtf8(fixture("tart-2024-12-02-m1pro.table.txt"));
}

QString failureOf(const QString& text) {
    const auto rows = tartTableFrom(text);
    EXPECT_FALSE(rows);
    return rows ? QString() : rows.error().message;
}

// The same keys, and the same value below each of them.
void expectEqual(const QJsonValue& actual, const QJsonValue& expected, const QString& at) {
    ASSERT_EQ(actual.type(), expected.type()) << at.toStdString();
    if (expected.isObject()) {
        EXPECT_EQ(actual.toObject().keys(), expected.toObject().keys()) << at.toStdString();
        for (const QString& key : expected.toObject().keys())
            expectEqual(actual[key], expected[key], at + QLatin1Char('.') + key);
    } else {
        EXPECT_EQ(actual, expected) << at.toStdString();
    }
}

} // namespace

TEST(TartTable, ThePrintedTableEqualsThePublishedJsonValueByValue) {
    const QList<TartRow> rows = rowsOf(printedTable());
    const QJsonArray expected = published("tart-2024-12-02-m1pro.json");
    ASSERT_EQ(rows.size(), 30);
    ASSERT_EQ(rows.size(), expected.size());
    for (qsizetype i = 0; i < rows.size(); ++i) {
        QJsonObject row{{s("workload"), rows.at(i).workload},
                        {s("executor"), rows.at(i).executor},
                        {s("options"), executorOptions(rows.at(i).executor)}};
        rows.at(i).figures.writeTo(row);
        expectEqual(row, expected.at(i), s("results[%1]").arg(i));
    }
}

TEST(TartTable, WhatIsPrintedAgainIsTheSameTable) {
    // "1000 MB/s" was rounded up to that; the number 10^9 is "1.0 GB/s".
    const QString expected = printedTable().replace(s("1000 MB/s"), s("1.0 GB/s ")).trimmed();
    EXPECT_EQ(tartTable(rowsOf(printedTable()), Unmeasured::Exact).trimmed(), expected);
}

TEST(TartTable, ADashIsWhatWasNotMeasured) {
    const QList<TartRow> rows = rowsOf(printedTable());
    const QString honest = tartTable(rows, Unmeasured::Honest);
    EXPECT_FALSE(honest.contains(s("0s \u00B1 0s")));
    EXPECT_FALSE(honest.contains(s("\t0 B/s")));
    EXPECT_EQ(rowsOf(honest), rows);
}

TEST(TartTable, ATerminalsBlanksInsteadOfTabsAreUnderstood) {
    QString text;
    for (const QString& line : printedTable().split(QLatin1Char('\n'))) {
        QString expanded;
        for (const QChar c : line) {
            if (c == QLatin1Char('\t'))
                expanded += QString(8 - expanded.size() % 8, QLatin1Char(' '));
            else
                expanded += c;
        }
        text += expanded + s("\r\n");
    }
    EXPECT_EQ(rowsOf(s("Benchmarking...\n\n") + text), rowsOf(printedTable()));
}

TEST(TartTable, TheTableOfXcodeTimesIsReadAndPrinted) {
    const QString text = s("Name                    \tExecutor\tTime \n"
                           "XcodeBenchmark (d869315)\tlocal   \t2m19s\n"
                           "XcodeBenchmark (d869315)\tTart    \t3m59s\n");
    const QList<TartRow> rows = rowsOf(text);
    ASSERT_EQ(rows.size(), 2);
    EXPECT_EQ(rows.at(0).figures.elapsed->seconds, 139);
    EXPECT_EQ(rows.at(1).figures.elapsed->seconds, 239);
    EXPECT_EQ(tartTable(rows, Unmeasured::Exact), text);
    QList<TartRow> measured = rows;
    measured[0].figures.elapsed->seconds = 31.284996964;
    EXPECT_TRUE(tartTable(measured, Unmeasured::Honest).contains(s("31.285s")));
    EXPECT_TRUE(tartTable(measured, Unmeasured::Exact).contains(s("31.284996964s")));
}

TEST(TartTable, WhatIsNotUnderstoodIsNamedWithItsLine) {
    QString text = printedTable();
    EXPECT_TRUE(failureOf(QString(text).replace(s("24 MB/s"), s("24 pears"))).contains(s("Line 5")))
        << failureOf(QString(text).replace(s("24 MB/s"), s("24 pears"))).toStdString();
    EXPECT_TRUE(failureOf(QString(text).replace(s("24 MB/s"), s("24 pears"))).contains(s("pears")));
    EXPECT_TRUE(failureOf(QString(text).replace(s("4.81 kIOPS"), s("4.81 kB/s")))
                    .contains(s("I/O (write)")));
    EXPECT_TRUE(failureOf({}).contains(s("There is no table")));
    EXPECT_TRUE(failureOf(s("hello\n")).contains(s("There is no table")));
    EXPECT_TRUE(failureOf(text.section(QLatin1Char('\n'), 0, 0)).contains(s("There is no table")));
    EXPECT_TRUE(failureOf(text.left(text.size() - 300)).contains(s("cells")));
    EXPECT_TRUE(failureOf(text + s("\n\tTart\t0 B/s\t1 B/s\t0 IOPS\t0 IOPS\t0s\t0s\t0s\n"))
                    .contains(s("missing")));
    EXPECT_FALSE(looksLikeTartTable(s("{\"Name\": 1}")));
    EXPECT_TRUE(looksLikeTartTable(text));
}

TEST(TartTable, DurationsAreThoseOfGo) {
    const std::pair<double, const char*> cases[]{{0, "0s"},
                                                 {92, "92ns"},
                                                 {203418, "203.418\u00B5s"},
                                                 {340000, "340\u00B5s"},
                                                 {6876540, "6.87654ms"},
                                                 {1.5e9, "1.5s"},
                                                 {139e9, "2m19s"},
                                                 {3723.25e9, "1h2m3.25s"},
                                                 {3600e9, "1h0m0s"}};
    for (const auto& [ns, text] : cases) {
        EXPECT_EQ(goDuration(ns), s(text));
        EXPECT_EQ(fromGoDuration(s(text)), ns) << text;
    }
    EXPECT_EQ(fromGoDuration(s("2\u03BCs")), 2000);
    for (const char* text : {"", "5", "s", "1.s", "-1s", "1s ", "1x"})
        EXPECT_FALSE(fromGoDuration(s(text))) << text;
}

TEST(TartTable, QuantitiesHaveTheToolsDigits) {
    EXPECT_EQ(bandwidthText(0), s("0 B/s"));
    EXPECT_EQ(bandwidthText(9.9), s("9 B/s"));
    EXPECT_EQ(bandwidthText(82), s("82 B/s"));
    EXPECT_EQ(bandwidthText(4.4e6), s("4.4 MB/s"));
    EXPECT_EQ(bandwidthText(18.2e9), s("18 GB/s"));
    EXPECT_EQ(bandwidthText(999.9e6), s("1000 MB/s"));
    EXPECT_EQ(bandwidthText(1e9), s("1.0 GB/s"));
    EXPECT_EQ(iopsText(0), s("0 IOPS"));
    EXPECT_EQ(iopsText(976.47), s("976.47 IOPS"));
    EXPECT_EQ(iopsText(1100), s("1.1 kIOPS"));
    EXPECT_EQ(iopsText(273480), s("273.48 kIOPS"));
}

TEST(TartTable, ExecutorsNamesHoldTheirOptions) {
    EXPECT_EQ(executorOptions(s("local")), (QJsonObject{{s("kind"), s("host")}}));
    EXPECT_EQ(executorOptions(s("Tart")), (QJsonObject{{s("kind"), s("vm")}}));
    EXPECT_EQ(
        executorOptions(s("Tart (--root-disk-opts=\"sync=none,caching=cached\")")),
        (QJsonObject{{s("kind"), s("vm")}, {s("sync"), s("none")}, {s("caching"), s("cached")}}));
}

} // namespace vitrine::bench
