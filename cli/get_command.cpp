// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/live_state.h"
#include "cli/output.h"
#include "cli/running_machine.h"
#include "core/machine/sidecar.h"

namespace vitrine::cli {

namespace {

struct Options {
    std::string name;
    std::shared_ptr<bool> json;
};

constexpr int answerTime = 2000; // ms

// What the run under way has, at its start and now; empty when nobody can tell.
QList<RunOptions> runningOptions(const Library& library, const MachineInfo& machine) {
    const auto client =
        machine.holderPid > 0 ? connectToProcess(library, machine.directory, answerTime) : nullptr;
    if (!client || !client->supports(QStringLiteral("run.options")))
        return {};
    const auto answer = client->callAndWait(QStringLiteral("run.options"), {}, answerTime);
    QList<RunOptions> running;
    for (const char* key : {"started", "now"})
        if (const auto options =
                RunOptions::fromJson(answer.value_or(QJsonValue())[QLatin1String(key)].toObject());
            answer && options)
            running.append(*options);
    return running;
}

Result<int> run(const Options& options) {
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    auto machine = findMachine(*library, options.name);
    if (!machine)
        return fail(machine.error());
    addLiveState(*library, *machine);
    const auto sidecar = Sidecar::read(machine->directory);
    if (!sidecar) // config.json tells its part all the same
        note(plain(sidecar.error().message));
    const Sidecar stored = sidecar.value_or(Sidecar());
    const QList<RunOptions> running = runningOptions(*library, *machine);
    if (*options.json) {
        printJson(getJson(*machine, stored, running));
        return 0;
    }
    print(getText(*machine, stored, running));
    if (machine->state == MachineState::Paused)
        note(pausedText(*machine));
    return 0;
}

} // namespace

void addGetCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    CLI::App* const app = root.add_subcommand("get", "Show a machine's configuration");
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    options->json = addFormatOption(*app);
    app->footer("Below the table: what waits for the next start of a running machine, and what "
                "vitrinectl set has stored and differs from the defaults, as it would be typed.");
    commands.push_back({app, [options] { return run(*options); }});
}

} // namespace vitrine::cli
