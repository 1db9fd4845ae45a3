// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/settings_pane.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace vitrine::ui {

class ElidedLabel;

// Name, notes, network address, where the machine is and where it came from.
class GeneralPane final : public SettingsPane {
    Q_OBJECT
public:
    explicit GeneralPane(QWidget* parent = nullptr);
    void display(const PaneContext& context) override;
    [[nodiscard]] QString problem() const override { return m_macProblem; }
    void forgetProblem() override { m_macProblem.clear(); }

private:
    QLineEdit* m_name;
    QPlainTextEdit* m_notes;
    QLineEdit* m_mac;
    QString m_macProblem;
    QLabel* m_system;
    ElidedLabel* m_source;
    ElidedLabel* m_folder;
    SettingsField* m_nameField;
    SettingsField* m_notesField;
    SettingsField* m_sourceField;
    SettingsField* m_macField;
};

} // namespace vitrine::ui
