// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/buttons.h"

#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"

#include <QMenu>

namespace vitrine::ui {

namespace {

QPushButton* makeButton(const QString& text, QStringView icon, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setAutoDefault(false); // a focused button must not turn into the primary one
    if (!icon.isEmpty()) {
        button->setIcon(themeIcon(icon));
        button->setIconSize(QSize(16, 16));
    }
    return button;
}

} // namespace

QPushButton* primaryButton(const QString& text, QStringView icon, QWidget* parent) {
    QPushButton* button = makeButton(text, icon, parent);
    button->setDefault(true);
    return button;
}

QPushButton* normalButton(const QString& text, QStringView icon, QWidget* parent) {
    return makeButton(text, icon, parent);
}

QPushButton* smallButton(const QString& text, QStringView icon, QWidget* parent) {
    QPushButton* button = makeButton(text, icon, parent);
    button->setProperty(property::small, true);
    return button;
}

QPushButton* linkButton(const QString& text, QWidget* parent) {
    QPushButton* button = makeButton(text, {}, parent);
    button->setFlat(true);
    button->setProperty(property::link, true);
    button->setFont(Theme::small());
    button->setCursor(Qt::PointingHandCursor);
    return button;
}

QToolButton* iconButton(const QString& text, QStringView icon, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setIcon(themeIcon(icon));
    button->setIconSize(QSize(16, 16));
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolTip(text);
    button->setAccessibleName(text);
    button->setProperty(property::small, true);
    return button;
}

void giveMenu(QToolButton* button, QMenu* menu) {
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    const auto rest = [button] {
        button->setAttribute(Qt::WA_UnderMouse, false);
        button->setDown(false);
        button->update();
    };
    // After the button's own handling of the closing.
    QObject::connect(menu, &QMenu::aboutToHide, button, rest, Qt::QueuedConnection);
}

} // namespace vitrine::ui
