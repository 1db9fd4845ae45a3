// SPDX-License-Identifier: Apache-2.0
#include "core/guest/grpc_status.h"

#include "core/value/plain_text.h"

namespace vitrine {

namespace {

constexpr qsizetype longestValue = 4096;
constexpr int longestMessage = 1000; // characters shown

enum Code {
    Ok = 0,
    DeadlineExceeded = 4,
    PermissionDenied = 7,
    Unimplemented = 12,
    Unavailable = 14,
    Unauthenticated = 16
};

Error::Kind kindOf(int code) {
    switch (code) {
    case DeadlineExceeded:
        return Error::Kind::Timeout;
    case PermissionDenied:
    case Unauthenticated:
        return Error::Kind::Permission;
    case Unimplemented:
        return Error::Kind::Unsupported;
    case Unavailable:
        return Error::Kind::Network;
    default:
        return Error::Kind::Internal;
    }
}

} // namespace

void GrpcStatus::addHeader(QByteArrayView name, QByteArrayView value) {
    QByteArray* const field = name == QByteArrayView(":status")        ? &m_http
                              : name == QByteArrayView("content-type") ? &m_type
                              : name == QByteArrayView("grpc-status")  ? &m_code
                              : name == QByteArrayView("grpc-message") ? &m_message
                                                                       : nullptr;
    if (field)
        *field = value.first(qMin(value.size(), longestValue)).toByteArray();
}

Result<> GrpcStatus::outcome(const QByteArray& method) const {
    bool isNumber = false;
    const int code = m_code.toInt(&isNumber);
    if (m_code.isEmpty() && (m_http != "200" || !m_type.startsWith("application/grpc")))
        return fail(Error::Kind::Integrity,
                    Tr::tr("What listens in the guest is no guest agent: it answered with the HTTP "
                           "status \"%1\". End that program and start Tart's guest agent.")
                        .arg(plainText(QString::fromUtf8(m_http.left(16)))));
    if (!isNumber)
        return fail(Error::Kind::Integrity,
                    Tr::tr("The guest agent ended the call without saying how. It has probably "
                           "crashed; restart it in the guest."));
    if (code == Ok)
        return {};
    if (code == Unimplemented)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The guest agent does not know \"%1\". Update it in the guest.")
                        .arg(QString::fromUtf8(method)),
                    QString::fromUtf8(m_message));
    const QString said = plainText(QString::fromUtf8(QByteArray::fromPercentEncoding(m_message)))
                             .left(longestMessage);
    return fail(kindOf(code),
                said.isEmpty() ? Tr::tr("The guest agent could not do it: status %1.").arg(code)
                               : Tr::tr("The guest agent could not do it: %1").arg(said),
                QStringLiteral("grpc-status %1").arg(code));
}

Error GrpcStatus::nobody() {
    return {Error::Kind::Timeout,
            Tr::tr("No guest agent answers. Either the guest is still starting: wait and try "
                   "again. Or it has none: install and start Tart's guest agent in it (macOS: brew "
                   "install cirruslabs/cli/tart-guest-agent; Linux: the package tart-guest-agent "
                   "of github.com/cirruslabs/tart-guest-agent)."),
            {}};
}

Error GrpcStatus::silent(int seconds) {
    return {Error::Kind::Timeout,
            Tr::tr("The guest agent was reached but said nothing for %1 s. The guest is very busy, "
                   "paused or hangs: look at its screen and try again.")
                .arg(seconds),
            {}};
}

Error GrpcStatus::brokenOff() {
    return {Error::Kind::Network,
            Tr::tr("The connection to the guest agent broke before it had finished. The guest was "
                   "stopped or its agent has ended; what it ran may still run there."),
            {}};
}

Error GrpcStatus::reset(quint32 code) {
    return {Error::Kind::Network,
            Tr::tr("The guest agent broke the call off (HTTP/2 error %1). Try again; if that does "
                   "not help, restart it in the guest.")
                .arg(code),
            {}};
}

Error GrpcStatus::notHttp2() {
    return {Error::Kind::Integrity,
            Tr::tr("What listens in the guest does not speak gRPC as Tart's guest agent does. End "
                   "that program and start the agent."),
            {}};
}

} // namespace vitrine
