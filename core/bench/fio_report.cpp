// SPDX-License-Identifier: Apache-2.0
#include "core/bench/fio_report.h"

#include "core/bench/json_reader.h"
#include "core/bench/statistics.h"

#include <QRegularExpression>

#include <cmath>
#include <cstring>

namespace vitrine::bench {

namespace {

constexpr double kibi = 1024;
constexpr int maximumJobs = 100'000;
constexpr std::array shownPercentiles{50.0, 90.0, 95.0, 99.0, 99.9, 99.99};

// One of fio's blocks of times, such as "lat_ns".
struct Times {
    double count = 0;
    double mean = 0;
    double sigma = 0;
    QMap<double, double> percentiles;
    Histogram bins;
};

// One direction of one job.
struct Direction {
    std::optional<double> bandwidth;
    std::optional<double> iops;
    std::optional<Times> latency; // whole requests
    std::optional<Times> completion;
};

struct Units {
    const char* suffix;
    double scale; // to nanoseconds
};
constexpr std::array timeUnits{Units{"_ns", 1}, Units{"", 1000}};

Result<std::optional<Times>> timesFrom(const QJsonObject& object, double scale, const QString& at) {
    JsonReader reader(object, at);
    const auto count = reader.number("N"); // not in 2.x
    Times times;
    times.mean = reader.number("mean").value_or(0) * scale;
    times.sigma = reader.number("stddev").value_or(0) * scale;
    times.count = count.value_or(times.mean > 0 ? 1 : 0);
    const QJsonObject percentiles = reader.object("percentile");
    for (auto it = percentiles.begin(); it != percentiles.end(); ++it) {
        bool isNumber = false;
        const double percent = it.key().toDouble(&isNumber);
        // 2.x fills its list up with "0.00": 0.
        if (!isNumber || percent <= 0 || !it->isDouble() || it->toDouble() < 0)
            continue;
        times.percentiles.insert(percent, it->toDouble() * scale);
    }
    const QJsonObject bins = reader.object("bins");
    for (auto it = bins.begin(); it != bins.end(); ++it) {
        bool isNumber = false;
        const quint64 time = it.key().toULongLong(&isNumber);
        if (!isNumber || !it->isDouble() || it->toDouble() < 0 || it->toDouble() > 1e15)
            reader.refuse(QStringLiteral("bins"), Tr::tr("counts of requests by nanoseconds"));
        else if (it->toDouble() > 0)
            times.bins.insert(static_cast<quint64>(static_cast<double>(time) * scale),
                              static_cast<quint64>(it->toDouble()));
    }
    if (reader.error())
        return fail(*reader.error());
    return times.count > 0 ? std::optional(times) : std::nullopt; // gtod_reduce measures none
}

// "lat_ns" or, of older versions, "lat".
Result<std::optional<Times>> timesFrom(JsonReader& reader, const char* name, const QString& where) {
    for (const Units& unit : timeUnits) {
        const QByteArray key = QByteArray(name) + unit.suffix;
        const QJsonObject object = reader.object(key.constData());
        if (!object.isEmpty())
            return timesFrom(object, unit.scale, where + QLatin1Char('.') + QLatin1String(key));
    }
    return std::nullopt;
}

Result<std::optional<Direction>>
directionFrom(const QJsonObject& object, int major, const QString& where) {
    JsonReader reader(object, where);
    const auto requests = reader.number("total_ios");
    const auto bytes = reader.number("io_bytes");
    const auto runtime = reader.number("runtime"); // ms
    const auto bandwidth = reader.number("bw_bytes");
    const auto kibibytes = reader.number("bw");
    Direction direction;
    direction.iops = reader.number("iops");
    const auto latency = timesFrom(reader, "lat", where);
    const auto completion = timesFrom(reader, "clat", where);
    if (reader.error())
        return fail(*reader.error());
    if (!latency)
        return fail(latency.error());
    if (!completion)
        return fail(completion.error());
    direction.latency = *latency;
    direction.completion = *completion;
    const bool idle =
        requests ? *requests == 0 : direction.iops.value_or(0) == 0 && kibibytes.value_or(0) == 0;
    if (idle && bytes.value_or(0) == 0)
        return std::nullopt;
    if (bandwidth)
        direction.bandwidth = bandwidth;
    else if (major >= 3 && bytes && runtime.value_or(0) > 0)
        direction.bandwidth = *bytes * 1000 / *runtime;
    else if (kibibytes)
        direction.bandwidth = *kibibytes * kibi;
    // A run too short for fio's clock.
    if (direction.bandwidth.value_or(0) == 0)
        direction.bandwidth.reset();
    if (direction.iops.value_or(0) == 0)
        direction.iops.reset();
    return direction;
}

// Mean and σ of all requests from those of the parts.
Times pooled(const QList<Times>& parts) {
    if (parts.size() == 1)
        return parts.first();
    Times all;
    for (const Times& part : parts) {
        all.count += part.count;
        all.mean += part.mean * part.count;
    }
    all.mean /= all.count;
    double squares = 0;
    bool allHaveBins = true;
    for (const Times& part : parts) {
        const double distance = part.mean - all.mean;
        squares += part.count * (part.sigma * part.sigma + distance * distance);
        allHaveBins = allHaveBins && !part.bins.isEmpty();
    }
    all.sigma = std::sqrt(squares / all.count);
    if (!allHaveBins)
        return all;
    for (const Times& part : parts)
        for (auto bin = part.bins.begin(); bin != part.bins.end(); ++bin)
            all.bins[bin.key()] += bin.value();
    return all;
}

QMap<double, double> percentilesOf(const Times& times) {
    if (times.bins.isEmpty())
        return times.percentiles;
    QMap<double, double> percentiles = times.percentiles;
    for (const double percent : shownPercentiles)
        if (const auto value = percentileOf(times.bins, percent))
            percentiles.insert(percent, *value);
    return percentiles;
}

std::optional<Latency> latencyOf(const QList<Times>& whole, const QList<Times>& completion) {
    const QList<Times>& parts = whole.isEmpty() ? completion : whole;
    if (parts.isEmpty())
        return {};
    const Times all = pooled(parts);
    Latency latency{all.mean, all.sigma, percentilesOf(all)};
    if (latency.percentiles.isEmpty() && !completion.isEmpty())
        latency.percentiles = percentilesOf(pooled(completion));
    return latency;
}

std::optional<IoFigures> sum(const QList<Direction>& parts) {
    if (parts.isEmpty())
        return {};
    IoFigures figures;
    QList<Times> whole;
    QList<Times> completion;
    for (const Direction& part : parts) {
        if (part.bandwidth)
            figures.bandwidth = figures.bandwidth.value_or(0) + *part.bandwidth;
        if (part.iops)
            figures.iops = figures.iops.value_or(0) + *part.iops;
        if (part.latency)
            whole.append(*part.latency);
        if (part.completion)
            completion.append(*part.completion);
    }
    figures.latency = latencyOf(whole, completion);
    return figures.isEmpty() ? std::nullopt : std::optional(figures);
}

Result<> checkSuccess(const QJsonObject& job) {
    const int code = job.value(QLatin1String("error")).toInt();
    if (code == 0)
        return {};
    return fail(Error::fromErrno(Tr::tr("fio stopped the workload before its end."), code));
}

int majorOf(const QString& version) {
    static const QRegularExpression pattern(QStringLiteral("(\\d{1,4})\\."));
    return pattern.match(version).captured(1).toInt();
}

} // namespace

Result<FioReport> FioReport::fromJson(const QJsonObject& json) {
    const QString version = json.value(QLatin1String("fio version")).toString();
    const QJsonValue jobsValue = json.value(QLatin1String("jobs"));
    if (version.isEmpty() || !jobsValue.isArray())
        return fail(Error::Kind::Integrity,
                    Tr::tr("This is no result of fio: \"fio version\" or the list \"jobs\" is "
                           "missing. Let fio write it with --output-format json."));
    const QJsonArray jobs = jobsValue.toArray();
    if (jobs.isEmpty() || jobs.size() > maximumJobs)
        return fail(Error::Kind::Integrity,
                    Tr::tr("The result of fio has %1 jobs. Look at its command line and run it "
                           "again.")
                        .arg(jobs.size()));
    FioReport report;
    report.version = version;
    report.raw = json;
    const int major = majorOf(version);
    QList<Direction> reads;
    QList<Direction> writes;
    QList<Times> syncs;
    for (qsizetype i = 0; i < jobs.size(); ++i) {
        const QString at = QStringLiteral("jobs[%1]").arg(i);
        if (!jobs.at(i).isObject())
            return fail(wrongType(at, Tr::tr("an object")));
        const QJsonObject job = jobs.at(i).toObject();
        if (const auto checked = checkSuccess(job); !checked)
            return fail(checked.error());
        JsonReader reader(job, at);
        const QJsonObject read = reader.object("read");
        const QJsonObject write = reader.object("write");
        JsonReader syncReader(reader.object("sync"), at + QStringLiteral(".sync"));
        if (reader.error())
            return fail(*reader.error());
        const auto readPart = directionFrom(read, major, at + QStringLiteral(".read"));
        if (!readPart)
            return fail(readPart.error());
        const auto writePart = directionFrom(write, major, at + QStringLiteral(".write"));
        if (!writePart)
            return fail(writePart.error());
        const auto syncPart = timesFrom(syncReader, "lat", at + QStringLiteral(".sync"));
        if (!syncPart)
            return fail(syncPart.error());
        if (syncReader.error())
            return fail(*syncReader.error());
        if (*readPart)
            reads.append(**readPart);
        if (*writePart)
            writes.append(**writePart);
        if (*syncPart)
            syncs.append(**syncPart);
    }
    report.figures.read = sum(reads);
    report.figures.write = sum(writes);
    if (const auto latency = latencyOf(syncs, {}))
        report.figures.sync = IoFigures{{}, {}, latency};
    QJsonObject options = json.value(QLatin1String("global options")).toObject();
    const QJsonObject own = jobs.first().toObject().value(QLatin1String("job options")).toObject();
    for (auto it = own.begin(); it != own.end(); ++it)
        options.insert(it.key(), it.value());
    report.options = FioOptions::fromJson(options);
    return report;
}

Result<FioReport> FioReport::fromOutput(const QByteArray& output) {
    const QString what = Tr::tr("The output of fio");
    if (output.size() > maximumFioOutput)
        return fail(Error::Kind::Integrity,
                    Tr::tr("The output of fio is larger than 64 MiB and is not read. Run it with "
                           "--output-format json and without logs."));
    qsizetype start = output.startsWith('{') ? 0 : output.indexOf("\n{") + 1;
    if (start == 0 && !output.startsWith('{') && !output.trimmed().startsWith('[')) {
        const QByteArray text = output.trimmed();
        if (!text.isEmpty())
            return fail(Error::Kind::Integrity,
                        Tr::tr("The output of fio holds no result, only: %1. Correct what it says "
                               "and run it again.")
                            .arg(QString::fromUtf8(text.left(300)).simplified()));
    }
    const auto json = jsonObjectFrom(output.mid(start), what);
    if (!json)
        return fail(json.error());
    return fromJson(*json);
}

} // namespace vitrine::bench
