// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/guest_agent.h"
#include "core/value/mac_address.h"
#include "qemu/qmp_client.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTcpSocket>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace vitrine::qemu {

// The guest's own address: from its agent, else from what the NAT knows. The NAT gives every guest
// the same lease, so only whether the guest took it has to be found out: it answers (or
// refuses) a connection through the forward to its ssh port, or has connections of its own.
// Also tells whether the agent answers. Lives on the thread of its QMP client.
class AddressFinder final : public QObject {
    Q_OBJECT
public:
    struct Pace {
        int first = 1000;    // ms between looks while the address is unknown
        int later = 15000;   // ms between looks after that
        int answer = 3000;   // ms for the agent, and for the guest behind the forward
        int silence = 60000; // ms without an answer until a guest counts as silent
    };

    AddressFinder(QmpClient* qmp, GuestAgent* agent, MacAddress mac, QObject* parent = nullptr);
    void setPace(const Pace& pace) { m_pace = pace; }
    void start();
    void stop();
    // Forget what is known: the guest has restarted.
    void forget();
    void setSshPort(quint16 port) { m_sshPort = port; } // on 127.0.0.1; 0: none
    void setPaused(bool paused);                        // a paused guest answers nothing
    // How to learn how many packets of the guest's own the NAT has let through, -1 if that is not
    // known; without this QEMU is asked.
    using CountPackets = std::function<void(std::function<void(qint64)> reply)>;
    void setCountPackets(CountPackets count) { m_countPackets = std::move(count); }

    [[nodiscard]] const QString& address() const { return m_address; }
    [[nodiscard]] const QString& source() const { return m_source; } // "agent", "lease" or empty
    // Each of the two alone.
    [[nodiscard]] const QString& leaseAddress() const { return m_lease; }
    [[nodiscard]] const QString& agentAddress() const { return m_agentAddress; }
    [[nodiscard]] bool agentAnswers() const { return m_agentAnswers; }
    [[nodiscard]] bool agentSeen() const { return m_agentSeen; } // it has answered in this run
    // Its agent has answered, still has its port open and has not answered for a while: the guest
    // hangs or is very busy.
    [[nodiscard]] bool isSilent() const { return m_silent; }

Q_SIGNALS:
    void changed();

private:
    void look();
    void askAgent();
    void askNat();
    void askQemu();
    void askHelper();
    void knock();
    void setAgentAddress(const QString& address);
    void setLease();
    void apply(); // the agent's before the lease
    void setAgentAnswers(bool answers);
    void lookLater();

    QmpClient* m_qmp;
    GuestAgent* m_agent;
    MacAddress m_mac;
    Pace m_pace;
    QTimer m_timer;
    QTimer m_knockLimit;
    std::unique_ptr<QTcpSocket> m_knock;
    quint16 m_sshPort = 0;
    CountPackets m_countPackets;
    std::optional<qint64> m_packetsBefore = 0; // of the guest's earlier runs; not asked for yet
    QString m_address;
    QString m_source;
    QString m_lease;
    QString m_agentAddress;
    bool m_agentAnswers = false;
    bool m_agentSeen = false;
    bool m_silent = false;
    QElapsedTimer m_sinceAnswer; // invalid before the first
    bool m_paused = false;
    bool m_running = false;
};

// The lease of QEMU's user-mode network (its default; QEMU 7.2 manual, "Using the user mode network
// stack").
inline constexpr const char* natLease = "10.0.2.15";

} // namespace vitrine::qemu
