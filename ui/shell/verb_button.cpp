// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/verb_button.h"

#include "ui/theme/vitrine_style.h"
#include "ui/widgets/buttons.h"

#include <QAction>
#include <QMenu>

#include <algorithm>

namespace vitrine::ui {

// Not QToolButton::setDefaultAction(): it would grey the arrow together with the verb.
VerbButton::VerbButton(QAction* action, QMenu* menu, QWidget* parent)
    : QToolButton(parent)
    , m_action(action) {
    giveMenu(this, menu);
    for (const QAction* entry : menu->actions())
        connect(entry, &QAction::changed, this, &VerbButton::follow);
    connect(action, &QAction::changed, this, &VerbButton::follow);
    connect(this, &QToolButton::clicked, action, &QAction::trigger);
    follow();
}

void VerbButton::follow() {
    const bool possible = m_action->isEnabled();
    const QList<QAction*> entries = menu()->actions();
    setText(m_action->iconText());
    setIcon(m_action->icon());
    setToolTip(m_action->toolTip());
    setStatusTip(m_action->statusTip());
    setPopupMode(possible ? QToolButton::MenuButtonPopup : QToolButton::InstantPopup);
    setProperty(property::greyedVerb, !possible);
    setEnabled(possible || std::any_of(entries.begin(), entries.end(), [](const QAction* entry) {
                   return !entry->isSeparator() && entry->isEnabled();
               }));
    update();
}

} // namespace vitrine::ui
