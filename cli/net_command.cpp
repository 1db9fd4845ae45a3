// SPDX-License-Identifier: Apache-2.0
#include "cli/net_command.h"
#include "cli/output.h"
#include "cli/run_arguments.h"
#include "cli/running_machine.h"
#include "core/hypervisor/unavailable_method.h"
#include "core/machine/network_edit.h"
#include "core/machine/network_rules.h"
#include "core/machine/run_command.h"
#include "core/machine/sidecar.h"
#include "core/softnet/softnet_learning.h"
#include "core/softnet/softnet_rules.h"
#include "core/value/byte_count.h"

namespace vitrine::cli {

namespace {

constexpr int answerTime = 15000; // ms
constexpr int testFailed = 3;     // "test" answers "it would not pass" by 1

struct Options {
    std::string name;
    std::string action = "rules";
    std::vector<std::string> words;
    bool remove = false;
    bool once = false;
    bool blocked = false;
    bool incoming = false;
    std::string protocol = "tcp";
    std::shared_ptr<bool> json;
};

struct Rules {
    SoftnetPolicy policy;
    QStringList expose;
    QHash<QString, QString> problems; // of exposed ports, while the machine runs
    SoftnetPolicy once;               // of the policy what is not stored
    QStringList onceExposed;          // likewise
};

QStringList itemsOf(const QString& list) {
    return list.split(QLatin1Char(','), Qt::SkipEmptyParts);
}

// A word may be a list, as for --net-softnet-allow. A direction may be a word of its own, and one
// address needs no prefix length.
QStringList wordsOf(const Options& options) {
    QStringList words;
    QString direction;
    for (const std::string& text : options.words) {
        const QString word = toQString(text);
        if (options.action != "expose" &&
            (word == QLatin1String("in") || word == QLatin1String("out")) && direction.isEmpty()) {
            direction = word + QLatin1Char(' ');
            continue;
        }
        words += (std::exchange(direction, {}) + word).split(QLatin1Char(','));
    }
    if (!direction.isEmpty())
        words.append(direction.trimmed());
    if (options.action != "expose")
        for (QString& word : words)
            if (const QString whole = wholeAddressRule(word); !whole.isEmpty())
                word = whole;
    return words;
}

void tell(const Rules& rules, bool json) {
    if (json) {
        QJsonObject object = rules.policy.toJson();
        QJsonArray ports;
        for (const QString& spec : rules.expose)
            ports.append(QJsonObject{{QStringLiteral("spec"), spec},
                                     {QStringLiteral("problem"), rules.problems.value(spec)}});
        object.insert(QStringLiteral("expose"), ports);
        QJsonObject once = rules.once.toJson();
        once.insert(QStringLiteral("expose"), QJsonArray::fromStringList(rules.onceExposed));
        object.insert(QStringLiteral("once"), once);
        printJson(object);
        return;
    }
    QList<QStringList> rows;
    const auto add = [&](const QString& kind, const QString& rule, const QStringList& once) {
        rows.append({kind,
                     rule,
                     once.contains(rule) ? Tr::tr("the machine stops") : QString(),
                     rules.problems.value(rule)});
    };
    for (const QString& rule : rules.policy.allow)
        add(Tr::tr("allow"), rule, rules.once.allow);
    for (const QString& rule : rules.policy.block)
        add(Tr::tr("block"), rule, rules.once.block);
    for (const QString& spec : rules.expose)
        add(Tr::tr("expose"), spec, rules.onceExposed);
    if (rows.isEmpty()) {
        note(Tr::tr("There is no rule: public addresses pass, private ones and this computer do "
                    "not."));
        return;
    }
    print(table({Tr::tr("Kind"), Tr::tr("Rule"), Tr::tr("Holds until"), Tr::tr("Problem")}, rows));
}

// What holds until the machine stops, since it was added with --once or typed for this run.
void markUnstored(Rules& rules, const MachineInfo& machine) {
    const auto sidecar = Sidecar::read(machine.directory);
    if (!sidecar)
        return;
    const NetworkOptions stored =
        sidecar->run.network.mode == NetworkMode::Softnet ? sidecar->run.network : NetworkOptions();
    const auto unstored = [](const QStringList& list, const QString& kept) {
        QStringList known;
        for (const QString& rule : itemsOf(kept))
            known.append(normalNetworkRule(rule));
        QStringList result = list;
        result.removeIf(
            [&known](const auto& one) { return known.contains(normalNetworkRule(one)); });
        return result;
    };
    rules.once = {unstored(rules.policy.allow, stored.allow),
                  unstored(rules.policy.block, stored.block)};
    rules.onceExposed = unstored(rules.expose, stored.expose);
}

Result<> checkWords(const Options& options, const QStringList& words) {
    if (words.isEmpty())
        return fail(Error::Kind::InvalidInput,
                    options.action == "expose"
                        ? Tr::tr("Name the ports: EXTERNAL:INTERNAL, such as 2222:22.")
                        : Tr::tr("Name the networks, such as 10.0.0.0/8 or @host."));
    for (const QString& word : words)
        if (const auto checked =
                options.action == "expose" ? checkExposeList(word) : checkNetworkRule(word);
            !checked)
            return checked;
    return {};
}

NetworkEdit editOf(const Options& options) {
    const bool allow = options.action == "allow";
    NetworkEdit edit;
    (options.remove ? allow ? edit.removeAllow : edit.removeBlock
     : allow        ? edit.addAllow
                    : edit.addBlock) = wordsOf(options);
    return edit;
}

// One list gets the rule, the other loses it: the last word counts.
Result<> edit(SoftnetPolicy& policy, const Options& options) {
    const NetworkEdit edit = editOf(options);
    if (const QStringList missing = edit.missing(policy.allow, policy.block); !missing.isEmpty())
        return fail(Error::Kind::NotFound,
                    Tr::tr("There is no rule \"%1\" in that list. See: vitrinectl net NAME rules")
                        .arg(missing.first()));
    edit.applyTo(policy.allow, policy.block);
    return {};
}

Result<> editPorts(QStringList& list, const Options& options, const QStringList& words) {
    for (const QString& word : words) {
        const qsizetype removed = list.removeAll(word);
        if (options.remove && removed == 0)
            return fail(Error::Kind::NotFound, Tr::tr("\"%1\" is not exposed.").arg(word));
        if (!options.remove)
            list.append(word);
    }
    return {};
}

Result<int> runStopped(const Options& options, const MachineInfo& machine) {
    if (options.action == "log" || options.action == "test" || options.action == "learn")
        return fail(Error::Kind::NotRunning,
                    Tr::tr("The machine \"%1\" is not running.").arg(machine.name));
    const auto sidecar = Sidecar::read(machine.directory);
    if (!sidecar)
        return fail(sidecar.error());
    if (sidecar->run.network.mode != NetworkMode::Softnet &&
        machine.state == MachineState::Suspended)
        return fail(
            Error::Kind::Unsupported,
            Tr::tr("The machine \"%1\" is suspended. If it went behind a firewall of that run "
                   "only, its rules are kept and can be seen and changed when it runs again.")
                .arg(machine.name));
    if (sidecar->run.network.mode != NetworkMode::Softnet)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The machine \"%1\" has no firewall. Give it one: vitrinectl set %1 "
                           "--net-softnet")
                        .arg(machine.name));
    if (options.once)
        return fail(Error::Kind::NotRunning,
                    Tr::tr("--once is for a running machine, and \"%1\" is not running.")
                        .arg(machine.name));
    const auto rulesOf = [](const NetworkOptions& network) {
        return Rules{
            {itemsOf(network.allow), itemsOf(network.block)}, itemsOf(network.expose), {}, {}, {}};
    };
    if (options.action == "rules") {
        tell(rulesOf(sidecar->run.network), *options.json);
        return 0;
    }
    if (options.action == "reload")
        return 0; // it starts with them
    Result<> edited;
    const auto updated = Sidecar::update(machine.directory, [&](Sidecar& changed) {
        Rules rules = rulesOf(changed.run.network);
        edited = options.action == "expose" ? editPorts(rules.expose, options, wordsOf(options))
                                            : edit(rules.policy, options);
        if (edited && !rules.expose.isEmpty())
            edited = checkExposeList(rules.expose.join(QLatin1Char(',')));
        if (!edited)
            return;
        changed.run.network.allow = rules.policy.allow.join(QLatin1Char(','));
        changed.run.network.block = rules.policy.block.join(QLatin1Char(','));
        changed.run.network.expose = rules.expose.join(QLatin1Char(','));
    });
    if (!edited)
        return fail(edited.error());
    if (!updated)
        return fail(updated.error());
    if (options.action == "expose" && !options.remove)
        for (const QString& sentence :
             reservedPortNotes({}, wordsOf(options).join(QLatin1Char(','))))
            note(plain(sentence));
    return 0;
}

