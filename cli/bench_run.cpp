// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_run.h"

#include "cli/output.h"
#include "cli/work_reporter.h"
#include "core/bench/bench_host.h"
#include "core/bench/campaign_run.h"
#include "core/bench/host_executor.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QStandardPaths>
#include <QStorageInfo>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace vitrine::cli {

namespace {

using namespace bench;

QString folderOf(const Library& library, const RunPlan& plan, const QString& id) {
    return plan.folder.isEmpty() ? library.temporaryPath() + QStringLiteral("/benchmark-") + id
                                 : plan.folder + QStringLiteral("/vitrine-benchmark-") + id;
}

Result<> checkPrograms(const RunPlan& plan) {
    const bool needsFio = std::any_of(plan.workloads.begin(),
                                      plan.workloads.end(),
                                      [](const auto& w) { return w.kind == Workload::Kind::Fio; });
    if (!needsFio || !QStandardPaths::findExecutable(QStringLiteral("fio")).isEmpty())
        return {};
    return fail(Error::Kind::Unsupported,
                Tr::tr("The program fio is missing, with which this suite measures. Install it: "
                       "apt install fio, dnf install fio or brew install fio."));
}

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

Result<Campaign>
begin(const Library& library, const CampaignStore& store, const BenchRunOptions& options) {
    if (options.suite.empty())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Name what is measured with --suite. See: vitrinectl bench suites"));
    const auto suite =
        findSuite(toQString(options.suite), store.folder() + QStringLiteral("/suites"));
    if (!suite)
        return fail(suite.error());
    Campaign campaign;
    campaign.host = hostInfo();
    const double memory = campaign.host.value(QLatin1String("memory_bytes")).toDouble();
    RunPlan plan = planOf(*suite,
                          {QStringLiteral("host")},
                          options.rounds,
                          options.isShort,
                          static_cast<quint64>(memory));
    plan.prepare = toQString(options.prepare);
    if (!options.directory.empty()) {
        const QFileInfo folder(toQString(options.directory));
        if (!folder.isDir())
            return fail(Error::Kind::NotFound,
                        Tr::tr("There is no folder \"%1\". Name one with --directory.")
                            .arg(folder.filePath()));
        plan.folder = folder.canonicalFilePath();
    }
    if (const auto checked = checkPrograms(plan); !checked)
        return fail(checked.error());
    const QDateTime now = QDateTime::currentDateTimeUtc();
    campaign.title = options.title.empty() ? suite->title : toQString(options.title);
    campaign.date = now.toString(Qt::ISODate);
    campaign.suite = suite->id;
    campaign.rounds = plan.rounds;
    campaign.plan = plan.toJson();
    campaign.state = Campaign::State::Running;
    addNotes(plan, plan.folder.isEmpty() ? library.home() : plan.folder, campaign);
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

} // namespace

Result<int> runBench(const Library& library,
                     const CampaignStore& store,
                     const BenchRunOptions& options,
                     ProgressFormat format) {
    WorkReporter reporter(format); // before anything is locked
    const auto campaign = options.resume.empty() ? begin(library, store, options)
                                                 : store.find(toQString(options.resume));
    if (!campaign)
        return fail(campaign.error());
    const auto plan = RunPlan::fromJson(campaign->plan);
    if (!plan)
        return fail(plan.error());
    if (const auto checked = checkPrograms(*plan); !checked)
        return fail(checked.error());
    const auto executor = HostExecutor::make(folderOf(library, *plan, campaign->id));
    if (!executor)
        return fail(executor.error());
    if (format == ProgressFormat::Text)
        printLine(campaign->id);
    if (const auto written = outputState(); !written)
        return fail(written.error());
    const JobContext job = reporter.context();
    job.log(QStringLiteral("campaign ") + campaign->id); // for --progress json
    LiveProgress live(job, format, plan->rounds);
    const auto failures = runCampaign(
        store, campaign->id, {executor->get()}, {job.stop, [&live](const RunProgress& progress) {
                                                     live.begin(progress);
                                                 }});
    if (!failures && failures.error().isCancelled())
        return fail(Error::Kind::Cancelled,
                    Tr::tr("Stopped. What was measured is kept; go on with: vitrinectl bench run "
                           "--resume %1")
                        .arg(campaign->id));
    if (!failures)
        return fail(failures.error());
    if (*failures == 0)
        return 0;
    note(Tr::tr("%1 of the measurements failed. See why: vitrinectl bench show %2")
             .arg(*failures)
             .arg(campaign->id));
    return 1;
}

} // namespace vitrine::cli
