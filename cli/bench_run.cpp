// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_run.h"

#include "cli/backend.h"
#include "cli/output.h"
#include "cli/work_reporter.h"
#include "core/bench/bench_host.h"
#include "core/bench/campaign_run.h"
#include "core/bench/default_kernel.h"
#include "core/bench/executor_set.h"
#include "core/bench/guest_source.h"
#include "core/bench/published.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QStorageInfo>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace vitrine::cli {

namespace {

using namespace bench;

constexpr std::string_view commandWord = "command"; // the suite that --command makes

void addNotes(const RunPlan& plan, const QString& parent, Campaign& campaign) {
    if (plan.isShort)
        campaign.notes.append(Tr::tr("A trial of seconds with small files: no result to quote."));
    const QString type = QString::fromUtf8(QStorageInfo(parent).fileSystemType());
    if (!type.isEmpty())
        campaign.host.insert(QStringLiteral("filesystem"), type);
    if (type == QLatin1String("tmpfs") || type == QLatin1String("ramfs"))
        campaign.notes.append(
            Tr::tr("The test files are in memory (%1): this measures no disk, and the page cache "
                   "cannot be emptied.")
                .arg(type));
}

// The one that was named, or one made of --command.
Result<Suite> namedSuite(const CampaignStore& store, const BenchRunOptions& options) {
    if (options.commands.empty() && (options.isReported || !options.setup.empty()))
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--setup and --reported are for lines given with --command. In a suite, "
                           "\"setup\" and \"kind\" say the same."));
    if (options.commands.empty() && (options.suite.empty() || options.suite == commandWord))
        return fail(Error::Kind::InvalidInput,
                    options.suite.empty()
                        ? Tr::tr("Name what is measured with --suite or --command. See: vitrinectl "
                                 "bench suites")
                        : Tr::tr("Give what is timed with --command."));
    if (options.commands.empty())
        return findSuite(toQString(options.suite), store.folder() + QStringLiteral("/suites"));
    if (!options.suite.empty() && options.suite != commandWord)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--command and --suite %1 exclude each other. Give one of them.")
                        .arg(toQString(options.suite)));
    QStringList lines;
    for (const std::string& line : options.commands) {
        lines.append(toQString(line));
        if (lines.last().trimmed().isEmpty())
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("--command needs a line for the shell, such as 'make -j2'."));
    }
    return commandSuite(lines,
                        toQString(options.setup),
                        options.isReported ? Workload::Kind::Reported : Workload::Kind::Time);
}

// Those of the suite that were asked for.
Result<Suite> chosenSuite(const CampaignStore& store, const BenchRunOptions& options) {
    auto suite = namedSuite(store, options);
    if (!suite || options.workloads.empty())
        return suite;
    QStringList names;
    for (const Workload& workload : std::as_const(suite->workloads))
        names.append(workload.name);
    QStringList wanted;
    for (const std::string& word : options.workloads) {
        if (!names.contains(toQString(word)))
            return fail(Error::Kind::NotFound,
                        Tr::tr("The suite \"%1\" has no workload \"%2\". It has: %3.")
                            .arg(suite->id, toQString(word), names.join(QStringLiteral("; "))));
        wanted.append(toQString(word));
    }
    suite->workloads.removeIf([&wanted](const Workload& w) { return !wanted.contains(w.name); });
    return suite;
}

Result<GuestPlan> guestPlanOf(const BenchRunOptions& options) {
    constexpr quint64 mebi = 1 << 20;
    if (!options.machine.empty() && !options.image.empty())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--machine and --image exclude each other. Give one of them."));
    GuestPlan guest;
    guest.isImage = !options.image.empty();
    guest.source = toQString(guest.isImage ? options.image : options.machine);
    guest.cpus = options.cpus;
    guest.memory = static_cast<quint64>(options.memory) * mebi;
    guest.grow = options.grow;
    if (guest.source.isEmpty() && guest != GuestPlan{})
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--cpus, --memory and --grow are for clones of a machine. Name it with "
                           "--machine, or a pulled image with --image."));
    return guest;
}

