// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/guest_agent.h"
#include "core/result/result.h"

#include <QJsonObject>
#include <QJsonValue>
#include <QString>

namespace vitrine {

// Answer of "agent.exec": {exitCode, out, err, truncated} with base64. Output too long for a line
// of the socket travels as a file instead (outFile, errFile), made by the machine's process in its
// runtime directory (0600) and removed by the reader.
[[nodiscard]] Result<QJsonValue> execToJson(const GuestAgent::ExecResult& result,
                                            const QString& folder);
[[nodiscard]] Result<GuestAgent::ExecResult> execFromJson(const QJsonValue& answer);

// Parameters of "agent.exec".
[[nodiscard]] QJsonObject execParameters(const QString& path,
                                         const QStringList& arguments,
                                         const QByteArray& input,
                                         int timeoutMilliseconds);

} // namespace vitrine
