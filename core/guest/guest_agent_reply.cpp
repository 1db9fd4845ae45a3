// SPDX-License-Identifier: Apache-2.0
#include "core/guest/guest_agent_reply.h"

#include <QJsonArray>

namespace vitrine {

namespace {

constexpr qsizetype maximumText = 256;
constexpr qsizetype maximumInterfaces = 64;
constexpr qsizetype maximumAddresses = 64;
constexpr qsizetype agentOutputLimit = 16 << 20; // bytes of each stream

QString plainLine(const QString& text, qsizetype maximum = maximumText) {
    QString line = text.left(maximum);
    for (QChar& character : line) {
        if (!character.isPrint()) {
            character = QLatin1Char(' ');
        }
    }
    return line.trimmed();
}

Result<QByteArray> decoded(const QJsonObject& object, const char* key) {
    const QByteArray text = object.value(QLatin1String(key)).toString().toLatin1();
    auto result = QByteArray::fromBase64Encoding(text, QByteArray::AbortOnBase64DecodingErrors);
    if (!result) {
        return fail(Error::Kind::Integrity,
                    Tr::tr("The guest agent sent output that is not valid base64."));
    }
    return std::move(result.decoded);
}

// Agents of QEMU send the key where output was cut, but "false" as its value: the length tells.
bool isTruncated(const QJsonObject& object, const char* key, const QByteArray& output) {
    const QJsonValue value = object.value(QLatin1String(key));
    return value.toBool() || (value.isBool() && output.size() >= agentOutputLimit);
}

} // namespace

Result<QJsonValue> agentResult(const QJsonDocument& answer, const QString& command) {
    const QJsonObject object = answer.object();
    if (object.contains(QLatin1String("return"))) {
        return object.value(QLatin1String("return"));
    }
    const QJsonObject error = object.value(QLatin1String("error")).toObject();
    if (error.isEmpty()) {
        return fail(
            Error::Kind::Integrity,
            Tr::tr("The guest agent gave an answer to %1 that cannot be understood.").arg(command));
    }
    const QString kind = error.value(QLatin1String("class")).toString();
    const QString reason = plainLine(error.value(QLatin1String("desc")).toString(), 1000);
    if (kind == QLatin1String("CommandNotFound")) {
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The guest agent does not allow %1. A newer agent, or its own settings "
                           "in the guest (blocked commands), may change that.")
                        .arg(command),
                    reason);
    }
    if (command == QLatin1String("guest-exec") &&
        reason.contains(QLatin1String("No such file or directory"))) {
        return fail(
            Error::Kind::NotFound,
            Tr::tr("The program does not exist in the guest. Its agent says: %1").arg(reason),
            kind);
    }
    return fail(Error::Kind::Internal,
                Tr::tr("The guest agent refused %1. It says: %2").arg(command, reason),
                kind);
}

QJsonObject
agentExecArguments(const QString& path, const QStringList& arguments, const QByteArray& input) {
    QJsonObject object{{QStringLiteral("path"), path},
                       {QStringLiteral("arg"), QJsonArray::fromStringList(arguments)},
                       {QStringLiteral("capture-output"), true}};
    if (!input.isEmpty()) {
        object.insert(QStringLiteral("input-data"), QString::fromLatin1(input.toBase64()));
    }
    return object;
}

Result<std::optional<GuestAgent::ExecResult>> agentExecResult(const QJsonValue& status) {
    const QJsonObject object = status.toObject();
    const QJsonValue exited = object.value(QLatin1String("exited"));
    if (!exited.isBool()) {
        return fail(Error::Kind::Integrity,
                    Tr::tr("The guest agent gave no usable answer about the command."));
    }
    if (!exited.toBool()) {
        return std::optional<GuestAgent::ExecResult>{};
    }
    GuestAgent::ExecResult result;
    const int signal = object.value(QLatin1String("signal")).toInt();
    result.exitCode = object.value(QLatin1String("exitcode")).toInt(signal > 0 ? 128 + signal : 0);
    Result<QByteArray> output = decoded(object, "out-data");
    if (!output) {
        return fail(output.error());
    }
    Result<QByteArray> error = decoded(object, "err-data");
    if (!error) {
        return fail(error.error());
    }
    result.standardOutput = std::move(*output);
    result.standardError = std::move(*error);
    result.truncated = isTruncated(object, "out-truncated", result.standardOutput) ||
                       isTruncated(object, "err-truncated", result.standardError);
    return std::optional<GuestAgent::ExecResult>(std::move(result));
}

QList<GuestAgent::Interface> agentInterfaces(const QJsonValue& list) {
    QList<GuestAgent::Interface> interfaces;
    const QJsonArray entries = list.toArray();
    for (const QJsonValue& entry : entries) {
        if (interfaces.size() >= maximumInterfaces) {
            break;
        }
        const QJsonObject object = entry.toObject();
        GuestAgent::Interface found;
        found.name = plainLine(object.value(QLatin1String("name")).toString());
        found.mac = plainLine(object.value(QLatin1String("hardware-address")).toString());
        const QJsonArray addresses = object.value(QLatin1String("ip-addresses")).toArray();
        for (const QJsonValue& address : addresses) {
            if (found.addresses.size() >= maximumAddresses) {
                break;
            }
            const QHostAddress value(
                plainLine(address.toObject().value(QLatin1String("ip-address")).toString(), 64));
            if (!value.isNull()) {
                found.addresses.append(value);
            }
        }
        if (!found.name.isEmpty()) {
            interfaces.append(found);
        }
    }
    return interfaces;
}

QHostAddress guestAddress(const QList<GuestAgent::Interface>& interfaces, const QString& mac) {
    QHostAddress version6;
    for (const GuestAgent::Interface& entry : interfaces) {
        if (!mac.isEmpty() && entry.mac.compare(mac, Qt::CaseInsensitive) != 0) {
            continue;
        }
        for (const QHostAddress& address : entry.addresses) {
            if (address.isLoopback() || address.isLinkLocal() || address.isMulticast()) {
                continue;
            }
            if (address.protocol() == QAbstractSocket::IPv4Protocol) {
                return address;
            }
            if (version6.isNull()) {
                version6 = address;
            }
        }
    }
    return version6;
}

} // namespace vitrine
