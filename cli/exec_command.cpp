// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/running_machine.h"
#include "cli/ssh_login.h"
#include "core/hypervisor/machine_exec.h"

namespace vitrine::cli {

namespace {

constexpr int longest = 24 * 60 * 60 * 1000; // ms: the machine's process allows no more

struct Options {
    std::string name;
    bool interactive = false;
    bool tty = false;
    std::string user = "admin";
    std::string identity;
    std::shared_ptr<std::vector<std::string>> command =
        std::make_shared<std::vector<std::string>>();
};

// Through the guest agent; Unsupported when the guest has none that runs commands.
Result<int> runByAgent(ConnectedMachine& machine, const QStringList& words) {
    if (!machine.client->status().agentAnswers)
        return fail(Error::Kind::Unsupported, Tr::tr("No guest agent answers."));
    const auto answer =
        machine.client->callAndWait(QStringLiteral("agent.exec"),
                                    execParameters(words.first(), words.mid(1), {}, longest),
                                    longest);
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
    SshLogin login;
    {
        auto machine = connectToMachine(*library, options.name);
        if (!machine)
            return fail(machine.error());
        if (!options.interactive && !options.tty) {
            const auto result = runByAgent(*machine, words);
            if (result || result.error().kind != Error::Kind::Unsupported)
                return result;
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
    login.target.user = toQString(options.user);
    login.target.terminal = options.tty;
    login.target.input = options.interactive;
    login.identity = toQString(options.identity);
    // ssh hands one line to the guest's shell; the agent starts the program itself. Quoted, both do
    // the same.
    QStringList quoted;
    for (const QString& word : words)
        quoted.append(quotedForShell(word));
    login.target.command = quoted;
    return fail(becomeSsh(login));
}

} // namespace

void addExecCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    CLI::App* const app = root.add_subcommand("exec", "Run a command in a running machine");
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    app->add_flag("-i,--interactive", options->interactive, "Pass standard input on (over ssh)");
    app->add_flag("-t,--tty", options->tty, "With a terminal in the guest (over ssh)");
    app->add_option("-l,--user", options->user, "User in the guest, over ssh")
        ->type_name("NAME")
        ->capture_default_str();
    app->add_option("--identity", options->identity, "Private key to log in with, over ssh")
        ->type_name("FILE");
    app->footer("Without -i and -t the guest agent runs it, as root and without a shell; where "
                "there is none, ssh does. The exit code is the command's.");
    commands.push_back(
        {.app = app, .run = [options] { return run(*options); }, .rest = options->command});
}

} // namespace vitrine::cli
