// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/guest_agent.h"

#include <QJsonDocument>

#include <optional>

namespace vitrine {

// What qemu-guest-agent sends and takes, without any transport (QEMU Guest Agent Protocol
// Reference, versions 2.x to 7.2). Everything read here comes from the guest: it is bounded, and
// text is kept to what can be shown on one line.

// "return" or "error" of an answer; `command` is named in the sentence.
[[nodiscard]] Result<QJsonValue> agentResult(const QJsonDocument& answer, const QString& command);

[[nodiscard]] QJsonObject
agentExecArguments(const QString& path, const QStringList& arguments, const QByteArray& input);
// nullopt while the process runs.
[[nodiscard]] Result<std::optional<GuestAgent::ExecResult>>
agentExecResult(const QJsonValue& status);

// At most 64 interfaces with 64 addresses each.
[[nodiscard]] QList<GuestAgent::Interface> agentInterfaces(const QJsonValue& list);

// The guest's own address for people: the first IPv4 address that is neither loopback nor
// link-local, else such an IPv6 address; null when there is none. With `mac` (any case) only
// interfaces with that address count.
[[nodiscard]] QHostAddress guestAddress(const QList<GuestAgent::Interface>& interfaces,
                                        const QString& mac = {});

} // namespace vitrine