Result<QJsonObject>
ask(MachineClient& client, const char* method, const QJsonObject& parameters = {}) {
    if (!client.supports(QLatin1String(method))) {
        const QString reason = whyUnavailable(client, QLatin1String(method));
        if (!reason.isEmpty())
            return fail(Error::Kind::Unsupported, reason);
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The machine was started by an older version that cannot do that. "
                           "Start it again."));
    }
    const auto answer = client.callAndWait(QLatin1String(method), parameters, answerTime);
    if (!answer)
        return fail(answer.error());
    return answer->toObject();
}

// All of them: an answer holds only so much.
Result<QList<SoftnetDestination>> askSeen(MachineClient& client, qint64 since) {
    SoftnetDestinations seen;
    for (bool more = true; more;) {
        const auto answer = ask(client, "net.destinations", {{QStringLiteral("since"), since}});
        if (!answer)
            return fail(answer.error());
        more = seen.take(*answer) && seen.sequence() > since;
        since = seen.sequence();
    }
    return seen.list();
}

Result<int> showLog(MachineClient& client, const Options& options) {
    auto answer = askSeen(client, 0);
    if (!answer)
        return fail(answer.error());
    QList<SoftnetDestination> seen = *std::move(answer);
    if (options.blocked)
        seen.removeIf([](const SoftnetDestination& one) { return one.allowed; });
    std::stable_sort(
        seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.lastMs > b.lastMs; });
    if (*options.json) {
        QJsonArray list;
        for (const SoftnetDestination& one : seen)
            list.append(one.toJson());
        printJson(list);
        return 0;
    }
    QList<QStringList> rows;
    for (const SoftnetDestination& one : seen)
        rows.append({one.allowed ? Tr::tr("allowed") : Tr::tr("blocked"),
                     one.incoming ? Tr::tr("in") : Tr::tr("out"),
                     one.name,
                     one.address,
                     one.port == 0 ? QString() : QString::number(one.port),
                     one.protocol.toUpper(),
                     ByteCount::fromBytes(static_cast<quint64>(one.bytesOut)).toText(),
                     ByteCount::fromBytes(static_cast<quint64>(one.bytesIn)).toText(),
                     softnetReasonText(one)});
    print(table({Tr::tr("Verdict"),
                 Tr::tr("Way"),
                 Tr::tr("Name"),
                 Tr::tr("Address"),
                 Tr::tr("Port"),
                 Tr::tr("Protocol"),
                 Tr::tr("Sent"),
                 Tr::tr("Got"),
                 Tr::tr("Because")},
                rows));
    return 0;
}

