// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/running_machine.h"
#include "cli/ssh_login.h"
#include "cli/tart_agent_session.h"
#include "core/hypervisor/machine_exec.h"
#include "core/hypervisor/ssh_process.h"

namespace vitrine::cli {

namespace {

constexpr int longest = 24 * 60 * 60 * 1000; // ms: the machine's process allows no more
constexpr int quickAnswer = 10000;           // ms
constexpr int quietWait = 3;                 // s without a word
constexpr int openedWait = 30;               // s for an agent that has its port open in the guest
constexpr int commandNotFound = 127;         // as a shell says it
constexpr int seenWait = 20;                 // s for one that has answered before: it may restart

struct Options {
    std::string name;
    bool interactive = false;
    bool tty = false;
    std::string user; // empty: the machine's
    std::string identity;
    std::shared_ptr<std::vector<std::string>> command =
        std::make_shared<std::vector<std::string>>();
};

struct Agent {
    bool opened = false; // its port, in the guest
    bool seen = false;   // in this run of the guest
    bool answers = false;
};

// Waits up to `seconds` for an agent that has its port open.
Agent lookForAgent(MachineClient& client, int seconds) {
    const auto answer = client.callAndWait(QStringLiteral("agent.state"),
                                           {{QStringLiteral("wait"), seconds * 1000}},
                                           seconds * 1000 + quickAnswer);
    const QJsonObject state = answer ? answer->toObject() : QJsonObject();
    return {state.value(QLatin1String("opened")).toBool(),
            state.value(QLatin1String("seen")).toBool(),
            state.value(QLatin1String("answers")).toBool()};
}

// A guest that is busy or starts answers late: another user must not run the command for that.
// Waits only for an agent that is known to be there.
bool waitForAgent(ConnectedMachine& machine) {
    MachineClient& client = *machine.client;
    if (client.status().agentAnswers)
        return true;
    if (!client.supports(QStringLiteral("agent.state")))
        return false;
    const auto answers = [](const MachineStatus& status) { return status.agentAnswers; };
    const Agent agent = lookForAgent(client, quietWait);
    if (agent.answers || (!agent.opened && !agent.seen))
        return agent.answers;
    if (!agent.opened && waitForStatus(client, quietWait, answers))
        return true;
    if (!client.isConnected())
        return false;
    const int seconds = agent.opened ? openedWait : seenWait;
    note(Tr::tr("The guest agent of \"%1\" does not answer yet: the guest is busy or restarts. "
                "Waiting up to %2 s for it.")
             .arg(machine.info.name)
             .arg(seconds));
    return agent.opened ? lookForAgent(client, seconds).answers
                        : waitForStatus(client, seconds, answers);
}

// Through the guest agent; Unsupported when the guest has none that runs commands.
Result<int> runByAgent(ConnectedMachine& machine, const QStringList& words) {
    const auto answer =
        machine.client->callAndWait(QStringLiteral("agent.exec"),
                                    execParameters(words.first(), words.mid(1), {}, longest),
                                    longest);
    if (!answer && answer.error().kind == Error::Kind::NotFound) {
        note(Tr::tr("%1: command not found in \"%2\". Programs are started without a shell there; "
                    "what needs one: vitrinectl exec %2 sh -c '…'")
                 .arg(plain(words.first()), machine.info.name));
        return commandNotFound;
    }
    if (!answer)
        return fail(answer.error());
    const auto result = execFromJson(*answer);
    if (!result)
        return fail(result.error());
    printBytes(result->standardOutput);
    printErrorBytes(result->standardError);
    if (result->truncated)
        note(Tr::tr("The guest agent passes on at most 16 MiB of output; the rest is lost. Run the "
                    "command with -i, which goes over ssh and has no limit."));
    return result->exitCode;
}

// A connection to Tart's guest agent; invalid when the machine does not run or has no way to one,
// or the user named what only ssh has.
Result<FileDescriptor>
connectToTartAgent(const MachineInfo& machine, bool isOurs, const Options& options) {
    if ((!isOurs && machine.holderPid == 0 && machine.state != MachineState::RunningElsewhere) ||
        !options.user.empty() || !options.identity.empty())
        return FileDescriptor();
    auto connection = connectToControlSocket(machine);
    if (!connection && (isOurs || connection.error().kind == Error::Kind::NotFound))
        return FileDescriptor();
    return connection;
}

bool wasNotRun(const Result<int>& result) {
    return !result && (result.error().kind == Error::Kind::Timeout ||
                       result.error().kind == Error::Kind::Unsupported);
}

Result<int> run(const Options& options) {
    QStringList words;
    for (const std::string& word : *options.command)
        words.append(toQString(word));
    if (words.isEmpty())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Name the command to run: vitrinectl exec \"%1\" COMMAND…")
                        .arg(toQString(options.name)));
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto found = findMachine(*library, options.name);
    if (!found)
        return fail(found.error());
    const bool isOurs = isRunByUs(*library, found->directory);
    auto tartAgent = connectToTartAgent(*found, isOurs, options);
    if (!tartAgent)
        return fail(tartAgent.error());
    const bool hasTartAgent = tartAgent->isValid();
    const GuestCommand command{words, options.interactive, options.tty};
    if (hasTartAgent && !isOurs)
        return runInGuest(*std::move(tartAgent), command);
    SshLogin login;
    QString instead; // why ssh, which nobody asked for
    {
        auto machine = connectToMachine(*library, options.name);
        if (!machine)
            return hasTartAgent ? runInGuest(*std::move(tartAgent), command)
                                : fail(machine.error());
        if (const auto ready = refusePaused(machine->info.name, *machine->client); !ready)
            return fail(ready.error());
        if (hasTartAgent) {
            const auto result = runInGuest(*std::move(tartAgent), command);
            if (!wasNotRun(result))
                return result;
            instead = Tr::tr("No guest agent answers.");
        }
        if (!options.interactive && !options.tty) {
            if (waitForAgent(*machine)) {
                const auto result = runByAgent(*machine, words);
                if (result || result.error().kind != Error::Kind::Unsupported)
                    return result;
                instead = Tr::tr("The guest agent runs no commands.");
            } else {
                instead = Tr::tr("No guest agent answers: it is not installed or not started, or "
                                 "the guest is still busy.");
            }
        }
        const auto address = machine->client->status().sshAddress();
        login.target.host = address.host;
        login.target.port = address.port;
        login.machineDirectory = machine->info.directory;
        if (login.target.port == 0)
            return fail(
                Error::Kind::Unsupported,
                Tr::tr("\"%1\" has neither a guest agent that answers nor an address for ssh, "
                       "so nothing can be run in it. It may still be starting.")
                    .arg(machine->info.name));
    }
    login.target.user = options.user.empty() ? rememberedGuestUser(login.machineDirectory)
                                             : toQString(options.user);
    login.target.terminal = options.tty;
    login.target.input = options.interactive;
    login.identity = toQString(options.identity);
    // ssh hands one line to the guest's shell; the agent starts the program itself. Quoted, both do
    // the same.
    QStringList quoted;
    for (const QString& word : words)
        quoted.append(quotedForShell(word));
    login.target.command = quoted;
    if (!instead.isEmpty())
        note(Tr::tr("%1 The command runs over ssh as the user \"%2\".")
                 .arg(instead, plain(login.target.user)));
    return fail(becomeSsh(login));
}

} // namespace

void addExecCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    CLI::App* const app = root.add_subcommand("exec", "Run a command in a running machine");
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    app->add_flag("-i,--interactive", options->interactive, "Pass standard input on");
    app->add_flag("-t,--tty", options->tty, "With a terminal in the guest");
    app->add_option(
           "-l,--user", options->user, "User in the guest, over ssh; else as for the command ssh")
        ->type_name("NAME");
    app->add_option("--identity", options->identity, "Private key to log in with, over ssh")
        ->type_name("FILE");
    app->footer("Where the machine's directory has a control.sock, Tart's guest agent runs it, as "
                "tart exec does. Else, without -i and -t, qemu-guest-agent runs it, as root and "
                "without a shell; where none answers, and with -i or -t, ssh does, as another "
                "user, which is said on standard error. The exit code is the command's. Options go "
                "before the machine's name: everything "
                "behind it is the command.");
    commands.push_back(
        {.app = app, .run = [options] { return run(*options); }, .rest = options->command});
}

} // namespace vitrine::cli
