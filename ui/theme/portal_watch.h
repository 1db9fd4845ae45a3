// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/theme/theme.h"

#include <QDBusVariant>
#include <QObject>

#include <functional>
#include <optional>

namespace vitrine::ui {

// The desktop portal's "color-scheme" (org.freedesktop.appearance). Does nothing without a session
// bus. Lives on the window's thread.
class PortalWatch final : public QObject {
    Q_OBJECT
public:
    PortalWatch(QObject* parent, std::function<void(std::optional<Scheme>)> said);

private Q_SLOTS:
    void changed(const QString& space, const QString& key, const QDBusVariant& value);

private:
    std::function<void(std::optional<Scheme>)> m_said;
};

} // namespace vitrine::ui
