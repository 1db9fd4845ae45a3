// SPDX-License-Identifier: Apache-2.0
#include "core/bench/measurement.h"

#include "core/bench/json_reader.h"

namespace vitrine::bench {

namespace {

Result<std::optional<Latency>> latencyFrom(const QJsonObject& object, const QString& where) {
    JsonReader reader(object, where);
    const auto mean = reader.number("mean");
    Latency latency{mean.value_or(0), reader.number("stddev"), {}};
    const QJsonObject percentiles = reader.object("percentiles");
    for (auto it = percentiles.begin(); it != percentiles.end(); ++it) {
        bool isNumber = false;
        const double percent = it.key().toDouble(&isNumber);
        if (!isNumber || !it->isDouble() || it->toDouble() < 0)
            reader.refuse(QStringLiteral("percentiles"), Tr::tr("numbers of nanoseconds"));
        latency.percentiles.insert(percent, it->toDouble());
    }
    if (reader.error())
        return fail(*reader.error());
    return mean ? std::optional(latency) : std::nullopt;
}

Result<std::optional<IoFigures>> figuresFrom(const QJsonObject& object, const QString& where) {
    JsonReader reader(object, where);
    IoFigures figures{reader.number("bytes_per_s"), reader.number("iops"), {}};
    const QJsonObject latency = reader.object("latency_ns");
    if (reader.error())
        return fail(*reader.error());
    const auto read = latencyFrom(latency, where + QStringLiteral(".latency_ns"));
    if (!read)
        return fail(read.error());
    figures.latency = *read;
    return figures.isEmpty() ? std::nullopt : std::optional(figures);
}

QJsonObject toJson(const Latency& latency) {
    QJsonObject object{{QStringLiteral("mean"), latency.mean}};
    if (latency.sigma)
        object.insert(QStringLiteral("stddev"), *latency.sigma);
    QJsonObject percentiles;
    for (auto it = latency.percentiles.begin(); it != latency.percentiles.end(); ++it)
        percentiles.insert(QString::number(it.key()), it.value());
    if (!percentiles.isEmpty())
        object.insert(QStringLiteral("percentiles"), percentiles);
    return object;
}

QJsonObject toJson(const IoFigures& figures) {
    QJsonObject object;
    if (figures.bandwidth)
        object.insert(QStringLiteral("bytes_per_s"), *figures.bandwidth);
    if (figures.iops)
        object.insert(QStringLiteral("iops"), *figures.iops);
    if (figures.latency)
        object.insert(QStringLiteral("latency_ns"), toJson(*figures.latency));
    return object;
}

Result<std::optional<Elapsed>> elapsedFrom(const QJsonValue& value) {
    if (value.isUndefined())
        return std::nullopt;
    const QString key = QStringLiteral("elapsed_s");
    if (!value.isObject() && !value.isDouble())
        return fail(wrongType(key, Tr::tr("a number of seconds")));
    JsonReader reader(
        value.isObject() ? value.toObject() : QJsonObject{{QStringLiteral("mean"), value}}, key);
    const auto mean = reader.number("mean");
    Elapsed elapsed{mean.value_or(0),
                    static_cast<int>(std::min(reader.number("runs").value_or(1), 1e6)),
                    reader.number("stddev"),
                    reader.number("min"),
                    reader.number("max")};
    if (!mean)
        reader.refuse(key, Tr::tr("a number of seconds"));
    if (reader.error())
        return fail(*reader.error());
    return elapsed;
}

} // namespace

void Measurement::writeTo(QJsonObject& object) const {
    if (read)
        object.insert(QStringLiteral("read"), toJson(*read));
    if (write)
        object.insert(QStringLiteral("write"), toJson(*write));
    if (sync)
        object.insert(QStringLiteral("sync"), toJson(*sync));
    if (elapsed && elapsed->runs == 1 && !elapsed->sigma) {
        object.insert(QStringLiteral("elapsed_s"), elapsed->seconds);
    } else if (elapsed) {
        QJsonObject spread{{QStringLiteral("mean"), elapsed->seconds},
                           {QStringLiteral("runs"), elapsed->runs}};
        const std::pair<const char*, std::optional<double>> values[]{
            {"stddev", elapsed->sigma}, {"min", elapsed->minimum}, {"max", elapsed->maximum}};
        for (const auto& [key, value] : values)
            if (value)
                spread.insert(QLatin1String(key), *value);
        object.insert(QStringLiteral("elapsed_s"), spread);
    }
    if (cpu)
        object.insert(QStringLiteral("cpu_s"),
                      QJsonObject{{QStringLiteral("user"), cpu->user},
                                  {QStringLiteral("system"), cpu->system}});
}

Result<Measurement> Measurement::takeFrom(QJsonObject& object) {
    Measurement measurement;
    const std::pair<const char*, std::optional<IoFigures>*> directions[]{
        {"read", &measurement.read}, {"write", &measurement.write}, {"sync", &measurement.sync}};
    for (const auto& [key, figures] : directions) {
        const QJsonValue value = object.take(QLatin1String(key));
        if (value.isUndefined())
            continue;
        const auto read = value.isObject()
                              ? figuresFrom(value.toObject(), QLatin1String(key))
                              : fail(wrongType(QLatin1String(key), Tr::tr("an object")));
        if (!read)
            return fail(read.error());
        *figures = *read;
    }
    const auto elapsed = elapsedFrom(object.take(QStringLiteral("elapsed_s")));
    if (!elapsed)
        return fail(elapsed.error());
    measurement.elapsed = *elapsed;
    if (const QJsonValue value = object.take(QStringLiteral("cpu_s")); !value.isUndefined()) {
        JsonReader reader(value.toObject(), QStringLiteral("cpu_s"));
        const auto user = reader.number("user");
        const auto system = reader.number("system");
        if (!user || !system)
            reader.refuse(QStringLiteral("cpu_s"), Tr::tr("an object with user and system"));
        if (reader.error())
            return fail(*reader.error());
        measurement.cpu = CpuTime{user.value_or(0), system.value_or(0)};
    }
    return measurement;
}

std::optional<double> valueOf(const Measurement& measurement, Metric metric) {
    const auto bandwidth = [](const auto& io) { return io ? io->bandwidth : std::nullopt; };
    const auto iops = [](const auto& io) { return io ? io->iops : std::nullopt; };
    const auto latency = [](const auto& io) {
        return io && io->latency ? std::optional(io->latency->mean) : std::nullopt;
    };
    switch (metric) {
    case Metric::ReadBandwidth:
        return bandwidth(measurement.read);
    case Metric::WriteBandwidth:
        return bandwidth(measurement.write);
    case Metric::ReadIops:
        return iops(measurement.read);
    case Metric::WriteIops:
        return iops(measurement.write);
    case Metric::ReadLatency:
        return latency(measurement.read);
    case Metric::WriteLatency:
        return latency(measurement.write);
    case Metric::SyncLatency:
        return latency(measurement.sync);
    case Metric::Elapsed:
        break;
    }
    return measurement.elapsed ? std::optional(measurement.elapsed->seconds) : std::nullopt;
}

bool moreIsBetter(Metric metric) {
    return metric == Metric::ReadBandwidth || metric == Metric::WriteBandwidth ||
           metric == Metric::ReadIops || metric == Metric::WriteIops;
}

QString wordOf(Metric metric) {
    constexpr std::array words{"read.bandwidth",
                               "write.bandwidth",
                               "read.iops",
                               "write.iops",
                               "read.latency",
                               "write.latency",
                               "sync.latency",
                               "elapsed"};
    return QLatin1String(words.at(static_cast<std::size_t>(metric)));
}

QString nameOf(Metric metric) {
    switch (metric) {
    case Metric::ReadBandwidth:
        return Tr::tr("read bandwidth");
    case Metric::WriteBandwidth:
        return Tr::tr("write bandwidth");
    case Metric::ReadIops:
        return Tr::tr("read IOPS");
    case Metric::WriteIops:
        return Tr::tr("write IOPS");
    case Metric::ReadLatency:
        return Tr::tr("read latency");
    case Metric::WriteLatency:
        return Tr::tr("write latency");
    case Metric::SyncLatency:
        return Tr::tr("sync latency");
    case Metric::Elapsed:
        break;
    }
    return Tr::tr("time");
}

QString unitOf(Metric metric) {
    switch (metric) {
    case Metric::ReadBandwidth:
    case Metric::WriteBandwidth:
        return QStringLiteral("bytes/s");
    case Metric::ReadIops:
    case Metric::WriteIops:
        return QStringLiteral("1/s");
    case Metric::Elapsed:
        return QStringLiteral("s");
    default:
        return QStringLiteral("ns");
    }
}

} // namespace vitrine::bench
