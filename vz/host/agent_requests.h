// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/control_server.h"
#include "vz/host/agent_probe.h"
#include "vz/host/guest_commands.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>

namespace vitrine::vz {

// The requests of vitrine.sock about the guest's agent (core/hypervisor/machine_client.h), which is
// Tart's here: agent.exec and agent.state. Main thread.
class AgentRequests final : public QObject {
    Q_OBJECT
public:
    // Registers its handlers; before the server listens. `folder`: for output that is too long.
    AgentRequests(ControlServer* server, QString folder, QObject* parent = nullptr);

    // Null: it does not run yet, or no longer; what runs in the guest is answered with NotRunning.
    void setMachine(Machine* machine);
    // What was found out otherwise; of the machine that was set.
    void setKnown(bool opened, bool answers);
    [[nodiscard]] bool answers() const { return m_answers; }
    [[nodiscard]] GuestCommands* commands() const { return m_commands.get(); } // null without

Q_SIGNALS:
    void answersChanged(bool answers);

private:
    using Respond = ControlServer::Respond;
    void on(const char* method, std::function<void(const QJsonObject&, const Respond&)> handler);
    void exec(const QJsonObject& parameters, const Respond& respond);
    void tellState(const QJsonObject& parameters, const Respond& respond);

    ControlServer* m_server;
    QString m_folder;
    Machine* m_machine = nullptr;
    std::unique_ptr<GuestCommands> m_commands;
    std::unique_ptr<QObject> m_probes; // parent of those under way
    bool m_opened = false;
    bool m_seen = false; // in this run
    bool m_answers = false;
};

} // namespace vitrine::vz
