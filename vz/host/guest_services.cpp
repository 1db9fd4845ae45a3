// SPDX-License-Identifier: Apache-2.0
#include "vz/host/guest_services.h"

#include "core/guest/apple_network.h"
#include "core/guest/tart_agent.h"

#include <QPointer>
#include <QThreadPool>

#include <unistd.h>
#include <utility>

namespace vitrine::vz {

namespace {

constexpr int soon = 2000;     // ms between two looks until an address is known
constexpr int later = 15000;   // and after that
constexpr int patience = 1000; // ms for the agent's answer

struct Found {
    QString address;
    QString source;
};

Found lookAround(const GuestServices::Neighbours& neighbours, const MacAddress& mac) {
    const QString address = addressFromLeases(mac, neighbours.leases);
    if (!address.isEmpty())
        return {address, QStringLiteral("lease")};
    return {neighbours.arp(mac), QStringLiteral("arp")};
}

} // namespace

GuestServices::GuestServices(OpenedMachine machine)
    : GuestServices(std::move(machine), Neighbours{}) {}

GuestServices::GuestServices(OpenedMachine machine, Neighbours neighbours)
    : m_machine(std::move(machine))
    , m_neighbours(std::move(neighbours)) {
    auto pipe = ControlPipe::listen(m_machine.directory, [this](const ControlPipe::Opened& opened) {
        m_machine.machine->connectVsock(TartAgent::port, opened);
    });
    if (pipe)
        m_pipe = *std::move(pipe);
    else
        m_machine.tell(QStringLiteral("remark"), pipe.error().message);
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &GuestServices::look);
    m_timer.start(0);
}

GuestServices::~GuestServices() = default;

void GuestServices::look() {
    askAgent();
    askNeighbours();
    m_timer.start(m_fromAgent.isEmpty() && m_fromNeighbours.isEmpty() ? soon : later);
}

void GuestServices::askAgent() {
    if (m_agent || std::exchange(m_connecting, true))
        return;
    m_machine.machine->connectVsock(
        TartAgent::port, [self = QPointer(this)](const Result<int>& connection) {
            if (!self) {
                if (connection)
                    ::close(*connection);
                return;
            }
            self->m_connecting = false;
            if (!connection) {
                self->tell(self->m_fromAgent, {}, QStringLiteral("agent"));
                return;
            }
            self->m_agent = std::make_unique<TartAgent>(*connection);
            self->m_agent->resolveIp(patience, [self](const Result<QString>& address) {
                self->m_agent.reset(); // allowed in its replies
                self->tell(
                    self->m_fromAgent, address ? *address : QString(), QStringLiteral("agent"));
            });
        });
}

void GuestServices::askNeighbours() {
    if (!m_machine.macAddress || std::exchange(m_reading, true))
        return;
    QThreadPool::globalInstance()->start(
        [self = QPointer(this), neighbours = m_neighbours, mac = *m_machine.macAddress] {
            const Found found = lookAround(neighbours, mac);
            QMetaObject::invokeMethod(
                qApp,
                [self, found] {
                    if (!self)
                        return;
                    self->m_reading = false;
                    self->tell(self->m_fromNeighbours, found.address, found.source);
                },
                Qt::QueuedConnection);
        });
}

void GuestServices::tell(QString& known, const QString& address, const QString& source) {
    if (known == address)
        return;
    known = address;
    m_machine.setAddress(address, source);
}

} // namespace vitrine::vz
