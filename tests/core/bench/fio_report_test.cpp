// SPDX-License-Identifier: Apache-2.0
#include "core/bench/fio_report.h"

#include "core/bench/statistics.h"
#include "tests/core/bench/bench_support.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace vitrine::bench {

namespace {

FioReport report(const char* name) {
    const auto read = FioReport::fromOutput(fixture(name));
    EXPECT_TRUE(read) << read.error().message.toStdString();
    return read.value_or(FioReport{});
}

QString failureOf(const QByteArray& output) {
    const auto read = FioReport::fromOutput(output);
    EXPECT_FALSE(read) << output.left(200).toStdString();
    return read ? QString() : read.error().message;
}

QByteArray minimal(const QByteArray& read) {
    return R"({"fio version": "fio-3.33", "jobs": [{"error": 0, "read": )" + read + "}]}";
}

} // namespace

TEST(FioReport, Version333GivesBytesRequestsTimesAndPercentiles) {
    const FioReport fio = report("fio-3.33-randrw-json-plus.json");
    EXPECT_EQ(fio.version, s("fio-3.33"));
    const QJsonObject raw = fio.raw.value(s("jobs"))[0].toObject().value(s("read")).toObject();
    ASSERT_TRUE(fio.figures.read && fio.figures.write && fio.figures.read->latency);
    EXPECT_FALSE(fio.figures.sync);
    EXPECT_FALSE(fio.figures.elapsed);
    EXPECT_EQ(fio.figures.read->bandwidth, raw.value(s("bw_bytes")).toDouble());
    EXPECT_NE(fio.figures.read->bandwidth, raw.value(s("bw")).toDouble() * 1000);
    EXPECT_EQ(fio.figures.read->iops, raw.value(s("iops")).toDouble());
    EXPECT_EQ(fio.figures.read->latency->mean, raw.value(s("lat_ns"))[s("mean")].toDouble());
    EXPECT_EQ(fio.figures.read->latency->sigma, raw.value(s("lat_ns"))[s("stddev")].toDouble());
    EXPECT_EQ(fio.options.blockSize, 4096U);
    EXPECT_EQ(fio.options.workingSet(), 2U * (8U << 20));
    EXPECT_FALSE(fio.options.direct);
    EXPECT_EQ(fio.options.pattern, s("randrw"));
}

TEST(FioReport, PercentilesFromTheHistogramAreThoseThatFioPrints) {
    const FioReport fio = report("fio-3.33-randrw-json-plus.json");
    for (const char* direction : {"read", "write"}) {
        const QJsonValue raw = fio.raw.value(s("jobs"))[0][s(direction)][s("clat_ns")];
        Histogram histogram;
        const QJsonObject bins = raw[s("bins")].toObject();
        for (auto it = bins.begin(); it != bins.end(); ++it)
            histogram.insert(it.key().toULongLong(), static_cast<quint64>(it->toDouble()));
        const QJsonObject printed = raw[s("percentile")].toObject();
        ASSERT_EQ(printed.size(), 17);
        for (auto it = printed.begin(); it != printed.end(); ++it)
            EXPECT_EQ(percentileOf(histogram, it.key().toDouble()), it->toDouble())
                << direction << ' ' << it.key().toStdString();
        const auto& figures = s(direction) == s("read") ? fio.figures.read : fio.figures.write;
        EXPECT_EQ(figures->latency->percentiles.value(99.9),
                  printed.value(s("99.900000")).toDouble());
    }
}

TEST(FioReport, SyncTimesAreTakenAndUnmeasuredOnesAreAbsentNotZero) {
    const FioReport sync = report("fio-3.33-fdatasync.json");
    EXPECT_FALSE(sync.figures.read);
    ASSERT_TRUE(sync.figures.write && sync.figures.sync && sync.figures.sync->latency);
    EXPECT_FALSE(sync.figures.sync->bandwidth);
    EXPECT_FALSE(sync.figures.sync->iops);
    EXPECT_GT(sync.figures.sync->latency->mean, 0);
    EXPECT_TRUE(sync.figures.sync->latency->percentiles.contains(99.9));
    EXPECT_TRUE(sync.options.syncsWrites);
    const FioReport reduced = report("fio-3.33-gtod-reduce.json");
    ASSERT_TRUE(reduced.figures.read && reduced.figures.write);
    EXPECT_FALSE(reduced.figures.read->latency);
    EXPECT_EQ(reduced.figures.read->bandwidth, 183838117);
    EXPECT_EQ(reduced.figures.write->bandwidth, 62885647);
    EXPECT_TRUE(reduced.options.direct);
    EXPECT_EQ(reduced.options.depth, 64U);
}

