// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/portal_watch.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

namespace vitrine::ui {

namespace {

const QString portalService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString portalPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString portalInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString appearanceSpace = QStringLiteral("org.freedesktop.appearance");
const QString schemeKey = QStringLiteral("color-scheme");
constexpr int patience = 2000; // ms

// 0 no preference, 1 dark, 2 light; the value may be wrapped in variants.
std::optional<Scheme> schemeFrom(QVariant value) {
    while (value.canConvert<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    if (value.toUInt() == 1)
        return Scheme::Dark;
    if (value.toUInt() == 2)
        return Scheme::Light;
    return std::nullopt;
}

} // namespace

PortalWatch::PortalWatch(QObject* parent, std::function<void(std::optional<Scheme>)> said)
    : QObject(parent)
    , m_said(std::move(said)) {
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(portalService,
                portalPath,
                portalInterface,
                QStringLiteral("SettingChanged"),
                this,
                SLOT(changed(QString, QString, QDBusVariant)));
    QDBusMessage question = QDBusMessage::createMethodCall(
        portalService, portalPath, portalInterface, QStringLiteral("Read"));
    question << appearanceSpace << schemeKey;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(question, patience), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        watcher->deleteLater();
        if (!reply.isError())
            m_said(schemeFrom(QVariant::fromValue(reply.value())));
    });
}

void PortalWatch::changed(const QString& space, const QString& key, const QDBusVariant& value) {
    if (space == appearanceSpace && key == schemeKey)
        m_said(schemeFrom(value.variant()));
}

} // namespace vitrine::ui
