// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/settings_pane.h"

class QCheckBox;

namespace vitrine::ui {

// Keyboard, pointer, clipboard, sound, and VNC viewers of other programs.
class InputPane final : public SettingsPane {
    Q_OBJECT
public:
    explicit InputPane(QWidget* parent = nullptr);
    void display(const PaneContext& context) override;

private:
    struct Switch {
        QCheckBox* box;
        SettingsField* field;
        bool RunOptions::*member;
        Feature feature;
    };
    void addSwitch(const QString& label,
                   const QString& text,
                   const QString& help,
                   bool RunOptions::*member,
                   Feature feature);

    QList<Switch> m_switches;
    QCheckBox* m_trackpad;
    SettingsField* m_trackpadField;
    QCheckBox* m_capture;
    SettingsField* m_captureField;
};

} // namespace vitrine::ui
