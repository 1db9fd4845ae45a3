// SPDX-License-Identifier: Apache-2.0
#include "core/bench/campaign_run.h"

#include "core/bench/cache_check.h"
#include "core/bench/executor_spec.h"
#include "core/bench/fio_options.h"
#include "core/bench/fio_report.h"
#include "core/bench/json_reader.h"
#include "core/bench/reported_time.h"
#include "core/value/byte_count.h"

#include <QElapsedTimer>
#include <QHash>
#include <QRegularExpression>

#include <algorithm>

namespace vitrine::bench {

namespace {

constexpr quint64 spareShare = 10;      // a tenth more than the test files need
constexpr double usualDuration = 5;     // seconds of a workload of which nothing is known
constexpr quint64 timedSpace = 1 << 28; // bytes that a workload which is no fio may need
constexpr qsizetype longestReason = 600;
constexpr int killedCode = 128 + 9; // as shells tell SIGKILL

// "a b c" turned by one for each round: "c a b".
template <class T>
QList<T> turned(QList<T> list, int round) {
    if (list.isEmpty())
        return list;
    const auto by = static_cast<qsizetype>(round - 1) % list.size();
    std::rotate(list.begin(), list.end() - by, list.end());
    return list;
}

QJsonObject toJson(const Workload& workload) {
    QJsonObject object{{QStringLiteral("name"), workload.name},
                       {QStringLiteral("kind"), wordOf(workload.kind)},
                       {QStringLiteral("command"), workload.command}};
    if (!workload.setup.isEmpty())
        object.insert(QStringLiteral("setup"), workload.setup);
    if (!workload.pair.isEmpty())
        object.insert(QStringLiteral("pair"), workload.pair);
    if (workload.cache != Workload::Cache::Emptied)
        object.insert(QStringLiteral("cache"), wordOf(workload.cache));
    return object;
}

// Seconds that fio's options ask for.
std::optional<double> wantedDuration(const QString& command) {
    const auto option = [&command](const char* name) {
        const QRegularExpression pattern(
            QStringLiteral("--%1[= ](\\d{1,6})").arg(QLatin1String(name)));
        return pattern.match(command).captured(1).toDouble();
    };
    const double runtime = option("runtime");
    return runtime > 0 ? std::optional(runtime + option("ramp_time")) : std::nullopt;
}

// How long measurements took, by workload and executor.
using Durations = QHash<QString, QHash<QString, double>>;

// What it took there the last time, else the longest that it took elsewhere, else what fio is asked
// for.
double secondsOf(const QList<RunSlot>& slotList, const Durations& measured) {
    double sum = 0;
    for (const RunSlot& slot : slotList) {
        const QHash<QString, double> known = measured.value(slot.workload.name);
        sum += known.value(slot.executor,
                           known.isEmpty()
                               ? wantedDuration(slot.workload.command).value_or(usualDuration)
                               : *std::max_element(known.begin(), known.end()));
    }
    return sum;
}

QString reasonOf(const Executor::Output& output) {
    const QString said = QString::fromUtf8(output.err.isEmpty() ? output.out : output.err)
                             .simplified()
                             .left(longestReason);
    if (output.exitCode == killedCode && said.isEmpty())
        return Tr::tr("It was killed (exit code %1), perhaps because the memory was used up.")
            .arg(killedCode);
    return said.isEmpty()
               ? Tr::tr("It ended with exit code %1 and said nothing.").arg(output.exitCode)
               : Tr::tr("It ended with exit code %1 and said: %2").arg(output.exitCode).arg(said);
}

// The line that says that a disk is full; empty: none does.
QString fullDiskLine(const Executor::Output& output) {
    for (const QByteArray& text : {output.err, output.out}) {
        const qsizetype at = text.indexOf("No space left on device");
        if (output.exitCode == 0 || at < 0)
            continue;
        const qsizetype start = text.lastIndexOf('\n', at) + 1;
        const qsizetype end = text.indexOf('\n', at);
        return QString::fromUtf8(text.mid(start, end < 0 ? -1 : end - start))
            .simplified()
            .left(longestReason);
    }
    return {};
}

// What to do when the test files have filled the disk, although their size was known to fit.
QString roomAdvice(const RunPlan& plan, const QString& executor) {
    const auto spec = ExecutorSpec::fromText(executor);
    switch (spec ? spec->kind : ExecutorSpec::Kind::Host) {
    case ExecutorSpec::Kind::Machine:
        return plan.guest.isImage
                   ? Tr::tr("The disk of its guest filled up. Clones have the disk of the image: "
                            "make a machine of it (vitrinectl clone), give that a larger disk "
                            "(vitrinectl set NAME --disk-size GB) and measure it, or choose a "
                            "smaller suite.")
                   : Tr::tr("The disk of its guest filled up. Clones have the disk of their "
                            "machine: enlarge it with vitrinectl set %1 --disk-size GB, or choose "
                            "a smaller suite.")
                         .arg(plan.guest.source);
    case ExecutorSpec::Kind::Running:
        return Tr::tr("The disk of its guest filled up. Make room there, enlarge it, or choose a "
                      "smaller suite.");
    case ExecutorSpec::Kind::Host:
        return Tr::tr("The disk of the test files filled up. Make room, choose another folder "
                      "with --directory, or a smaller suite.");
    case ExecutorSpec::Kind::Share:
    case ExecutorSpec::Kind::Kernel:
        break;
    }
    return Tr::tr("The disk of the test files filled up. Make room, or choose a smaller suite.");
}

Executor* find(const QList<Executor*>& executors, const QString& name) {
    for (Executor* const executor : executors)
        if (executor->name() == name)
            return executor;
    return nullptr;
}

// Figures, tool and raw output into `run`, or the failure.
void measure(Executor& executor,
             const Workload& workload,
             const Executor::Output& output,
             BenchRun& run) {
    run.options = executor.options();
    if (workload.kind == Workload::Kind::Time) {
        if (output.exitCode == 0)
            run.figures.elapsed = Elapsed{output.seconds, 1, {}, {}, {}};
        else
            run.failure = reasonOf(output);
        return;
    }
    if (workload.kind == Workload::Kind::Reported) {
        const auto time = output.exitCode == 0 ? ReportedTime::fromOutput(output.out)
                                               : fail(Error::Kind::Internal, reasonOf(output));
        if (time) {
            run.figures.elapsed = Elapsed{time->seconds, 1, {}, {}, {}};
            run.tool = time->tool;
        } else {
            run.failure = time.error().message;
        }
        return;
    }
    const auto report = FioReport::fromOutput(output.out);
    if (output.exitCode != 0 && (output.out.trimmed().isEmpty() || report)) {
        run.failure = reasonOf(output);
    } else if (!report) {
        run.failure = report.error().message;
        if (!output.err.isEmpty())
            run.failure += QLatin1Char(' ') + reasonOf(output);
    } else if (report->figures.isEmpty()) {
        run.failure = Tr::tr("fio measured nothing: the run was too short.");
    } else {
        run.figures = report->figures;
        run.tool = report->version;
        run.raw = report->raw;
    }
}

class Runner final {
public:
    Runner(const RunPlan& plan, const QList<Executor*>& executors, const RunContext& context)
        : m_plan(plan)
        , m_executors(executors)
        , m_context(context) {}

