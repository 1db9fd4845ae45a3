// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/theme/theme.h"

#include <QDBusVariant>
#include <QObject>

namespace vitrine::ui {

// Keeps the application's palette in the chosen scheme; with SchemeChoice::Automatic it follows the
// platform's palette and the desktop portal's "color-scheme". Lives as long as the QApplication.
class ThemeController final : public QObject {
    Q_OBJECT
public:
    explicit ThemeController(QObject* application);

    void setChoice(SchemeChoice choice);
    [[nodiscard]] SchemeChoice choice() const { return m_choice; }
    bool eventFilter(QObject* watched, QEvent* event) override;

private Q_SLOTS:
    void portalChanged(const QString& space, const QString& key, const QDBusVariant& value);

private:
    void apply();
    void askPortal();
    [[nodiscard]] Scheme systemScheme() const;

    SchemeChoice m_choice = SchemeChoice::Automatic;
    std::optional<Scheme> m_portalScheme; // said by the desktop, when it says anything
    std::optional<Scheme> m_applied;
    bool m_portalAsked = false;
};

} // namespace vitrine::ui