Result<RunPlan> makePlan(const Library& library,
                         const Suite& suite,
                         const BenchRunOptions& options,
                         double hostMemory) {
    const auto guest = guestPlanOf(options);
    if (!guest)
        return fail(guest.error());
    QStringList words;
    for (const std::string& word : options.executors)
        words.append(toQString(word));
    if (words.isEmpty())
        words = suite.executors;
    const auto specs = ExecutorSpec::listFrom(words, !guest->source.isEmpty());
    if (!specs)
        return fail(specs.error());
    auto memory = static_cast<quint64>(hostMemory);
    if (!guest->source.isEmpty()) {
        const auto source = guestSourceOf(library, *guest, *specs);
        if (!source)
            return fail(source.error());
        memory = std::max({memory, guest->memory, source->config->memory.bytes()});
    }
    RunPlan plan = planOf(
        suite, textsOf(*specs), options.rounds.value_or(suite.rounds), options.isShort, memory);
    plan.guest = *guest;
    if (!options.kernel.empty())
        plan.kernel.file = QFileInfo(toQString(options.kernel)).absoluteFilePath();
    else if (std::any_of(specs->begin(), specs->end(), [](const ExecutorSpec& spec) {
                 return spec.kind == ExecutorSpec::Kind::Kernel;
             }))
        plan.kernel.file = newestKernel();
    if (!options.modules.empty())
        plan.kernel.modules = QFileInfo(toQString(options.modules)).absoluteFilePath();
    plan.prepare = toQString(options.prepare);
    const bool onHost = std::any_of(specs->begin(), specs->end(), [](const ExecutorSpec& spec) {
        return !spec.needsMachine();
    });
    if (!options.directory.empty() && !onHost)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--directory is for the executor host, which is not among those to be "
                           "measured."));
    if (!options.directory.empty()) {
        const QFileInfo folder(toQString(options.directory));
        if (!folder.isDir())
            return fail(Error::Kind::NotFound,
                        Tr::tr("There is no folder \"%1\". Name one with --directory.")
                            .arg(folder.filePath()));
        plan.folder = folder.canonicalFilePath();
    }
    return plan;
}

Result<Campaign>
begin(const Library& library, const CampaignStore& store, const BenchRunOptions& options) {
    const auto suite = chosenSuite(store, options);
    if (!suite)
        return fail(suite.error());
    Campaign campaign;
    campaign.host = hostInfo();
    const double memory = campaign.host.value(QLatin1String("memory_bytes")).toDouble();
    const auto plan = makePlan(library, *suite, options, memory);
    if (!plan)
        return fail(plan.error());
    if (const auto checked = ExecutorSet::check(library, *plan); !checked)
        return fail(checked.error());
    const QDateTime now = QDateTime::currentDateTimeUtc();
    campaign.title = !options.title.empty() ? toQString(options.title)
                     : options.isShort      ? Tr::tr("Short trial: %1").arg(suite->title)
                                            : suite->title;
    campaign.date = now.toString(Qt::ISODate);
    campaign.suite = suite->id;
    campaign.rounds = plan->rounds;
    campaign.plan = plan->toJson();
    campaign.state = Campaign::State::Running;
    addNotes(*plan, plan->folder.isEmpty() ? library.home() : plan->folder, campaign);
    if (suite->isLimitedFor(static_cast<quint64>(memory)) && !options.isShort)
        campaign.notes.append(
            Tr::tr("The suite's upper limit makes the test files smaller than it wants for this "
                   "much memory: more of them than usual fits into the page cache."));
    return store.add(campaign, now);
}

QString textOf(const RunProgress& progress, int rounds) {
    const QString what = Tr::tr("Round %1 of %2: %3 on %4")
                             .arg(QString::number(progress.slot.round),
                                  QString::number(rounds),
                                  progress.slot.workload.name,
                                  progress.slot.executor);
    return progress.secondsLeft
               ? Tr::tr("%1, about %2 left")
                     .arg(what, durationText(static_cast<qint64>(std::ceil(*progress.secondsLeft))))
               : what;
}

QString hypervisorName(const RunPlan& plan) {
    return plan.guest.source.isEmpty() ? QString() : makeHypervisor()->info().name;
}

// What is known once the guests run.
Result<> describe(const CampaignStore& store, const QString& id, const ExecutorSet& executors) {
    if (executors.guest().isEmpty() && executors.notes().isEmpty())
        return {};
    return store.update(id, [&executors](Campaign& campaign) {
        campaign.guest = executors.guest();
        for (const QString& note : executors.notes())
            if (!campaign.notes.contains(note))
                campaign.notes.append(note);
    });
}

