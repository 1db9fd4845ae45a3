// SPDX-License-Identifier: Apache-2.0
#include "core/bench/campaign.h"

#include "core/bench/cache_check.h"
#include "core/bench/json_reader.h"

namespace vitrine::bench {

namespace {

constexpr int maximumRounds = 1'000'000;
const QLatin1String formatName("vitrine-benchmark");

template <class Enum>
struct Word {
    Enum value;
    const char* word;
};
constexpr std::array origins{Word<Campaign::Origin>{Campaign::Origin::Measured, "measured"},
                             Word<Campaign::Origin>{Campaign::Origin::Imported, "imported"},
                             Word<Campaign::Origin>{Campaign::Origin::Published, "published"}};
constexpr std::array states{Word<Campaign::State>{Campaign::State::Complete, "complete"},
                            Word<Campaign::State>{Campaign::State::Running, "running"},
                            Word<Campaign::State>{Campaign::State::Cancelled, "cancelled"}};

template <class Words, class Enum>
QString wordFor(const Words& words, Enum value) {
    for (const auto& entry : words)
        if (entry.value == value)
            return QLatin1String(entry.word);
    return {};
}

template <class Words, class Enum>
void takeWord(JsonReader& reader, const char* key, const Words& words, Enum& value) {
    const QString text = reader.text(key);
    if (text.isEmpty())
        return;
    QStringList known;
    for (const auto& entry : words) {
        known.append(QLatin1String(entry.word));
        if (text == QLatin1String(entry.word)) {
            value = entry.value;
            return;
        }
    }
    reader.refuse(QLatin1String(key), Tr::tr("one of: %1").arg(known.join(QStringLiteral(", "))));
}

int wholeNumber(JsonReader& reader, const char* key) {
    const double value = reader.number(key).value_or(1);
    if (value >= 1 && value <= maximumRounds)
        return static_cast<int>(value);
    reader.refuse(QLatin1String(key), Tr::tr("a whole number from 1 on"));
    return 1;
}

Result<BenchRun> runFrom(QJsonObject object, const QString& at) {
    const auto figures = Measurement::takeFrom(object);
    if (!figures)
        return fail(Error{figures.error().kind,
                          Tr::tr("%1: %2").arg(at, figures.error().message),
                          figures.error().detail});
    JsonReader reader(object, at);
    BenchRun run;
    run.figures = *figures;
    run.workload = reader.text("workload");
    run.executor = reader.text("executor");
    run.options = reader.object("options");
    run.round = wholeNumber(reader, "round");
    run.command = reader.text("command");
    run.started = reader.text("started");
    run.tool = reader.text("tool");
    run.noise = reader.object("noise");
    run.raw = reader.object("raw");
    run.evidence = reader.object("evidence");
    run.failure = reader.text("failure");
    run.remark = reader.text("remark");
    if (run.workload.isEmpty())
        reader.refuse(QStringLiteral("workload"), Tr::tr("the name of a workload"));
    if (run.executor.isEmpty())
        reader.refuse(QStringLiteral("executor"), Tr::tr("the name of an executor"));
    if (reader.error())
        return fail(*reader.error());
    run.unknown = reader.rest();
    return run;
}

QJsonObject toJson(const BenchRun& run) {
    QJsonObject object = run.unknown;
    const auto set = [&object](const char* key, const auto& value) {
        if (!value.isEmpty())
            object.insert(QLatin1String(key), value);
    };
    set("workload", run.workload);
    set("executor", run.executor);
    set("options", run.options);
    object.insert(QStringLiteral("round"), run.round);
    set("command", run.command);
    set("started", run.started);
    set("tool", run.tool);
    run.figures.writeTo(object);
    set("noise", run.noise);
    set("raw", run.raw);
    set("evidence", run.evidence);
    set("failure", run.failure);
    set("remark", run.remark);
    return object;
}

// The set of page-cache invalidations is a tree: computer, pattern, chunk of mmap -> seconds.
QJsonArray flattened(const QJsonObject& tree) {
    QJsonArray runs;
    const auto add =
        [&runs](const QString& workload, const QString& computer, const QJsonValue& s) {
            runs.append(QJsonObject{{QStringLiteral("workload"), workload},
                                    {QStringLiteral("executor"), computer},
                                    {QStringLiteral("options"),
                                     QJsonObject{{QStringLiteral("kind"), QStringLiteral("host")}}},
                                    {QStringLiteral("elapsed_s"), s}});
        };
    for (auto computer = tree.begin(); computer != tree.end(); ++computer) {
        const QJsonObject patterns = computer->toObject();
        for (auto pattern = patterns.begin(); pattern != patterns.end(); ++pattern) {
            const QString name = QStringLiteral("invalidate after %1").arg(pattern.key());
            if (!pattern->isObject()) {
                add(name, computer.key(), *pattern);
                continue;
            }
            const QJsonObject chunks = pattern->toObject();
            for (auto chunk = chunks.begin(); chunk != chunks.end(); ++chunk)
                add(QStringLiteral("%1, chunks of %2").arg(name, chunk.key()),
                    computer.key(),
                    *chunk);
        }
    }
    return runs;
}

// Cached against invalidated reads, as two executors of one workload.
void addCacheCheck(const QJsonObject& check, QJsonArray& runs) {
    for (const char* state : {"cached", "invalidated"}) {
        const QJsonValue value = check.value(QLatin1String(state) + QStringLiteral("_bytes_per_s"));
        if (value.isUndefined())
            continue;
        runs.append(QJsonObject{
            {QStringLiteral("workload"), QStringLiteral("page-cache check")},
            {QStringLiteral("executor"), QLatin1String(state)},
            {QStringLiteral("options"),
             QJsonObject{{QStringLiteral("kind"), QStringLiteral("host")},
                         {QStringLiteral("cache"), QLatin1String(state)}}},
            {QStringLiteral("read"), QJsonObject{{QStringLiteral("bytes_per_s"), value}}}});
    }
}

Result<> addRuns(const QJsonArray& list, const QString& key, QList<BenchRun>& runs) {
    for (qsizetype i = 0; i < list.size(); ++i) {
        const QString at = QStringLiteral("%1[%2]").arg(key).arg(i);
        if (!list.at(i).isObject())
            return fail(wrongType(at, Tr::tr("an object")));
        const auto run = runFrom(list.at(i).toObject(), at);
        if (!run)
            return fail(run.error());
        runs.append(*run);
    }
    return {};
}

QJsonArray statisticsOf(const Campaign& campaign) {
    QJsonArray all;
    for (const Series& series : seriesOf(campaign)) {
        QJsonObject values;
        for (const Metric metric : allMetrics) {
            const auto summary = summaryOf(series, metric);
            if (!summary)
                continue;
            QJsonObject object{{QStringLiteral("unit"), unitOf(metric)},
                               {QStringLiteral("count"), summary->count},
                               {QStringLiteral("median"), summary->median},
                               {QStringLiteral("mean"), summary->mean},
                               {QStringLiteral("min"), summary->minimum},
                               {QStringLiteral("max"), summary->maximum}};
            if (summary->sigma)
                object.insert(QStringLiteral("stddev"), *summary->sigma);
            if (summary->interval)
                object.insert(QStringLiteral("interval95"),
                              QJsonArray{summary->interval->low, summary->interval->high});
            values.insert(wordOf(metric), object);
        }
        all.append(QJsonObject{{QStringLiteral("workload"), series.workload},
                               {QStringLiteral("executor"), series.executor},
                               {QStringLiteral("values"), values}});
    }
    return all;
}

// The median of what the runs have; absent where none has it.
template <class Get>
auto medianOfAll(const QList<BenchRun>& runs, const Get& get) -> std::optional<double> {
    QList<double> values;
    for (const BenchRun& run : runs)
        if (const std::optional<double> value = get(run.figures))
            values.append(*value);
    return values.isEmpty() ? std::nullopt : std::optional(medianOf(values));
}

std::optional<Latency> typicalLatency(const QList<BenchRun>& runs,
                                      std::optional<IoFigures> Measurement::*direction) {
    const auto of = [direction](const Measurement& figures) -> const Latency* {
        const auto& io = figures.*direction;
        return io && io->latency ? &*io->latency : nullptr;
    };
    const auto mean = medianOfAll(runs, [&](const Measurement& figures) {
        return of(figures) ? std::optional(of(figures)->mean) : std::nullopt;
    });
    if (!mean)
        return {};
    Latency latency{*mean, {}, {}};
    latency.sigma = medianOfAll(runs, [&](const Measurement& figures) {
        return of(figures) ? of(figures)->sigma : std::nullopt;
    });
    QMap<double, QList<double>> percentiles;
    for (const BenchRun& run : runs)
        if (const Latency* one = of(run.figures))
            for (auto it = one->percentiles.begin(); it != one->percentiles.end(); ++it)
                percentiles[it.key()].append(it.value());
    for (auto it = percentiles.begin(); it != percentiles.end(); ++it)
        latency.percentiles.insert(it.key(), medianOf(it.value()));
    return latency;
}

} // namespace

Result<Campaign> Campaign::fromJson(const QJsonObject& json) {
    JsonReader reader(json);
    Campaign campaign;
    const bool isOurs = json.contains(QLatin1String("format"));
    const QString format = reader.text("format");
    const double version = reader.number("version").value_or(0);
    if (isOurs && (format != formatName || version < 1))
        return fail(
            Error::Kind::Integrity,
            Tr::tr("This is no campaign: \"format\" must be \"%1\" and \"version\" a number "
                   "from 1 on. Take the right file.")
                .arg(formatName));
    if (isOurs && version > campaignVersion)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The campaign was written by a newer Vitrine (version %1 of the file; "
                           "this one reads %2). Use the newer one.")
                        .arg(version)
                        .arg(campaignVersion));
    if (!isOurs && !json.contains(QLatin1String("results")))
        return fail(Error::Kind::Integrity,
                    Tr::tr("These are no results of a benchmark: neither \"format\" nor "
                           "\"results\" is there. Take the right file."));
    campaign.origin = isOurs ? Origin::Measured : Origin::Published;
    campaign.id = reader.text("id");
    campaign.title = reader.text("title");
    campaign.date = reader.text("date");
    campaign.suite = reader.text("suite");
    campaign.source = reader.text("source");
    campaign.host = reader.object("host");
    campaign.guest = reader.object("guest");
    QJsonArray runs;
    if (isOurs) {
        takeWord(reader, "origin", origins, campaign.origin);
        takeWord(reader, "state", states, campaign.state);
        campaign.rounds = wholeNumber(reader, "rounds");
        campaign.plan = reader.object("plan");
        for (const QJsonValue& note : reader.list("notes"))
            campaign.notes.append(note.toString());
        runs = reader.list("runs");
        (void)reader.list("statistics");
        (void)reader.list("cache_checks");
    } else if (json.value(QLatin1String("results")).isObject()) {
        runs = flattened(reader.object("results"));
        addCacheCheck(reader.object("cached_read_check"), runs);
    } else {
        runs = reader.list("results");
    }
    if (reader.error())
        return fail(*reader.error());
    const auto added =
        addRuns(runs, isOurs ? QStringLiteral("runs") : QStringLiteral("results"), campaign.runs);
    if (!added)
        return fail(added.error());
    campaign.unknown = reader.rest();
    return campaign;
}

