// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/lock_holder.h"
#include "cli/output.h"
#include "cli/running_machine.h"
#include "core/library/machine_operations.h"
#include "core/library/runtime_directory.h"
#include "core/library/saved_state.h"
#include "core/snapshot/automatic_snapshot.h"

#include <QDeadlineTimer>

#include <csignal>

namespace vitrine::cli {

namespace {

constexpr int connectTime = 3000;     // ms
constexpr int answerTime = 10000;     // ms
constexpr int endTime = 15000;        // ms, from forcing off to both locks free
constexpr int longestTimeout = 86400; // s

struct Options {
    std::string name;
    int timeout = 30; // s
    bool force = false;
    bool discardState = false;
};

Result<> mustBeFree(const Library& library, const MachineInfo& machine) {
    if (waitUntilFree(library, machine.directory, QDeadlineTimer(endTime)))
        return {};
    return fail(Error::Kind::Timeout,
                Tr::tr("The machine \"%1\" was forced off and its files are still in use. Wait a "
                       "moment and look again with vitrinectl list.")
                    .arg(machine.name));
}

// `paused`: why the machine was, if not by hand.
void say(const Options& options,
         const MachineInfo& machine,
         bool forced,
         const QString& paused = {}) {
    if (!forced)
        note(Tr::tr("\"%1\" has shut down.").arg(machine.name));
    else if (options.force || options.timeout == 0)
        note(Tr::tr("\"%1\" was forced off.").arg(machine.name));
    else
        note(Tr::tr("\"%1\" did not shut down within %2 s and was forced off.%3")
                 .arg(machine.name)
                 .arg(options.timeout)
                 .arg(paused.isEmpty() ? QString() : Tr::tr(" It was paused: %1").arg(paused)));
}

void sayPaused(const Options& options, const MachineInfo& machine, const QString& reason) {
    if (reason.isEmpty())
        note(Tr::tr("\"%1\" is paused and is resumed to shut down.").arg(machine.name));
    else
        note(Tr::tr("\"%1\" is paused: %2 If it cannot go on it is forced off after %3 s.")
                 .arg(machine.name, reason)
                 .arg(options.timeout));
}

// A machine of ours: asked over its control socket. nullopt when its process does not answer there
// or does not do what it was asked; then `asked` says whether the guest had its time.
std::optional<Result<>> stopOverSocket(const Library& library,
                                       const MachineInfo& machine,
                                       const Options& options,
                                       bool& asked) {
    const auto client = connectToProcess(library, machine.directory, connectTime);
    if (!client)
        return std::nullopt;
    const QDeadlineTimer deadline(options.timeout * 1000LL);
    bool forced = options.force || options.timeout == 0;
    QString paused;
    if (!forced) {
        if (client->status().state == MachineState::Paused) {
            paused = plain(client->status().note);
            sayPaused(options, machine, paused);
        }
        const auto answer = client->callAndWait(QStringLiteral("shutdown"), {}, answerTime);
        // A refusal (the guest has crashed, say) is no reason to give up: forced off below.
        if (!answer && !isFree(library, machine.directory))
            note(plain(answer.error().message));
        forced = !waitUntilFree(library, machine.directory, deadline);
        asked = true;
    }
    if (forced) {
        const auto answer = client->callAndWait(QStringLiteral("forceOff"), {}, answerTime);
        if (!answer && answer.error().kind != Error::Kind::NotRunning)
            return std::nullopt;
        // Taken, but not done: the process is ended below.
        if (!waitUntilFree(library, machine.directory, QDeadlineTimer(endTime)))
            return std::nullopt;
    }
    say(options, machine, forced, paused);
    return Result<>();
}

// Who runs the machine: the holder of config.json's lock, else, when another program has replaced
// that file, the process behind the control socket.
Result<std::optional<PinnedHolder>> findHolder(const Library& library, const MachineInfo& machine) {
    auto holder = PinnedHolder::of(machine.directory + QLatin1String("/config.json"));
    const bool missing = !holder && holder.error().kind == Error::Kind::NotFound;
    if (!missing && (!holder || *holder))
        return holder;
    const auto runtime = RuntimeDirectory::locate(library.home(), machine.directory);
    if (!runtime || !runtime->isAlive())
        return std::nullopt;
    return PinnedHolder::ofSocket(runtime->controlSocket());
}

// Tart, or a process of ours that hangs: SIGINT, then SIGKILL. `asked`: it had its time already.
Result<> stopBySignal(const Library& library,
                      const MachineInfo& machine,
                      const Options& options,
                      bool asked) {
    const auto holder = findHolder(library, machine);
    if (!holder)
        return fail(holder.error());
    if (!*holder) {
        if (waitUntilFree(library, machine.directory, QDeadlineTimer(endTime))) {
            say(options, machine, asked);
            return {};
        }
        return fail(Error::Kind::Timeout,
                    Tr::tr("The machine \"%1\" is still in use by a process that cannot be found. "
                           "Its files are locked by it; look for it with: fuser -v \"%2\"")
                        .arg(machine.name, machine.directory + QLatin1String("/disk.img")));
    }
    bool forced = asked || options.force || options.timeout == 0;
    if (!forced) {
        if (auto sent = (*holder)->signal(SIGINT); !sent)
            return sent;
        forced = !(*holder)->waitForEnd(options.timeout * 1000);
    }
    if (forced) {
        if (auto sent = (*holder)->signal(SIGKILL); !sent)
            return sent;
        (void)(*holder)->waitForEnd(endTime);
    }
    if (auto free = mustBeFree(library, machine); !free)
        return free;
    say(options, machine, forced);
    return {};
}

Result<> discardState(const Library& library, const MachineInfo& machine) {
    const auto lock = lockStopped(library, machine.directory);
    if (!lock)
        return fail(lock.error());
    if (auto kept = keepBeforeRisk(
            *lock, machine.directory, Tr::tr("Before the saved state was thrown away"), {});
        !kept)
        return kept;
    if (const auto discarded = vitrine::discardSavedState(machine.directory); !discarded)
        return discarded;
    note(Tr::tr("The saved state of \"%1\" was discarded.").arg(machine.name));
    return {};
}

Result<int> run(const Options& options) {
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto name = MachineName::fromText(toQString(options.name));
    if (!name)
        return fail(name.error());
    // A broken one too: a machine that runs must be stoppable whatever its files say.
    const auto machine = library->machine(*name);
    if (!machine)
        return fail(machine.error());
    qint64 holder = 0;
    const MachineState state = library->stateOf(machine->directory, &holder);
    if (state == MachineState::RunningElsewhere)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The machine \"%1\" runs on another computer or in a container. Stop "
                           "it there.")
                        .arg(machine->name));
    if (isFree(*library, machine->directory)) {
        if (state != MachineState::Suspended)
            return fail(Error::Kind::NotRunning,
                        Tr::tr("The machine \"%1\" is not running.").arg(machine->name));
        if (!options.discardState)
            return fail(Error::Kind::NotRunning,
                        Tr::tr("The machine \"%1\" is suspended. To throw its saved state away, "
                               "add --discard-state.")
                            .arg(machine->name));
        if (const auto discarded = discardState(*library, *machine); !discarded)
            return fail(discarded.error());
        return 0;
    }
    bool asked = false;
    auto stopped = stopOverSocket(*library, *machine, options, asked);
    if (!stopped)
        stopped = stopBySignal(*library, *machine, options, asked);
    if (!*stopped)
        return fail(stopped->error());
    return 0;
}

} // namespace

void addStopCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    Command command;
    CLI::App* const app = root.add_subcommand("stop", "Shut a running machine down");
    command.app = app;
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    app->add_option("-t,--timeout",
                    options->timeout,
                    "Seconds that the guest has to shut down before it is forced off; 0 forces at "
                    "once")
        ->check(CLI::Range(0, longestTimeout).description(""))
        ->type_name("SECONDS")
        ->capture_default_str();
    app->add_flag("--force", options->force, "Force off at once, as pulling the plug");
    app->add_flag("--discard-state",
                  options->discardState,
                  "Throw the saved state of a suspended machine away");
    app->footer("Waits until the machine has stopped and says on standard error how it did.");
    addProgressOption(command);
    command.run = [options] { return run(*options); };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