// Tells what runs now; on a terminal the time left goes down meanwhile.
class LiveProgress final {
public:
    LiveProgress(JobContext job, ProgressFormat format, int rounds)
        : m_job(std::move(job))
        , m_format(format)
        , m_rounds(rounds) {
        if (format == ProgressFormat::Text && standardErrorIsTerminal())
            m_ticker = std::jthread([this](const std::stop_token& stop) { tick(stop); });
    }

    void begin(const RunProgress& progress) {
        const std::scoped_lock lock(m_mutex);
        m_progress = progress;
        m_clock.start();
        tell();
    }

private:
    void tick(const std::stop_token& stop) {
        std::unique_lock lock(m_mutex);
        while (!m_tock.wait_for(
            lock, stop, std::chrono::seconds(1), [&stop] { return stop.stop_requested(); }))
            if (m_progress)
                tell();
    }

    void tell() { // with the lock
        RunProgress now = *m_progress;
        if (now.secondsLeft)
            now.secondsLeft =
                std::max(0.0, *now.secondsLeft - static_cast<double>(m_clock.elapsed()) / 1000);
        Progress told;
        told.step = textOf(now, m_rounds);
        if (m_format ==
            ProgressFormat::Json) { // in measurements; on a terminal they would be bytes
            told.done = static_cast<quint64>(now.done);
            told.total = static_cast<quint64>(now.total);
        }
        m_job.report(told);
    }

    JobContext m_job;
    ProgressFormat m_format;
    int m_rounds;
    std::mutex m_mutex;
    std::condition_variable_any m_tock;
    std::optional<RunProgress> m_progress;
    QElapsedTimer m_clock; // since the slot began
    std::jthread m_ticker;
};

// The executors alone that have something left to measure.
RunPlan whatIsLeft(RunPlan plan, const Campaign& campaign) {
    const QList<RunSlot> left = slotsLeft(plan, campaign);
    plan.executors.removeIf([&left](const QString& name) {
        return std::none_of(left.begin(), left.end(), [&name](const RunSlot& slot) {
            return slot.executor == name;
        });
    });
    if (plan.executors == QStringList{QStringLiteral("host")})
        plan.guest = {};
    return plan;
}

// What a campaign that has ended early says. One of which nothing was measured goes.
Error endedEarly(const CampaignStore& store, const QString& id, bool isNew, const Error& error) {
    if (error.isCancelled())
        return {Error::Kind::Cancelled,
                Tr::tr("Stopped. What was measured is kept; go on with: vitrinectl bench run "
                       "--resume %1")
                    .arg(id),
                {}};
    const auto campaign = store.read(id);
    if (!campaign)
        return error;
    if (isNew && campaign->runs.isEmpty() && error.kind == Error::Kind::DiskFull) {
        (void)store.remove(id);
        return error;
    }
    return {error.kind,
            Tr::tr("%1 What was measured before is kept; go on with: vitrinectl bench run "
                   "--resume %2")
                .arg(error.message, id),
            error.detail};
}

// The campaign that --resume goes on with.
Result<Campaign> campaignToResume(const CampaignStore& store, const QString& text) {
    auto campaign = store.find(text);
    if (campaign || campaign.error().kind != Error::Kind::NotFound || text.isEmpty())
        return campaign;
    const QList<Campaign> sets = publishedSets();
    if (std::any_of(sets.begin(), sets.end(), [&text](const Campaign& set) {
            return set.id.startsWith(text);
        }))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" was published by others: it was not measured here and cannot go "
                           "on. Measure the same with --suite; see: vitrinectl bench suites")
                        .arg(text));
    return campaign;
}

} // namespace

