// SPDX-License-Identifier: Apache-2.0
#include "cli/backend.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/run_arguments.h"
#include "cli/running_machine.h"
#include "cli/work_reporter.h"
#include "core/hypervisor/machine_changes.h"
#include "core/library/machine_disk.h"
#include "core/library/machine_operations.h"
#include "core/library/runtime_directory.h"
#include "core/machine/display_scale.h"
#include "core/sharing/share_safety.h"
#include "core/snapshot/snapshot_operations.h"

#include <QDir>

namespace vitrine::cli {

namespace {

constexpr int connectTime = 5000; // ms
constexpr int answerTime = 15000; // ms
constexpr int growTime = 3600000; // ms; a snapshot first may copy the whole disk

struct Options {
    std::string name;
    std::optional<int> cpus;
    std::optional<quint64> memory; // MiB
    std::string display;
    std::optional<Refit> refit;
    std::string displayScale;
    std::string mac;
    bool randomMac = false;
    bool randomSerial = false;
    std::string disk;
    std::optional<unsigned> diskSize; // GB
    bool growPartition = true;
    RunArguments run;
    bool resetRun = false;
};

Result<MachineChanges> changesOf(const Options& options) {
    MachineChanges changes;
    changes.cpuCount = options.cpus;
    if (options.memory)
        changes.memory = ByteCount::fromMiB(*options.memory);
    if (!options.display.empty()) {
        const QString text = toQString(options.display);
        changes.display = DisplaySize::fromText(text);
        if (!changes.display)
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("\"%1\" is not a display size. Write WIDTHxHEIGHT, such as "
                               "1920x1080, with pt or px behind it if wished.")
                            .arg(text));
    }
    if (!options.mac.empty()) {
        changes.macAddress = MacAddress::fromText(toQString(options.mac));
        if (!changes.macAddress)
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("\"%1\" is not the address of a network card. Write six pairs of "
                               "hex digits, such as 52:54:00:12:34:56.")
                            .arg(toQString(options.mac)));
    }
    changes.refit = options.refit;
    changes.randomMac = options.randomMac;
    changes.randomSerial = options.randomSerial;
    if (options.diskSize)
        changes.diskSize = ByteCount::fromGB(*options.diskSize);
    return changes;
}

bool isAlive(const Library& library, const MachineInfo& machine) {
    const auto runtime = RuntimeDirectory::locate(library.home(), machine.directory);
    return runtime && runtime->isAlive();
}

// What a machine did at once instead of at its next start.
struct Outcome {
    bool atNextStart = false;
    QString text; // translated; may be empty
};

// The disk of a running machine grows at once, and the guest's last partition with it.
Result<>
growRunning(MachineClient& client, MachineChanges& changes, bool growPartition, Outcome& outcome) {
    const auto answer = client.callAndWait(
        QStringLiteral("disk.grow"),
        {{QStringLiteral("size"), static_cast<qint64>(changes.diskSize->bytes())},
         {QStringLiteral("partition"), growPartition}},
        growTime);
    if (!answer)
        return fail(answer.error());
    outcome.text = answer->toObject().value(QLatin1String("text")).toString();
    changes.diskSize.reset();
    return {};
}

// Contract 2: config.json of a running machine is left alone, its process keeps the change.
// `refusal` is why it could not be changed as a stopped one.
Result<> changeRunning(const Library& library,
                       const MachineInfo& machine,
                       MachineChanges changes,
                       bool growPartition,
                       Outcome& outcome,
                       const Error& refusal) {
    std::unique_ptr<MachineClient> client;
    if (machine.holderPid > 0 && isAlive(library, machine))
        client = connectToProcess(library, machine.directory, connectTime);
    if (!client || !client->supports(QStringLiteral("change")))
        return fail(refusal);
    if (changes.diskSize && client->supports(QStringLiteral("disk.grow")))
        if (const auto grown = growRunning(*client, changes, growPartition, outcome); !grown)
            return grown;
    if (changes.isEmpty())
        return {};
    outcome.atNextStart = true;
    const auto answer =
        client->callAndWait(QStringLiteral("change"), changesToJson(changes), answerTime);
    if (!answer)
        return fail(answer.error());
    return {};
}

// The guest's partition follows when the machine runs and its agent answers.
Result<> changeStopped(const Library& library,
                       const MachineInfo& machine,
                       const MachineName& name,
                       const MachineChanges& changes,
                       bool growPartition) {
    const auto changed = changeMachine(library, name, changes);
    if (!changed || !changes.diskSize || *changes.diskSize == machine.diskSize || !growPartition)
        return changed;
    return Sidecar::update(machine.directory,
                           [](Sidecar& sidecar) { sidecar.growPartition = true; });
}

