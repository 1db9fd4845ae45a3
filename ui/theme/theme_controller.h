// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/theme/theme.h"

#include <QObject>

namespace vitrine::ui {

// Keeps the application's palette in the chosen scheme; with SchemeChoice::Automatic it follows the
// platform's palette and what the desktop says besides. Lives as long as the QApplication.
class ThemeController final : public QObject {
    Q_OBJECT
public:
    explicit ThemeController(QObject* application);

    void setChoice(SchemeChoice choice);
    [[nodiscard]] SchemeChoice choice() const { return m_choice; }
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void apply();
    void askDesktop();
    [[nodiscard]] Scheme systemScheme() const;

    SchemeChoice m_choice = SchemeChoice::Automatic;
    std::optional<Scheme> m_desktopScheme; // said by the desktop, when it says anything
    std::optional<Scheme> m_applied;
    bool m_desktopAsked = false;
};

} // namespace vitrine::ui