void addBenchRunOptions(CLI::App& app, BenchRunOptions& options) {
    app.add_option("--suite", options.suite, "run: what is measured; see: bench suites")
        ->type_name("ID");
    app.add_option("--command",
                   options.commands,
                   "run: a line for the shell that is timed, instead of a suite; may be given "
                   "several times")
        ->type_name("LINE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--setup", options.setup, "run: a line before each of those, which is not timed")
        ->type_name("LINE");
    app.add_flag("--reported",
                 options.isReported,
                 "run: take the time that the commands print (\"2m19s\", or as XcodeBenchmark "
                 "does), instead of the clock's");
    app.add_option("--machine",
                   options.machine,
                   "run: the stopped machine of which throw-away clones are measured, or the "
                   "running one for --executor running")
        ->type_name("NAME");
    app.add_option("--image", options.image, "run: the pulled image of which clones are measured")
        ->type_name("REFERENCE");
    app.add_option(
           "--kernel",
           options.kernel,
           "run: the kernel that kernel:9p and kernel:virtiofs boot (default: the newest of /boot)")
        ->type_name("FILE");
    app.add_option("--modules", options.modules, "run: its modules, if not in /lib/modules")
        ->type_name("DIR");
    app.add_option("--cpus", options.cpus, "run: CPUs of a clone (default: the machine's own)")
        ->check(CLI::Range(1, 1024).description(""))
        ->type_name("N");
    app.add_option(
           "--memory", options.memory, "run: memory of a clone in MB (default: the machine's own)")
        ->check(CLI::Range(1, 1 << 30).description(""))
        ->type_name("MB");
    app.add_flag("--grow",
                 options.grow,
                 "run: make the disk of a clone larger where the test files do not fit");
    app.add_option("--rounds", options.rounds, "run: how often (default: what the suite says, 3)")
        ->check(CLI::Range(1, 1000).description(""))
        ->type_name("N");
    app.add_option("--prepare",
                   options.prepare,
                   "run: a command before every run, instead of emptying the page cache of the "
                   "test files")
        ->type_name("COMMAND");
    app.add_option("--directory",
                   options.directory,
                   "run: an existing folder on the disk to measure, instead of the library's")
        ->type_name("DIR");
    app.add_flag("--short", options.isShort, "run: a trial of seconds with small files");
    app.add_option("--resume", options.resume, "run: go on with a campaign that was cut off")
        ->type_name("CAMPAIGN");
}

Result<int> runBench(const Library& library,
                     const CampaignStore& store,
                     const BenchRunOptions& options,
                     ProgressFormat format) {
    WorkReporter reporter(format); // before anything is locked
    const auto campaign = options.resume.empty()
                              ? begin(library, store, options)
                              : campaignToResume(store, toQString(options.resume));
    if (!campaign)
        return fail(campaign.error());
    const auto plan = RunPlan::fromJson(campaign->plan);
    if (!plan)
        return fail(plan.error());
    const RunPlan needed = whatIsLeft(*plan, *campaign);
    if (needed.executors.isEmpty()) {
        const auto done = store.update(
            campaign->id, [](Campaign& changed) { changed.state = Campaign::State::Complete; });
        if (!done)
            return fail(done.error());
        note(Tr::tr("The campaign is complete: nothing is left to measure. See: vitrinectl bench "
                    "show %1")
                 .arg(campaign->id));
        printLine(campaign->id);
        return 0;
    }
    const auto claimed = store.claim(campaign->id);
    if (!claimed) {
        if (options.resume.empty())
            (void)store.remove(campaign->id);
        return fail(claimed.error());
    }
    if (const auto checked = ExecutorSet::check(library, needed); !checked)
        return fail(checked.error());
    const JobContext job = reporter.context();
    const auto executors =
        ExecutorSet::open({library, needed, campaign->id, hypervisorName(needed)}, job);
    if (!executors) {
        // Nothing was measured: nothing is to be shown or gone on with.
        if (options.resume.empty())
            (void)store.remove(campaign->id);
        return fail(executors.error());
    }
    if (const auto described = describe(store, campaign->id, *executors); !described)
        return fail(described.error());
    if (format == ProgressFormat::Text)
        printLine(campaign->id);
    if (const auto written = outputState(); !written)
        return fail(written.error());
    job.log(QStringLiteral("campaign ") + campaign->id); // for --progress json
    LiveProgress live(job, format, plan->rounds);
    const auto failures = runCampaign(
        store, campaign->id, executors->list(), {job.stop, [&live](const RunProgress& progress) {
                                                     live.begin(progress);
                                                 }});
    if (!failures)
        return fail(endedEarly(store, campaign->id, options.resume.empty(), failures.error()));
    if (*failures == 0)
        return 0;
    note(Tr::tr("%1 of the measurements failed. See why: vitrinectl bench show %2")
             .arg(*failures)
             .arg(campaign->id));
    return 1;
}

} // namespace vitrine::cli
