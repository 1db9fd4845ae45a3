// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPushButton>
#include <QStringView>
#include <QToolButton>

class QMenu;

namespace vitrine::ui {

// Buttons of the design. `icon` is a name for themeIcon() or empty.

// Filled with the accent; at most one on a page. Pressed by Return in a dialogue.
[[nodiscard]] QPushButton*
primaryButton(const QString& text, QStringView icon = {}, QWidget* parent = nullptr);
[[nodiscard]] QPushButton*
normalButton(const QString& text, QStringView icon = {}, QWidget* parent = nullptr);
// 28 pixels high.
[[nodiscard]] QPushButton*
smallButton(const QString& text, QStringView icon = {}, QWidget* parent = nullptr);
// Without a frame, text in the accent.
[[nodiscard]] QPushButton* linkButton(const QString& text, QWidget* parent = nullptr);
// A square button with an icon only; `text` is its tool tip and accessible name.
[[nodiscard]] QToolButton*
iconButton(const QString& text, QStringView icon, QWidget* parent = nullptr);

// Gives the button a menu that shows the tool tips of its entries. When the menu closes the button
// is drawn at rest: the pointer may have gone meanwhile, which Qt does not tell it.
void giveMenu(QToolButton* button, QMenu* menu);

} // namespace vitrine::ui
