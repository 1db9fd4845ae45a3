// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QToolButton>

namespace vitrine::ui {

// A verb of the tool bar with more verbs in a menu: "Shut Down ▾". It can be used as long as one
// of them can; while its own verb is greyed the whole button opens the menu.
class VerbButton final : public QToolButton {
    Q_OBJECT
public:
    // Neither is owned. `menu` holds the verb, too.
    VerbButton(QAction* action, QMenu* menu, QWidget* parent);

private:
    void follow();
    QAction* m_action;
};

} // namespace vitrine::ui
