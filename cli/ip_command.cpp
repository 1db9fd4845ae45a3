// SPDX-License-Identifier: Apache-2.0
#include "cli/backend.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/running_machine.h"
#include "cli/tart_agent_session.h"
#include "core/guest/apple_network.h"
#include "core/guest/arp_table.h"

#include <QDeadlineTimer>

#include <optional>
#include <poll.h>

namespace vitrine::cli {

namespace {

constexpr int interval = 1000; // ms

struct Options {
    std::string name;
    int wait = 0; // s
    std::string resolver;
};

// Once in any case; then each second until the time is over (specification 6.1).
QString waitForArp(const ConnectedMachine& machine, int seconds) {
    const QDeadlineTimer deadline(seconds * 1000);
    const MacAddress& mac = machine.info.config->macAddress;
    QString address = addressFromArp(mac);
    while (address.isEmpty() && machine.client->isConnected() && !deadline.hasExpired()) {
        waitForStatus(*machine.client,
                      static_cast<int>(qMin<qint64>(1, deadline.remainingTime() / 1000 + 1)),
                      [](const MachineStatus&) { return false; });
        address = addressFromArp(mac);
    }
    return address;
}

Error noAddress(const std::string& resolver, int waited, const ConnectedMachine& machine) {
    const QString& name = machine.info.name;
    const MachineStatus& status = machine.client->status();
    const QString agent = screensStayInTheirProcess() ? Tr::tr("Tart's guest agent")
                                                      : QStringLiteral("qemu-guest-agent");
    QString reason;
    if (waited > 0 && resolver == "agent")
        reason = Tr::tr("The guest agent of \"%1\" told no address after %2 s. Either the guest is "
                        "very slow or hangs, which its screen shows, or %3 is not running in it.")
                     .arg(name)
                     .arg(waited)
                     .arg(agent);
    else if (waited > 0 && resolver != "arp")
        reason = Tr::tr("\"%1\" still has no address after %2 s. Its screen may say why: vitrine "
                        "--console \"%1\"")
                     .arg(name)
                     .arg(waited);
    else if (resolver == "agent" && !status.agentAnswers)
        reason = Tr::tr("The guest agent of \"%1\" does not answer. Either the guest is still "
                        "starting or very busy: wait for it with --wait. Or %2 is not running in "
                        "it.")
                     .arg(name, agent);
    else if (resolver == "agent")
        reason = Tr::tr("The guest agent of \"%1\" knows no address yet. Wait for it with --wait.")
                     .arg(name);
    else if (resolver == "arp")
        reason = Tr::tr("No neighbour on this computer's networks has the MAC address of \"%1\". "
                        "That way finds only machines on a bridged or host-only network: use dhcp "
                        "or agent for one with its own network (NAT).")
                     .arg(name);
    else
        reason = Tr::tr("\"%1\" has no address yet. It may still be starting: wait for it with "
                        "--wait.")
                     .arg(name);
    return {Error::Kind::Timeout, reason, {}};
}

// From Tart's guest agent: on request, or where nothing else can be asked. nullopt when the machine
// has no way to it, or qemu-guest-agent has told already.
std::optional<Result<QString>> addressFromTartAgent(const Library& library,
                                                    const Options& options,
                                                    const Result<ConnectedMachine>& machine) {
    const bool isAsked = options.resolver == "agent" || (!machine && options.resolver.empty());
    const bool isAway = !machine && machine.error().kind != Error::Kind::Unsupported &&
                        machine.error().kind != Error::Kind::Busy;
    if (!isAsked || isAway || (machine && !machine->client->status().agentAddress.isEmpty()))
        return std::nullopt;
    const auto info = findMachine(library, options.name);
    if (!info)
        return std::nullopt;
    if (const auto connection = connectToControlSocket(*info); !connection) {
        if (machine || connection.error().kind == Error::Kind::NotFound)
            return std::nullopt;
        return fail(connection.error());
    }
    return waitForAgentAddress(*info, options.wait);
}

// Of a machine that another program runs, as `tart run` does: what this computer itself knows.
// Tried once a second as long as the machine runs.
Result<QString> addressFromHere(const Library& library, const Options& options, const Error& why) {
    const auto info = findMachine(library, options.name);
    if (!info)
        return fail(info.error());
    if (!info->config || options.resolver == "agent")
        return fail(why);
    const MacAddress& mac = info->config->macAddress;
    const QDeadlineTimer deadline(options.wait * 1000);
    for (;;) {
        QString address = options.resolver == "arp" ? QString() : addressFromLeases(mac);
        if (address.isEmpty() && options.resolver != "dhcp")
            address = addressFromArp(mac);
        if (!address.isEmpty())
            return address;
        if (deadline.hasExpired() || library.stateOf(info->directory) == MachineState::Stopped)
            break;
        ::poll(nullptr, 0, static_cast<int>(qMin<qint64>(interval, deadline.remainingTime() + 1)));
    }
    return fail(Error::Kind::Timeout,
                Tr::tr("%1 This computer itself knows no address of it: it has given none to %2, "
                       "and has seen none in its networks. Wait for it with --wait, or look at the "
                       "machine's screen.")
                    .arg(why.message, mac.toText()),
                why.detail);
}

Result<int> run(const Options& options) {
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto machine = connectToMachine(*library, options.name);
    bool askedAgent = false;
    if (const auto address = addressFromTartAgent(*library, options, machine)) {
        askedAgent = true;
        // Without a wish for the agent its silence is no answer.
        const bool isLast = machine || options.resolver == "agent";
        if (!*address && isLast)
            return fail(address->error());
        if (*address) {
            printLine(plain(**address));
            return 0;
        }
    }
    if (!machine && machine.error().kind == Error::Kind::Unsupported) {
        Options left = options;
        if (askedAgent) // that took the time
            left.wait = 0;
        const auto address = addressFromHere(*library, left, machine.error());
        if (!address)
            return fail(address.error());
        printLine(plain(*address));
        return 0;
    }
    if (!machine)
        return fail(machine.error());
    // With Tart "dhcp" reads the leases of the host; here the machine's own network tells them.
    const auto addressOf = [&options](const MachineStatus& status) {
        return options.resolver == "dhcp"    ? status.leaseAddress
               : options.resolver == "agent" ? status.agentAddress
                                             : status.address;
    };
    QString address;
    if (options.resolver == "arp") {
        address = waitForArp(*machine, options.wait);
    } else {
        waitForStatus(*machine->client, options.wait, [&](const MachineStatus& status) {
            return !addressOf(status).isEmpty();
        });
        address = addressOf(machine->client->status());
    }
    if (address.isEmpty())
        return fail(noAddress(options.resolver, options.wait, *machine));
    printLine(plain(address));
    const MachineStatus& status = machine->client->status();
    if (standardOutputIsTerminal() && status.sshPort != 0 && options.resolver != "arp")
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
    // On a Mac each machine has an address of its own.
    if (!screensStayInTheirProcess())
        app->footer(
            "The address is inside the machine's own network and cannot be reached from this "
            "computer. To log in use vitrinectl ssh, which goes through a forwarded port.");
    commands.push_back({app, [options] { return run(*options); }});
}

} // namespace vitrine::cli
