// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_values.h"

#include "core/result/error.h"

#include <QJsonArray>

#include <array>
#include <utility>

namespace vitrine {

namespace {

constexpr qsizetype longestName = 255;
constexpr qsizetype longestWord = 64;

QStringList textsOf(const QJsonValue& value) {
    QStringList texts;
    for (const QJsonValue& item : value.toArray())
        if (item.isString())
            texts.append(item.toString());
    return texts;
}

bool isAllow(const QJsonObject& object) {
    return object.value(QLatin1String("verdict")).toString() == QLatin1String("allow");
}

QString word(const QJsonObject& object, const char* key) {
    return object.value(QLatin1String(key)).toString().left(longestWord);
}

// Words of verdict.cpp in softnet/policy.
constexpr std::array reasons{
    std::pair("global", QT_TRANSLATE_NOOP("vitrine::Tr", "Public address")),
    std::pair("host-service", QT_TRANSLATE_NOOP("vitrine::Tr", "Name lookup, answer or forward")),
    std::pair("open-flow", QT_TRANSLATE_NOOP("vitrine::Tr", "Answer to what was allowed")),
    std::pair("incoming", QT_TRANSLATE_NOOP("vitrine::Tr", "Comes in")),
    std::pair("dhcp", QT_TRANSLATE_NOOP("vitrine::Tr", "Always")),
    std::pair("nat", QT_TRANSLATE_NOOP("vitrine::Tr", "NAT lets it through")),
    std::pair("learning", QT_TRANSLATE_NOOP("vitrine::Tr", "Everything passes while learning")),
    std::pair("not-global", QT_TRANSLATE_NOOP("vitrine::Tr", "Private address, no rule")),
    std::pair("host-only", QT_TRANSLATE_NOOP("vitrine::Tr", "Host only, no rule")),
    std::pair("martian", QT_TRANSLATE_NOOP("vitrine::Tr", "Loopback never passes")),
    std::pair("virtual-subnet", QT_TRANSLATE_NOOP("vitrine::Tr", "Nobody else is in this network")),
    std::pair("multicast", QT_TRANSLATE_NOOP("vitrine::Tr", "Multicast, no rule")),
    std::pair("host-loopback",
              QT_TRANSLATE_NOOP("vitrine::Tr", "Services of this computer, no rule")),
    std::pair("fragment", QT_TRANSLATE_NOOP("vitrine::Tr", "A fragment hides its port")),
    std::pair("src-ip", QT_TRANSLATE_NOOP("vitrine::Tr", "Forged sender")),
    std::pair("flow-revoked", QT_TRANSLATE_NOOP("vitrine::Tr", "Cut by a new rule")),
    std::pair("flow-table-full", QT_TRANSLATE_NOOP("vitrine::Tr", "Too many connections")),
};

} // namespace

QJsonObject SoftnetPolicy::toJson() const {
    return {{QStringLiteral("allow"), QJsonArray::fromStringList(allow)},
            {QStringLiteral("block"), QJsonArray::fromStringList(block)}};
}

SoftnetPolicy SoftnetPolicy::fromJson(const QJsonObject& object) {
    return {textsOf(object.value(QLatin1String("allow"))),
            textsOf(object.value(QLatin1String("block")))};
}

QJsonObject SoftnetDestination::toJson() const {
    QJsonObject object{
        {QStringLiteral("address"), address},
        {QStringLiteral("port"), port},
        {QStringLiteral("protocol"), protocol},
        {QStringLiteral("direction"), incoming ? QStringLiteral("in") : QStringLiteral("out")},
        {QStringLiteral("name"), name},
        {QStringLiteral("bytesOut"), bytesOut},
        {QStringLiteral("bytesIn"), bytesIn},
        {QStringLiteral("packets"), packets},
        {QStringLiteral("verdict"), allowed ? QStringLiteral("allow") : QStringLiteral("block")},
        {QStringLiteral("rule"), rule},
        {QStringLiteral("reason"), reason},
        {QStringLiteral("lastMs"), lastMs}};
    if (now)
        object.insert(QStringLiteral("now"),
                      QJsonObject{{QStringLiteral("verdict"),
                                   now->passes ? QStringLiteral("allow") : QStringLiteral("block")},
                                  {QStringLiteral("rule"), now->rule},
                                  {QStringLiteral("reason"), now->reason}});
    if (isHost)
        object.insert(QStringLiteral("host"), true);
    if (!isLearned)
        object.insert(QStringLiteral("learned"), false);
    return object;
}

SoftnetDestination SoftnetDestination::fromJson(const QJsonObject& object) {
    const auto number = [&object](const char* key) {
        return object.value(QLatin1String(key)).toInteger();
    };
    SoftnetDestination destination;
    destination.address = word(object, "address");
    destination.port = static_cast<int>(qBound(qint64{0}, number("port"), qint64{65535}));
    const QJsonValue protocol = object.value(QLatin1String("protocol"));
    destination.protocol = protocol.isDouble() ? QString::number(protocol.toInt())
                                               : protocol.toString().left(longestWord).toLower();
    destination.incoming = word(object, "direction") == QLatin1String("in");
    destination.name = object.value(QLatin1String("name")).toString().left(longestName);
    destination.bytesOut = number("bytesOut");
    destination.bytesIn = number("bytesIn");
    destination.packets = number("packets");
    destination.allowed = isAllow(object);
    destination.rule = word(object, "rule");
    destination.reason = word(object, "reason");
    destination.lastMs = number("lastMs");
    if (const QJsonValue now = object.value(QLatin1String("now")); now.isObject())
        destination.now = SoftnetAnswer::fromJson(now.toObject());
    destination.isHost = object.value(QLatin1String("host")).toBool();
    destination.isLearned = object.value(QLatin1String("learned")).toBool(true);
    return destination;
}

QList<SoftnetDestination> softnetDestinationsFromJson(const QJsonObject& answer) {
    QList<SoftnetDestination> list;
    for (const QJsonValue& item : answer.value(QLatin1String("destinations")).toArray())
        list.append(SoftnetDestination::fromJson(item.toObject()));
    return list;
}

bool SoftnetDestinations::take(const QJsonObject& answer) {
    const QList<SoftnetDestination> part = softnetDestinationsFromJson(answer);
    for (const SoftnetDestination& one : part) {
        const QString key = QStringLiteral("%1 %2 %3 %4")
                                .arg(one.address)
                                .arg(one.port)
                                .arg(one.protocol)
                                .arg(one.incoming ? 1 : 0);
        if (const auto known = m_places.constFind(key); known != m_places.cend()) {
            m_list[*known] = one;
        } else {
            m_places.insert(key, m_list.size());
            m_list.append(one);
        }
    }
    m_sequence = answer.value(QLatin1String("sequence")).toInteger();
    return answer.value(QLatin1String("more")).toBool();
}

SoftnetAnswer SoftnetAnswer::fromJson(const QJsonObject& object) {
    return {isAllow(object), word(object, "rule"), word(object, "reason")};
}

QString softnetReasonText(const QString& reason, const QString& rule) {
    if (!rule.isEmpty())
        return Tr::tr("Rule %1").arg(rule);
    for (const auto& [name, text] : reasons)
        if (reason == QLatin1String(name))
            return Tr::tr(text);
    return reason;
}

QString softnetReasonText(const SoftnetDestination& destination) {
    const QString text = softnetReasonText(destination.reason, destination.rule);
    if (destination.passesNow() == destination.allowed)
        return text;
    return destination.allowed ? Tr::tr("%1 (now blocked)").arg(text)
                               : Tr::tr("%1 (now allowed)").arg(text);
}

} // namespace vitrine
