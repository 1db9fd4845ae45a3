// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/settings_pane.h"

class QComboBox;
class QLabel;
class QSpinBox;

namespace vitrine::ui {

// Size, unit, refit and scale of the display.
class DisplayPane final : public SettingsPane {
    Q_OBJECT
public:
    explicit DisplayPane(QWidget* parent = nullptr);
    void display(const PaneContext& context) override;

private:
    void fillScale(DisplayScale scale);

    QSpinBox* m_width;
    QSpinBox* m_height;
    QComboBox* m_unit;
    QComboBox* m_refit;
    QComboBox* m_scale;
    SettingsField* m_sizeField;
    SettingsField* m_unitField;
    SettingsField* m_refitField;
    SettingsField* m_scaleField;
};

} // namespace vitrine::ui
