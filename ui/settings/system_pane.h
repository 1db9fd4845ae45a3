// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/settings_pane.h"

class QCheckBox;
class QComboBox;
class QPushButton;
class QSpinBox;

namespace vitrine::ui {

// Processors, memory, accelerator, nested virtualization.
class SystemPane final : public SettingsPane {
    Q_OBJECT
public:
    explicit SystemPane(QWidget* parent = nullptr);
    void display(const PaneContext& context) override;

Q_SIGNALS:
    void testAgainRequested(); // probe the accelerator anew

private:
    QSpinBox* m_cpus;
    QSpinBox* m_memory; // MiB
    QComboBox* m_accelerator;
    QPushButton* m_testAgain;
    QCheckBox* m_nested;
    QCheckBox* m_suspendable; // of macOS guests
    SettingsField* m_cpusField;
    SettingsField* m_memoryField;
    SettingsField* m_acceleratorField;
    SettingsField* m_nestedField;
    SettingsField* m_suspendableField;
};

} // namespace vitrine::ui