struct Place {
    QString address;
    int port = 0; // 0: none
};

// ADDRESS:PORT, of a protocol without ports ADDRESS.
Result<Place> placeOf(const Options& options) {
    const QStringList parts =
        toQString(options.words.empty() ? "" : options.words.front()).split(QLatin1Char(':'));
    bool number = true;
    const int port = parts.size() > 1 ? parts.at(1).toInt(&number) : 0;
    if (options.words.size() != 1 || parts.size() > 2 || !number || port < 0 || port > 65535 ||
        wholeAddressRule(parts.first()).isEmpty())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Name what to test as ADDRESS:PORT, such as 10.0.0.5:443."));
    if (port == 0 && options.protocol != "icmp")
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Name the port too, from 1 to 65535, such as %1:443. Only --protocol "
                           "icmp has none.")
                        .arg(parts.first()));
    return Place{parts.first(), port};
}

// 0: it would pass, 1: it would not.
Result<int> test(MachineClient& client, const Options& options) {
    const auto place = placeOf(options);
    if (!place)
        return fail(place.error());
    const auto answer = ask(client,
                            "net.test",
                            {{QStringLiteral("direction"),
                              options.incoming ? QStringLiteral("in") : QStringLiteral("out")},
                             {QStringLiteral("address"), place->address},
                             {QStringLiteral("port"), place->port},
                             {QStringLiteral("protocol"), toQString(options.protocol)}});
    if (!answer)
        return fail(answer.error());
    const SoftnetAnswer verdict = SoftnetAnswer::fromJson(*answer);
    if (*options.json)
        printJson(*answer);
    else
        printLine(
            QStringLiteral("%1: %2").arg(verdict.passes ? Tr::tr("passes") : Tr::tr("blocked"),
                                         plain(softnetReasonText(verdict.reason, verdict.rule))));
    return verdict.passes ? 0 : 1;
}

