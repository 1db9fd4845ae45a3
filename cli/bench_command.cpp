// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_command.h"

#include "cli/bench_delete.h"
#include "cli/bench_run.h"
#include "cli/bench_text.h"
#include "cli/output.h"
#include "core/bench/cache_check.h"
#include "core/bench/campaign_export.h"
#include "core/bench/campaign_import.h"
#include "core/bench/campaign_store.h"
#include "core/bench/comparison.h"
#include "core/bench/published.h"
#include "core/bench/suite.h"
#include "core/bench/suspicion.h"
#include "core/disk/disk_space.h"
#include "core/disk/file_descriptor.h"
#include "core/disk/small_file.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QLocale>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace vitrine::cli {

namespace {

using namespace bench;

constexpr int isSlower = 1;

struct Options {
    std::string action;
    std::vector<std::string> words;
    std::string executorA;
    std::string executorB;
    std::string failIfSlower;
    std::string title;
    std::vector<std::string> workloads;
    std::vector<std::string> executors;
    std::string host;
    std::string guest;
    std::string as = "json";
    std::string output;
    BenchRunOptions run;
    bool isNarrow = false;
    std::shared_ptr<bool> json;
};

Result<> checkWords(const Options& options, std::size_t least, std::size_t most, const char* what) {
    if (options.words.size() >= least && options.words.size() <= most)
        return {};
    return fail(Error::Kind::InvalidInput,
                Tr::tr("Write: vitrinectl bench %1 %2")
                    .arg(toQString(options.action), QLatin1String(what)));
}

QString stateText(Campaign::State state, bool isClaimed) {
    switch (state) {
    case Campaign::State::Complete:
        return Tr::tr("complete");
    case Campaign::State::Running:
        return isClaimed ? Tr::tr("running") : Tr::tr("cut off");
    case Campaign::State::Cancelled:
        break;
    }
    return Tr::tr("cancelled");
}

QString originText(Campaign::Origin origin) {
    switch (origin) {
    case Campaign::Origin::Measured:
        return Tr::tr("measured");
    case Campaign::Origin::Imported:
        return Tr::tr("imported");
    case Campaign::Origin::Published:
        break;
    }
    return Tr::tr("published");
}

// A campaign of the library or a published set, by its identifier or the beginning of one.
Result<Campaign> findCampaign(const CampaignStore& store, const std::string& word) {
    const QString text = toQString(word);
    QList<Campaign> fitting;
    for (const Campaign& set : publishedSets()) {
        if (set.id == text)
            return set;
        if (!text.isEmpty() && set.id.startsWith(text))
            fitting.append(set);
    }
    auto own = store.find(text);
    if (own || own.error().kind != Error::Kind::NotFound || fitting.isEmpty())
        return own;
    if (fitting.size() == 1)
        return fitting.first();
    QStringList names;
    for (const Campaign& set : std::as_const(fitting))
        names.append(set.id);
    return fail(Error::Kind::InvalidInput,
                Tr::tr("\"%1\" is the beginning of several campaigns: %2. Write more of it.")
                    .arg(text, names.join(QStringLiteral(", "))));
}

Result<int> list(const CampaignStore& store, bool json) {
    auto entries = store.list();
    if (!entries)
        return fail(entries.error());
    for (const Campaign& set : publishedSets())
        entries->append({set.id, set});
    const auto claimed = store.claimed();
    QJsonArray array;
    QList<QStringList> rows;
    for (const CampaignStore::Entry& entry : std::as_const(*entries)) {
        if (!entry.campaign) {
            const QString reason = entry.campaign.error().message;
            const bool isNewer = entry.campaign.error().kind == Error::Kind::Unsupported;
            array.append(
                QJsonObject{{QStringLiteral("Id"), entry.id},
                            {QStringLiteral("State"),
                             isNewer ? QStringLiteral("newer") : QStringLiteral("damaged")},
                            {QStringLiteral("Reason"), reason}});
            rows.append({entry.id,
                         {},
                         {},
                         {},
                         isNewer ? Tr::tr("of a newer version") : Tr::tr("damaged"),
                         {}});
            if (!json)
                note(plain(reason));
            continue;
        }
        const Campaign& campaign = *entry.campaign;
        const QJsonObject file = campaign.toJson();
        array.append(QJsonObject{{QStringLiteral("Id"), entry.id},
                                 {QStringLiteral("Title"), campaign.title},
                                 {QStringLiteral("Date"), campaign.date},
                                 {QStringLiteral("Suite"), campaign.suite},
                                 {QStringLiteral("Origin"), file.value(QLatin1String("origin"))},
                                 {QStringLiteral("State"), file.value(QLatin1String("state"))},
                                 {QStringLiteral("Runs"), campaign.runs.size()}});
        rows.append({entry.id,
                     campaign.date,
                     campaign.suite,
                     QString::number(campaign.runs.size()),
                     campaign.origin == Campaign::Origin::Measured
                         ? stateText(campaign.state, claimed == entry.id)
                         : originText(campaign.origin),
                     campaign.title});
    }
    if (json)
        printJson(array);
    else
        print(table({Tr::tr("Id"),
                     Tr::tr("Date"),
                     Tr::tr("Suite"),
                     Tr::tr("Runs"),
                     Tr::tr("State"),
                     Tr::tr("Title")},
                    rows));
    return 0;
}

Result<int> suites(const CampaignStore& store, bool json) {
    QJsonArray array;
    QList<QStringList> rows;
    for (const SuiteEntry& entry : allSuites(store.folder() + QStringLiteral("/suites"))) {
        if (!entry.suite) {
            array.append(QJsonObject{{QStringLiteral("File"), entry.path},
                                     {QStringLiteral("Reason"), entry.suite.error().message}});
            if (!json)
                note(plain(entry.suite.error().message));
            continue;
        }
        const Suite& suite = *entry.suite;
        array.append(QJsonObject{{QStringLiteral("Id"), suite.id},
                                 {QStringLiteral("Title"), suite.title},
                                 {QStringLiteral("Description"), suite.description},
                                 {QStringLiteral("File"), entry.path},
                                 {QStringLiteral("Workloads"), suite.workloads.size()}});
        rows.append({suite.id, QString::number(suite.workloads.size()), suite.title, entry.path});
    }
    if (json)
        printJson(array);
    else
        print(table({Tr::tr("Id"), Tr::tr("Workloads"), Tr::tr("Title"), Tr::tr("File")}, rows));
    return 0;
}

QJsonArray suspicionsJson(const QList<Suspicion>& suspicions) {
    QJsonArray array;
    for (const Suspicion& one : suspicions) {
        QJsonObject object{{QStringLiteral("kind"), wordOf(one.kind)},
                           {QStringLiteral("reason"), one.reason}};
        if (!one.workload.isEmpty()) {
            object.insert(QStringLiteral("workload"), one.workload);
            object.insert(QStringLiteral("executor"), one.executor);
            object.insert(QStringLiteral("round"), one.round);
        }
        array.append(object);
    }
    return array;
}

// The tool's table keeps its tabs; everything else that is no plain text is shown.
QString plainTable(const QString& text) {
    QStringList lines = text.split(QLatin1Char('\n'));
    for (QString& line : lines) {
        QStringList cells = line.split(QLatin1Char('\t'));
        for (QString& cell : cells)
            cell = plain(cell);
        line = cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n'));
}

// What the table has no room for: how far the times of several runs lie apart.
void printTimes(const Campaign& campaign) {
    QList<QStringList> rows;
    for (const Series& series : seriesOf(campaign)) {
        const auto times = summaryOf(series, Metric::Elapsed);
        if (!times || !times->sigma)
            continue;
        // Milliseconds, unless that were 0.
        const char format = times->median < 0.01 ? 'g' : 'f';
        const auto seconds = [format](double value) {
            return QString::number(value, format, 3) + QStringLiteral(" s");
        };
        rows.append({series.workload,
                     series.executor,
                     seconds(times->mean) + QStringLiteral(" ± ") + seconds(*times->sigma),
                     seconds(times->minimum) + QStringLiteral(" … ") + seconds(times->maximum),
                     QString::number(times->count)});
    }
    if (!rows.isEmpty())
        print(QLatin1Char('\n') + table({Tr::tr("Name"),
                                         Tr::tr("Executor"),
                                         Tr::tr("Mean ± σ"),
                                         Tr::tr("Min … max"),
                                         Tr::tr("Runs")},
                                        rows));
}

Result<int> show(const CampaignStore& store, const Options& options) {
    const auto campaign = findCampaign(store, options.words.front());
    if (!campaign)
        return fail(campaign.error());
    const QList<Suspicion> suspicions = suspicionsOf(*campaign);
    if (*options.json) {
        QJsonObject object = campaign->toJson();
        object.insert(QStringLiteral("suspicions"), suspicionsJson(suspicions));
        printJson(object);
        return 0;
    }
    const QString text = toTartTable(*campaign, Unmeasured::Honest);
    if (text.isEmpty())
        note(campaign->runs.isEmpty()
                 ? Tr::tr("Nothing has been measured yet.")
                 : Tr::tr("There are no figures: all measurements have failed. The reasons are "
                          "below."));
    const QString wide = plainTable(text);
    print(options.isNarrow || isTooWide(wide) ? byWorkload(*campaign) : wide);
    printTimes(*campaign);
    const QList<CacheCheck> checks = cacheChecksOf(*campaign);
    if (!checks.isEmpty())
        printLine(QLatin1Char('\n') + Tr::tr("Page cache:"));
    for (const CacheCheck& check : checks)
        printLine(QStringLiteral("- %1: %2").arg(plain(check.executor), check.toText()));
    if (suspicions.isEmpty())
        return 0;
    printLine(QLatin1Char('\n') + Tr::tr("Doubtful:"));
    print(doubtsText(suspicions));
    return 0;
}

// "10%", "10 %" or "10": 0.1.
Result<double> fractionFrom(const std::string& text) {
    QString word = toQString(text).trimmed();
    if (word.endsWith(QLatin1Char('%')))
        word.chop(1);
    bool isNumber = false;
    const double percent = word.trimmed().toDouble(&isNumber);
    if (!isNumber || !(percent >= 0 && percent <= 1000))
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"%1\" is no percentage for --fail-if-slower. Write one such as 10%.")
                        .arg(toQString(text)));
    return percent / 100;
}

