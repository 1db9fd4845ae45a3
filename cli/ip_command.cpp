// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/running_machine.h"

namespace vitrine::cli {

namespace {

struct Options {
    std::string name;
    int wait = 0; // s
    std::string resolver;
};

Result<int> run(const Options& options) {
    if (options.resolver == "arp")
        return fail(Error::Kind::Unsupported,
                    Tr::tr("--resolver=arp is not available: the guest's network is not part of "
                           "this computer's. Use dhcp or agent."));
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto machine = connectToMachine(*library, options.name);
    if (!machine)
        return fail(machine.error());
    // With Tart "dhcp" reads the leases. Ours are the NAT's, and the guest's agent, which answers
    // instead once it runs, tells the same address.
    const QString source = options.resolver == "agent" ? QStringLiteral("agent") : QString();
    const bool found =
        waitForStatus(*machine->client, options.wait, [&](const MachineStatus& status) {
            return !status.address.isEmpty() &&
                   (source.isEmpty() || status.addressSource == source);
        });
    const MachineStatus& status = machine->client->status();
    if (!found) {
        if (source == QLatin1String("agent") && !status.agentAnswers)
            return fail(Error::Kind::Timeout,
                        Tr::tr("The guest agent of \"%1\" does not answer. Is qemu-guest-agent "
                               "running in the guest? Wait for it with --wait.")
                            .arg(machine->info.name));
        return fail(Error::Kind::Timeout,
                    Tr::tr("\"%1\" has no address yet. It may still be starting: wait for it with "
                           "--wait.")
                        .arg(machine->info.name));
    }
    printLine(plain(status.address));
    if (standardOutputIsTerminal() && status.sshPort != 0)
        note(Tr::tr("This address is inside the machine's own network and cannot be reached from "
                    "here. To log in: vitrinectl ssh \"%1\"")
                 .arg(machine->info.name));
    return 0;
}

} // namespace

void addIpCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    CLI::App* const app = root.add_subcommand("ip", "Print the address of a running machine");
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    app->add_option("--wait", options->wait, "Seconds to wait until the guest has an address")
        ->check(CLI::Range(0, 86400).description(""))
        ->type_name("SECONDS")
        ->capture_default_str();
    app->add_option("--resolver",
                    options->resolver,
                    "Where the address comes from; without it, whoever knows it first")
        ->check(CLI::IsMember({"dhcp", "arp", "agent"}).description(""))
        ->type_name("dhcp|arp|agent");
    app->footer("The address is inside the machine's own network and cannot be reached from this "
                "computer. To log in use vitrinectl ssh, which goes through a forwarded port.");
    commands.push_back({app, [options] { return run(*options); }});
}

} // namespace vitrine::cli