Result<int> learn(MachineClient& client, const Options& options) {
    const std::string word = options.words.empty() ? "" : options.words.front();
    if (options.words.size() != 1 || (word != "start" && word != "show" && word != "stop"))
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Say start, show or stop: while learning, everything passes; show and "
                           "stop print the rules that allow what was seen and nothing else."));
    if (word == "start") {
        const auto started = ask(client, "net.learn", {{QStringLiteral("enabled"), true}});
        if (!started)
            return fail(started.error());
        note(Tr::tr("From now on everything passes, but for the services of this computer, until: "
                    "vitrinectl net NAME learn stop"));
        return 0;
    }
    const auto status = ask(client, "net.status");
    if (!status)
        return fail(status.error());
    if (!status->value(QLatin1String("learning")).toBool())
        return fail(Error::Kind::NotRunning,
                    Tr::tr("Nothing is being learned. Begin with: vitrinectl net NAME learn "
                           "start"));
    const auto seen = askSeen(client, status->value(QLatin1String("learnedSince")).toInteger());
    if (!seen)
        return fail(seen.error());
    if (word == "stop")
        if (const auto stopped = ask(client, "net.learn", {{QStringLiteral("enabled"), false}});
            !stopped)
            return fail(stopped.error());
    SoftnetPolicy proposal = proposeRules(*seen);
    const bool isNothing = proposal.allow.isEmpty();
    if (isNothing)
        proposal = {}; // a rule that blocks everything was not learned
    if (*options.json)
        printJson(proposal.toJson());
    if (isNothing)
        note(Tr::tr("Nothing was seen that needs a rule, so none is proposed. Let the guest do "
                    "what it is to do later while the machine learns."));
    if (isNothing || *options.json)
        return 0;
    for (const auto& [option, list] : {std::pair("--net-softnet-allow=", &proposal.allow),
                                       std::pair("--net-softnet-block=", &proposal.block)})
        printLine(quotedForShell(QLatin1String(option) + list->join(QLatin1Char(','))));
    return 0;
}

// What vitrine.json holds is what holds, also after --once.
Result<int> reload(MachineClient& client, const MachineInfo& machine) {
    const auto sidecar = Sidecar::read(machine.directory);
    if (!sidecar)
        return fail(sidecar.error());
    const NetworkOptions& stored = sidecar->run.network;
    const auto status = ask(client, "net.status");
    if (!status && status.error().kind == Error::Kind::Unsupported) {
        note(plain(status.error().message));
        return 0;
    }
    if (!status)
        return fail(status.error());
    if (stored.mode != NetworkMode::Softnet)
        return 0; // at the next start
    const QStringList wanted = itemsOf(stored.expose);
    QStringList open;
    for (const QJsonValue& port : status->value(QLatin1String("expose")).toArray())
        open.append(port[QLatin1String("spec")].toString());
    QJsonObject parameters = SoftnetPolicy{itemsOf(stored.allow), itemsOf(stored.block)}.toJson();
    parameters.insert(QStringLiteral("keep"), false);
    if (const auto set = ask(client, "net.policy.set", parameters); !set)
        return fail(set.error());
    const auto change = [&client](const char* method, const QString& spec) {
        return ask(
            client, method, {{QStringLiteral("spec"), spec}, {QStringLiteral("keep"), false}});
    };
    for (const QString& spec : open)
        if (!wanted.contains(spec))
            if (const auto done = change("net.expose.remove", spec); !done)
                return fail(done.error());
    for (const QString& spec : wanted)
        if (!open.contains(spec))
            if (const auto done = change("net.expose.add", spec); !done)
                return fail(done.error());
    return 0;
}

