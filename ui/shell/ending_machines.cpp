// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/ending_machines.h"

#include "core/result/error.h"
#include "ui/machines/machine_clients.h"

#include <utility>

namespace vitrine::ui {

EndingMachines::EndingMachines(MachineClients* clients, Wish wish, QObject* parent)
    : QObject(parent)
    , m_clients(clients)
    , m_wish(std::move(wish))
    , m_left(m_wish.suspend + m_wish.shutDown)
    , m_count(m_left.size()) {
    connect(clients, &MachineClients::hostedChanged, this, &EndingMachines::look);
    connect(clients,
            &MachineClients::actionFailed,
            this,
            [this](const QString& name, const Error& error) { stick(name, error.message); });
    connect(clients, &MachineClients::shutDownIgnored, this, [this](const QString& name) {
        stick(name, tr("The guest was asked to shut down but does not react."));
    });
}

void EndingMachines::start() {
    for (const QString& name : std::as_const(m_wish.suspend))
        m_clients->suspend(name);
    for (const QString& name : std::as_const(m_wish.shutDown))
        m_clients->shutDown(name);
    // Some may have ended by themselves meanwhile.
    QMetaObject::invokeMethod(this, &EndingMachines::look, Qt::QueuedConnection);
}

void EndingMachines::forceOffStuck() {
    const QStringList names = std::exchange(m_stuck, {});
    for (const QString& name : names)
        m_clients->forceOff(name);
    Q_EMIT changed();
}

void EndingMachines::look() {
    const QStringList hosted = m_clients->hostedNames();
    const auto gone = [&hosted](const QString& name) { return !hosted.contains(name); };
    m_stuck.removeIf(gone);
    if (m_left.removeIf(gone) == 0 && !m_left.isEmpty())
        return;
    Q_EMIT changed();
    if (m_left.isEmpty())
        Q_EMIT finished();
}

void EndingMachines::stick(const QString& name, const QString& reason) {
    if (!m_left.contains(name) || m_stuck.contains(name))
        return;
    m_stuck.append(name);
    m_reason = reason;
    Q_EMIT changed();
}

} // namespace vitrine::ui
