// SPDX-License-Identifier: Apache-2.0
#include "cli/backend.h"
#include "cli/command.h"
#include "cli/console_window.h"
#include "cli/output.h"
#include "cli/run_arguments.h"
#include "cli/run_in_window.h"
#include "cli/unavailable_options.h"
#include "core/hypervisor/hypervisor.h"
#include "core/library/machine_operations.h"
#include "core/library/memory_commitment.h"
#include "core/library/saved_state.h"
#include "core/machine/mac_options.h"
#include "core/machine/sidecar.h"

#include <QDir>
#include <QTcpServer>

namespace vitrine::cli {

namespace {

struct Options {
    std::string name;
    RunArguments typed;
    UnavailableOptions unavailable;
    bool suspendable = false;
    bool capturesSystemKeys = false;
    bool noGraphics = false;
    bool graphics = false;
    bool plain = false;
    bool verbose = false;
    bool discardState = false;
    int timeout = 30;
};

// What was typed for this run is had or refused; a stored one that is taken does not keep the
// machine from starting.
Result<> checkPortsFree(const QList<PortForward>& forwards, const QString& name) {
    for (const PortForward& forward : forwards) {
        QTcpServer probe;
        if (forward.hostPort != 0 && !probe.listen(QHostAddress::LocalHost, forward.hostPort))
            return fail(Error::Kind::AlreadyExists,
                        Tr::tr("Port %1 of this computer cannot be forwarded: another program uses "
                               "it, or you may not open it. \"%2\" was not started. Choose another "
                               "port.")
                            .arg(forward.hostPort)
                            .arg(name),
                        probe.errorString());
    }
    return {};
}

// What only a Mac has, for this run.
void storeMacOptions(const Options& options, RunOptions& run) {
    MacOptions mac = MacOptions::of(run);
    if (options.unavailable.isTyped("--rosetta"))
        mac.rosetta = options.unavailable.value("--rosetta");
    if (options.unavailable.isTyped("--no-trackpad"))
        mac.trackpad = false;
    if (options.suspendable && suspendsOnlyOnWish())
        mac.suspendable = true;
    mac.storeIn(run);
}

Result<int> run(const Options& options) {
    if (options.graphics && options.noGraphics)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--graphics and --no-graphics exclude each other. Give one of them."));
    const std::unique_ptr<Hypervisor> hypervisor = makeHypervisor();
    if (const auto available = options.unavailable.check(*hypervisor); !available)
        return fail(available.error());
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    auto machine = findMachine(*library, options.name);
    if (machine && machine->holderPid > 0 && waitForChange(*library, machine->directory))
        machine = findMachine(*library, options.name); // it was only a `set`
    if (!machine)
        return fail(machine.error());
    if (options.discardState && machine->state == MachineState::Suspended)
        machine->state = MachineState::Stopped; // that is what it will be
    if (machine->holderPid != 0 || machine->state == MachineState::RunningElsewhere)
        return fail(Error::Kind::AlreadyRunning,
                    Tr::tr("The machine \"%1\" is running already.").arg(machine->name));

    if (machine->state == MachineState::Suspended &&
        (options.typed.changesGuest() || options.unavailable.changesGuest()))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" is suspended and goes on with what it was run with. Leave the "
                           "run options away, or throw its saved state away with --discard-state.")
                        .arg(machine->name));
    RunOptions stored;
    if (!options.plain) {
        const auto sidecar = Sidecar::read(machine->directory);
        if (!sidecar)
            return fail(sidecar.error());
        stored = sidecar->run;
    }
    // Kept with the machine's events, as failures of a later step are.
    const auto failStart = [&machine](const Error& error) {
        (void)Sidecar::addEvent(machine->directory,
                                QStringLiteral("start-failed"),
                                error.message,
                                QDateTime::currentDateTime());
        return fail(error);
    };
    auto merged = merge(std::move(stored), options.typed, QDir::currentPath());
    if (!merged)
        return failStart(merged.error());
    storeMacOptions(options, *merged);
    if (machine->state == MachineState::Suspended) {
        // It goes on with what it was run with; stored options count after its end.
        if (const auto saved = StateFingerprint::read(machine->directory)) {
            RunOptions goesOn = optionsToGoOnWith(*saved, *merged);
            if (!options.typed.forwards.empty())
                goesOn.forwards = merged->forwards;
            if (!options.typed.shares.empty())
                goesOn.shares = merged->shares;
            merged = std::move(goesOn);
        }
    }
    if (const auto valid = hypervisor->validate(*machine, *merged); !valid)
        return failStart(valid.error());
    if (!options.typed.forwards.empty())
        if (const auto free = checkPortsFree(merged->forwards, machine->name); !free)
            return failStart(free.error());