Result<> applyChanges(const Library& library,
                      const MachineInfo& machine,
                      const MachineChanges& changes,
                      bool growPartition,
                      Outcome& outcome) {
    if (const auto valid = validateChanges(machine, changes); !valid)
        return fail(valid.error());
    const auto name = MachineName::fromText(machine.name);
    if (!name)
        return fail(name.error());
    // Who holds the lock may be another `set`, which is waited for.
    const auto changed = changeStopped(library, machine, *name, changes, growPartition);
    if (changed || changed.error().kind != Error::Kind::AlreadyRunning)
        return changed;
    const auto now = library.machine(*name);
    if (!now)
        return fail(now.error());
    if (!now->config)
        return fail(Error::Kind::Integrity, now->brokenReason);
    return changeRunning(library, *now, changes, growPartition, outcome, changed.error());
}

Result<> replaceDiskOf(const Library& library,
                       const MachineInfo& machine,
                       const Options& options,
                       ProgressFormat format) {
    const auto name = MachineName::fromText(machine.name);
    if (!name)
        return fail(name.error());
    WorkReporter reporter(format);
    return replaceDisk(library,
                       *name,
                       QDir::current().absoluteFilePath(toQString(options.disk)),
                       reporter.context());
}

// A machine that asks for it keeps what it had. One that runs changes nothing before its end.
Result<>
keepBefore(const Library& library, const MachineInfo& machine, const MachineChanges& changes) {
    const auto sidecar = Sidecar::read(machine.directory);
    if (!sidecar || !takesAutomaticSnapshots(sidecar->snapshots))
        return {};
    if (const auto valid = validateChanges(machine, changes); !valid)
        return valid;
    const auto name = MachineName::fromText(machine.name);
    if (!name)
        return fail(name.error());
    const auto kept =
        createSnapshot(library, *name, {Tr::tr("Before a change of the settings"), true}, {});
    return kept ? Result<>() : fail(kept.error());
}

// A later `run` would refuse it, so it is refused now. Sentences about what only this computer
// cannot do, and about folders.
Result<QStringList> checkHardware(const MachineInfo& machine, const MachineChanges& changes) {
    if (!changes.cpuCount && !changes.memory)
        return QStringList();
    MachineInfo changed = machine;
    MachineConfig& config = *changed.config;
    // What is not typed is not to blame.
    config.cpuCount = changes.cpuCount.value_or(1);
    config.memory = changes.memory.value_or(ByteCount::fromMiB(64));
    const auto warning = checkHardwareToStore(changed);
    if (!warning)
        return fail(warning.error());
    return warning->isEmpty() ? QStringList() : QStringList{*warning};
}

Result<QStringList>
checkOptions(const Library& library, const MachineInfo& machine, const RunOptions& typed) {
    if (const auto valid = checkOptionsToStore(machine, typed); !valid)
        return fail(valid.error());
    QStringList warnings;
    for (const ShareSpec& share : typed.shares) {
        if (share.isArchive())
            continue;
        const auto warning =
            checkSharedFolder(share.path,
                              share.readOnly ? ShareAccess::ReadOnly : ShareAccess::Writable,
                              {library.home()});
        if (!warning)
            return fail(warning.error());
        if (!warning->isEmpty())
            warnings.append(*warning);
    }
    return warnings;
}

Result<int> run(const Options& options, ProgressFormat format) {
    const auto changes = changesOf(options);
    if (!changes)
        return fail(changes.error());
    const bool changesRun = !options.run.isEmpty() || options.resetRun;
    std::optional<DisplayScale> displayScale;
    if (!options.displayScale.empty()) {
        const auto scale = displayScaleFromText(toQString(options.displayScale));
        if (!scale)
            return fail(scale.error());
        displayScale = *scale;
    }
    if (changes->isEmpty() && !changesRun && options.disk.empty() && !displayScale)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("There is nothing to set. Give at least one option."));
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto machine = findMachine(*library, options.name);
    if (!machine)
        return fail(machine.error());

    // Everything that can be refused is looked at before anything is written.
    const QString here = QDir::currentPath();
    auto checked = checkHardware(*machine, *changes);
    if (!checked)
        return fail(checked.error());
    QStringList risks = *std::move(checked);
    if (changesRun) {
        const auto sidecar = Sidecar::read(machine->directory);
        if (!sidecar)
            return fail(sidecar.error());
        const auto merged =
            merge(options.resetRun ? RunOptions() : sidecar->run, options.run, here);
        if (!merged)
            return fail(merged.error());
        const auto warnings = checkOptions(*library, *machine, typedPart(*merged, options.run));
        if (!warnings)
            return fail(warnings.error());
        risks += riskNotes(*merged);
        risks += *warnings;
    }
    Outcome outcome;
    // Whoever has the lock may be another `set`, which is not a run.
    outcome.atNextStart =
        changesRun && (machine->state == MachineState::RunningElsewhere ||
                       (machine->holderPid > 0 && !waitForChange(*library, machine->directory)));
    if ((!changes->isEmpty() || !options.disk.empty()) && machine->holderPid == 0) {
        if (const auto kept = keepBefore(*library, *machine, *changes); !kept)
            return fail(kept.error());
    }
    if (!options.disk.empty())
        if (const auto replaced = replaceDiskOf(*library, *machine, options, format); !replaced)
            return fail(replaced.error());
    if (!changes->isEmpty()) {
        // A disk that was replaced has another size.
        const auto now = options.disk.empty() ? machine : findMachine(*library, options.name);
        if (!now)
            return fail(now.error());
        if (const auto applied =
                applyChanges(*library, *now, *changes, options.growPartition, outcome);
            !applied)
            return fail(applied.error());
    }
    if (displayScale) // the console's, which sees it at once
        if (const auto stored =
                Sidecar::update(machine->directory,
                                [&](Sidecar& sidecar) { setDisplayScale(sidecar, *displayScale); });
            !stored)
            return fail(stored.error());
    if (changesRun) {
        std::optional<Error> refused;
        const auto updated = Sidecar::update(machine->directory, [&](Sidecar& sidecar) {
            auto merged = merge(options.resetRun ? RunOptions() : sidecar.run, options.run, here);
            if (merged)
                sidecar.run = *std::move(merged);
            else
                refused = merged.error();
        });
        if (refused)
            return fail(*std::move(refused));
        if (!updated)
            return fail(updated.error());
    }
    if (format == ProgressFormat::Json)
        return 0;
    if (!outcome.text.isEmpty())
        note(plain(outcome.text));
    for (const QString& risk : risks)
        note(plain(risk));
    if (outcome.atNextStart)
        note(
            Tr::tr("\"%1\" is running: the change takes effect at next start.").arg(machine->name));
    return 0;
}

