// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"
#include "core/result/result.h"

#include <QList>
#include <QObject>
#include <QStringList>

#include <functional>

namespace vitrine::qemu {

class QmpClient;
class SoftnetNetwork;

// A row of `info usernet` (QEMU 7.2's human monitor; the text is not promised to stay).
struct NatConnection {
    QString protocol; // "TCP", "UDP", "ICMP"
    QString state;    // "HOST_FORWARD", "ESTABLISHED", …
    QString source;   // address
    quint16 sourcePort = 0;
    QString destination;
    quint16 destinationPort = 0;
    friend bool operator==(const NatConnection&, const NatConnection&) = default;
};
[[nodiscard]] QList<NatConnection> parseNatConnections(const QString& text);

// Forwards from the host's 127.0.0.1 to the guest, added and removed while the machine runs. At
// start they are added after QEMU runs, because a taken port would otherwise refuse the whole
// machine. TCP only. One change at a time. Lives on the thread of its QMP client.
class PortForwards final : public QObject {
    Q_OBJECT
public:
    explicit PortForwards(QmpClient* qmp, QObject* parent = nullptr);

    // A machine whose network is vitrine-softnet has its forwards there instead of in QEMU.
    // Outlives this.
    void setNetwork(SoftnetNetwork* network);

    // Host port 0: any free one; the reply tells which. AlreadyExists when the port is taken.
    void add(PortForward forward, std::function<void(Result<PortForward>)> reply);
    // NotFound when there is none on that host port.
    void remove(quint16 hostPort, std::function<void(Result<>)> reply);
    [[nodiscard]] const QList<PortForward>& list() const { return m_forwards; }

private:
    void next();
    void finish();
    void removeFromNetwork(quint16 hostPort, const std::function<void(Result<>)>& reply);
    void readBack(quint16 guestPort, std::function<void(Result<PortForward>)> reply);

    QmpClient* m_qmp;
    SoftnetNetwork* m_network = nullptr;
    QList<PortForward> m_forwards;
    QList<std::function<void()>> m_queue;
    bool m_busy = false;
};

} // namespace vitrine::qemu
