// SPDX-License-Identifier: Apache-2.0
#include "core/machine/network_options.h"

#include "core/machine/network_rules.h"
#include "core/machine/run_options.h"
#include "softnet/policy/options.h"

#include <QJsonArray>

#include <algorithm>
#include <array>
#include <vector>

namespace vitrine {

namespace {

constexpr std::array modes{std::pair("nat", NetworkMode::Nat),
                           std::pair("bridged", NetworkMode::Bridged),
                           std::pair("host", NetworkMode::HostOnly),
                           std::pair("softnet", NetworkMode::Softnet)};

Error invalid(const QString& message) {
    return Error{Error::Kind::InvalidInput, message, {}};
}

Error wrongKey(const char* key, const QString& wanted) {
    return invalid(Tr::tr("The key \"network.%1\" of vitrine.json must be %2. Correct or remove "
                          "the key.")
                       .arg(QLatin1String(key), wanted));
}

std::optional<softnet::Target> ruleOf(const QString& text) {
    const auto target = softnet::Target::parse(text.toStdString());
    return target ? std::optional(*target) : std::nullopt;
}

// Softnet gets a list as one word of its command line, which Linux limits to 128 KiB.
Result<> checkSize(qsizetype rules, qsizetype characters) {
    constexpr auto mostRules = static_cast<qsizetype>(softnet::Policy::maximumRules);
    constexpr qsizetype mostCharacters = 120'000;
    if (rules > mostRules)
        return fail(invalid(Tr::tr("There are %1 rules; Softnet takes %2. Put neighbouring "
                                   "networks together.")
                                .arg(rules)
                                .arg(mostRules)));
    if (characters > mostCharacters)
        return fail(invalid(Tr::tr("The list of rules has %1 characters, and Softnet can be "
                                   "given %2. Put neighbouring networks or ports together.")
                                .arg(characters)
                                .arg(mostCharacters)));
    return {};
}

std::optional<quint16> portFromText(QStringView text) {
    if (text.isEmpty() || text.size() > 5)
        return std::nullopt;
    uint port = 0;
    for (const QChar c : text) {
        if (c < u'0' || c > u'9')
            return std::nullopt;
        port = port * 10 + static_cast<uint>(c.unicode() - u'0');
    }
    if (port < 1 || port > 65535)
        return std::nullopt;
    return static_cast<quint16>(port);
}

} // namespace

Result<> checkNetworkRule(const QString& rule) {
    if (ruleOf(rule))
        return {};
    if (const QString whole = wholeAddressRule(rule); !whole.isEmpty())
        return fail(invalid(
            Tr::tr("\"%1\" has no prefix length. For one address write %2.").arg(rule, whole)));
    const qsizetype colon = rule.indexOf(QLatin1Char(':'));
    if (colon > 0 && ruleOf(rule.left(colon)))
        return fail(invalid(Tr::tr("\"%1\" has no port behind the colon. Write %2:443, or "
                                   "%2:8000-8100, with numbers from 1 to 65535.")
                                .arg(rule, rule.left(colon))));
    return fail(invalid(Tr::tr("\"%1\" is not a network. Write networks as 10.0.0.0/8, or "
                               "@host, with commas between them; \"in \" or \"out \" may stand "
                               "before one and :PORT behind it.")
                            .arg(rule)));
}

QString normalNetworkRule(const QString& rule) {
    const auto target = ruleOf(rule);
    return target ? QString::fromStdString(target->text()) : rule;
}

QString wholeAddressRule(const QString& rule) {
    const qsizetype colon = rule.indexOf(QLatin1Char(':'));
    const QString address = colon < 0 ? rule : rule.left(colon);
    const QString whole =
        address + QLatin1String("/32") + (colon < 0 ? QString() : rule.mid(colon));
    return !address.contains(QLatin1Char('/')) && ruleOf(whole) ? whole : QString();
}

Result<> checkNetworkList(const QString& text) {
    const QStringList rules = text.split(QLatin1Char(','));
    for (const QString& rule : rules)
        if (auto checked = checkNetworkRule(rule); !checked)
            return checked;
    return checkSize(rules.size(), text.size());
}

Result<> checkNetworkLists(const QString& allow, const QString& block) {
    softnet::Policy policy;
    for (const auto& [text, targets] :
         {std::pair(&allow, &policy.allow), std::pair(&block, &policy.block)}) {
        if (text->isEmpty())
            continue;
        if (auto checked = checkNetworkList(*text); !checked)
            return checked;
        for (const QString& rule : text->split(QLatin1Char(',')))
            targets->push_back(*ruleOf(rule));
    }
    if (auto checked = checkSize(static_cast<qsizetype>(policy.ruleCount()), 0); !checked)
        return checked;
    const softnet::Network network;
    const auto aliases = network.ruleHostAddresses();
    if (const auto rules = softnet::RuleTable::compile(policy, aliases); !rules)
        return fail(invalid(Tr::tr("Softnet does not take these rules together. Write fewer of "
                                   "them, or put neighbouring networks together.")));
    return {};
}

Result<> checkExposeList(const QString& text) {
    std::vector<softnet::Exposure> all;
    for (const QString& item : text.split(QLatin1Char(','))) {
        const auto port = softnet::Exposure::parse(item.toStdString());
        if (port && !item.contains(QLatin1Char('+'))) {
            const auto same = [&port](const softnet::Exposure& other) {
                return other.address == port->address && other.external == port->external &&
                       other.internal != port->internal;
            };
            if (std::any_of(all.begin(), all.end(), same))
                return fail(
                    invalid(Tr::tr("Port %1 of this computer is exposed twice. Choose another "
                                   "port for one of them.")
                                .arg(port->external)));
            all.push_back(*port);
        } else {
            return fail(invalid(Tr::tr("\"%1\" is not a port to expose. Write EXTERNAL:INTERNAL, "
                                       "such as 2222:22, or 127.0.0.1:2222:22 for this computer "
                                       "only, with commas between several.")
                                    .arg(item)));
        }
    }
    return {};
}

Result<PortForward> portForwardFromText(const QString& text) {
    const qsizetype colon = text.indexOf(QLatin1Char(':'));
    const auto guest = portFromText(QStringView(text).sliced(colon + 1));
    std::optional<quint16> host = quint16{0};
    if (colon >= 0)
        host = portFromText(QStringView(text).left(colon));
    if (!guest || !host)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"%1\" is not a port forward. Write HOST:GUEST, such as 8080:80, with "
                           "numbers from 1 to 65535.")
                        .arg(text));
    return PortForward{*host, *guest};
}

