// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/machines/machine_abilities.h"

class QAction;
class QMenu;
class QWidget;

namespace vitrine::ui {

// What the action does, told in its tool tip and in the status line while it can be used.
void describe(QAction* action, const QString& what);
// Enables the action, or greys it and tells the reason where its description stands otherwise.
// Every action of a menu that can be greyed goes through this.
void allow(QAction* action, const Ability& ability);
// The menu and its submenus show the tool tips of their actions, greyed ones included, and `window`
// their status tips, wherever the menu is opened from.
void showReasons(QMenu* menu, QWidget* window);

} // namespace vitrine::ui
