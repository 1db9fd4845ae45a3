// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>

class QMenuBar;

namespace vitrine::ui {

// Every action of the menus with its keys. Deletes itself when closed.
class ShortcutsDialog final : public QDialog {
    Q_OBJECT
public:
    ShortcutsDialog(const QMenuBar* menus, QWidget* parent);
};

} // namespace vitrine::ui
