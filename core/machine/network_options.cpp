// SPDX-License-Identifier: Apache-2.0
#include "core/machine/network_options.h"

#include <QJsonArray>
#include <QRegularExpression>

#include <array>

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

bool isNetwork(const QString& item) {
    static const QString octet = QStringLiteral("(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])");
    static const QRegularExpression form(
        QStringLiteral("^(%1\\.){3}%1/(3[0-2]|[12]?[0-9])$").arg(octet));
    return form.match(item).hasMatch();
}

bool isPort(const QString& text) {
    bool number = false;
    const int port = text.toInt(&number);
    return number && port >= 0 && port <= 65535 && text.at(0).isDigit();
}

} // namespace

Result<> checkNetworkList(const QString& text) {
    for (const QString& item : text.split(QLatin1Char(','))) {
        if (item == QLatin1String("@host") || isNetwork(item))
            continue;
        if (isNetwork(item + QLatin1String("/32")))
            return fail(invalid(
                Tr::tr("\"%1\" has no prefix length. For one address write %1/32.").arg(item)));
        return fail(invalid(Tr::tr("\"%1\" is not a network. Write networks as 10.0.0.0/8, or "
                                   "@host, with commas between them.")
                                .arg(item)));
    }
    return {};
}

Result<> checkExposeList(const QString& text) {
    for (const QString& item : text.split(QLatin1Char(','))) {
        const QStringList parts = item.split(QLatin1Char(':'));
        if (parts.size() != 2 || parts.first().isEmpty() || parts.last().isEmpty() ||
            !isPort(parts.first()) || !isPort(parts.last()))
            return fail(invalid(Tr::tr("\"%1\" is not a port to expose. Write EXTERNAL:INTERNAL, "
                                       "such as 2222:22, with commas between several.")
                                    .arg(item)));
    }
    return {};
}

Result<> NetworkOptions::check() const {
    if (mode == NetworkMode::Bridged && interfaces.isEmpty())
        return fail(invalid(Tr::tr("A bridged machine needs the interface it is bridged to.")));
    for (const QString* list : {&allow, &block})
        if (!list->isEmpty())
            if (auto checked = checkNetworkList(*list); !checked)
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
