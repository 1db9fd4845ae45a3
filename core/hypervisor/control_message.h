// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QJsonObject>
#include <QJsonValue>
#include <QString>

namespace vitrine::control {

// JSON-RPC 2.0 messages of vitrine.sock, without any transport. An Error travels as code -32000
// with its kind as a word, so that both ends branch on the same thing.
[[nodiscard]] QJsonObject request(qint64 id, const QString& method, const QJsonObject& parameters);
[[nodiscard]] QJsonObject notification(const QString& method, const QJsonObject& parameters);
[[nodiscard]] QJsonObject response(const QJsonValue& id, const Result<QJsonValue>& result);
// The result or error of a response; Integrity when it is neither.
[[nodiscard]] Result<QJsonValue> resultOf(const QJsonObject& response);

enum class ProtocolError { Parse = -32700, InvalidRequest = -32600, UnknownMethod = -32601 };
[[nodiscard]] QJsonObject
protocolError(const QJsonValue& id, ProtocolError code, const QString& message);

[[nodiscard]] QString toWord(Error::Kind kind);        // "already-running"
[[nodiscard]] Error::Kind kindOf(const QString& word); // Internal for an unknown one

} // namespace vitrine::control
