// SPDX-License-Identifier: Apache-2.0
#include "qemu/port_forwards.h"

#include "qemu/launch_plan.h"
#include "qemu/qmp_client.h"
#include "qemu/softnet/softnet_network.h"

#include <QHostAddress>
#include <QRegularExpression>

namespace vitrine::qemu {

namespace {

constexpr qsizetype maximumForwards = 256;

QString monitorLine(const char* command, quint16 hostPort) {
    return QStringLiteral("%1 %2 tcp:127.0.0.1:%3")
        .arg(QLatin1String(command), QLatin1String(networkId))
        .arg(hostPort);
}

bool isForward(const NatConnection& row, quint16 guestPort) {
    return row.protocol == QLatin1String("TCP") && row.state == QLatin1String("HOST_FORWARD") &&
           row.destinationPort == guestPort && row.sourcePort != 0;
}

} // namespace

QList<NatConnection> parseNatConnections(const QString& text) {
    // "  TCP[HOST_FORWARD]  88       127.0.0.1 44161       10.0.2.15    22     0     0"
    static const QRegularExpression row(QStringLiteral(
        "^\\s*(\\w+)\\[([^\\]]*)\\]\\s+-?\\d+\\s+(\\S+)\\s+(\\d+)\\s+(\\S+)\\s+(\\d+)\\b"));
    const auto isAddress = [](const QString& word) {
        return word == QLatin1String("*") || !QHostAddress(word).isNull();
    };
    QList<NatConnection> rows;
    const QStringList lines = text.split(QLatin1Char('\n'));
    for (const QString& line : lines) {
        const QRegularExpressionMatch match = row.match(line);
        if (match.hasMatch() && isAddress(match.captured(3)) && isAddress(match.captured(5))) {
            rows.append({match.captured(1),
                         match.captured(2),
                         match.captured(3),
                         match.captured(4).toUShort(),
                         match.captured(5),
                         match.captured(6).toUShort()});
        }
    }
    return rows;
}

PortForwards::PortForwards(QmpClient* qmp, QObject* parent)
    : QObject(parent)
    , m_qmp(qmp) {}

void PortForwards::setNetwork(SoftnetNetwork* network) {
    m_network = network;
    if (network != nullptr)
        connect(network,
                &SoftnetNetwork::forwardMoved,
                this,
                [this](const PortForward& from, const PortForward& to) {
                    std::replace(m_forwards.begin(), m_forwards.end(), from, to);
                });
}

void PortForwards::next() {
    if (!m_busy && !m_queue.isEmpty()) {
        m_busy = true;
        m_queue.takeFirst()();
    }
}

void PortForwards::finish() {
    m_busy = false;
    next();
}

void PortForwards::add(PortForward forward, std::function<void(Result<PortForward>)> reply) {
    if (forward.guestPort == 0 || m_forwards.size() + m_queue.size() >= maximumForwards) {
        reply(fail(Error::Kind::InvalidInput,
                   forward.guestPort == 0
                       ? tr("A forward needs a port of the guest from 1 to 65535.")
                       : tr("A machine can have at most %1 forwards. Remove one first.")
                             .arg(maximumForwards)));
        return;
    }
    if (m_network != nullptr) {
        m_network->forward(forward,
                           [this, reply = std::move(reply)](const Result<PortForward>& added) {
                               if (added) {
                                   m_forwards.append(*added);
                               }
                               reply(added);
                           });
        return;
    }
    m_queue.append([this, forward, reply = std::move(reply)] {
        const QString line = monitorLine("hostfwd_add", forward.hostPort) +
                             QStringLiteral("-:%1").arg(forward.guestPort);
        m_qmp->executeMonitor(line, [this, forward, reply](const Result<QJsonValue>& answer) {
            if (!answer) {
                reply(fail(answer.error()));
                finish();
                return;
            }
            // Silence is success; anything else is the reason.
            const QString text = answer->toString().trimmed();
            if (!text.isEmpty()) {
                reply(fail(Error::Kind::AlreadyExists,
                           tr("Port %1 of this computer cannot be forwarded: another program uses "
                              "it, or you may not open it. Choose another port.")
                               .arg(forward.hostPort),
                           text));
                finish();
                return;
            }
            if (forward.hostPort == 0) {
                readBack(forward.guestPort, reply);
                return;
            }
            m_forwards.append(forward);
            reply(forward);
            finish();
        });
    });
    next();
}

void PortForwards::readBack(quint16 guestPort, std::function<void(Result<PortForward>)> reply) {
    m_qmp->executeMonitor(
        QStringLiteral("info usernet"),
        [this, guestPort, reply = std::move(reply)](const Result<QJsonValue>& answer) {
            const QList<NatConnection> rows =
                answer ? parseNatConnections(answer->toString()) : QList<NatConnection>{};
            for (const NatConnection& row : rows) {
                const PortForward found{row.sourcePort, guestPort};
                if (isForward(row, guestPort) && !m_forwards.contains(found)) {
                    m_forwards.append(found);
                    reply(found);
                    finish();
                    return;
                }
            }
            reply(fail(answer ? Error::Kind::Internal : answer.error().kind,
                       tr("A port was forwarded, but QEMU does not tell which. Choose one."),
                       answer ? answer->toString().left(2000) : answer.error().message));
            finish();
        });
}

void PortForwards::remove(quint16 hostPort, std::function<void(Result<>)> reply) {
    if (m_network != nullptr) {
        removeFromNetwork(hostPort, reply);
        return;
    }
    m_queue.append([this, hostPort, reply = std::move(reply)] {
        const QString line = monitorLine("hostfwd_remove", hostPort);
        m_qmp->executeMonitor(line, [this, hostPort, reply](const Result<QJsonValue>& answer) {
            if (!answer) {
                reply(fail(answer.error()));
            } else if (answer->toString().contains(QLatin1String("not found"))) {
                reply(fail(Error::Kind::NotFound,
                           tr("Port %1 of this computer is not forwarded.").arg(hostPort)));
            } else {
                m_forwards.removeIf([hostPort](const PortForward& forward) {
                    return forward.hostPort == hostPort;
                });
                reply({});
            }
            finish();
        });
    });
    next();
}

void PortForwards::removeFromNetwork(quint16 hostPort, const std::function<void(Result<>)>& reply) {
    for (const PortForward& forward : std::as_const(m_forwards)) {
        if (forward.hostPort == hostPort) {
            m_network->unforward(forward, [this, forward, reply](const Result<>& removed) {
                if (removed) {
                    m_forwards.removeAll(forward);
                }
                reply(removed);
            });
            return;
        }
    }
    reply(fail(Error::Kind::NotFound,
               tr("Port %1 of this computer is not forwarded.").arg(hostPort)));
}

} // namespace vitrine::qemu
