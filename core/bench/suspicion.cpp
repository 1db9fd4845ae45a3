// SPDX-License-Identifier: Apache-2.0
#include "core/bench/suspicion.h"

#include "core/bench/fio_options.h"
#include "core/bench/suite.h"
#include "core/bench/tart_table.h"
#include "core/value/byte_count.h"

#include <QHash>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace vitrine::bench {

namespace {

constexpr double allowedMismatch = 0.15;
constexpr double fastestDevice = 15.75e9; // bytes per second: PCIe 5.0 with four lanes
// A buffered run is called the page cache's where its files fill at most a quarter of the memory
// and it is faster than this, or where it beats its pair past the cache by this much.
constexpr double cacheSpeed = 1e9;    // bytes per second
constexpr double smallWorkingSet = 4; // times it goes into memory
constexpr double cacheFactor = 1.5;
constexpr double unsteadyFactor = 10;
constexpr double outlierFactor = 5;      // times the median distance from the median
constexpr double leastOutlier = 0.02;    // of the median: closer is never one
constexpr qsizetype leastForOutlier = 5; // rounds

struct Knowledge {
    QHash<QString, Workload> workloads; // of the shipped suites
    std::optional<double> device;       // bytes per second
    std::optional<double> memory;       // bytes
    QJsonObject workingSets;
};

std::optional<double> memoryOf(const QJsonObject& host) {
    const QJsonValue stated = host.value(QLatin1String("memory_bytes"));
    if (stated.isDouble())
        return stated.toDouble();
    static const QRegularExpression pattern(QStringLiteral("(\\d{1,5}) ?GB RAM"));
    const auto match = pattern.match(host.value(QLatin1String("hardware")).toString());
    return match.hasMatch() ? std::optional(match.captured(1).toDouble() * (1U << 30U))
                            : std::nullopt;
}

Knowledge knowledgeOf(const Campaign& campaign) {
    Knowledge known;
    for (const Suite& suite : shippedSuites())
        for (const Workload& workload : suite.workloads)
            known.workloads.insert(workload.name, workload);
    const QJsonValue device = campaign.host.value(QLatin1String("device_bytes_per_s"));
    if (device.isDouble() && device.toDouble() > 0)
        known.device = device.toDouble();
    known.memory = memoryOf(campaign.host);
    known.workingSets = campaign.plan.value(QLatin1String("workingSets")).toObject();
    return known;
}

// nullopt: nothing is known of how it was measured.
std::optional<FioOptions> optionsOf(const BenchRun& run, const Knowledge& known) {
    const QJsonValue job = run.raw.value(QLatin1String("jobs"))[0];
    if (job.isObject()) {
        QJsonObject options = run.raw.value(QLatin1String("global options")).toObject();
        const QJsonObject own = job[QLatin1String("job options")].toObject();
        for (auto it = own.begin(); it != own.end(); ++it)
            options.insert(it.key(), it.value());
        return FioOptions::fromJson(options);
    }
    if (!run.command.isEmpty())
        return FioOptions::fromCommand(run.command);
    if (const auto it = known.workloads.constFind(run.workload); it != known.workloads.constEnd())
        return FioOptions::fromCommand(it->command);
    if (const QJsonValue size = known.workingSets.value(run.workload); size.isDouble()) {
        FioOptions options;
        options.size = static_cast<quint64>(size.toDouble());
        return options;
    }
    return {};
}

QString percentText(double fraction) {
    return QLocale().toString(fraction * 100, 'f', 0);
}

class Judge final {
public:
    explicit Judge(const Campaign& campaign)
        : m_campaign(campaign)
        , m_known(knowledgeOf(campaign)) {
        for (const BenchRun& run : campaign.runs)
            if (run.options.value(QLatin1String("kind")) == QLatin1String("host"))
                m_host = run.executor;
        for (const Series& series : seriesOf(campaign))
            m_typical.insert({series.workload, series.executor}, typicalOf(series));
    }

    QList<Suspicion> all() {
        judgeCampaign();
        for (const BenchRun& run : m_campaign.runs)
            judge(run);
        for (const Series& series : seriesOf(m_campaign))
            judgeRounds(series);
        return std::move(m_found);
    }

private:
    void add(Suspicion::Kind kind, const BenchRun& run, const QString& reason) {
        m_found.append({kind, run.workload, run.executor, run.round, reason});
    }

    void judgeCampaign() {
        for (const QString& note : m_campaign.notes)
            m_found.append({Suspicion::Kind::Campaign, {}, {}, 0, note});
        const QString host = m_campaign.host.value(QLatin1String("os")).toString();
        const QString guest = m_campaign.guest.value(QLatin1String("os")).toString();
        const bool alike = host == guest || host.startsWith(guest) || guest.startsWith(host);
        if (!host.isEmpty() && !guest.isEmpty() && !alike)
            m_found.append(
                {Suspicion::Kind::Campaign,
                 {},
                 {},
                 0,
                 Tr::tr("Host and guest run different systems (%1 and %2): not all of the "
                        "difference is the machine's.")
                     .arg(host, guest)});
    }

