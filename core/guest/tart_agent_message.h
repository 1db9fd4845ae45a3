// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QMap>
#include <QString>
#include <QStringList>

namespace vitrine {

// The messages of Tart's guest agent (specification 6.3) as bytes in protobuf's encoding. What
// comes from the guest is not trusted: every length is checked against the bytes that are there,
// unknown fields are passed over, groups and numbers of more than ten bytes are refused
// (Integrity).

struct GuestTerminalSize {
    quint32 rows = 0;
    quint32 columns = 0;
    bool operator==(const GuestTerminalSize&) const = default;
};

struct TartAgentCommand {
    QString name; // looked up in the guest's PATH
    QStringList arguments;
    bool interactive = false; // standard input is passed on
    bool terminal = false;    // a PTY in the guest; standard error comes as standard output
    GuestTerminalSize size;   // with `terminal`
    // Agents that do not know these three pass over them.
    bool detach = false;
    QMap<QString, QString> environment;
    QString workingDirectory;
};

struct TartAgentEvent {
    enum class Kind { Nothing, Exit, Output, Errors };
    Kind kind = Kind::Nothing; // Nothing: a message of a newer agent
    qint32 exitCode = 0;       // as sent: -1 for a signal
    QByteArray bytes;
};

// ExecRequest
[[nodiscard]] QByteArray encodeCommand(const TartAgentCommand& command);
[[nodiscard]] QByteArray encodeInput(QByteArrayView bytes); // empty: the end of input
[[nodiscard]] QByteArray encodeResize(const GuestTerminalSize& size);
// ExecResponse
[[nodiscard]] Result<TartAgentEvent> decodeExecEvent(QByteArrayView message);
// ResolveIPResponse; its request has no bytes. Text as sent, at most 64 characters.
[[nodiscard]] Result<QString> decodeAddress(QByteArrayView message);

} // namespace vitrine