QString ratioText(double ratio) {
    return QString::number(ratio, 'f', 3);
}

QString executorsText(const Compared& one) {
    return one.executorA == one.executorB
               ? one.executorA
               : QStringLiteral("%1 \u2192 %2").arg(one.executorA, one.executorB);
}

QJsonObject toJson(const Compared& one, const std::optional<double>& limit) {
    QJsonObject object{{QStringLiteral("workload"), one.workload},
                       {QStringLiteral("executorA"), one.executorA},
                       {QStringLiteral("executorB"), one.executorB},
                       {QStringLiteral("figure"), wordOf(one.metric)},
                       {QStringLiteral("unit"), unitOf(one.metric)},
                       {QStringLiteral("a"), one.a},
                       {QStringLiteral("b"), one.b},
                       {QStringLiteral("ratio"), one.ratio.value}};
    if (one.ratio.interval)
        object.insert(QStringLiteral("interval95"),
                      QJsonArray{one.ratio.interval->low, one.ratio.interval->high});
    if (limit)
        object.insert(QStringLiteral("slower"), one.isJudged && one.isSlowerThan(*limit));
    return object;
}

Result<int> compareTwo(const CampaignStore& store, const Options& options) {
    std::optional<double> limit;
    if (!options.failIfSlower.empty()) {
        const auto fraction = fractionFrom(options.failIfSlower);
        if (!fraction)
            return fail(fraction.error());
        limit = *fraction;
    }
    const auto a = findCampaign(store, options.words.at(0));
    if (!a)
        return fail(a.error());
    const auto b = findCampaign(store, options.words.at(1));
    if (!b)
        return fail(b.error());
    const auto compared =
        compare(*a, *b, toQString(options.executorA), toQString(options.executorB));
    if (!compared)
        return fail(compared.error());
    QJsonArray array;
    QList<QStringList> rows;
    QStringList slower;
    for (const Compared& one : *compared) {
        array.append(toJson(one, limit));
        rows.append({one.workload,
                     executorsText(one),
                     nameOf(one.metric),
                     valueText(one.metric, one.a),
                     valueText(one.metric, one.b),
                     ratioText(one.ratio.value),
                     one.ratio.interval ? QStringLiteral("%1 \u2026 %2")
                                              .arg(ratioText(one.ratio.interval->low),
                                                   ratioText(one.ratio.interval->high))
                                        : QString(QChar(0x2013))});
        if (limit && one.isJudged && one.isSlowerThan(*limit))
            slower.append(Tr::tr("%1, %2: %3 is %4 % worse.")
                              .arg(one.workload,
                                   executorsText(one),
                                   nameOf(one.metric),
                                   QLocale().toString(one.slowdown() * 100, 'f', 1)));
    }
    const QString wide = table({Tr::tr("Workload"),
                                Tr::tr("Executor"),
                                Tr::tr("Figure"),
                                Tr::tr("A"),
                                Tr::tr("B"),
                                Tr::tr("B / A"),
                                Tr::tr("95 % interval")},
                               rows);
    if (*options.json)
        printJson(array);
    else
        print(options.isNarrow || isTooWide(wide) ? byWorkload(*compared) : wide);
    for (const QString& line : std::as_const(slower))
        note(plain(line));
    return slower.isEmpty() ? 0 : isSlower;
}