    void judge(const BenchRun& run) {
        if (!run.failure.isEmpty()) {
            add(Suspicion::Kind::Failed, run, run.failure);
            return;
        }
        if (!run.remark.isEmpty())
            add(Suspicion::Kind::Remark, run, run.remark);
        const auto options = optionsOf(run, m_known);
        if (run.figures.read)
            judge(run, *run.figures.read, true, options);
        if (run.figures.write)
            judge(run, *run.figures.write, false, options);
        if (run.figures.sync && run.figures.sync->latency)
            judgeSpread(run, *run.figures.sync->latency, Tr::tr("sync"));
    }

    void judge(const BenchRun& run,
               const IoFigures& io,
               bool isRead,
               const std::optional<FioOptions>& options) {
        const QString direction = isRead ? Tr::tr("read") : Tr::tr("write");
        if (io.bandwidth && options)
            judgeMismatch(run, io, direction, *options);
        if (io.bandwidth)
            judgeSpeed(run, *io.bandwidth, isRead, direction, options);
        if (io.latency)
            judgeSpread(run, *io.latency, direction);
    }

    void judgeMismatch(const BenchRun& run,
                       const IoFigures& io,
                       const QString& direction,
                       const FioOptions& options) {
        if (!io.iops || !options.blockSize || *options.blockSize == 0)
            return;
        const double expected = *io.iops * static_cast<double>(*options.blockSize);
        const double off = *io.bandwidth / expected - 1;
        if (std::abs(off) <= allowedMismatch)
            return;
        add(Suspicion::Kind::Mismatch,
            run,
            Tr::tr("%1: %2 are %3 % off %4 times blocks of %5 bytes (%6). One of the two figures "
                   "is wrong.")
                .arg(direction,
                     bandwidthText(*io.bandwidth),
                     (off > 0 ? QStringLiteral("+") : QString()) + percentText(off),
                     iopsText(*io.iops))
                .arg(*options.blockSize)
                .arg(bandwidthText(expected)));
    }

    // A half of a page-cache check that the cache is meant to answer; told once.
    bool isMeantForTheCache(const BenchRun& run) {
        if (run.options.value(QLatin1String("cache")) != QLatin1String("cached"))
            return false;
        const bool isTold = std::any_of(m_found.begin(), m_found.end(), [&run](const auto& one) {
            return one.kind == Suspicion::Kind::PageCache && one.workload == run.workload &&
                   one.executor == run.executor;
        });
        if (!isTold)
            m_found.append({Suspicion::Kind::PageCache,
                            run.workload,
                            run.executor,
                            0,
                            Tr::tr("This comes from the page cache; that is what it is for.")});
        return true;
    }

    void judgeSpeed(const BenchRun& run,
                    double bandwidth,
                    bool isRead,
                    const QString& direction,
                    const std::optional<FioOptions>& options) {
        const double limit = m_known.device.value_or(fastestDevice);
        const bool isAbove = bandwidth > limit;
        if (isAbove)
            add(Suspicion::Kind::AboveDevice,
                run,
                (m_known.device
                     ? Tr::tr("%1: %2 are more than the disk can do (%3).")
                     : Tr::tr("%1: %2 are more than any single disk can do (%3, PCIe 5.0 x4)."))
                    .arg(direction, bandwidthText(bandwidth), bandwidthText(limit)));
        if (isMeantForTheCache(run))
            return;
        if (options && !options->direct && !options->syncsWrites)
            judgeCache(run, bandwidth, isRead, direction, *options, isAbove);
        else if (options && options->direct)
            judgeAgainstHost(run, isRead, direction);
    }

    // A guest that passes by its own page cache may still meet the one of this computer. Rounds
    // differ: what they amount to is compared.
    void judgeAgainstHost(const BenchRun& run, bool isRead, const QString& direction) {
        if (run.options.value(QLatin1String("kind")) != QLatin1String("vm"))
            return;
        const auto guest = typicalBandwidth({run.workload, run.executor}, isRead);
        const auto host = typicalBandwidth({run.workload, m_host}, isRead);
        if (!guest || !host || *guest <= *host * cacheFactor)
            return;
        add(Suspicion::Kind::PageCache,
            run,
            Tr::tr("%1: %2 are %3 times what the host itself reaches past its page cache (%4): "
                   "this is the page cache of the host.")
                .arg(direction,
                     bandwidthText(*guest),
                     QLocale().toString(*guest / *host, 'f', 1),
                     bandwidthText(*host)));
    }

    [[nodiscard]] std::optional<double> typicalBandwidth(const std::pair<QString, QString>& series,
                                                         bool isRead) const {
        const auto typical = m_typical.constFind(series);
        if (typical == m_typical.constEnd())
            return {};
        const auto& io = isRead ? typical->read : typical->write;
        return io ? io->bandwidth : std::nullopt;
    }

