// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/guest_agent.h"
#include "core/hypervisor/control_server.h"
#include "core/hypervisor/machine_client.h"
#include "core/library/library.h"
#include "tests/support/fake_roles.h"
#include "tests/support/held_machine.h"

#include <QJsonObject>
#include <QObject>

#include <memory>
#include <optional>

namespace vitrine::test {

// A running machine without a hypervisor: it holds the machine's locks, answers on its socket and
// behaves as the contract suite says. Its guest boots in `bootTime` and knows echo, true, false,
// and cat and touch for what is shared. For tests of what talks to machines. One thread: that of
// the test.
class FakeMachine final : public QObject {
public:
    FakeMachine(Library library, QString name, QObject* parent = nullptr);
    ~FakeMachine() override;

    int bootTime = 30;     // ms until the agent answers
    int shutdownTime = 30; // ms from "shutdown" to the end
    // Told by agent.state until it answers: the agent has its port open.
    bool agentOpened = false;
    // Requests that its backend cannot have, with the reason: told by hello.
    QJsonObject unavailable;

    bool start();
    void end(const char* kind, const QString& text);
    [[nodiscard]] bool isRunning() const { return m_held.has_value(); }
    [[nodiscard]] ControlServer& server() { return *m_server; }
    // Changes what it tells; subscribers hear of it.
    void setStatus(const MachineStatus& status);
    [[nodiscard]] const MachineStatus& status() const { return m_status; }
    void tellEvent(const char* kind, const QString& text);

private:
    using Respond = ControlServer::Respond;
    void answer();
    void answerAgent();
    void setState(MachineState state);
    [[nodiscard]] Result<QJsonValue> change(const QJsonObject& parameters);
    [[nodiscard]] Result<QJsonValue> execute(const QJsonObject& parameters) const;

    Library m_library;
    QString m_name;
    QString m_directory;
    std::optional<HeldMachine> m_held;
    std::unique_ptr<ControlServer> m_server;
    MachineStatus m_status;
    std::unique_ptr<FakeRoles> m_roles;
    int m_run = 0; // timers of an earlier run must not end this one
};

} // namespace vitrine::test
