// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/settings_pane.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QMenu;
class QPushButton;

namespace vitrine::ui {

class DiskTable;

// The root disk and extra disks of every kind: size, caching, synchronisation, read-only, and in
// words what they mean when this computer loses power.
class DisksPane final : public SettingsPane {
    Q_OBJECT
public:
    explicit DisksPane(QWidget* parent = nullptr);
    void display(const PaneContext& context) override;
    // References of cached images to choose from.
    void setImages(const QStringList& images) { m_images = images; }

private:
    void makeFields();
    void connectFields();
    [[nodiscard]] QMenu* makeAddMenu();
    void editOptions(const std::function<void(DiskOptions&)>& change);
    void addFile();
    // Asks for a text; empty and nonsense add nothing.
    void ask(const QString& title, const QString& label, const QStringList& choices);
    void add(const ExtraDisk& disk);
    void removeDisk();
    void fillFields();
    void fillSize(bool root);
    void fillOptions(bool root, const ExtraDisk& disk, const DiskOptions& before);

    DiskTable* m_table;
    QPushButton* m_add;
    QPushButton* m_remove;
    QDoubleSpinBox* m_size; // GB
    QCheckBox* m_partition;
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
    QStringList m_images;
    bool m_running = false;
    SettingsChange::Effect m_runEffect = SettingsChange::Effect::Now;
    QString m_fixedHardware; // why the size stays
    // Why this computer cannot do it; empty when it can.
    QString m_noCaching;
    QString m_noSynchronisation;
    QString m_noReadOnlyRoot;
};

} // namespace vitrine::ui
