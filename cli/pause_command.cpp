// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/running_machine.h"

namespace vitrine::cli {

namespace {

constexpr int answerTime = 15000; // ms
constexpr int goingOnTime = 5;    // seconds
constexpr int stoppingTime = 1;   // seconds, until a cause that is still there has stopped it again

bool isPaused(const MachineStatus& status) {
    return status.state == MachineState::Paused;
}

Result<ConnectedMachine>
connectTo(const Library& library, const std::string& name, const QString& method) {
    auto machine = connectToMachine(library, name);
    if (machine && !machine->client->supports(method))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" was started by a version that can neither pause nor resume it.")
                        .arg(machine->info.name));
    return machine;
}

Result<int> pause(const std::string& name) {
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto machine = connectTo(*library, name, QStringLiteral("pause"));
    if (!machine)
        return fail(machine.error());
    const QString shown = plain(machine->info.name);
    if (isPaused(machine->client->status())) {
        note(Tr::tr("\"%1\" is paused already.").arg(shown));
        return 0;
    }
    const auto answer = machine->client->callAndWait(QStringLiteral("pause"), {}, answerTime);
    if (!answer)
        return fail(answer.error());
    note(Tr::tr("\"%1\" is paused. \"vitrinectl resume %1\" goes on with it.").arg(shown));
    return 0;
}

Result<int> resume(const std::string& name) {
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto found = findMachine(*library, name);
    if (found && found->state == MachineState::Suspended)
        return fail(Error::Kind::NotRunning,
                    Tr::tr("\"%1\" is suspended, not paused. \"vitrinectl run %1\" goes on with "
                           "it.")
                        .arg(found->name));
    const auto machine = connectTo(*library, name, QStringLiteral("resume"));
    if (!machine)
        return fail(machine.error());
    MachineClient& client = *machine->client;
    const QString shown = plain(machine->info.name);
    if (!isPaused(client.status())) {
        note(Tr::tr("\"%1\" is not paused.").arg(shown));
        return 0;
    }
    const auto answer = client.callAndWait(QStringLiteral("resume"), {}, answerTime);
    if (!answer)
        return fail(answer.error());
    const auto goesOn = [](const MachineStatus& status) { return !isPaused(status); };
    if (!waitForStatus(client, goingOnTime, goesOn) ||
        waitForStatus(client, stoppingTime, isPaused))
        return fail(
            Error::Kind::Unsupported,
            Tr::tr("\"%1\" is paused again. %2").arg(machine->info.name, client.status().note));
    note(Tr::tr("\"%1\" goes on.").arg(shown));
    return 0;
}

void addCommand(CLI::App* app,
                CommandList& commands,
                const char* footer,
                Result<int> (*work)(const std::string& name)) {
    auto name = std::make_shared<std::string>();
    app->add_option("name", *name, "Name of a running machine")->required()->type_name("");
    app->footer(footer);
    commands.push_back({app, [name, work] { return work(*name); }});
}

} // namespace

void addPauseCommands(CLI::App& root, CommandList& commands) {
    addCommand(root.add_subcommand("pause", "Stop a running machine's processors for a while"),
               commands,
               "It keeps its memory. vitrinectl resume goes on with it; to free the memory too use "
               "vitrinectl suspend.",
               &pause);
    addCommand(root.add_subcommand("resume", "Go on with a paused machine"),
               commands,
               "Also with one that was paused because the disk of this computer was full: free "
               "some space first. A suspended machine goes on with vitrinectl run.",
               &resume);
}

} // namespace vitrine::cli