void setSystem(QJsonObject& object, const std::string& system) {
    if (!system.empty())
        object.insert(QStringLiteral("os"), toQString(system));
}

Result<Campaign> importFile(const QString& path, const Options& options) {
    const auto bytes = readSmallFile(path, maximumCampaign);
    if (!bytes)
        return fail(bytes.error());
    const auto first = [](const std::vector<std::string>& words) {
        return words.empty() ? QString() : toQString(words.front());
    };
    auto campaign = importCampaign(
        *bytes, QFileInfo(path).fileName(), {first(options.workloads), first(options.executors)});
    if (!campaign)
        return fail(campaign.error().kind,
                    Tr::tr("\"%1\" was not imported. %2").arg(path, campaign.error().message),
                    campaign.error().detail);
    if (!options.title.empty())
        campaign->title = toQString(options.title);
    setSystem(campaign->host, options.host);
    setSystem(campaign->guest, options.guest);
    return campaign;
}

// All files are read before the first campaign is kept.
Result<int> import(const CampaignStore& store, const Options& options) {
    QList<Campaign> campaigns;
    for (const std::string& word : options.words) {
        const auto campaign = importFile(toQString(word), options);
        if (!campaign)
            return fail(campaign.error());
        if (isFioResult(*campaign) && !campaigns.isEmpty() && isFioResult(campaigns.last()))
            addRounds(campaigns.last(), *campaign);
        else
            campaigns.append(*campaign);
    }
    QJsonArray array;
    for (const Campaign& campaign : std::as_const(campaigns)) {
        const auto added = store.add(campaign, QDateTime::currentDateTimeUtc());
        if (!added)
            return fail(added.error());
        array.append(QJsonObject{{QStringLiteral("Id"), added->id},
                                 {QStringLiteral("Title"), added->title},
                                 {QStringLiteral("Runs"), added->runs.size()}});
        if (!*options.json)
            printLine(added->id);
    }
    if (*options.json)
        printJson(array);
    return 0;
}

