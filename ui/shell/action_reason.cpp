// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/action_reason.h"

#include <QAction>
#include <QCoreApplication>
#include <QMenu>
#include <QStatusTipEvent>

namespace vitrine::ui {

namespace {

constexpr const char* purpose = "vitrinePurpose"; // what the action does

} // namespace

void describe(QAction* action, const QString& what) {
    action->setProperty(purpose, what);
    allow(action, {action->isEnabled(), action->isEnabled() ? QString() : action->statusTip()});
}

void allow(QAction* action, const Ability& ability) {
    action->setEnabled(ability.possible);
    const QString what = action->property(purpose).toString();
    const QString name = QString(action->text()).remove(QLatin1Char('&'));
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    //: Tool tip: name of an action and its shortcut.
    const QString title = keys.isEmpty() ? name : Tr::tr("%1 (%2)").arg(name, keys);
    const QString more = ability.possible ? what : ability.reason;
    action->setToolTip(
        QStringLiteral("<p>%1</p><p>%2</p>").arg(title.toHtmlEscaped(), more.toHtmlEscaped()));
    action->setStatusTip(more);
}

void showReasons(QMenu* menu, QWidget* window) {
    menu->setToolTipsVisible(true);
    // Qt tells the status tip to the widget that opened the menu; a context menu has none.
    const auto tell = [window](const QString& tip) {
        QStatusTipEvent event(tip);
        QCoreApplication::sendEvent(window, &event);
    };
    QObject::connect(menu, &QMenu::hovered, window, [tell](const QAction* action) {
        tell(action->statusTip());
    });
    QObject::connect(menu, &QMenu::aboutToHide, window, [tell] { tell({}); });
    for (QAction* action : menu->actions()) {
        if (action->menu() != nullptr)
            showReasons(action->menu(), window);
    }
}

} // namespace vitrine::ui