QJsonObject Campaign::toJson() const {
    QJsonObject object = unknown;
    object.insert(QStringLiteral("format"), formatName);
    object.insert(QStringLiteral("version"), campaignVersion);
    const auto set = [&object](const char* key, const auto& value) {
        if (!value.isEmpty())
            object.insert(QLatin1String(key), value);
    };
    set("id", id);
    set("title", title);
    set("date", date);
    set("suite", suite);
    set("source", source);
    object.insert(QStringLiteral("origin"), wordFor(origins, origin));
    object.insert(QStringLiteral("state"), wordFor(states, state));
    object.insert(QStringLiteral("rounds"), rounds);
    set("host", host);
    set("guest", guest);
    set("plan", plan);
    set("notes", QJsonArray::fromStringList(notes));
    QJsonArray list;
    for (const BenchRun& run : runs)
        list.append(bench::toJson(run));
    object.insert(QStringLiteral("runs"), list);
    set("statistics", statisticsOf(*this));
    QJsonArray checks;
    for (const CacheCheck& check : cacheChecksOf(*this))
        checks.append(check.toJson());
    set("cache_checks", checks);
    return object;
}

QList<Series> seriesOf(const Campaign& campaign) {
    QList<Series> all;
    QHash<std::pair<QString, QString>, qsizetype> places;
    for (const BenchRun& run : campaign.runs) {
        if (!run.failure.isEmpty())
            continue;
        const std::pair key(run.workload, run.executor);
        auto place = places.constFind(key);
        if (place == places.constEnd()) {
            place = places.insert(key, all.size());
            all.append({run.workload, run.executor, run.options, {}});
        }
        all[*place].runs.append(run);
    }
    return all;
}

