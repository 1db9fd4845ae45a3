// SPDX-License-Identifier: Apache-2.0
#include "vz/host/guest_services.h"

#include "core/guest/apple_network.h"
#include "core/guest/tart_agent.h"
#include "vz/host/agent_probe.h"

#include <QPointer>
#include <QThreadPool>

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
    // A paused guest says nothing, which is no news of its agent.
    if (m_machine.machine->state() == VmState::Paused || std::exchange(m_asking, true))
        return;
    AgentProbe::ask(m_machine.machine, patience, this, [this](const AgentProbe::Answer& answer) {
        m_asking = false;
        m_machine.setAgent(answer.opened, answer.answers);
        tell(m_fromAgent, answer.address, QStringLiteral("agent"));
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