    for (const QString& risk : riskNotes(*merged))
        note(risk);
    if (const auto commitment = memoryCommitment(*library, *machine); commitment)
        if (const QString warning = commitment->warning(); !warning.isEmpty())
            note(warning);

    // As with Tart: viewers instead of the window, unless both were asked for.
    const bool viewersOnly = options.typed.vnc.value_or(false) && !options.graphics;
    const bool withWindow = !options.noGraphics && !viewersOnly;
    Hypervisor::RunRequest request{*library, machine->name, *std::move(merged)};
    request.forceOffAfterSeconds = options.timeout;
    request.verbose = options.verbose;
    request.discardState = options.discardState;
    request.withoutWindow = !withWindow;
    request.recovery = options.unavailable.isTyped("--recovery");
    request.capturesSystemKeys =
        options.capturesSystemKeys || MacOptions::of(request.options).captureSystemKeys;
    if (!withWindow)
        return hypervisor->runMachine(request);
    const auto program = consoleProgram();
    if (!program)
        return fail(program.error());
    if (screensStayInTheirProcess()) {
        const auto code = runInWindow(request, *program);
        if (!code)
            return failStart(code.error());
        return code;
    }
    // Another process, so that closing it leaves the machine alone.
    if (const auto opened = openConsole(*program, machine->name, library->home()); !opened)
        return fail(opened.error());
    return hypervisor->runMachine(request);
}

} // namespace

void addRunCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    CLI::App* const app = root.add_subcommand("run", "Run a machine until it ends");
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    app->add_flag("--no-graphics", options->noGraphics, "Without a window");
    app->add_flag("--graphics", options->graphics)->group(""); // hidden: the parser cannot name it
    app->add_flag("--plain",
                  options->plain,
                  "Ignore the stored run options; the rest of this line is all there is");
    addRunArguments(*app, options->typed, "--disk");
    app->add_option("--timeout",
                    options->timeout,
                    "Seconds that a guest has to shut down after Ctrl-C before it is forced off")
        ->check(CLI::Range(0, 86400).description(""))
        ->type_name("SECONDS")
        ->capture_default_str();
    app->add_flag("--discard-state",
                  options->discardState,
                  "Start a suspended machine afresh and throw its saved state away");
    app->add_flag("--suspendable", options->suspendable)
        ->description(suspendsOnlyOnWish()
                          ? "Only devices whose state can be saved, for a macOS machine"
                          : "Accepted for scripts; every Linux machine can be suspended here");
    app->add_flag("--capture-system-keys", options->capturesSystemKeys)
        ->description(screensStayInTheirProcess()
                          ? "Command-Tab and the other keys of macOS go to the guest while its "
                            "screen has the keyboard"
                          : "Accepted for scripts; the console takes the keys while it is clicked "
                            "into");
    app->add_flag("-v,--verbose", options->verbose, "Tell more on standard error");
    options->unavailable.addTo(*app);
    app->footer(
        "Stored options apply (see vitrinectl set); a typed one replaces the stored ones of "
        "its kind for this run. Ctrl-C shuts the guest down, a second one forces it off.");
    commands.push_back({app, [options] { return run(*options); }});
}

} // namespace vitrine::cli