// `refusal` has a place for what was typed.
CLI::Validator numberCheck(quint64 smallest, quint64 largest, const QString& refusal) {
    return {[=](const std::string& typed) {
                bool whole = false;
                const quint64 number = toQString(typed).toULongLong(&whole);
                return whole && number >= smallest && number <= largest
                           ? std::string()
                           : refusal.arg(plain(toQString(typed))).toStdString();
            },
            ""};
}

} // namespace

void addSetCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    Command command;
    CLI::App* const app = root.add_subcommand("set", "Change a machine's configuration");
    command.app = app;
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    app->add_option_function<int>(
           "--cpu", [options](const int& n) { options->cpus = n; }, "Number of processors")
        ->check(numberCheck(1, 255, Tr::tr("\"%1\" is not a number of processors from 1 to 255.")))
        ->type_name("N");
    app->add_option_function<quint64>(
           "--memory",
           [options](const quint64& n) { options->memory = n; },
           "Memory in MB (2^20 bytes)")
        ->check(numberCheck(1,
                            quint64{1} << 32,
                            Tr::tr("\"%1\" is not a number of MB. Write a whole number without a "
                                   "unit, such as 4096 for 4 GB.")))
        ->type_name("MB");
    app->add_option("--display", options->display, "Display size, such as 1920x1080")
        ->type_name("WIDTHxHEIGHT[pt|px]");
    app->add_flag_function(
        "--display-refit,!--no-display-refit",
        [options](std::int64_t count) { options->refit = count > 0 ? Refit::On : Refit::Off; },
        "The guest's display follows the window's size, or not");
    app->add_flag_function(
        "--display-refit-automatic",
        [options](std::int64_t) { options->refit = Refit::Automatic; },
        "It follows the window's size unless the guest is Linux");
    app->add_option("--display-scale",
                    options->displayScale,
                    "Pixels of the guest for one point of this computer's screen: a number from "
                    "0.5 to 4, or automatic for as many as the screen has; the window heeds it at "
                    "once")
        ->type_name("automatic|N");
    CLI::Option* const mac =
        app->add_option("--mac", options->mac, "Address of the network card")->type_name("MAC");
    app->add_flag("--random-mac", options->randomMac, "A new address of the network card")
        ->excludes(mac);
    app->add_flag("--random-serial", options->randomSerial, "A new serial number (macOS guests)");
    app->add_option_function<unsigned>(
           "--disk-size",
           [options](const unsigned& n) { options->diskSize = n; },
           "Let the disk grow to this size in GB (10^9 bytes); it cannot shrink")
        ->check(CLI::Range(1U, 65535U).description(""))
        ->type_name("GB");
    app->add_flag_function(
        "--grow-partition,!--no-grow-partition",
        [options](std::int64_t count) { options->growPartition = count > 0; },
        "Let the guest's last partition and its file system grow with the disk, or not: at once "
        "when it runs, else at its next start. Needs the guest's agent");
    app->add_option("--disk",
                    options->disk,
                    "Replace the machine's disk by a copy of this disk image; the old one is gone. "
                    "A further disk is --run-disk")
        ->type_name("FILE");
    addRunArguments(*app, options->run, "--run-disk");
    app->add_flag("--reset-run-options",
                  options->resetRun,
                  "Forget the stored run options; those given here are stored");
    addProgressOption(command);
    app->footer("A running machine keeps its configuration until it is started again. The options "
                "from --run-disk on are run options: they are stored for every later vitrinectl "
                "run.");
    command.run = [options, format = command.progress] { return run(*options, *format); };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