    Result<BenchRun> run(const RunSlot& slot) {
        BenchRun run;
        run.workload = slot.workload.name;
        run.executor = slot.executor;
        run.round = slot.round;
        run.command = slot.workload.command;
        Executor* const executor = find(m_executors, slot.executor);
        if (!executor) {
            run.failure = Tr::tr("There is no executor \"%1\".").arg(slot.executor);
            return run;
        }
        if (const auto reason = m_givenUp.constFind(slot.executor); reason != m_givenUp.cend()) {
            run.failure = *reason;
            return run;
        }
        if (const auto begun = executor->begin(m_context.stop); !begun) {
            // A clone that has started and not answered must not stay beside the others.
            if (!m_context.stop.stop_requested())
                executor->end();
            return failed(run, begun.error());
        }
        m_full.clear();
        auto measured = runOn(*executor, slot.workload, run);
        if (measured && !m_full.isEmpty())
            measured = madeRoom(*executor, *std::move(measured));
        if (!m_context.stop.stop_requested())
            executor->end();
        return measured;
    }

private:
    static bool isCheck(const Workload& workload) {
        return workload.cache != Workload::Cache::Emptied;
    }

    Result<BenchRun> runOn(Executor& executor, const Workload& workload, BenchRun run) {
        const auto prepared = prepare(executor, workload);
        if (!prepared)
            return failed(run, prepared.error());
        run.noise = executor.noise();
        run.started = QDateTime::currentDateTimeUtc().toString(Qt::ISODate);
        return isCheck(workload) ? checked(executor, workload, std::move(run))
                                 : measured(executor, workload, std::move(run));
    }

