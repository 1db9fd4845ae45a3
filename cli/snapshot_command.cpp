// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/running_machine.h"
#include "cli/work_reporter.h"
#include "core/hypervisor/unavailable_method.h"
#include "core/library/saved_state.h"
#include "core/machine/sidecar.h"
#include "core/sharing/share_status.h"
#include "core/snapshot/snapshot_operations.h"
#include "core/snapshot/uncovered_disks.h"

#include <QEventLoop>
#include <QJsonArray>
#include <QLocale>
#include <QTimer>

#include <algorithm>
#include <optional>

namespace vitrine::cli {

namespace {

constexpr int workTime = 24 * 60 * 60 * 1000; // ms; as long as the disk needs
constexpr int lookPeriod = 250;               // ms
constexpr int quickAnswer = 10000;            // ms

struct Options {
    std::string machine;
    std::string action;
    std::vector<std::string> words;
    bool diskOnly = false;
    bool discardState = false;
    bool saveCurrent = false;
    bool withoutMemory = false;
    bool automatic = false;
    std::shared_ptr<bool> json;
};

QJsonObject toJson(const QString& directory, const Snapshot& snapshot, bool current) {
    const SnapshotSize size = snapshotSize(directory, snapshot.id);
    QJsonObject object = snapshot.toJson();
    object.insert(QStringLiteral("current"), current);
    object.insert(QStringLiteral("withMemory"), snapshot.withMemory);
    object.insert(QStringLiteral("exclusive"), static_cast<qint64>(size.exclusive.bytes()));
    object.insert(QStringLiteral("allocated"), static_cast<qint64>(size.allocated.bytes()));
    return object;
}

QString kindOf(const Snapshot& snapshot) {
    const QString kind = snapshot.withMemory        ? Tr::tr("with memory")
                         : snapshot.crashConsistent ? Tr::tr("disk, as after a power cut")
                                                    : Tr::tr("disk");
    return snapshot.otherDisks.isEmpty()
               ? kind
               : Tr::tr("%1, %2 other not included").arg(kind).arg(snapshot.otherDisks.size());
}

Result<int> list(const MachineInfo& machine, bool json) {
    const auto tree = readSnapshots(machine.directory);
    if (!tree)
        return fail(tree.error());
    if (json) {
        QJsonArray array;
        for (const SnapshotTree::Row& row : tree->rows())
            array.append(
                toJson(machine.directory, row.snapshot, row.snapshot.id == tree->current()));
        printJson(array);
        return 0;
    }
    QList<QStringList> rows;
    const QDateTime now = QDateTime::currentDateTime();
    for (const SnapshotTree::Row& row : tree->rows())
        rows.append({row.snapshot.id,
                     QString(2 * row.depth, QLatin1Char(' ')) + row.snapshot.name +
                         (row.snapshot.id == tree->current() ? QStringLiteral(" *") : QString()),
                     relativeTime(row.snapshot.created, now),
                     kindOf(row.snapshot),
                     snapshotSize(machine.directory, row.snapshot.id).exclusive.toText()});
    print(table({Tr::tr("Identifier"),
                 Tr::tr("Name"),
                 Tr::tr("Taken"),
                 Tr::tr("Kind"),
                 Tr::tr("Exclusive size")},
                rows));
    if (!tree->current().isEmpty())
        printLine(Tr::tr("* What the machine has now grew from this one."));
    return 0;
}

// Sentences about shares that the guest cannot use now: memory is saved without them.
QStringList sharesThatAreMissing(MachineClient& client) {
    QStringList sentences;
    const auto answer = client.callAndWait(QStringLiteral("share.list"), {}, quickAnswer);
    if (!answer)
        return sentences;
    for (const ShareStatus& share : ShareList::fromJson(*answer).shares)
        if (share.state != ShareState::Mounted)
            sentences.append(Tr::tr("The share \"%1\" is not back in the guest. %2")
                                 .arg(plain(share.spec.displayName()), plain(share.message))
                                 .trimmed());
    return sentences;
}

// The machine's process takes it; asked now and then how far it is. `missing`: sentences about
// shares that did not come back.
Result<Snapshot> createRunning(const Library& library,
                               const Options& options,
                               const JobContext& context,
                               QStringList& missing) {
    const auto machine = connectToMachine(library, options.machine);
    if (!machine)
        return fail(machine.error());
    MachineClient& client = *machine->client;
    if (!client.supports(QStringLiteral("snapshot.create"))) {
        const QString reason = whyUnavailable(client, QStringLiteral("snapshot.create"));
        if (!reason.isEmpty())
            return fail(Error::Kind::Unsupported, reason);
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" was started by an older version, which takes no snapshots. Shut "
                           "it down first.")
                        .arg(machine->info.name));
    }
    std::optional<Result<QJsonValue>> answer;
    QEventLoop loop;
    client.call(
        QStringLiteral("snapshot.create"),
        {{QStringLiteral("name"),
          options.words.empty() ? QString() : toQString(options.words.front())},
         {QStringLiteral("memory"), !options.diskOnly},
         {QStringLiteral("automatic"), options.automatic}},
        [&](const Result<QJsonValue>& given) {
            answer = given;
            loop.quit();
        },
        workTime);
    QTimer look;
    bool cancelled = false;
    QObject::connect(&look, &QTimer::timeout, &loop, [&] {
        if (context.cancelled() && !cancelled) {
            cancelled = true;
            client.call(QStringLiteral("snapshot.cancel"), {}, [](const Result<QJsonValue>&) {});
        }
        client.call(
            QStringLiteral("snapshot.progress"), {}, [&context](const Result<QJsonValue>& given) {
                if (!given)
                    return;
                const QJsonObject object = given->toObject();
                Progress progress;
                progress.done =
                    static_cast<quint64>(object.value(QLatin1String("done")).toInteger());
                if (const qint64 total = object.value(QLatin1String("total")).toInteger();
                    total > 0)
                    progress.total = static_cast<quint64>(total);
                progress.step = object.value(QLatin1String("step")).toString();
                context.report(progress);
            });
    });
    look.start(lookPeriod);
    loop.exec();
    if (!*answer)
        return fail(answer->error());
    look.stop();
    if (!options.diskOnly)
        missing = sharesThatAreMissing(client);
    const auto snapshot = Snapshot::fromJson((*answer)->toObject());
    if (!snapshot)
        return fail(Error::Kind::Internal,
                    Tr::tr("The machine's process did not say which snapshot it took."));
    return *snapshot;
}

