// SPDX-License-Identifier: Apache-2.0
#include "core/machine/network_edit.h"

#include "core/machine/network_rules.h"

#include <QJsonArray>

namespace vitrine {

namespace {

QStringList textsOf(const QJsonObject& object, const char* list) {
    QStringList texts;
    for (const QJsonValue& item : object.value(QLatin1String(list)).toArray())
        if (item.isString())
            texts.append(item.toString());
    return texts;
}

QJsonObject listsOf(const QStringList& allow, const QStringList& block) {
    return {{QStringLiteral("allow"), QJsonArray::fromStringList(allow)},
            {QStringLiteral("block"), QJsonArray::fromStringList(block)}};
}

bool has(const QStringList& list, const QString& rule) {
    return std::any_of(
        list.cbegin(), list.cend(), [wanted = normalNetworkRule(rule)](const auto& other) {
            return normalNetworkRule(other) == wanted;
        });
}

void take(QStringList& list, const QString& rule) {
    list.removeIf([wanted = normalNetworkRule(rule)](const QString& other) {
        return normalNetworkRule(other) == wanted;
    });
}

} // namespace

NetworkEdit NetworkEdit::fromJson(const QJsonObject& object) {
    const QJsonObject add = object.value(QLatin1String("add")).toObject();
    const QJsonObject remove = object.value(QLatin1String("remove")).toObject();
    return {textsOf(add, "allow"),
            textsOf(add, "block"),
            textsOf(remove, "allow"),
            textsOf(remove, "block")};
}

QJsonObject NetworkEdit::toJson() const {
    return {{QStringLiteral("add"), listsOf(addAllow, addBlock)},
            {QStringLiteral("remove"), listsOf(removeAllow, removeBlock)}};
}

Result<> NetworkEdit::check() const {
    for (const QStringList* list : {&addAllow, &addBlock})
        for (const QString& rule : *list)
            if (const auto checked = checkNetworkRule(rule); !checked)
                return checked;
    return {};
}

QStringList NetworkEdit::missing(const QStringList& allow, const QStringList& block) const {
    QStringList result;
    for (const QString& rule : removeAllow)
        if (!has(allow, rule))
            result.append(rule);
    for (const QString& rule : removeBlock)
        if (!has(block, rule))
            result.append(rule);
    return result;
}

void NetworkEdit::applyTo(QStringList& allow, QStringList& block) const {
    for (const QString& rule : removeAllow)
        take(allow, rule);
    for (const QString& rule : removeBlock)
        take(block, rule);
    const auto add = [](const QStringList& rules, QStringList& list, QStringList& other) {
        for (const QString& rule : rules) {
            take(other, rule);
            if (!has(list, rule))
                list.append(normalNetworkRule(rule));
        }
    };
    add(addAllow, allow, block);
    add(addBlock, block, allow);
}

} // namespace vitrine
