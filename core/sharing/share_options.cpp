// SPDX-License-Identifier: Apache-2.0
#include "core/sharing/share_options.h"

#include <QStringList>

namespace vitrine {

namespace {

struct Key {
    const char* name;
    QString ShareOptions::*text;
    QStringList words;
};

const QList<Key>& keys() {
    static const QList<Key> all{
        {"transport", &ShareOptions::transport, {QStringLiteral("virtiofs"), QStringLiteral("9p")}},
        {"cache",
         &ShareOptions::cache,
         {QStringLiteral("auto"), QStringLiteral("always"), QStringLiteral("none")}},
        {"security",
         &ShareOptions::security,
         {QStringLiteral("none"),
          QStringLiteral("mapped-xattr"),
          QStringLiteral("mapped-file"),
          QStringLiteral("passthrough")}}};
    return all;
}

const QLatin1String ownerKey("rootOwns");

Error wrong(const char* key, const QString& wanted) {
    return {Error::Kind::InvalidInput,
            Tr::tr("The key \"sharing.%1\" of vitrine.json must be %2. Correct or remove the key.")
                .arg(QLatin1String(key), wanted),
            {}};
}

} // namespace

Result<ShareOptions> ShareOptions::fromJson(const QJsonValue& value) {
    ShareOptions options;
    if (value.isUndefined())
        return options;
    if (!value.isObject())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("The key \"sharing\" of vitrine.json must be an object. Correct or "
                           "remove the key."));
    for (const Key& key : keys()) {
        const QJsonValue text = value[QLatin1String(key.name)];
        if (text.isUndefined())
            continue;
        if (!key.words.contains(text.toString()))
            return fail(
                wrong(key.name, Tr::tr("one of: %1").arg(key.words.join(QStringLiteral(", ")))));
        options.*key.text = text.toString();
    }
    const QJsonValue owner = value[ownerKey];
    if (!owner.isUndefined() && !owner.isBool())
        return fail(wrong("rootOwns", Tr::tr("true or false")));
    options.rootOwns = owner.toBool();
    return options;
}

QJsonObject ShareOptions::toJson() const {
    QJsonObject object;
    for (const Key& key : keys())
        if (!(this->*key.text).isEmpty())
            object.insert(QLatin1String(key.name), this->*key.text);
    if (rootOwns)
        object.insert(ownerKey, true);
    return object;
}

} // namespace vitrine
