// SPDX-License-Identifier: Apache-2.0
#include "core/bench/json_reader.h"

#include <QJsonDocument>

#include <cmath>

namespace vitrine::bench {

Error wrongType(const QString& key, const QString& wanted) {
    return {Error::Kind::Integrity,
            Tr::tr("The value of \"%1\" must be %2. Correct the file.").arg(key, wanted),
            {}};
}

Result<QJsonObject> jsonObjectFrom(const QByteArray& bytes, const QString& what) {
    if (bytes.trimmed().isEmpty())
        return fail(Error::Kind::Integrity,
                    Tr::tr("%1 is empty: what wrote it was stopped or has failed. Make it again.")
                        .arg(what));
    QJsonParseError parsing{};
    const QJsonDocument document = QJsonDocument::fromJson(bytes, &parsing);
    if (parsing.error != QJsonParseError::NoError) {
        const bool cut = parsing.offset >= bytes.trimmed().size();
        return fail(Error::Kind::Integrity,
                    (cut ? Tr::tr("%1 breaks off at byte %2: what wrote it was stopped. Make it "
                                  "again, or take a whole copy.")
                         : Tr::tr("%1 is damaged at byte %2: it is no JSON. Repair it, or take a "
                                  "whole copy."))
                        .arg(what)
                        .arg(parsing.offset),
                    parsing.errorString());
    }
    if (!document.isObject())
        return fail(Error::Kind::Integrity,
                    Tr::tr("%1 is a JSON list, not an object with results. Take the right file.")
                        .arg(what));
    return document.object();
}

QJsonValue JsonReader::take(const char* key, QJsonValue::Type type, const QString& wanted) {
    const QJsonValue value = m_rest.take(QLatin1String(key));
    if (value.isUndefined() || value.isNull())
        return QJsonValue(QJsonValue::Undefined);
    if (value.type() == type)
        return value;
    refuse(QLatin1String(key), wanted);
    return QJsonValue(QJsonValue::Undefined);
}

std::optional<double> JsonReader::number(const char* key) {
    const QJsonValue value = take(key, QJsonValue::Double, Tr::tr("a number"));
    if (value.isUndefined())
        return {};
    if (!std::isfinite(value.toDouble()) || value.toDouble() < 0) {
        refuse(QLatin1String(key), Tr::tr("a number that is not below 0"));
        return {};
    }
    return value.toDouble();
}

QString JsonReader::text(const char* key) {
    return take(key, QJsonValue::String, Tr::tr("a text")).toString();
}

QJsonObject JsonReader::object(const char* key) {
    return take(key, QJsonValue::Object, Tr::tr("an object")).toObject();
}

QJsonArray JsonReader::list(const char* key) {
    return take(key, QJsonValue::Array, Tr::tr("a list")).toArray();
}

bool JsonReader::flag(const char* key) {
    return take(key, QJsonValue::Bool, Tr::tr("true or false")).toBool();
}

void JsonReader::refuse(const QString& key, const QString& wanted) {
    if (!m_error)
        m_error = wrongType(m_where.isEmpty() ? key : m_where + QLatin1Char('.') + key, wanted);
}

} // namespace vitrine::bench