TEST(FioReport, JobsThatFioDidNotAddUpAreAddedUp) {
    const FioReport fio = report("fio-3.33-three-jobs-json-plus.json");
    const QJsonArray jobs = fio.raw.value(s("jobs")).toArray();
    ASSERT_EQ(jobs.size(), 3);
    double bytes = 0;
    double iops = 0;
    double least = 1e18;
    double most = 0;
    for (const QJsonValue& job : jobs) {
        bytes += job[s("read")][s("bw_bytes")].toDouble();
        iops += job[s("read")][s("iops")].toDouble();
        least = std::min(least, job[s("read")][s("lat_ns")][s("mean")].toDouble());
        most = std::max(most, job[s("read")][s("lat_ns")][s("mean")].toDouble());
    }
    ASSERT_TRUE(fio.figures.read && fio.figures.read->latency);
    EXPECT_DOUBLE_EQ(*fio.figures.read->bandwidth, bytes);
    EXPECT_DOUBLE_EQ(*fio.figures.read->iops, iops);
    EXPECT_GE(fio.figures.read->latency->mean, least);
    EXPECT_LE(fio.figures.read->latency->mean, most);
    EXPECT_TRUE(fio.figures.read->latency->percentiles.contains(50));
}

TEST(FioReport, OlderVersionsAreReadInTheirOwnUnits) {
    const FioReport second = report("handmade-older-fio-2.16.json");
    ASSERT_TRUE(second.figures.read && second.figures.read->latency);
    EXPECT_FALSE(second.figures.write);
    EXPECT_EQ(second.figures.read->bandwidth, 20000.0 * 1024);
    EXPECT_EQ(second.figures.read->iops, 5000);
    EXPECT_EQ(second.figures.read->latency->mean, 196500);
    EXPECT_EQ(second.figures.read->latency->sigma, 20500);
    EXPECT_EQ(second.figures.read->latency->percentiles,
              (QMap<double, double>{{50, 190000}, {99, 400000}}));
    const FioReport third = report("handmade-older-fio-3.0.json");
    ASSERT_TRUE(third.figures.write && third.figures.write->latency);
    EXPECT_EQ(third.figures.write->bandwidth, 65536000); // bytes by time; not "bw"
    EXPECT_EQ(third.figures.write->latency->mean, 990000.5);
    EXPECT_EQ(third.options.blockSize, 65536U);
    EXPECT_TRUE(third.options.direct);
}

TEST(FioReport, NewerVersionsWithUnknownKeysAreRead) {
    const FioReport fio = report("handmade-newer-fio-3.39.json");
    ASSERT_TRUE(fio.figures.write && fio.figures.sync);
    EXPECT_EQ(fio.figures.write->bandwidth, 2300000);
    EXPECT_EQ(fio.figures.write->latency->percentiles.value(99.9), 19000);
    EXPECT_EQ(fio.figures.sync->latency->mean, 900000);
    EXPECT_TRUE(fio.raw.value(s("new top level"))[s("kept")].toBool());
}

TEST(FioReport, LinesBeforeTheJsonAreNoFailure) {
    EXPECT_TRUE(FioReport::fromOutput("note: both iodepth >= 1 and synchronous I/O engine\n" +
                                      fixture("fio-3.33-fdatasync.json")));
}

TEST(FioReport, WhatFioFailedAtIsToldWithItsReason) {
    const auto full = FioReport::fromOutput(fixture("fio-3.33-no-space.json"));
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().kind, Error::Kind::DiskFull);
    EXPECT_TRUE(full.error().message.startsWith(s("fio stopped the workload")));
}

