// SPDX-License-Identifier: Apache-2.0
#include "vz/host/vz_screens.h"

#include "vz/host/hosted_machine.h"
#include "vz/host/vz_machine_host.h"

#include <algorithm>
#include <utility>

namespace vitrine::vz {

VzScreens::VzScreens(VzMachineHost* host)
    : m_host(host) {
    connect(host, &MachineHost::machinesChanged, this, &VzScreens::look);
    host->setPictures(
        [this](const QString& name, const ScreenTaken& taken) { takePicture(name, taken); });
    look();
}

VzScreens::~VzScreens() {
    m_host->setPictures({});
}

void VzScreens::setPictures(const QString& name, QObject* owner, TakeScreen take) {
    m_pictures.append({name, owner, std::move(take)});
    connect(owner, &QObject::destroyed, this, [this, owner] {
        m_pictures.removeIf([owner](const Pictures& one) { return one.owner == owner; });
    });
}

void VzScreens::takePicture(const QString& name, const ScreenTaken& taken) const {
    const auto found = std::find_if(m_pictures.crbegin(),
                                    m_pictures.crend(),
                                    [&name](const Pictures& one) { return one.name == name; });
    if (found == m_pictures.crend())
        taken(fail(whyNotShown()));
    else
        found->take(taken);
}

Machine* VzScreens::machine(const QString& name) const {
    if (!m_shown.contains(name))
        return nullptr;
    const HostedMachine* const hosted = m_host->machine(name);
    return hosted != nullptr && hosted->run() != nullptr ? hosted->run()->machine() : nullptr;
}

bool VzScreens::isPaused(const QString& name) const {
    return m_paused.contains(name);
}

bool VzScreens::capturesSystemKeys(const QString& name) const {
    const HostedMachine* const hosted = m_host->machine(name);
    return hosted != nullptr && hosted->plan() != nullptr && hosted->plan()->capturesSystemKeys;
}

void VzScreens::look() {
    const QStringList names = m_host->machines();
    const QSet<QString> known = m_followed;
    for (const QString& name : known)
        if (!names.contains(name)) {
            leave(name);
            m_followed.remove(name);
        }
    for (const QString& name : names)
        if (!m_followed.contains(name)) {
            m_followed.insert(name);
            follow(m_host->machine(name));
        }
}

void VzScreens::follow(HostedMachine* hosted) {
    connect(hosted, &HostedMachine::started, this, [this, hosted] {
        MachineRun* const run = hosted->run();
        if (run == nullptr)
            return;
        const QString name = hosted->name();
        connect(run, &MachineRun::finished, this, [this, name] { leave(name); });
        connect(run, &MachineRun::displayReconfigured, this, [this, name] {
            Q_EMIT displayReconfigured(name);
        });
        connect(run, &MachineRun::stateChanged, this, [this, name](MachineState state) {
            const bool paused = state == MachineState::Paused || state == MachineState::Suspending;
            if (paused == m_paused.contains(name) || !m_shown.contains(name))
                return;
            if (paused)
                m_paused.insert(name);
            else
                m_paused.remove(name);
            Q_EMIT pausedChanged(name, paused);
        });
        m_shown.insert(name);
        Q_EMIT shown(name);
    });
}

void VzScreens::leave(const QString& name) {
    m_paused.remove(name);
    if (m_shown.remove(name))
        Q_EMIT gone(name);
}

} // namespace vitrine::vz
