// SPDX-License-Identifier: Apache-2.0
#include "qemu/address_finder.h"

#include "core/guest/guest_agent_reply.h"
#include "qemu/port_forwards.h"

#include <algorithm>

namespace vitrine::qemu {

AddressFinder::AddressFinder(QmpClient* qmp, GuestAgent* agent, MacAddress mac, QObject* parent)
    : QObject(parent)
    , m_qmp(qmp)
    , m_agent(agent)
    , m_mac(mac) {
    m_timer.setSingleShot(true);
    m_knockLimit.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &AddressFinder::look);
    connect(&m_knockLimit, &QTimer::timeout, this, [this] {
        m_knock.reset();
        lookLater();
    });
    connect(m_agent, &GuestAgent::guestOpenedChanged, this, [this] {
        if (!m_agent->guestOpened()) {
            setAgentAnswers(false);
        } else if (m_running) {
            m_timer.start(0);
        }
    });
}

void AddressFinder::start() {
    m_running = true;
    m_timer.start(m_pace.first);
}

void AddressFinder::stop() {
    m_running = false;
    m_timer.stop();
    m_knockLimit.stop();
    if (m_knock) {
        m_knock->disconnect(this);
        m_knock.release()->deleteLater();
    }
}

void AddressFinder::forget() {
    m_lease.clear();
    m_packetsBefore.reset();
    m_agentAddress.clear();
    apply();
    setAgentAnswers(false);
    if (m_running) {
        m_timer.start(m_pace.first);
    }
}

void AddressFinder::setPaused(bool paused) {
    if (m_paused && !paused && m_sinceAnswer.isValid()) {
        m_sinceAnswer.start();
    }
    m_paused = paused;
}

void AddressFinder::lookLater() {
    if (m_running) {
        m_timer.start(m_address.isEmpty() ? m_pace.first : m_pace.later);
    }
}

void AddressFinder::look() {
    if (!m_running) {
        return;
    }
    if (m_paused) {
        lookLater();
    } else if (m_agent->guestOpened()) {
        askAgent();
    } else {
        askNat();
    }
}

void AddressFinder::askAgent() {
    m_agent->interfaces(m_pace.answer, [this](const Result<QList<GuestAgent::Interface>>& answer) {
        if (!m_running) {
            return;
        }
        if (!answer) {
            // An agent that refuses this command still answers.
            const Error::Kind kind = answer.error().kind;
            setAgentAnswers(kind == Error::Kind::Unsupported || kind == Error::Kind::Internal);
            askNat();
            return;
        }
        setAgentAnswers(true);
        QHostAddress found = guestAddress(*answer, m_mac.toText());
        if (found.isNull()) {
            found = guestAddress(*answer);
        }
        setAgentAddress(found.isNull() ? QString() : found.toString());
        askNat();
    });
}

void AddressFinder::askNat() {
    if (!m_lease.isEmpty() || m_paused) {
        lookLater(); // the NAT's lease lasts as long as the guest
    } else if (m_countPackets) {
        askHelper();
    } else {
        askQemu();
    }
}

void AddressFinder::askHelper() {
    m_countPackets([this](qint64 packets) {
        if (!m_running) {
            return;
        }
        // A helper that was started again counts anew.
        const qint64 before = std::min(m_packetsBefore.value_or(packets), packets);
        if (packets >= 0) {
            m_packetsBefore = before;
        }
        if (packets > before) {
            setLease();
            lookLater();
            return;
        }
        knock();
    });
}

void AddressFinder::askQemu() {
    m_qmp->executeMonitor(QStringLiteral("info usernet"), [this](const Result<QJsonValue>& answer) {
        if (!m_running) {
            return;
        }
        const QList<NatConnection> rows =
            parseNatConnections(answer ? answer->toString() : QString());
        for (const NatConnection& row : rows) {
            if (row.source == QLatin1String(natLease)) {
                setLease();
                lookLater();
                return;
            }
        }
        knock();
    });
}

void AddressFinder::knock() {
    if (m_sshPort == 0 || m_knock) {
        lookLater();
        return;
    }
    m_knock = std::make_unique<QTcpSocket>();
    // The NAT accepts for the guest at once; only bytes or a refusal come from the guest itself.
    const auto answered = [this] {
        if (!m_knock) {
            return;
        }
        m_knockLimit.stop();
        m_knock->disconnect(this);
        m_knock.release()->deleteLater();
        setLease();
        lookLater();
    };
    connect(m_knock.get(), &QTcpSocket::readyRead, this, answered, Qt::QueuedConnection);
    connect(m_knock.get(), &QTcpSocket::disconnected, this, answered, Qt::QueuedConnection);
    connect(
        m_knock.get(),
        &QTcpSocket::errorOccurred,
        this,
        [this](QAbstractSocket::SocketError error) {
            if (m_knock && error == QAbstractSocket::ConnectionRefusedError) {
                m_knockLimit.start(0); // the forward itself is gone
            }
        },
        Qt::QueuedConnection);
    m_knockLimit.start(m_pace.answer);
    m_knock->connectToHost(QHostAddress(QHostAddress::LocalHost), m_sshPort);
}

void AddressFinder::setAgentAddress(const QString& address) {
    m_agentAddress = address;
    apply();
}

void AddressFinder::setLease() {
    m_lease = QLatin1String(natLease);
    apply();
    Q_EMIT changed(); // the lease alone may be what somebody waits for
}

void AddressFinder::apply() {
    const bool byAgent = !m_agentAddress.isEmpty();
    const QString& address = byAgent ? m_agentAddress : m_lease;
    const auto source = QLatin1String(byAgent ? "agent" : address.isEmpty() ? "" : "lease");
    if (m_address != address || m_source != source) {
        m_address = address;
        m_source = source;
        Q_EMIT changed();
    }
}

void AddressFinder::setAgentAnswers(bool answers) {
    if (answers) {
        m_agentSeen = true;
        m_sinceAnswer.start();
    } else if (!m_agent->guestOpened()) {
        m_sinceAnswer.invalidate(); // it ended in order
    }
    const bool silent = m_sinceAnswer.isValid() && m_sinceAnswer.elapsed() > m_pace.silence;
    if (m_agentAnswers != answers || m_silent != silent) {
        m_agentAnswers = answers;
        m_silent = silent;
        Q_EMIT changed();
    }
}

} // namespace vitrine::qemu