QList<double> valuesOf(const Series& series, Metric metric) {
    QList<double> values;
    for (const BenchRun& run : series.runs)
        if (const auto value = valueOf(run.figures, metric))
            values.append(*value);
    return values;
}

std::optional<Summary> summaryOf(const Series& series, Metric metric) {
    if (metric == Metric::Elapsed && series.runs.size() == 1) {
        const auto& elapsed = series.runs.first().figures.elapsed;
        if (elapsed && elapsed->runs > 1)
            return Summary{elapsed->runs,
                           elapsed->seconds, // no median was published
                           elapsed->seconds,
                           elapsed->minimum.value_or(elapsed->seconds),
                           elapsed->maximum.value_or(elapsed->seconds),
                           elapsed->sigma,
                           {}};
    }
    return summarize(valuesOf(series, metric));
}

Measurement typicalOf(const Series& series) {
    Measurement typical;
    for (const auto direction : {&Measurement::read, &Measurement::write, &Measurement::sync}) {
        const auto of = [direction](auto member) {
            return [direction, member](const Measurement& figures) {
                const auto& io = figures.*direction;
                return io ? (*io).*member : std::nullopt;
            };
        };
        const IoFigures io{medianOfAll(series.runs, of(&IoFigures::bandwidth)),
                           medianOfAll(series.runs, of(&IoFigures::iops)),
                           typicalLatency(series.runs, direction)};
        if (!io.isEmpty())
            typical.*direction = io;
    }
    if (const auto elapsed = summaryOf(series, Metric::Elapsed))
        typical.elapsed = Elapsed{elapsed->median,
                                  static_cast<int>(elapsed->count),
                                  elapsed->sigma,
                                  elapsed->minimum,
                                  elapsed->maximum};
    return typical;
}

} // namespace vitrine::bench
