// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/run_arguments.h"
#include "cli/running_machine.h"
#include "core/machine/network_rules.h"

#include <QJsonArray>
#include <QJsonObject>

namespace vitrine::cli {

namespace {

constexpr int answerTime = 15000; // ms

struct Options {
    std::string name;
    std::string verb;
    std::vector<std::string> ports;
    std::shared_ptr<bool> json;
};

QJsonObject toJson(const PortForward& forward) {
    return {{QStringLiteral("hostPort"), forward.hostPort},
            {QStringLiteral("guestPort"), forward.guestPort}};
}

Result<int> list(MachineClient& client, bool json) {
    const auto answer = client.callAndWait(QStringLiteral("forward.list"), {}, answerTime);
    if (!answer)
        return fail(answer.error());
    const QJsonArray forwards = answer->toObject().value(QLatin1String("forwards")).toArray();
    if (json) {
        printJson(forwards);
        return 0;
    }
    QList<QStringList> rows;
    for (const QJsonValue& value : forwards)
        rows.append({QStringLiteral("127.0.0.1:%1").arg(value[QLatin1String("hostPort")].toInt()),
                     QString::number(value[QLatin1String("guestPort")].toInt())});
    print(table({Tr::tr("This computer"), Tr::tr("Guest")}, rows));
    return 0;
}

Result<int> add(MachineClient& client, const QList<PortForward>& forwards, ProgressFormat format) {
    for (const PortForward& forward : forwards) {
        const auto answer =
            client.callAndWait(QStringLiteral("forward.add"), toJson(forward), answerTime);
        if (!answer)
            return fail(answer.error());
        if (format == ProgressFormat::Text)
            printLine(QStringLiteral("127.0.0.1:%1")
                          .arg(answer->toObject().value(QLatin1String("hostPort")).toInt()));
    }
    return 0;
}

Result<int> remove(MachineClient& client, const QList<PortForward>& forwards) {
    for (const PortForward& forward : forwards) {
        const auto answer =
            client.callAndWait(QStringLiteral("forward.remove"), toJson(forward), answerTime);
        if (!answer)
            return fail(answer.error());
    }
    return 0;
}

// For remove the port of this computer is what counts: "8080", or the whole "8080:80".
Result<QList<PortForward>> forwardsOf(const Options& options) {
    QList<PortForward> forwards;
    for (const std::string& text : options.ports) {
        auto forward = portForwardFromText(toQString(text));
        if (!forward)
            return fail(forward.error());
        if (options.verb == "remove" && forward->hostPort == 0)
            forward->hostPort = forward->guestPort;
        forwards.append(*forward);
    }
    if (forwards.isEmpty() && options.verb != "list")
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Name the ports: HOST:GUEST to add, the port of this computer to "
                           "remove."));
    return forwards;
}

Result<int> run(const Options& options, ProgressFormat format) {
    const auto forwards = forwardsOf(options);
    if (!forwards)
        return fail(forwards.error());
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto machine = connectToMachine(*library, options.name);
    if (!machine)
        return fail(machine.error());
    if (options.verb == "add")
        return add(*machine->client, *forwards, format);
    if (options.verb == "remove")
        return remove(*machine->client, *forwards);
    return list(*machine->client, *options.json);
}

} // namespace

void addForwardCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    Command command;
    CLI::App* const app =
        root.add_subcommand("forward", "See and change the port forwards of a running machine");
    command.app = app;
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    app->add_option("verb", options->verb, "list, add or remove")
        ->required()
        ->check(CLI::IsMember({"list", "add", "remove"}).description(""))
        ->type_name("");
    app->add_option("ports",
                    options->ports,
                    "add: HOST:GUEST, or GUEST for any free port, which is printed. remove: the "
                    "port of this computer")
        ->type_name("");
    options->json = addFormatOption(*app);
    addProgressOption(command);
    app->footer("The change is for this run. Store forwards for later ones with vitrinectl set "
                "--forward.");
    command.run = [options, format = command.progress] { return run(*options, *format); };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