    Result<BenchRun> measured(Executor& executor, const Workload& workload, BenchRun run) {
        const auto output = executor.run(workload.command, m_context.stop);
        if (!output)
            return failed(run, output.error());
        measure(executor, workload, *output, run);
        m_full = fullDiskLine(*output);
        return run;
    }

    // With what shows where the data came from.
    Result<BenchRun> checked(Executor& executor, const Workload& workload, BenchRun run) {
        const auto resident = executor.run(residencyLine(), m_context.stop);
        if (!resident)
            return failed(run, resident.error());
        auto output = executor.run(countingReads(workload.command), m_context.stop);
        if (!output)
            return failed(run, output.error());
        run.evidence = evidenceFrom(resident->out, output->err);
        measure(executor, workload, *output, run);
        m_full = fullDiskLine(*output);
        run.options.insert(QStringLiteral("cache"), wordOf(workload.cache));
        return run;
    }

    // What is left in a full disk would let all that comes after fail, too: fio removes nothing.
    Result<BenchRun> madeRoom(Executor& executor, BenchRun run) {
        run.failure = Tr::tr("Not measured. %1 The command said: %2")
                          .arg(roomAdvice(m_plan, run.executor), m_full);
        const auto removed = executor.removeTestFiles(m_context.stop);
        if (!removed && removed.error().isCancelled())
            return fail(removed.error());
        return run;
    }

    // Each further step in a guest that has died would wait for minutes.
    Result<BenchRun> failed(BenchRun run, const Error& error) {
        if (error.isCancelled())
            return fail(error);
        run.failure = error.message;
        if (error.kind == Error::Kind::NotRunning || error.kind == Error::Kind::Timeout)
            m_givenUp.insert(
                run.executor,
                Tr::tr("Not measured: \"%1\" was given up, as its guest answered no "
                       "more in round %2 at \"%3\". It said then: %4")
                    .arg(run.executor, QString::number(run.round), run.workload, error.message));
        return run;
    }

    Result<> prepare(Executor& executor, const Workload& workload) {
        if (!workload.setup.isEmpty()) {
            const auto made = runChecked(executor, workload.setup, Tr::tr("The setup failed."));
            if (!made)
                return made;
        }
        if (workload.cache == Workload::Cache::Cached)
            return {};
        if (m_plan.prepare.isEmpty())
            return executor.dropCaches();
        return runChecked(executor, m_plan.prepare, Tr::tr("The command of --prepare failed."));
    }

    Result<> runChecked(Executor& executor, const QString& command, const QString& what) {
        const auto output = executor.run(command, m_context.stop);
        if (!output)
            return fail(output.error());
        m_full = fullDiskLine(*output);
        if (output->exitCode != 0)
            return fail(Error::Kind::Internal, what + QLatin1Char(' ') + reasonOf(*output));
        return {};
    }

