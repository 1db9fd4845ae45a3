// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/live_settings.h"

#include "core/hypervisor/display.h"
#include "ui/machines/machine_clients.h"

#include <QJsonArray>
#include <QPointer>
#include <QTimer>

#include <memory>

namespace vitrine::ui {

namespace {

constexpr int displayTime = 10000; // ms that a display has to take a size

bool followsWindow(const MachineInfo& machine, Refit refit) {
    const bool linuxGuest = !machine.config || machine.config->system == GuestSystem::Linux;
    return refit == Refit::On || (refit == Refit::Automatic && !linuxGuest);
}

} // namespace

LiveSettings::LiveSettings(const Services& services, QObject* parent)
    : QObject(parent)
    , m_services(services) {}

void LiveSettings::apply(const MachineInfo& machine,
                         const MachineSettings& saved,
                         const MachineSettings& edited) {
    const MachineClient* client =
        m_services.clients ? m_services.clients->client(machine.name) : nullptr;
    if (client == nullptr)
        return;
    // Stored already.
    if (saved.run.clipboard != edited.run.clipboard)
        m_services.clients->call(machine.name,
                                 QStringLiteral("clipboard.enable"),
                                 {{QStringLiteral("enabled"), edited.run.clipboard}},
                                 [self = QPointer<LiveSettings>(this)](const auto& answer) {
                                     if (self && !answer)
                                         Q_EMIT self->failed(answer.error());
                                 });
    const QSize size(edited.display.width, edited.display.height);
    if (size != QSize(saved.display.width, saved.display.height) &&
        !followsWindow(machine, edited.refit))
        requestSize(client->displaySocket(), size);
}

// By a connection of its own: the console may show another machine, or nothing.
void LiveSettings::requestSize(const QString& displaySocket, QSize size) {
    std::unique_ptr<Display> opened =
        m_services.hypervisor ? m_services.hypervisor->openDisplay(displaySocket) : nullptr;
    if (!opened)
        return;
    Display* const display = opened.release();
    display->setParent(this);
    const auto ask = [display, size, asked = std::make_shared<bool>(false)] {
        if (*asked || display->state() != Display::State::Connected || display->size().isEmpty())
            return;
        *asked = true;
        display->requestSize(display->closestSize(size));
    };
    connect(display, &Display::stateChanged, display, ask);
    connect(display, &Display::sizeChanged, display, ask);
    connect(display, &Display::resizeAnswered, display, &QObject::deleteLater);
    QTimer::singleShot(displayTime, display, &QObject::deleteLater);
    display->connectToGuest();
    ask();
}

void LiveSettings::askForwards(const MachineInfo& machine) {
    if (machine.name != m_name)
        setForwards({});
    m_name = machine.name;
    const MachineClient* client =
        m_services.clients ? m_services.clients->client(machine.name) : nullptr;
    if (client == nullptr || !client->isConnected()) {
        setForwards({});
        return;
    }
    m_services.clients->call(
        machine.name,
        QStringLiteral("forward.list"),
        {},
        [self = QPointer<LiveSettings>(this), name = machine.name, ssh = client->status().sshPort](
            const Result<QJsonValue>& answer) {
            if (!self || !answer || self->m_name != name)
                return;
            QList<PortForward> forwards;
            for (const QJsonValue& item : answer->toObject().value(u"forwards").toArray()) {
                const PortForward forward{static_cast<quint16>(item[u"hostPort"].toInt()),
                                          static_cast<quint16>(item[u"guestPort"].toInt())};
                if (forward.hostPort != ssh)
                    forwards.append(forward);
            }
            self->setForwards(forwards);
        });
}

void LiveSettings::setForwards(const QList<PortForward>& forwards) {
    if (m_forwards == forwards)
        return;
    m_forwards = forwards;
    Q_EMIT forwardsChanged();
}

} // namespace vitrine::ui
