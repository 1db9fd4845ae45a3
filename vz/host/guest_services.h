// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/arp_table.h"
#include "vz/host/services.h"
#include "vz/plan/control_pipe.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <memory>

namespace vitrine::vz {

// What a running machine offers besides vitrine.sock: `control.sock`, as Tart has it, and the
// guest's address. That is what the guest's agent says; where there is none, what this Mac's DHCP
// server gave it; and for clients that the server knows by a DUID, or that another network's server
// serves, what ARP has seen. Main thread; files and programs are read on another one.
class GuestServices final : public QObject {
    Q_OBJECT
public:
    // Where this Mac tells of its neighbours.
    struct Neighbours {
        QString leases = QStringLiteral("/var/db/dhcpd_leases");
        std::function<QString(const MacAddress&)> arp = addressFromArp; // any thread
    };
    explicit GuestServices(OpenedMachine machine);
    GuestServices(OpenedMachine machine, Neighbours neighbours);
    ~GuestServices() override;

private:
    void look();
    void askAgent();
    void askNeighbours();
    void tell(QString& known, const QString& address, const QString& source);

    const OpenedMachine m_machine;
    const Neighbours m_neighbours;
    std::unique_ptr<ControlPipe> m_pipe;
    bool m_asking = false; // the agent
    bool m_reading = false;
    QString m_fromAgent;
    QString m_fromNeighbours;
    QTimer m_timer;
};

} // namespace vitrine::vz
