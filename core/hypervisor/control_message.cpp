// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/control_message.h"

#include "core/disk/real_path.h"

#include <array>
#include <utility>

namespace vitrine::control {

namespace {

constexpr int applicationError = -32000;

const std::array<std::pair<Error::Kind, QLatin1String>, 15> kindWords{{
    {Error::Kind::Cancelled, QLatin1String("cancelled")},
    {Error::Kind::NotFound, QLatin1String("not-found")},
    {Error::Kind::AlreadyExists, QLatin1String("already-exists")},
    {Error::Kind::InvalidInput, QLatin1String("invalid-input")},
    {Error::Kind::NotRunning, QLatin1String("not-running")},
    {Error::Kind::AlreadyRunning, QLatin1String("already-running")},
    {Error::Kind::Busy, QLatin1String("busy")},
    {Error::Kind::Network, QLatin1String("network")},
    {Error::Kind::Unauthorized, QLatin1String("unauthorized")},
    {Error::Kind::Integrity, QLatin1String("integrity")},
    {Error::Kind::DiskFull, QLatin1String("disk-full")},
    {Error::Kind::Permission, QLatin1String("permission")},
    {Error::Kind::Unsupported, QLatin1String("unsupported")},
    {Error::Kind::Timeout, QLatin1String("timeout")},
    {Error::Kind::Internal, QLatin1String("internal")},
}};

QJsonObject envelope() {
    return {{QStringLiteral("jsonrpc"), QStringLiteral("2.0")}};
}

} // namespace

QString toWord(Error::Kind kind) {
    for (const auto& [value, word] : kindWords) {
        if (value == kind) {
            return word;
        }
    }
    return QStringLiteral("internal");
}

Error::Kind kindOf(const QString& word) {
    for (const auto& [value, text] : kindWords) {
        if (text == word) {
            return value;
        }
    }
    return Error::Kind::Internal;
}

QJsonObject request(qint64 id, const QString& method, const QJsonObject& parameters) {
    QJsonObject message = envelope();
    message.insert(QStringLiteral("id"), id);
    message.insert(QStringLiteral("method"), method);
    message.insert(QStringLiteral("params"), parameters);
    return message;
}

QJsonObject notification(const QString& method, const QJsonObject& parameters) {
    QJsonObject message = envelope();
    message.insert(QStringLiteral("method"), method);
    message.insert(QStringLiteral("params"), parameters);
    return message;
}

QJsonObject response(const QJsonValue& id, const Result<QJsonValue>& result) {
    QJsonObject message = envelope();
    message.insert(QStringLiteral("id"), id);
    if (result) {
        message.insert(QStringLiteral("result"), *result);
        return message;
    }
    const Error error = withRealPaths(result.error());
    message.insert(QStringLiteral("error"),
                   QJsonObject{{QStringLiteral("code"), applicationError},
                               {QStringLiteral("message"), error.message},
                               {QStringLiteral("data"),
                                QJsonObject{{QStringLiteral("kind"), toWord(error.kind)},
                                            {QStringLiteral("detail"), error.detail}}}});
    return message;
}

Result<QJsonValue> resultOf(const QJsonObject& message) {
    const QJsonValue error = message.value(QLatin1String("error"));
    if (error.isObject()) {
        const QJsonObject object = error.toObject();
        const QJsonObject data = object.value(QLatin1String("data")).toObject();
        Error::Kind kind = kindOf(data.value(QLatin1String("kind")).toString());
        if (object.value(QLatin1String("code")).toInt() ==
            static_cast<int>(ProtocolError::UnknownMethod)) {
            kind = Error::Kind::Unsupported;
        }
        return fail(kind,
                    object.value(QLatin1String("message")).toString(),
                    data.value(QLatin1String("detail")).toString());
    }
    if (message.contains(QLatin1String("result"))) {
        return message.value(QLatin1String("result"));
    }
    return fail(Error::Kind::Integrity,
                Tr::tr("The machine's process gave an answer that cannot be understood. It may be "
                       "of another version."));
}

QJsonObject protocolError(const QJsonValue& id, ProtocolError code, const QString& message) {
    QJsonObject object = envelope();
    object.insert(QStringLiteral("id"), id);
    object.insert(QStringLiteral("error"),
                  QJsonObject{{QStringLiteral("code"), static_cast<int>(code)},
                              {QStringLiteral("message"), message}});
    return object;
}

} // namespace vitrine::control
