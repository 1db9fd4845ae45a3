// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/machine_exec.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryFile>

namespace vitrine {

namespace {

constexpr qsizetype maximumInline = 256 * 1024; // bytes before base64
constexpr qint64 maximumOutput = 64LL << 20;    // bytes, more than the agent can send

Result<>
put(QJsonObject& object, const char* name, const QByteArray& bytes, const QString& folder) {
    const QString key = QLatin1String(name);
    if (bytes.size() <= maximumInline) {
        object.insert(key, QString::fromLatin1(bytes.toBase64()));
        return {};
    }
    QTemporaryFile file(folder + QLatin1String("/output-XXXXXX"));
    const bool made = file.open();
    const bool kept = made && file.write(bytes) == bytes.size() && file.flush();
    if (made) {
        file.setAutoRemove(!kept); // otherwise the reader removes it
    }
    if (!kept) {
        return fail(
            Error::Kind::Internal,
            Tr::tr("The output of the command cannot be kept in \"%1\". The system says: %2.")
                .arg(folder, file.errorString()));
    }
    object.insert(key + QLatin1String("File"), file.fileName());
    return {};
}

Result<QByteArray> get(const QJsonObject& object, const char* name) {
    const QString key = QLatin1String(name);
    const QString path = object.value(key + QLatin1String("File")).toString();
    if (path.isEmpty()) {
        return QByteArray::fromBase64(object.value(key).toString().toLatin1());
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() > maximumOutput) {
        return fail(Error::Kind::Integrity,
                    Tr::tr("The output of the command cannot be read from \"%1\".").arg(path),
                    file.errorString());
    }
    const QByteArray bytes = file.readAll();
    file.remove();
    return bytes;
}

} // namespace

Result<QJsonValue> execToJson(const GuestAgent::ExecResult& result, const QString& folder) {
    QJsonObject object{{QStringLiteral("exitCode"), result.exitCode},
                       {QStringLiteral("truncated"), result.truncated}};
    if (Result<> kept = put(object, "out", result.standardOutput, folder); !kept) {
        return fail(kept.error());
    }
    if (Result<> kept = put(object, "err", result.standardError, folder); !kept) {
        return fail(kept.error());
    }
    return QJsonValue(object);
}

Result<GuestAgent::ExecResult> execFromJson(const QJsonValue& answer) {
    const QJsonObject object = answer.toObject();
    if (!object.value(QLatin1String("exitCode")).isDouble()) {
        return fail(Error::Kind::Integrity,
                    Tr::tr("The machine's process did not tell how the command ended."));
    }
    GuestAgent::ExecResult result;
    result.exitCode = object.value(QLatin1String("exitCode")).toInt();
    result.truncated = object.value(QLatin1String("truncated")).toBool();
    Result<QByteArray> output = get(object, "out");
    Result<QByteArray> error = get(object, "err");
    if (!output || !error) {
        return fail(output ? error.error() : output.error());
    }
    result.standardOutput = std::move(*output);
    result.standardError = std::move(*error);
    return result;
}

QJsonObject execParameters(const QString& path,
                           const QStringList& arguments,
                           const QByteArray& input,
                           int timeoutMilliseconds) {
    return {{QStringLiteral("path"), path},
            {QStringLiteral("arguments"), QJsonArray::fromStringList(arguments)},
            {QStringLiteral("input"), QString::fromLatin1(input.toBase64())},
            {QStringLiteral("timeout"), timeoutMilliseconds}};
}

} // namespace vitrine