Result<int> create(const Library& library,
                   const MachineInfo& machine,
                   const MachineName& name,
                   const Options& options,
                   ProgressFormat format) {
    const ByteCount cost = snapshotCost(machine.directory);
    if (format == ProgressFormat::Text && cost.bytes() > 0)
        note(Tr::tr("This copies %1: the file system cannot share blocks.").arg(cost.toText()));
    WorkReporter reporter(format);
    QStringList missing;
    const bool running = machine.holderPid != 0 || machine.state == MachineState::RunningElsewhere;
    const auto snapshot =
        running
            ? createRunning(library, options, reporter.context(), missing)
            : createSnapshot(library,
                             name,
                             {options.words.empty() ? QString() : toQString(options.words.front()),
                              options.automatic},
                             reporter.context());
    if (!snapshot)
        return fail(snapshot.error());
    if (format == ProgressFormat::Json)
        return 0;
    if (*options.json)
        printJson(toJson(machine.directory, *snapshot, true));
    else
        printLine(snapshot->id);
    for (const QString& share : missing)
        note(share);
    if (snapshot->crashConsistent)
        note(
            Tr::tr("The guest could not be asked to bring its disk in order, so the snapshot is as "
                   "after a power cut."));
    if (!snapshot->otherDisks.isEmpty())
        note(notInSnapshot(snapshot->otherDisks));
    return 0;
}

Result<Snapshot> chosen(const MachineInfo& machine, const Options& options) {
    const auto tree = readSnapshots(machine.directory);
    if (!tree)
        return fail(tree.error());
    return tree->choose(toQString(options.words.front()));
}

// What goes when the machine goes back, in a sentence; empty when it is kept or nothing is known.
QString droppedText(const MachineInfo& machine, const Options& options) {
    const auto tree = readSnapshots(machine.directory);
    const auto sidecar = Sidecar::read(machine.directory);
    if (options.saveCurrent || !tree || !sidecar || takesAutomaticSnapshots(sidecar->snapshots))
        return {};
    const auto& all = tree->all();
    const auto current = std::find_if(
        all.begin(), all.end(), [&tree](const Snapshot& one) { return one.id == tree->current(); });
    const QString since =
        current == all.end()
            ? Tr::tr("since it was made")
            : Tr::tr("since the snapshot \"%1\" of %2")
                  .arg(plain(current->name),
                       QLocale().toString(current->created.toLocalTime(), QLocale::ShortFormat));
    return Tr::tr("What \"%1\" had written to its disk %2 was dropped. To keep that as a snapshot "
                  "when you go back, add --save-current.")
        .arg(machine.name, since);
}

