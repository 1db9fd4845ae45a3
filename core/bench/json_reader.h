// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QJsonValue>

#include <optional>

namespace vitrine::bench {

// Integrity: `key` must be `wanted`.
[[nodiscard]] Error wrongType(const QString& key, const QString& wanted);

// Bytes that should be one JSON object. Integrity says whether there is nothing, where it breaks
// off or is damaged, or that it is something else. `what` is translated: "The file \"/x\"".
[[nodiscard]] Result<QJsonObject> jsonObjectFrom(const QByteArray& bytes, const QString& what);

// Takes one value after the other and keeps the first error. `where` is put before the keys in it.
class JsonReader final {
public:
    explicit JsonReader(QJsonObject object, QString where = {})
        : m_rest(std::move(object))
        , m_where(std::move(where)) {}

    // A finite number that is not below 0; nullopt when absent or null.
    std::optional<double> number(const char* key);
    QString text(const char* key);       // "" when absent
    QJsonObject object(const char* key); // {} when absent
    QJsonArray list(const char* key);    // [] when absent
    bool flag(const char* key);          // false when absent
    void refuse(const QString& key, const QString& wanted);

    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] const QJsonObject& rest() const { return m_rest; } // what nobody took

private:
    QJsonValue take(const char* key, QJsonValue::Type type, const QString& wanted);

    QJsonObject m_rest;
    QString m_where;
    std::optional<Error> m_error;
};

} // namespace vitrine::bench
