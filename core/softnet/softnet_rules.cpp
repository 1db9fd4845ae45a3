// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_rules.h"

#include "core/machine/network_rules.h"
#include "core/machine/run_command.h"

#include <algorithm>

namespace vitrine {

namespace {

QStringList& listOf(SoftnetPolicy& policy, SoftnetList list) {
    return list == SoftnetList::Allow ? policy.allow : policy.block;
}

qsizetype takeOut(QStringList& list, const QString& rule) {
    const QString normal = normalNetworkRule(rule);
    return list.removeIf(
        [&normal](const QString& other) { return normalNetworkRule(other) == normal; });
}

} // namespace

void putSoftnetRule(SoftnetPolicy& policy, SoftnetList list, const QString& rule) {
    takeOut(policy.allow, rule);
    takeOut(policy.block, rule);
    listOf(policy, list).append(normalNetworkRule(rule));
}

bool takeSoftnetRule(SoftnetPolicy& policy, SoftnetList list, const QString& rule) {
    return takeOut(listOf(policy, list), rule) > 0;
}

bool hasSoftnetDirections(const SoftnetPolicy& policy) {
    const auto hasOne = [](const QString& rule) {
        return rule.startsWith(QLatin1String("in ")) || rule.startsWith(QLatin1String("out "));
    };
    return std::any_of(policy.allow.cbegin(), policy.allow.cend(), hasOne) ||
           std::any_of(policy.block.cbegin(), policy.block.cend(), hasOne);
}

QString softnetRuleFor(const SoftnetDestination& destination,
                       const SoftnetPolicy& policy,
                       SoftnetScope scope) {
    QString rule = destination.address + QLatin1String("/32");
    const bool hasPorts = destination.protocol == QLatin1String("tcp") ||
                          destination.protocol == QLatin1String("udp");
    if (scope == SoftnetScope::Port && hasPorts && destination.port != 0)
        rule += QLatin1Char(':') + QString::number(destination.port);
    if (destination.incoming)
        return QLatin1String("in ") + rule;
    return hasSoftnetDirections(policy) ? QLatin1String("out ") + rule : rule;
}

QString whyNoSoftnetRule(const SoftnetDestination& destination) {
    const QString reason = destination.now ? destination.now->reason : destination.reason;
    if ((destination.now ? destination.now->rule : destination.rule).isEmpty()) {
        if (reason == QLatin1String("martian"))
            return Tr::tr("Loopback and broadcast addresses never pass, whatever the rules say.");
        if (reason == QLatin1String("virtual-subnet"))
            return Tr::tr("Nobody else is in this network, so no rule can let it through.");
        if (reason == QLatin1String("dhcp") || reason == QLatin1String("arp"))
            return Tr::tr("The guest gets its address this way; no rule forbids it.");
        if (reason == QLatin1String("src-ip"))
            return Tr::tr("The guest forged the sender, which no rule allows.");
    }
    if (checkNetworkRule(destination.address + QLatin1String("/32")))
        return {};
    return Tr::tr("Rules are about IPv4 addresses, and this is none.");
}

Result<SoftnetEndpoint> SoftnetEndpoint::fromText(const QString& text) {
    const QStringList parts = text.trimmed().split(QLatin1Char(':'));
    bool isNumber = true;
    const int port = parts.size() > 1 ? parts.at(1).toInt(&isNumber) : 0;
    const bool good = parts.size() <= 2 && isNumber && port >= 0 && port <= 65535 &&
                      (parts.size() == 1 || port > 0) &&
                      checkNetworkRule(parts.first() + QLatin1String("/32"));
    if (!good || parts.first().startsWith(QLatin1Char('@')) ||
        parts.first().contains(QLatin1Char(' ')))
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Name what to test as ADDRESS:PORT, such as 10.0.0.5:443."));
    return SoftnetEndpoint{parts.first(), port};
}

QJsonObject softnetQuestion(const SoftnetDestination& destination) {
    const bool known = destination.protocol == QLatin1String("tcp") ||
                       destination.protocol == QLatin1String("udp") ||
                       destination.protocol == QLatin1String("icmp");
    return {{QStringLiteral("direction"),
             destination.incoming ? QStringLiteral("in") : QStringLiteral("out")},
            {QStringLiteral("address"), destination.address},
            {QStringLiteral("port"), destination.port},
            {QStringLiteral("protocol"), known ? destination.protocol : QStringLiteral("other")}};
}

QString netCommandLine(const QString& machineName, const QStringList& words) {
    return quotedForShell(
        QStringList{QStringLiteral("vitrinectl"), QStringLiteral("net"), machineName} + words);
}

} // namespace vitrine
