// SPDX-License-Identifier: Apache-2.0
#include "vz/host/vz_machine_host.h"

#include "core/hypervisor/machine_launcher.h"
#include "vz/host/hold_process.h"

#include <QTimer>

#include <utility>

namespace vitrine::vz {

VzMachineHost::VzMachineHost(Services services, QObject* parent)
    : MachineHost(parent)
    , m_services(std::move(services)) {
    if (m_services.vitrinectl.isEmpty())
        m_services.vitrinectl = vitrinectlPath();
}

VzMachineHost::~VzMachineHost() {
    qDeleteAll(std::exchange(m_hosted, {}));
}

void VzMachineHost::start(const Hypervisor::RunRequest& request, Started started) {
    const QString name = request.name;
    if (m_hosted.contains(name)) {
        QTimer::singleShot(0, this, [name, started = std::move(started)] {
            started(fail(Error::Kind::AlreadyRunning,
                         tr("The machine \"%1\" is running already.").arg(name)));
        });
        return;
    }
    auto* const machine =
        new HostedMachine(m_services,
                          request,
                          std::make_unique<HoldProcess>(request, m_services.vitrinectl),
                          HostedMachine::Screen::Window,
                          this);
    machine->setPictures([this, name](const ScreenTaken& taken) {
        if (m_pictures)
            m_pictures(name, taken);
        else
            taken(fail(whyNotShown()));
    });
    // Called once: with what comes first.
    const auto answer = std::make_shared<Started>(std::move(started));
    connect(machine, &HostedMachine::started, this, [this, machine, name, answer] {
        for (const QString& note : machine->plan()->notes)
            Q_EMIT told(name, QStringLiteral("note"), note);
        if (const Started done = std::exchange(*answer, {}))
            done({});
    });
    connect(
        machine,
        &HostedMachine::told,
        this,
        [this, name](const QString& kind, const QString& text) { Q_EMIT told(name, kind, text); });
    connect(machine, &HostedMachine::viewerOpened, this, [this, name](const QString& path) {
        Q_EMIT viewerOpened(name, path);
    });
    connect(machine, &HostedMachine::refused, this, [this, name](const Error& error) {
        Q_EMIT declined(name, error);
    });
    connect(machine,
            &HostedMachine::ended,
            this,
            [this, machine, name, answer](int, const std::optional<Error>& error) {
                m_hosted.remove(name);
                machine->deleteLater();
                Q_EMIT machinesChanged();
                if (const Started done = std::exchange(*answer, {}))
                    done(fail(error.value_or(Error::cancelled())));
                else
                    Q_EMIT ended(name, error);
            });
    m_hosted.insert(name, machine);
    Q_EMIT machinesChanged();
    machine->start();
}

void VzMachineHost::wish(const QString& name, Wish wish) {
    HostedMachine* const machine = m_hosted.value(name);
    if (machine == nullptr)
        return;
    switch (wish) {
    case Wish::Interrupt:
        machine->interrupt();
        break;
    case Wish::Suspend:
        machine->suspend();
        break;
    case Wish::ShutDown:
        machine->shutDown();
        break;
    }
}

QStringList VzMachineHost::machines() const {
    QStringList names = m_hosted.keys();
    names.sort();
    return names;
}

} // namespace vitrine::vz