Result<int> runRunning(const Options& options, MachineClient& client, const MachineInfo& machine) {
    if (options.action == "reload")
        return reload(client, machine);
    if (options.action == "log")
        return showLog(client, options);
    if (options.action == "test")
        return test(client, options);
    if (options.action == "learn")
        return learn(client, options);
    const QStringList words = wordsOf(options);
    if (options.action == "expose") {
        const auto change = [&client, &options](const QString& spec, bool remove) {
            return ask(client,
                       remove ? "net.expose.remove" : "net.expose.add",
                       {{QStringLiteral("spec"), spec}, {QStringLiteral("keep"), !options.once}});
        };
        QStringList changed;
        for (const QString& spec : words) {
            const auto done = change(spec, options.remove);
            if (done) {
                changed.prepend(spec);
                continue;
            }
            // All or none: a port must not stay open after a refusal.
            for (const QString& earlier : std::as_const(changed))
                if (const auto undone = change(earlier, !options.remove); !undone)
                    note(plain(undone.error().message));
            return fail(done.error());
        }
        return 0;
    }
    if (options.action == "rules") {
        const auto status = ask(client, "net.status");
        if (!status)
            return fail(status.error());
        Rules rules{SoftnetPolicy::fromJson(*status), {}, {}, {}, {}};
        for (const QJsonValue& port : status->value(QLatin1String("expose")).toArray()) {
            const QString spec = port[QLatin1String("spec")].toString();
            rules.expose.append(spec);
            rules.problems.insert(spec, port[QLatin1String("problem")].toString());
        }
        markUnstored(rules, machine);
        tell(rules, *options.json);
        if (status->value(QLatin1String("learning")).toBool())
            note(Tr::tr("The machine learns: until it stops, everything passes, but for the "
                        "services of this computer."));
        return 0;
    }
    QJsonObject parameters = editOf(options).toJson();
    parameters.insert(QStringLiteral("keep"), !options.once);
    const auto set = ask(client, "net.policy.edit", parameters);
    return set ? Result<int>(0) : fail(set.error());
}

Result<int> run(const Options& options) {
    const bool changes =
        options.action == "allow" || options.action == "block" || options.action == "expose";
    if (changes)
        if (const auto checked = checkWords(options, wordsOf(options)); !checked)
            return fail(checked.error());
    if ((options.action == "rules" || options.action == "log" || options.action == "reload") &&
        !options.words.empty())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"%1\" takes no rule.").arg(toQString(options.action)));
    if (options.action == "test")
        if (const auto place = placeOf(options); !place)
            return fail(place.error());
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto machine = findMachine(*library, options.name);
    if (!machine)
        return fail(machine.error());
    if (machine->holderPid == 0 && machine->state != MachineState::RunningElsewhere)
        return runStopped(options, *machine);
    const auto connected = connectToMachine(*library, options.name);
    if (!connected)
        return fail(connected.error());
    const auto done = runRunning(options, *connected->client, *machine);
    const auto sidecar = Sidecar::read(machine->directory);
    if (done && changes && !options.once && sidecar &&
        sidecar->run.network.mode != NetworkMode::Softnet)
        note(Tr::tr("This holds until the machine stops: Softnet is only the network of this run. "
                    "To keep rules: vitrinectl set NAME --net-softnet"));
    return done;
}

} // namespace

void addNetCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    Command command;
    CLI::App* const app = root.add_subcommand(
        "net", "See and change the firewall Softnet of a machine, also while it runs");
    command.app = app;
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    app->add_option("action",
                    options->action,
                    "rules, allow, block, expose, log (what was allowed and blocked), test (would "
                    "this pass?), learn (start, show, stop) or reload (what is stored holds again)")
        ->check(
            CLI::IsMember({"rules", "allow", "block", "expose", "log", "test", "learn", "reload"})
                .description(""))
        ->type_name("");
    app->add_option("rule",
                    options->words,
                    "For allow and block: networks such as 10.0.0.0/8, out 10.0.0.5:443 or "
                    "@host. For expose: EXTERNAL:INTERNAL or ADDRESS:EXTERNAL:INTERNAL. For test: "
                    "ADDRESS:PORT")
        ->type_name("");
    app->add_flag("--remove", options->remove, "For allow, block and expose: take it out");
    app->add_flag("--once", options->once, "Only until the machine stops");
    app->add_flag("--blocked", options->blocked, "For log: only what was blocked");
    app->add_flag("--in", options->incoming, "For test: from there to the guest");
    app->add_option("--protocol", options->protocol, "For test: tcp, udp or icmp")
        ->check(CLI::IsMember({"tcp", "udp", "icmp"}).description(""))
        ->type_name("PROTOCOL");
    options->json = addFormatOption(*app);
    app->footer("Without a rule public addresses pass; private ones and this computer do not. The "
                "first of these decides: a rule with ports before one without, then the longest "
                "prefix, then block before allow. New rules hold at once, also for connections "
                "that are open.");
    addProgressOption(command);
    command.run = [options] { return run(*options); };
    command.failureCode = [options](int usual) {
        return options->action == "test" && usual == 1 ? testFailed : usual;
    };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