QByteArray exported(const Campaign& campaign, const std::string& as) {
    if (as == "csv")
        return toCsv(campaign);
    if (as == "markdown")
        return toMarkdown(campaign);
    if (as == "tart")
        return toTartTable(campaign, Unmeasured::Exact).toUtf8();
    return QJsonDocument(campaign.toJson()).toJson();
}

// A file that is there is never written over.
Result<> writeNew(const QString& path, const QByteArray& bytes) {
    const QByteArray name = QFile::encodeName(path);
    const FileDescriptor fd(
        ::open(name.constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!fd.isValid() && errno == EEXIST)
        return fail(Error::Kind::AlreadyExists,
                    Tr::tr("\"%1\" is there already and is not written over. Choose another name.")
                        .arg(path));
    if (!fd.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot create \"%1\".").arg(path), errno));
    auto written = writeFully(fd.get(), bytes, 0, path);
    if (written)
        written = syncFile(fd.get(), path);
    if (!written)
        ::unlink(name.constData());
    return written;
}

Result<int> exportOne(const CampaignStore& store, const Options& options) {
    if (options.as == "png" || options.as == "svg")
        return fail(Error::Kind::Unsupported,
                    Tr::tr("Pictures are drawn by the window: choose the campaign on the page "
                           "Benchmarks and there Export, Picture (%1). The figures of a chart of "
                           "your own: --as csv")
                        .arg(toQString(options.as).toUpper()));
    const auto campaign = findCampaign(store, options.words.front());
    if (!campaign)
        return fail(campaign.error());
    const QByteArray bytes = exported(*campaign, options.as);
    if (options.output.empty() || options.output == "-") {
        printBytes(bytes);
        return 0;
    }
    if (const auto written = writeNew(toQString(options.output), bytes); !written)
        return fail(written.error());
    return 0;
}