Result<> checkWords(const Options& options) {
    struct Rule {
        const char* action;
        std::size_t fewest;
        std::size_t most;
        const char* words;
    };
    static constexpr Rule rules[] = {{"list", 0, 0, ""},
                                     {"create", 0, 1, "[TITLE]"},
                                     {"restore", 1, 1, "SNAPSHOT"},
                                     {"branch", 2, 2, "SNAPSHOT NEW-NAME"},
                                     {"delete", 1, 1, "SNAPSHOT"},
                                     {"automatic", 1, 1, "on|off"}};
    for (const Rule& rule : rules)
        if (options.action == rule.action &&
            (options.words.size() < rule.fewest || options.words.size() > rule.most))
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("Write: vitrinectl snapshot NAME %1 %2")
                            .arg(QLatin1String(rule.action), QLatin1String(rule.words))
                            .trimmed());
    return {};
}

Result<int> run(const Options& options, ProgressFormat format) {
    if (const auto right = checkWords(options); !right)
        return fail(right.error());
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto machine = findMachine(*library, options.machine);
    if (!machine)
        return fail(machine.error());
    const auto name = MachineName::fromText(machine->name);
    if (machine->isImage || !name)
        return fail(
            Error::Kind::Unsupported,
            Tr::tr("\"%1\" is an image and never changes. Clone it first.").arg(machine->name));
    if (options.action == "list")
        return list(*machine, *options.json);
    if (options.action == "create")
        return create(*library, *machine, *name, options, format);
    if (options.action == "automatic") {
        const std::string& word = options.words.front();
        if (word != "on" && word != "off")
            return fail(Error::Kind::InvalidInput, Tr::tr("Write \"on\" or \"off\"."));
        const auto set = setAutomaticSnapshots(machine->directory, word == "on");
        return set ? Result<int>(0) : fail(set.error());
    }
    const auto snapshot = chosen(*machine, options);
    if (!snapshot)
        return fail(snapshot.error());
    const QString& id = snapshot->id;
    const QString dropped =
        options.action == "restore" ? droppedText(*machine, options) : QString();
    WorkReporter reporter(format);
    Result<> done;
    if (options.action == "restore") {
        done =
            restoreSnapshot(*library,
                            *name,
                            {id, options.discardState, options.saveCurrent, options.withoutMemory},
                            reporter.context());
    } else if (options.action == "branch") {
        const auto target = MachineName::fromText(toQString(options.words.at(1)));
        done = target ? branchSnapshot(*library, *name, id, *target, reporter.context())
                      : Result<>(fail(target.error()));
    } else {
        done = deleteSnapshot(*library, *name, id);
    }
    if (!done)
        return fail(done.error());
    if (format == ProgressFormat::Text && !dropped.isEmpty())
        note(dropped);
    if (options.action == "restore" && format == ProgressFormat::Text &&
        !snapshot->otherDisks.isEmpty())
        note(notGoingBack(snapshot->otherDisks));
    return 0;
}

} // namespace

void addSnapshotCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    Command command;
    CLI::App* const app =
        root.add_subcommand("snapshot", "Keep restore points of a machine and go back to them");
    command.app = app;
    app->add_option("name", options->machine, "Name of a machine")->required()->type_name("");
    app->add_option("action",
                    options->action,
                    "list, create [TITLE], restore SNAPSHOT, branch SNAPSHOT NEW-NAME, delete "
                    "SNAPSHOT, or automatic on|off")
        ->required()
        ->check(CLI::IsMember({"list", "create", "restore", "branch", "delete", "automatic"})
                    .description(""))
        ->type_name("");
    app->add_option("words", options->words, "What the action needs")->type_name("");
    app->add_flag("--disk-only",
                  options->diskOnly,
                  "create: without the memory of a running machine; going back to it boots the "
                  "guest");
    app->add_flag("--save-current",
                  options->saveCurrent,
                  "restore: take a snapshot of what the machine has now first");
    app->add_flag("--discard-state",
                  options->discardState,
                  "restore: the saved state of a suspended machine may go");
    app->add_flag("--without-memory",
                  options->withoutMemory,
                  "restore: only disk and settings of a snapshot with memory; the guest boots");
    app->add_flag("--automatic", options->automatic)->group("");
    options->json = addFormatOption(*app);
    addProgressOption(command);
    app->footer(
        "A snapshot is named by its identifier, the beginning of that, or its title. "
        "With \"automatic on\" one is taken before going back to another and before "
        "the disk or hardware is changed or a saved state discarded. Other disks are no part of "
        "snapshots: one with memory of a running machine that writes to some is refused.");
    command.run = [options, format = command.progress] { return run(*options, *format); };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
