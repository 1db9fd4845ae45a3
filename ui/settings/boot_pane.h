// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/settings_pane.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;

namespace vitrine::ui {

// What the machine starts from, a kernel without firmware, the serial line, and what exists on a
// Mac only.
class BootPane final : public SettingsPane {
    Q_OBJECT
public:
    explicit BootPane(QWidget* parent = nullptr);
    void display(const PaneContext& context) override;

Q_SIGNALS:
    void installRequested(vitrine::Feature feature);

private:
    [[nodiscard]] QWidget* fileRow(QLineEdit* field, const QString& title);
    void editKernel();
    void fillOrder(const RunOptions& run);

    QComboBox* m_order;
    QLineEdit* m_kernel;
    QLineEdit* m_initrd;
    QLineEdit* m_commandLine;
    QComboBox* m_serial;
    QLineEdit* m_device;
    QString m_directory; // of the machine shown last
    QCheckBox* m_recovery;
    QCheckBox* m_rosetta;
    QPushButton* m_install; // Rosetta
    SettingsField* m_orderField;
    SettingsField* m_kernelField;
    SettingsField* m_initrdField;
    SettingsField* m_commandLineField;
    SettingsField* m_serialField;
    SettingsField* m_deviceField;
    SettingsField* m_recoveryField;
    SettingsField* m_rosettaField;
    SettingsField* m_installField;
};

} // namespace vitrine::ui