    const RunPlan& m_plan;
    const QList<Executor*>& m_executors;
    const RunContext& m_context;
    QHash<QString, QString> m_givenUp; // executor, why
    QString m_full;                    // what told of a full disk in this slot
};

} // namespace

QJsonObject RunPlan::toJson() const {
    QJsonArray list;
    for (const Workload& workload : workloads)
        list.append(bench::toJson(workload));
    QJsonObject json{{QStringLiteral("workloads"), list},
                     {QStringLiteral("executors"), QJsonArray::fromStringList(executors)},
                     {QStringLiteral("rounds"), rounds},
                     {QStringLiteral("space"), static_cast<qint64>(space)}};
    if (!prepare.isEmpty())
        json.insert(QStringLiteral("prepare"), prepare);
    if (!folder.isEmpty())
        json.insert(QStringLiteral("folder"), folder);
    if (isShort)
        json.insert(QStringLiteral("short"), true);
    if (!guest.source.isEmpty())
        json.insert(guest.isImage ? QStringLiteral("image") : QStringLiteral("machine"),
                    guest.source);
    if (guest.cpus > 0)
        json.insert(QStringLiteral("cpus"), guest.cpus);
    if (guest.memory > 0)
        json.insert(QStringLiteral("memory_bytes"), static_cast<qint64>(guest.memory));
    if (guest.grow)
        json.insert(QStringLiteral("grow"), true);
    if (!kernel.file.isEmpty())
        json.insert(QStringLiteral("kernel"), kernel.file);
    if (!kernel.modules.isEmpty())
        json.insert(QStringLiteral("modules"), kernel.modules);
    return json;
}

Result<RunPlan> RunPlan::fromJson(const QJsonObject& json) {
    JsonReader reader(json, QStringLiteral("plan"));
    RunPlan plan;
    for (const QJsonValue& value : reader.list("workloads")) {
        JsonReader item(value.toObject(), QStringLiteral("plan.workloads"));
        Workload workload;
        workload.name = item.text("name");
        const auto kind = kindFrom(item.text("kind"));
        workload.kind = kind.value_or(Workload::Kind::Fio);
        if (!kind)
            item.refuse(QStringLiteral("kind"), Tr::tr("that of a workload"));
        workload.setup = item.text("setup");
        workload.command = item.text("command");
        workload.pair = item.text("pair");
        const auto cache = cacheFrom(item.text("cache"));
        workload.cache = cache.value_or(Workload::Cache::Emptied);
        if (!cache)
            item.refuse(QStringLiteral("cache"), Tr::tr("\"cached\" or \"invalidated\""));
        if (workload.name.isEmpty() || workload.command.isEmpty())
            item.refuse(QStringLiteral("name"), Tr::tr("that of a workload with a command"));
        if (item.error())
            return fail(*item.error());
        plan.workloads.append(workload);
    }
    for (const QJsonValue& name : reader.list("executors"))
        plan.executors.append(name.toString());
    plan.rounds = static_cast<int>(std::clamp(reader.number("rounds").value_or(1), 1.0, 1000.0));
    plan.prepare = reader.text("prepare");
    plan.folder = reader.text("folder");
    plan.isShort = reader.flag("short");
    plan.space = static_cast<quint64>(std::min(reader.number("space").value_or(0), 1e18));
    plan.guest.source = reader.text("machine");
    if (const QString image = reader.text("image"); !image.isEmpty()) {
        plan.guest.source = image;
        plan.guest.isImage = true;
    }
    plan.guest.cpus = static_cast<int>(std::min(reader.number("cpus").value_or(0), 1024.0));
    plan.guest.memory =
        static_cast<quint64>(std::min(reader.number("memory_bytes").value_or(0), 1e15));
    plan.guest.grow = reader.flag("grow");
    plan.kernel.file = reader.text("kernel");
    plan.kernel.modules = reader.text("modules");
    if (reader.error())
        return fail(*reader.error());
    if (plan.workloads.isEmpty() || plan.executors.isEmpty())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The campaign has no plan: it was not measured here and cannot go on."));
    return plan;
}

RunPlan
planOf(const Suite& suite, const QStringList& executors, int rounds, bool isShort, quint64 memory) {
    RunPlan plan;
    plan.executors = executors;
    plan.rounds = rounds;
    plan.isShort = isShort;
    for (Workload workload : suite.workloads) {
        workload.command = suite.commandOf(workload, memory);
        if (isShort) {
            workload.setup = shortened(workload.setup);
            workload.command = shortened(workload.command);
        }
        const auto options = FioOptions::fromCommand(workload.command);
        const quint64 space = options ? options->workingSet().value_or(timedSpace) : timedSpace;
        plan.space = std::max(plan.space, space);
        plan.workloads.append(workload);
    }
    return plan;
}

quint64 spaceNeededFor(const RunPlan& plan) {
    return plan.space + plan.space / spareShare;
}

Result<> checkSpace(const RunPlan& plan, const QList<Executor*>& executors) {
    const quint64 needed = spaceNeededFor(plan);
    for (const Executor* const executor : executors) {
        const auto free = executor->freeSpace();
        if (!free)
            return fail(free.error());
        if (*free < needed)
            return fail(Error::Kind::DiskFull,
                        Tr::tr("The test files need %1, and \"%2\" has %3 free. Choose another "
                               "folder or a smaller suite, or make room.")
                            .arg(ByteCount::fromBytes(needed).toText(),
                                 executor->name(),
                                 ByteCount::fromBytes(*free).toText()));
    }
    return {};
}

QList<RunSlot> slotsOf(const RunPlan& plan) {
    QList<RunSlot> all;
    for (int round = 1; round <= plan.rounds; ++round)
        for (const Workload& workload : turned(plan.workloads, round))
            for (const QString& executor : turned(plan.executors, round))
                all.append({round, workload, executor});
    return all;
}

QList<RunSlot> slotsLeft(const RunPlan& plan, const Campaign& campaign) {
    QList<RunSlot> left = slotsOf(plan);
    left.removeIf([&campaign](const RunSlot& slot) {
        return std::any_of(campaign.runs.begin(), campaign.runs.end(), [&](const BenchRun& run) {
            return run.failure.isEmpty() && run.round == slot.round &&
                   run.workload == slot.workload.name && run.executor == slot.executor;
        });
    });
    return left;
}

Result<int> runCampaign(const CampaignStore& store,
                        const QString& id,
                        const QList<Executor*>& executors,
                        const RunContext& context) {
    const auto campaign = store.read(id);
    if (!campaign)
        return fail(campaign.error());
    const auto plan = RunPlan::fromJson(campaign->plan);
    if (!plan)
        return fail(plan.error());
    if (const auto enough = checkSpace(*plan, executors); !enough)
        return fail(enough.error());
    QList<RunSlot> left = slotsLeft(*plan, *campaign);
    const auto total = static_cast<int>(slotsOf(*plan).size());
    const auto setState = [&](Campaign::State state) {
        return store.update(id, [state](Campaign& changed) { changed.state = state; });
    };
    if (const auto begun = setState(Campaign::State::Running); !begun)
        return fail(begun.error());
    Runner runner(*plan, executors, context);
    Durations measured; // seconds with preparation
    int failures = 0;
    while (!left.isEmpty()) {
        const RunSlot slot = left.first();
        context.report(
            {total - static_cast<int>(left.size()), total, slot, secondsOf(left, measured)});
        QElapsedTimer clock;
        clock.start();
        const auto run = context.stop.stop_requested() ? Result<BenchRun>(fail(Error::cancelled()))
                                                       : runner.run(slot);
        if (!run) {
            (void)setState(Campaign::State::Cancelled);
            return fail(run.error());
        }
        measured[slot.workload.name][slot.executor] = static_cast<double>(clock.elapsed()) / 1000;
        failures += run->failure.isEmpty() ? 0 : 1;
        const auto kept = store.update(id, [&](Campaign& changed) { changed.runs.append(*run); });
        if (!kept)
            return fail(kept.error());
        left.removeFirst();
    }
    if (const auto ended = setState(Campaign::State::Complete); !ended)
        return fail(ended.error());
    return failures;
}

double estimatedSeconds(const RunPlan& plan) {
    return secondsOf(slotsOf(plan), {});
}

} // namespace vitrine::bench
