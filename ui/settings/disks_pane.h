// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/settings_pane.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;
class QTableWidget;

namespace vitrine::ui {

// The root disk and extra disk files: size, caching, synchronisation, read-only.
class DisksPane final : public SettingsPane {
    Q_OBJECT
public:
    explicit DisksPane(QWidget* parent = nullptr);
    void display(const PaneContext& context) override;

private:
    [[nodiscard]] int currentDisk() const; // 0: root disk, 1…: extra disks
    void editOptions(const std::function<void(DiskOptions&)>& change);
    void addDisk();
    void removeDisk();
    void fillTable(const PaneContext& context);
    void fillFields();

    QTableWidget* m_table;
    QPushButton* m_add;
    QPushButton* m_remove;
    QDoubleSpinBox* m_size; // GB
    QComboBox* m_caching;
    QComboBox* m_synchronisation;
    QCheckBox* m_readOnly;
    SettingsField* m_sizeField;
    SettingsField* m_cachingField;
    SettingsField* m_synchronisationField;
    SettingsField* m_readOnlyField;
    SettingsField* m_formatField;
    QLabel* m_format;
    MachineSettings m_shown;
    MachineSettings m_saved;
    MachineInfo m_info;
    bool m_running = false;
};

} // namespace vitrine::ui
