// SPDX-License-Identifier: Apache-2.0
#include "core/job/progress_line.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <array>
#include <utility>

namespace vitrine {

namespace {

using Kind = Error::Kind;
constexpr std::array kindNames{
    std::pair{Kind::Cancelled, QLatin1String("Cancelled")},
    std::pair{Kind::NotFound, QLatin1String("NotFound")},
    std::pair{Kind::AlreadyExists, QLatin1String("AlreadyExists")},
    std::pair{Kind::InvalidInput, QLatin1String("InvalidInput")},
    std::pair{Kind::NotRunning, QLatin1String("NotRunning")},
    std::pair{Kind::AlreadyRunning, QLatin1String("AlreadyRunning")},
    std::pair{Kind::Busy, QLatin1String("Busy")},
    std::pair{Kind::Network, QLatin1String("Network")},
    std::pair{Kind::Unauthorized, QLatin1String("Unauthorized")},
    std::pair{Kind::Integrity, QLatin1String("Integrity")},
    std::pair{Kind::DiskFull, QLatin1String("DiskFull")},
    std::pair{Kind::Permission, QLatin1String("Permission")},
    std::pair{Kind::Unsupported, QLatin1String("Unsupported")},
    std::pair{Kind::Timeout, QLatin1String("Timeout")},
    std::pair{Kind::Internal, QLatin1String("Internal")},
};

QJsonObject toJson(const Progress& progress) {
    return {{QStringLiteral("done"), static_cast<qint64>(progress.done)},
            {QStringLiteral("total"),
             progress.total ? QJsonValue(static_cast<qint64>(*progress.total)) : QJsonValue()},
            {QStringLiteral("step"), progress.step}};
}

QJsonObject toJson(const progressline::Log& log) {
    return {{QStringLiteral("log"), log.line}};
}

QJsonObject toJson(const Error& error) {
    return {{QStringLiteral("error"),
             QJsonObject{{QStringLiteral("kind"), toText(error.kind)},
                         {QStringLiteral("message"), error.message},
                         {QStringLiteral("detail"), error.detail}}}};
}

QJsonObject toJson(const progressline::Finished& /*finished*/) {
    return {{QStringLiteral("finished"), true}};
}

} // namespace

QString toText(Error::Kind kind) {
    for (const auto& [value, name] : kindNames) {
        if (value == kind)
            return name;
    }
    return QStringLiteral("Internal");
}

Error::Kind errorKindFromText(const QString& name) {
    for (const auto& [value, text] : kindNames) {
        if (text == name)
            return value;
    }
    return Kind::Internal;
}

QByteArray progressline::encode(const Message& message) {
    const QJsonObject object =
        std::visit([](const auto& content) { return toJson(content); }, message);
    return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

std::optional<progressline::Message> progressline::decode(QByteArrayView line) {
    const QJsonDocument document =
        QJsonDocument::fromJson(QByteArray::fromRawData(line.data(), line.size()));
    if (!document.isObject())
        return std::nullopt;
    const QJsonObject object = document.object();
    if (const QJsonValue error = object.value(QLatin1String("error")); error.isObject())
        return Error{errorKindFromText(error[QLatin1String("kind")].toString()),
                     error[QLatin1String("message")].toString(),
                     error[QLatin1String("detail")].toString()};
    if (object.value(QLatin1String("finished")).toBool())
        return Finished{};
    if (const QJsonValue log = object.value(QLatin1String("log")); log.isString())
        return Log{log.toString()};
    const qint64 done = object.value(QLatin1String("done")).toInteger(-1);
    if (done < 0)
        return std::nullopt;
    Progress progress;
    progress.done = static_cast<quint64>(done);
    if (const qint64 total = object.value(QLatin1String("total")).toInteger(-1); total >= 0)
        progress.total = static_cast<quint64>(total);
    progress.step = object.value(QLatin1String("step")).toString();
    return progress;
}

} // namespace vitrine
