// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/settings_form.h"

#include "ui/theme/theme.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/text_label.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace vitrine::ui {

SettingsField::SettingsField(QWidget* control,
                             const QString& suffix,
                             const QString& help,
                             QWidget* parent)
    : QWidget(parent)
    , m_control(control)
    , m_suffix(new TextLabel(suffix, TextSize::Body, TextTone::Secondary, this))
    , m_effectGlyph(new GlyphLabel(this))
    , m_effect(new TextLabel({}, TextSize::Small, TextTone::Accent, this))
    , m_lock(new GlyphLabel(this))
    , m_below(new TextLabel({}, TextSize::Small, TextTone::Secondary, this))
    , m_help(help) {
    m_below->setWordWrap(true);
    m_lock->setIcon(u"lock", 16);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(spacing::grid);
    row->addWidget(control);
    row->addWidget(m_suffix);
    row->addWidget(m_effectGlyph);
    row->addWidget(m_effect);
    const bool wide = control->sizePolicy().horizontalPolicy() == QSizePolicy::Expanding &&
                      control->maximumWidth() == QWIDGETSIZE_MAX;
    if (!wide)
        row->addStretch(1);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(0, 0, 0, 0);
    below->setSpacing(spacing::tight);
    below->addWidget(m_lock, 0, Qt::AlignTop);
    below->addWidget(m_below, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addLayout(row);
    layout->addLayout(below);
    setEffect(std::nullopt);
    updateBelow();
}

void SettingsField::setReason(const QString& reason) {
    m_reason = reason;
    m_control->setEnabled(reason.isEmpty());
    updateBelow();
}

void SettingsField::setHelp(const QString& help) {
    m_help = help;
    updateBelow();
}

void SettingsField::setSuffix(const QString& suffix) {
    m_suffix->setText(suffix);
    m_suffix->setVisible(!suffix.isEmpty());
}

void SettingsField::setProblem(const QString& problem) {
    m_problem = problem;
    updateBelow();
}

QString SettingsField::reason() const {
    return m_reason;
}

void SettingsField::setEffect(std::optional<SettingsChange::Effect> effect) {
    m_effect->setVisible(effect.has_value());
    m_effectGlyph->setVisible(effect.has_value());
    if (!effect)
        return;
    const bool now = *effect == SettingsChange::Effect::Now;
    m_effectGlyph->setIcon(now ? u"check" : u"retry", 16, GlyphLabel::IconTone::Accent);
    m_effect->setText(now ? tr("applies now") : tr("at next start"));
}

void SettingsField::updateBelow() {
    const bool locked = !m_reason.isEmpty();
    const QString text = !m_problem.isEmpty() ? m_problem : locked ? m_reason : m_help;
    m_lock->setVisible(locked && m_problem.isEmpty());
    m_below->setText(text);
    m_below->setVisible(!text.isEmpty());
    m_below->setTone(m_problem.isEmpty() ? TextTone::Secondary : TextTone::Error);
    m_control->setAccessibleDescription(text);
}

SettingsForm::SettingsForm(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_form(new QFormLayout) {
    auto* heading = sectionHeading(title, this);
    m_form->setLabelAlignment(Qt::AlignRight | Qt::AlignTop);
    m_form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    m_form->setHorizontalSpacing(spacing::block);
    m_form->setVerticalSpacing(12);
    m_form->setRowWrapPolicy(QFormLayout::DontWrapRows);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(spacing::pageHorizontal,
                               spacing::pageVertical,
                               spacing::pageHorizontal,
                               spacing::pageVertical);
    layout->setSpacing(12);
    layout->addWidget(heading);
    layout->addLayout(m_form);
    layout->addStretch(1);
}

SettingsField* SettingsForm::addField(const QString& label,
                                      QWidget* control,
                                      const QString& help,
                                      const QString& suffix) {
    auto* field = new SettingsField(control, suffix, help, this);
    auto* text = new QLabel(label, this);
    text->setBuddy(control);
    // The label stands beside the control, not beside the help below it.
    text->setMinimumHeight(std::min(control->sizeHint().height(), spacing::control));
    text->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    text->setMinimumWidth(120);
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(text);
    column->addStretch();
    // A long form scrolls; its controls keep their height.
    control->setMinimumHeight(std::min(control->sizeHint().height(), spacing::control));
    if (control->accessibleName().isEmpty())
        control->setAccessibleName(QString(label).remove(QLatin1Char('&')));
    field->setSuffix(suffix);
    m_form->addRow(box, field);
    return field;
}

void SettingsForm::setFieldVisible(SettingsField* field, bool visible) {
    m_form->setRowVisible(field, visible);
}

void SettingsForm::addWide(QWidget* widget) {
    m_form->addRow(widget);
}

void SettingsForm::addHeading(const QString& text) {
    m_form->addRow(sectionHeading(text, this));
}

} // namespace vitrine::ui