Result<int> runHere(const Library& library,
                    const CampaignStore& store,
                    const Options& options,
                    ProgressFormat format) {
    BenchRunOptions given = options.run;
    given.title = options.title;
    given.workloads = options.workloads;
    given.executors = options.executors;
    return runBench(library, store, given, format);
}

Result<> checkWords(const Options& options) {
    constexpr std::size_t many = 1000;
    if (options.action == "show" || options.action == "export")
        return checkWords(options, 1, 1, "CAMPAIGN");
    if (options.action == "compare")
        return checkWords(options, 2, 2, "A B");
    if (options.action == "import")
        return checkWords(options, 1, many, "FILE\u2026");
    if (options.action == "delete")
        return checkWords(options, 1, many, "CAMPAIGN\u2026");
    return checkWords(options, 0, 0, "");
}

Result<int> run(const Options& options, ProgressFormat format) {
    if (const auto checked = checkWords(options); !checked)
        return fail(checked.error());
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const CampaignStore store(library->home());
    if (options.action == "run")
        return runHere(*library, store, options, format);
    if (options.action == "show")
        return show(store, options);
    if (options.action == "compare")
        return compareTwo(store, options);
    if (options.action == "import")
        return import(store, options);
    if (options.action == "export")
        return exportOne(store, options);
    if (options.action == "delete")
        return deleteCampaigns(store, options.words);
    if (options.action == "suites")
        return suites(store, *options.json);
    return list(store, *options.json);
}

} // namespace

void addBenchCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    Command command;
    CLI::App* const app = root.add_subcommand(
        "bench", "Measure, show, compare, import, export and delete figures of benchmarks");
    command.app = app;
    app->add_option(
           "action",
           options->action,
           "run (measure), list, show CAMPAIGN, compare A B (ratios of B to A), import "
           "FILE... (fio's "
           "JSON, Tart's table, a campaign), export CAMPAIGN, delete CAMPAIGN... or suites")
        ->required()
        ->check(CLI::IsMember(
                    {"run", "list", "show", "compare", "import", "export", "delete", "suites"})
                    .description(""))
        ->type_name("");
    app->add_option("words", options->words, "What the action needs")->type_name("");
    addBenchRunOptions(*app, options->run);
    app->add_option("--executor-a", options->executorA, "compare: only this executor of A")
        ->type_name("NAME");
    app->add_option("--executor-b", options->executorB, "compare: with this executor of B")
        ->type_name("NAME");
    app->add_option("--fail-if-slower",
                    options->failIfSlower,
                    "compare: exit code 1 if B is slower than A by more than this, such as 10%, "
                    "and not by chance")
        ->type_name("PERCENT");
    app->add_option("--title", options->title, "run, import: what it is called")->type_name("TEXT");
    app->add_option("--workload",
                    options->workloads,
                    "run: only this workload of the suite, may be given several times; import: the "
                    "workload that fio's result is of")
        ->type_name("NAME")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app->add_option("--executor",
                    options->executors,
                    "run: where, may be given several times: host, running, default or root disk "
                    "options such as sync=none,caching=cached; import: where fio's result was "
                    "measured")
        ->type_name("NAME")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app->add_option("--host", options->host, "import: the host's system")->type_name("TEXT");
    app->add_option("--guest", options->guest, "import: the guest's system")->type_name("TEXT");
    app->add_option("--as",
                    options->as,
                    "export: json, csv, markdown or tart; pictures (PNG, SVG) are exported in the "
                    "window")
        ->check(CLI::IsMember({"json", "csv", "markdown", "tart", "png", "svg"}).description(""))
        ->type_name("FORMAT");
    app->add_option("-o,--output", options->output, "export: a new file instead of the output")
        ->type_name("FILE");
    app->add_flag("--narrow",
                  options->isNarrow,
                  "show, compare: workloads as headings, for 80 columns; a terminal that is too "
                  "narrow for the table gets it so by itself");
    options->json = addFormatOption(*app);
    app->footer("A campaign is named by its identifier or the beginning of that. What was not "
                "measured is a dash, never 0. Several results of fio in one import are rounds of "
                "one campaign.");
    addProgressOption(command);
    command.run = [options, format = command.progress] { return run(*options, *format); };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
