// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/settings_pane.h"

namespace vitrine::ui {

// What is shared with the machine, to look at: the Sharing page changes it, at once.
class SharingPane final : public SettingsPane {
    Q_OBJECT
public:
    explicit SharingPane(QWidget* parent = nullptr);
    void display(const PaneContext& context) override;

Q_SIGNALS:
    void pageRequested();

private:
    void showLines(const QStringList& lines);

    QWidget* m_shares;
    QStringList m_lines; // that stand there
};

} // namespace vitrine::ui
