// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/machine_draft.h"

#include <QWidget>

#include <optional>

namespace vitrine::ui {

class GlyphLabel;
class SettingsRows;
class TextLabel;

// One control of a settings pane: the control, when a change counts, and below it help or the
// reason why it is greyed. Its label belongs to the form, as it does.
class SettingsField final : public QWidget {
    Q_OBJECT
public:
    SettingsField(QWidget* control, const QString& suffix, const QString& help, QWidget* parent);

    // Empty: available. Otherwise the control is greyed and the reason stands below with a lock,
    // and in the tool tip.
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
    QWidget* m_effectBox;
    GlyphLabel* m_effectGlyph;
    TextLabel* m_effect;
    GlyphLabel* m_lock;
    TextLabel* m_below;
    QString m_help;
    QString m_reason;
    QString m_problem;
    QString m_toolTip; // the reason's, while there is one
};

// A pane of the settings page: a heading and fields, with their labels beside them or, in a narrow
// window, above.
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
    // One control made of several, which go on in another line where the width ends.
    QWidget* beside(const QList<QWidget*>& controls);

private:
    SettingsRows* m_rows;
};

} // namespace vitrine::ui
