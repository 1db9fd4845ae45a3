// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/running_machine.h"
#include "cli/ssh_login.h"
#include "core/hypervisor/ssh_process.h"

namespace vitrine::cli {

namespace {

struct Options {
    std::string name;
    std::string user; // empty: the machine's
    std::string identity;
    int wait = 0; // s
    std::shared_ptr<std::vector<std::string>> command =
        std::make_shared<std::vector<std::string>>();
};

Result<int> run(const Options& options) {
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    SshLogin login;
    {
        const auto machine = connectToMachine(*library, options.name);
        if (!machine)
            return fail(machine.error());
        if (const auto ready = refusePaused(machine->info.name, *machine->client); !ready)
            return fail(ready.error());
        const bool reachable =
            waitForStatus(*machine->client, options.wait, [](const MachineStatus& status) {
                return status.sshAddress().isKnown();
            });
        if (!reachable && options.wait > 0)
            return fail(Error::Kind::Timeout,
                        Tr::tr("\"%1\" still has no address for ssh after %2 s. Its screen may say "
                               "why: vitrine --console \"%1\"")
                            .arg(machine->info.name)
                            .arg(options.wait));
        if (!reachable)
            return fail(
                Error::Kind::Timeout,
                Tr::tr("\"%1\" has no address for ssh yet. It may still be starting: wait for "
                       "it with --wait.")
                    .arg(machine->info.name));
        const auto address = machine->client->status().sshAddress();
        login.target.host = address.host;
        login.target.port = address.port;
        login.machineDirectory = machine->info.directory;
    }
    login.target.user = options.user.empty() ? rememberedGuestUser(login.machineDirectory)
                                             : toQString(options.user);
    login.identity = toQString(options.identity);
    for (const std::string& word : *options.command)
        login.target.command.append(toQString(word));
    return fail(becomeSsh(login));
}

} // namespace

void addSshCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    CLI::App* const app =
        root.add_subcommand("ssh", "Log in to a running machine, or run a command in it");
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    app->add_option("-l,--user",
                    options->user,
                    "User in the guest; else who mounted a share over ssh last, or admin")
        ->type_name("NAME");
    app->add_option("-i,--identity", options->identity, "Private key to log in with")
        ->type_name("FILE");
    app->add_option("--wait", options->wait, "Seconds to wait until the machine can be reached")
        ->check(CLI::Range(0, 86400).description(""))
        ->type_name("SECONDS")
        ->capture_default_str();
    app->footer("The exit code is the command's. Host keys are kept in the machine's own folder. "
                "Options go before the machine's name: everything behind it is the command.");
    commands.push_back(
        {.app = app, .run = [options] { return run(*options); }, .rest = options->command});
}

} // namespace vitrine::cli