QString portForwardText(const PortForward& forward) {
    return forward.hostPort == 0
               ? QString::number(forward.guestPort)
               : QStringLiteral("%1:%2").arg(forward.hostPort).arg(forward.guestPort);
}

Result<> NetworkOptions::check() const {
    if (mode == NetworkMode::Bridged && interfaces.isEmpty())
        return fail(invalid(Tr::tr("A bridged machine needs the interface it is bridged to.")));
    if (auto checked = checkNetworkLists(allow, block); !checked)
        return checked;
    return expose.isEmpty() ? Result<>() : checkExposeList(expose);
}

QString networkWord(NetworkMode mode) {
    for (const auto& [word, value] : modes) {
        if (value == mode)
            return QLatin1String(word);
    }
    return {};
}

std::optional<NetworkMode> networkModeFromWord(const QString& word) {
    for (const auto& [text, value] : modes) {
        if (word == QLatin1String(text))
            return value;
    }
    return std::nullopt;
}

Result<NetworkOptions> NetworkOptions::fromJson(const QJsonObject& object) {
    NetworkOptions options;
    const QString mode = object.value(QLatin1String("mode")).toString(QStringLiteral("nat"));
    bool known = false;
    for (const auto& [word, value] : modes)
        if (mode == QLatin1String(word)) {
            options.mode = value;
            known = true;
        }
    if (!known)
        return fail(wrongKey("mode", QStringLiteral("nat, bridged, host, softnet")));
    const QJsonValue interfaces = object.value(QLatin1String("interfaces"));
    if (!interfaces.isUndefined() && !interfaces.isArray())
        return fail(wrongKey("interfaces", Tr::tr("a list of texts")));
    for (const QJsonValue& item : interfaces.toArray()) {
        if (!item.isString() || item.toString().isEmpty())
            return fail(wrongKey("interfaces", Tr::tr("a list of texts")));
        options.interfaces.append(item.toString());
    }
    for (const auto& [key, member] : {std::pair("allow", &options.allow),
                                      std::pair("block", &options.block),
                                      std::pair("expose", &options.expose)}) {
        const QJsonValue value = object.value(QLatin1String(key));
        if (!value.isUndefined() && !value.isString())
            return fail(wrongKey(key, Tr::tr("a text")));
        *member = value.toString();
    }
    if (const auto checked = options.check(); !checked)
        return fail(checked.error());
    return options;
}

QJsonObject NetworkOptions::toJson() const {
    QJsonObject object;
    for (const auto& [word, value] : modes)
        if (mode == value && mode != NetworkMode::Nat)
            object[QStringLiteral("mode")] = QLatin1String(word);
    if (!interfaces.isEmpty())
        object[QStringLiteral("interfaces")] = QJsonArray::fromStringList(interfaces);
    for (const auto& [key, text] :
         {std::pair("allow", allow), std::pair("block", block), std::pair("expose", expose)})
        if (!text.isEmpty())
            object[QLatin1String(key)] = text;
    return object;
}

} // namespace vitrine