TEST(FioReport, EmptyAndTruncatedAndForeignOutputSaysWhatIsWrong) {
    EXPECT_TRUE(failureOf({}).contains(s("is empty")));
    EXPECT_TRUE(failureOf(" \n\t").contains(s("is empty")));
    EXPECT_TRUE(failureOf("fio: failed parsing directory=/x").contains(s("failed parsing")));
    EXPECT_TRUE(failureOf("[1, 2]").contains(s("list")));
    EXPECT_TRUE(failureOf("{}").contains(s("no result of fio")));
    EXPECT_TRUE(failureOf(R"({"fio version": 3, "jobs": []})").contains(s("no result of fio")));
    EXPECT_TRUE(failureOf(R"({"fio version": "fio-3.33", "jobs": {}})").contains(s("jobs")));
    EXPECT_TRUE(failureOf(R"({"fio version": "fio-3.33", "jobs": []})").contains(s("0 jobs")));
    EXPECT_TRUE(failureOf(R"({"fio version": "fio-3.33", "jobs": [7]})").contains(s("jobs[0]")));
    EXPECT_TRUE(failureOf("{\"fio version\": nonsense}").contains(s("damaged at byte")));
    const QByteArray whole = fixture("fio-3.33-fdatasync.json").trimmed();
    for (qsizetype length = 1; length < whole.size(); length += 97)
        EXPECT_FALSE(FioReport::fromOutput(whole.left(length))) << length;
    EXPECT_TRUE(failureOf(whole.left(whole.size() / 2)).contains(s("breaks off at byte")));
}

TEST(FioReport, WrongTypesAndImpossibleNumbersNameTheirKey) {
    EXPECT_TRUE(failureOf(minimal(R"({"total_ios": 1, "bw_bytes": "fast"})"))
                    .contains(s("jobs[0].read.bw_bytes")));
    EXPECT_TRUE(failureOf(minimal(R"({"total_ios": 1, "bw_bytes": -5})")).contains(s("bw_bytes")));
    EXPECT_TRUE(failureOf(minimal("[]")).contains(s("jobs[0].read")));
    EXPECT_TRUE(failureOf(minimal(R"({"total_ios": 1, "lat_ns": 5})")).contains(s("lat_ns")));
    EXPECT_TRUE(failureOf(minimal(R"({"total_ios": 1, "clat_ns": {"N": 1, "bins": {"-4": 1}}})"))
                    .contains(s("bins")));
    EXPECT_FALSE(FioReport::fromOutput(minimal(R"({"total_ios": 1, "iops": 1e999})")));
    EXPECT_FALSE(FioReport::fromOutput(QByteArray(100000, '[')));
    const QByteArray deep = R"({"fio version": "fio-3.33", "jobs": )" + QByteArray(5000, '[');
    EXPECT_FALSE(FioReport::fromOutput(deep));
}

TEST(FioOptions, CommandLinesAreUnderstood) {
    const auto parallel = FioOptions::fromCommand(
        s("fio --name=benchmark --ioengine=posixaio --rw=randwrite --bs=64k --size=256m "
          "--numjobs=16 --iodepth=16 --output-format json --unlink 1"));
    ASSERT_TRUE(parallel);
    EXPECT_EQ(parallel->blockSize, 65536U);
    EXPECT_EQ(parallel->workingSet(), quint64{4} << 30);
    EXPECT_FALSE(parallel->direct);
    const auto sync = FioOptions::fromCommand(
        s("mkdir -p test-data && fio --rw=write --fdatasync=1 --bs=2300 --direct 1"));
    ASSERT_TRUE(sync);
    EXPECT_TRUE(sync->syncsWrites && sync->direct);
    EXPECT_EQ(sync->blockSize, 2300U);
    EXPECT_FALSE(FioOptions::fromCommand(s("tar -xf archive.tar")));
}

TEST(FioOptions, SizesFollowFiosRule) {
    EXPECT_EQ(fioSize(s("4k")), 4096U);
    EXPECT_EQ(fioSize(s("2GB")), quint64{2} << 30);
    EXPECT_EQ(fioSize(s("1Ki")), 1000U);
    EXPECT_EQ(fioSize(s("2300")), 2300U);
    for (const char* text : {"", "k", "-4k", "4x", "50%", "999999999999999999t", "4k4"})
        EXPECT_FALSE(fioSize(s(text))) << text;
}

} // namespace vitrine::bench
