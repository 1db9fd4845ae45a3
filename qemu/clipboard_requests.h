// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/control_server.h"
#include "qemu/clipboard_port.h"

#include <QObject>
#include <QPointer>

namespace vitrine::qemu {

// The requests clipboard.* of vitrine.sock (core/hypervisor/machine_client.h). Main thread of the
// machine's process.
class ClipboardRequests final : public QObject {
    Q_OBJECT
public:
    ClipboardRequests(ControlServer& server, QString machineDirectory, QObject* parent = nullptr);
    void setPort(ClipboardPort* port); // observed; the requests are refused before

private:
    using Respond = ControlServer::Respond;
    void offer(const QJsonObject& parameters, const Respond& respond);
    void get(const QJsonObject& parameters, const Respond& respond) const;
    void enable(const QJsonObject& parameters, const Respond& respond);

    ControlServer& m_server;
    const QString m_directory;
    QPointer<ClipboardPort> m_port;
    QByteArray m_offered; // parts as far as they have come
};

} // namespace vitrine::qemu
