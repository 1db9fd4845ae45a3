// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/control_server.h"
#include "core/hypervisor/machine_client.h"
#include "core/library/machine_info.h"
#include "core/library/runtime_directory.h"
#include "qemu/clipboard_requests.h"
#include "qemu/machine_session.h"
#include "qemu/sharing/share_requests.h"
#include "qemu/snapshot_taker.h"
#include "qemu/softnet/softnet_requests.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace vitrine::qemu {

// Answers the requests of vitrine.sock (listed in core/hypervisor/machine_client.h) from a session
// and tells subscribers what changes. Main thread of the machine's process.
class MachineRequests final : public QObject {
    Q_OBJECT
public:
    // `folderPath` leads to the machine's directory even when that is moved (MachineHold).
    MachineRequests(MachineInfo machine,
                    QString folderPath,
                    RuntimeDirectory runtime,
                    QObject* parent = nullptr);

    Result<> listen();
    void setMachine(const MachineInfo& machine); // its waiting changes were made
    void setSession(MachineSession* session);
    void tellEvent(const QString& kind, const QString& text, const QDateTime& time);
    void setLastError(const QString& message);
    // What takes its time before there is a session, and after it; translated.
    void setPreparing(const QString& text);
    void setViewers(const QJsonObject& viewers) { m_viewers = viewers; }
    void close(); // tells the last status, then closes

private:
    using Respond = ControlServer::Respond;
    void answerState();
    void answerVerbs();
    void answerForwards();
    void answerDisks();
    void answerViewers();
    void answerAgent();
    void answerChange();
    void answerSnapshots();
    // Registers a handler that is refused until there is a session.
    void on(const char* method,
            std::function<void(MachineSession&, const QJsonObject&, const Respond&)> handler);
    void grow(MachineSession& session, const QJsonObject& parameters, const Respond& respond);
    void change(const QJsonObject& parameters, const Respond& respond);
    void readPending();
    void tellStatus();
    [[nodiscard]] MachineStatus status() const;

    MachineInfo m_machine;
    QString m_folderPath;
    RuntimeDirectory m_runtime;
    ControlServer m_server;
    ShareRequests m_shareRequests;
    SoftnetRequests m_softnet;
    ClipboardRequests m_clipboard;
    MachineSession* m_session = nullptr;
    std::unique_ptr<SnapshotTaker> m_snapshots; // made with the session
    QTimer m_statusTimer;                       // several changes at once are told once
    MachineStatus m_told;
    QString m_lastError;
    QString m_preparing;
    QJsonObject m_viewers; // VNC server and terminal of the serial line
    QList<PendingChange> m_pending;
};

} // namespace vitrine::qemu
