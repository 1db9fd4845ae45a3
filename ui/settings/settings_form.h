// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/machine_draft.h"

#include <QWidget>

#include <optional>

class QFormLayout;

namespace vitrine::ui {

class GlyphLabel;
class TextLabel;

// One control of a settings pane: right-aligned label, control, when a change counts, help and the
// reason why it is greyed below. Owned by the form.
class SettingsField final : public QWidget {
    Q_OBJECT
public:
    SettingsField(QWidget* control, const QString& suffix, const QString& help, QWidget* parent);

    // Empty: available. Otherwise the control is greyed and the reason stands below with a lock.
    void setReason(const QString& reason);
    void setHelp(const QString& help);
    void setSuffix(const QString& suffix); // "now 60.0 GB"
    // What is wrong with the value; replaces the help, in the error colour.
    void setProblem(const QString& problem);
    void setEffect(std::optional<SettingsChange::Effect> effect);
    [[nodiscard]] QWidget* control() const { return m_control; }
    [[nodiscard]] QString reason() const;

private:
    void updateBelow();

    QWidget* m_control;
    TextLabel* m_suffix;
    GlyphLabel* m_effectGlyph;
    TextLabel* m_effect;
    GlyphLabel* m_lock;
    TextLabel* m_below;
    QString m_help;
    QString m_reason;
    QString m_problem;
};

// A pane of the settings page: a heading and fields.
class SettingsForm : public QWidget {
    Q_OBJECT
public:
    explicit SettingsForm(const QString& title, QWidget* parent = nullptr);

protected:
    SettingsField* addField(const QString& label,
                            QWidget* control,
                            const QString& help = {},
                            const QString& suffix = {});
    void setFieldVisible(SettingsField* field, bool visible); // with its label
    void addWide(QWidget* widget);                            // over both columns
    void addHeading(const QString& text);

private:
    QFormLayout* m_form;
};

} // namespace vitrine::ui
