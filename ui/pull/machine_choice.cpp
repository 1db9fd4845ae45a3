// SPDX-License-Identifier: Apache-2.0
#include "ui/pull/machine_choice.h"

#include "core/machine/machine_name.h"
#include "ui/machines/machine_naming.h"
#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

namespace vitrine::ui {

MachineChoice::MachineChoice(std::function<bool(const QString&)> isTaken, QWidget* parent)
    : QWidget(parent)
    , m_isTaken(std::move(isTaken))
    , m_wanted(new QCheckBox(tr("Then make a &machine named"), this))
    , m_name(new QLineEdit(this))
    , m_problem(helpLabel({}, this)) {
    m_name->setAccessibleName(tr("Name of the machine"));
    m_name->setEnabled(false);
    auto* line = new QHBoxLayout;
    line->setSpacing(spacing::grid);
    line->addWidget(m_wanted);
    line->addWidget(m_name, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::tight);
    layout->addLayout(line);
    layout->addWidget(m_problem);
    m_problem->hide();
    connect(m_wanted, &QCheckBox::toggled, this, [this](bool on) {
        m_name->setEnabled(on);
        fill();
        check();
    });
    connect(m_wanted, &QCheckBox::clicked, this, [this](bool on) {
        if (!on)
            return;
        m_name->setFocus(Qt::OtherFocusReason);
        m_name->selectAll();
    });
    connect(m_name, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_typed = !text.isEmpty();
    });
    connect(m_name, &QLineEdit::textChanged, this, &MachineChoice::check);
}

void MachineChoice::setWanted(bool wanted) {
    m_wanted->setChecked(wanted);
}

bool MachineChoice::isWanted() const {
    return m_wanted->isChecked();
}

void MachineChoice::setName(const QString& name) {
    m_typed = !name.isEmpty();
    m_name->setText(name);
}

void MachineChoice::suggest(const QString& base) {
    if (base == m_base)
        return;
    m_base = base;
    fill();
}

void MachineChoice::fill() {
    if (m_typed || !isWanted())
        return;
    const bool usable = MachineName::fromText(m_base).has_value();
    m_name->setText(usable ? freeName(m_base, m_isTaken) : QString());
}

QString MachineChoice::name() const {
    return isWanted() ? m_name->text().trimmed() : QString();
}

QString MachineChoice::problem() const {
    return isWanted() ? machineNameProblem(name(), m_isTaken) : QString();
}

void MachineChoice::check() {
    const QString text = problem();
    const bool wrong = !text.isEmpty() && !name().isEmpty();
    m_problem->setText(text);
    m_problem->setTone(wrong ? TextTone::Error : TextTone::Secondary);
    m_problem->setVisible(!text.isEmpty());
    m_name->setProperty(property::invalid, wrong);
    m_name->setAccessibleDescription(text);
    m_name->update();
    Q_EMIT changed();
}

} // namespace vitrine::ui
