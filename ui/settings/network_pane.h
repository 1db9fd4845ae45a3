// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/settings_pane.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace vitrine::ui {

class FirewallBox;

// How the machine is attached, its address, and the ports of this computer that lead into it.
class NetworkPane final : public SettingsPane {
    Q_OBJECT
public:
    explicit NetworkPane(QWidget* parent = nullptr);
    void display(const PaneContext& context) override;
    [[nodiscard]] FirewallBox* firewall() const { return m_firewall; }

private:
    void fillMode(const PaneContext& context);
    void fillBridges(const PaneContext& context);
    void fillFirewall(const PaneContext& context);
    void fillForwards(const PaneContext& context);
    void editInterfaces();
    void addForward();
    void removeForward();

    QComboBox* m_mode;
    QLineEdit* m_interfaces; // of m_bridges
    QComboBox* m_bridges;
    QComboBox* m_preset;
    FirewallBox* m_firewall;
    QLabel* m_address;
    QTableWidget* m_forwards;
    QSpinBox* m_hostPort;
    QSpinBox* m_guestPort;
    QPushButton* m_add;
    QPushButton* m_remove;
    SettingsField* m_modeField;
    SettingsField* m_interfacesField;
    SettingsField* m_presetField;
    SettingsField* m_addressField;
    SettingsField* m_forwardField;
};

} // namespace vitrine::ui
