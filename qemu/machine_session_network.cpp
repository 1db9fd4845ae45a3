// SPDX-License-Identifier: Apache-2.0
// The network of a session: its firewall, its forwards and what they make of the options.
#include "qemu/machine_session.h"
#include "qemu/softnet/softnet_host.h"

namespace vitrine::qemu {

namespace {

constexpr quint16 sshPortOfGuest = 22;

} // namespace

void MachineSession::makeSoftnet() {
    m_softnet = std::make_unique<SoftnetNetwork>(
        SoftnetNetwork::Setup{softnetProgram(),
                              m_setup.plan.macAddress,
                              m_setup.options.network,
                              m_setup.runtimePath + QLatin1String("/log"),
                              std::move(m_setup.softnet.helper),
                              m_setup.plan.network == NetworkMode::Nat});
    m_address.setCountPackets([this](std::function<void(qint64)> reply) {
        m_softnet->ask(QStringLiteral("vitrine.stats.get"),
                       {},
                       [reply = std::move(reply)](const Result<QJsonObject>& stats) {
                           const auto packets =
                               stats ? stats->value(QLatin1String("guestPackets")) : QJsonValue();
                           reply(packets.toInteger(-1));
                       });
    });
    connect(m_softnet.get(), &SoftnetNetwork::happened, this, &MachineSession::happened);
    m_forwards.setNetwork(m_softnet.get());
}

void MachineSession::addForwards() {
    if (m_setup.plan.network == NetworkMode::Bridged) {
        return; // a bridge forwards nothing; the guest has an address of its own
    }
    m_forwards.add({0, sshPortOfGuest}, [this](const Result<PortForward>& forward) {
        if (forward) {
            m_sshPort = forward->hostPort;
            m_address.setSshPort(m_sshPort);
            Q_EMIT statusChanged();
        } else if (forward.error().kind != Error::Kind::NotRunning) {
            Q_EMIT happened(QStringLiteral("forward-failed"), forward.error().message);
        }
    });
    for (const PortForward& wished : m_setup.options.forwards) {
        m_forwards.add(wished, [this, wished](const Result<PortForward>& forward) {
            if (!forward && forward.error().kind != Error::Kind::NotRunning) {
                Q_EMIT happened(QStringLiteral("forward-failed"),
                                tr("The machine runs WITHOUT the forward to port %1 of the guest. "
                                   "%2")
                                    .arg(wished.guestPort)
                                    .arg(forward.error().message));
            }
        });
    }
}

RunOptions MachineSession::options() const {
    RunOptions options = m_setup.options;
    options.shares = m_shares.shares();
    options.clipboard = m_clipboard.isEnabled();
    if (const SoftnetNetwork* const firewall = softnet()) {
        QStringList exposed;
        for (const SoftnetExposure& exposure : firewall->exposures()) {
            exposed.append(exposure.spec);
        }
        options.network.allow = firewall->policy().allow.join(QLatin1Char(','));
        options.network.block = firewall->policy().block.join(QLatin1Char(','));
        options.network.expose = exposed.join(QLatin1Char(','));
    }
    options.forwards.clear();
    for (PortForward forward : m_forwards.list()) {
        if (forward.guestPort == sshPortOfGuest && forward.hostPort == m_sshPort) {
            continue; // added by itself
        }
        const PortForward anyPort{0, forward.guestPort};
        if (!m_setup.options.forwards.contains(forward) &&
            m_setup.options.forwards.contains(anyPort)) {
            forward = anyPort;
        }
        options.forwards.append(forward);
    }
    return options;
}

} // namespace vitrine::qemu