    void judgeCache(const BenchRun& run,
                    double bandwidth,
                    bool isRead,
                    const QString& direction,
                    const FioOptions& options,
                    bool isAbove) {
        if (const auto direct = pairOf(run, isRead); direct && bandwidth > *direct * cacheFactor) {
            add(Suspicion::Kind::PageCache,
                run,
                Tr::tr("%1: %2 are %3 times what the same pattern reaches past the page cache "
                       "(%4): this is the cache.")
                    .arg(direction,
                         bandwidthText(bandwidth),
                         QLocale().toString(bandwidth / *direct, 'f', 1),
                         bandwidthText(*direct)));
            return;
        }
        const auto workingSet = options.workingSet();
        if (m_known.memory && workingSet && bandwidth >= cacheSpeed &&
            static_cast<double>(*workingSet) * smallWorkingSet <= *m_known.memory) {
            add(Suspicion::Kind::PageCache,
                run,
                Tr::tr("%1: %2 through the page cache, on files (%3) that fit into the memory "
                       "(%4): this is the speed of the cache.")
                    .arg(direction,
                         bandwidthText(bandwidth),
                         ByteCount::fromBytes(*workingSet).toText(),
                         ByteCount::fromBytes(static_cast<quint64>(*m_known.memory))
                             .toMemoryText()));
            return;
        }
        if (isAbove)
            add(Suspicion::Kind::PageCache,
                run,
                Tr::tr("%1: %2 through the page cache and above the disk: this is the speed of "
                       "the cache.")
                    .arg(direction, bandwidthText(bandwidth)));
    }

    // What the same pattern reached past the page cache, bytes per second.
    [[nodiscard]] std::optional<double> pairOf(const BenchRun& run, bool isRead) const {
        const auto workload = m_known.workloads.constFind(run.workload);
        if (workload == m_known.workloads.constEnd() || workload->pair.isEmpty())
            return {};
        return typicalBandwidth({workload->pair, run.executor}, isRead);
    }

    void judgeSpread(const BenchRun& run, const Latency& latency, const QString& direction) {
        if (!latency.sigma || latency.mean <= 0 || *latency.sigma < latency.mean * unsteadyFactor)
            return;
        add(Suspicion::Kind::Unsteady,
            run,
            Tr::tr("%1: latencies of %2 on average have a standard deviation of %3. The mean says "
                   "little; look at the percentiles.")
                .arg(direction, goDuration(latency.mean), goDuration(*latency.sigma)));
    }

    void judgeRounds(const Series& series) {
        if (series.runs.size() < leastForOutlier)
            return;
        for (const Metric metric : {Metric::ReadBandwidth, Metric::WriteBandwidth, Metric::Elapsed})
            judgeRounds(series, metric);
    }

    void judgeRounds(const Series& series, Metric metric) {
        const QList<double> values = valuesOf(series, metric);
        if (values.size() < leastForOutlier)
            return;
        const double median = medianOf(values);
        QList<double> distances;
        for (const double value : values)
            distances.append(std::abs(value - median));
        const double limit =
            std::max(medianOf(distances) * outlierFactor, std::abs(median) * leastOutlier);
        for (const BenchRun& run : series.runs) {
            const auto value = valueOf(run.figures, metric);
            if (!value || std::abs(*value - median) <= limit)
                continue;
            add(Suspicion::Kind::Outlier,
                run,
                Tr::tr("Round %1: %2 is %3 % off the median of all rounds. It counts; look at what "
                       "else the computer did.")
                    .arg(run.round)
                    .arg(nameOf(metric), percentText(*value / median - 1)));
        }
    }

    const Campaign& m_campaign;
    Knowledge m_known;
    QString m_host; // the executor that is the host; empty: none
    QHash<std::pair<QString, QString>, Measurement> m_typical;
    QList<Suspicion> m_found;
};

} // namespace

QList<Suspicion> suspicionsOf(const Campaign& campaign) {
    return Judge(campaign).all();
}

QString wordOf(Suspicion::Kind kind) {
    switch (kind) {
    case Suspicion::Kind::Mismatch:
        return QStringLiteral("mismatch");
    case Suspicion::Kind::AboveDevice:
        return QStringLiteral("above-device");
    case Suspicion::Kind::PageCache:
        return QStringLiteral("page-cache");
    case Suspicion::Kind::Unsteady:
        return QStringLiteral("unsteady");
    case Suspicion::Kind::Outlier:
        return QStringLiteral("outlier");
    case Suspicion::Kind::Remark:
        return QStringLiteral("remark");
    case Suspicion::Kind::Failed:
        return QStringLiteral("failed");
    case Suspicion::Kind::Campaign:
        break;
    }
    return QStringLiteral("campaign");
}

} // namespace vitrine::bench
