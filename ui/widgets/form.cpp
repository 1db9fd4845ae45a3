// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/form.h"

#include "ui/theme/theme.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace vitrine::ui {

Form::Form(int labelWidth, QWidget* parent)
    : QWidget(parent)
    , m_grid(new QGridLayout(this))
    , m_labelWidth(labelWidth) {
    // Never lower than wrapped texts are at the width there is: QSizePolicy::Maximum would hold
    // the form at the height of its widest shape and cut them.
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(spacing::block);
    m_grid->setVerticalSpacing(0);
    m_grid->setColumnMinimumWidth(0, labelWidth);
    m_grid->setColumnStretch(1, 1);
}

Form::Row Form::addRow(const QString& label, QWidget* control, const QString& help) {
    Row row;
    auto* text =
        new TextLabel(label, TextSize::Body, m_dense ? TextTone::Secondary : TextTone::Text, this);
    text->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    text->setBuddy(control);
    row.label = text;
    if (control->accessibleName().isEmpty())
        control->setAccessibleName(label);

    auto* cell = new QWidget(this);
    auto* column = new QVBoxLayout(cell);
    column->setContentsMargins(0, 0, 0, m_dense ? spacing::grid : spacing::block);
    column->setSpacing(spacing::tight);
    row.controls = new QHBoxLayout;
    row.controls->setContentsMargins(0, 0, 0, 0);
    row.controls->setSpacing(spacing::grid);
    row.controls->addWidget(control);
    row.controls->addStretch();
    column->addLayout(row.controls);
    row.help = helpLabel(help, cell);
    row.help->setVisible(!help.isEmpty());
    column->addWidget(row.help);
    row.reason = new ReasonLabel(cell);
    column->addWidget(row.reason);

    const int line = m_rows++;
    m_grid->setRowStretch(line, 0);
    m_grid->setRowStretch(line + 1, 1); // room that is left over is below the last row
    m_grid->addWidget(text, line, 0, Qt::AlignTop);
    m_grid->addWidget(cell, line, 1, Qt::AlignTop);
    const int height = m_dense ? 24 : spacing::control;
    text->setFixedHeight(std::max(height, text->sizeHint().height()));
    text->setMinimumWidth(m_labelWidth);
    control->setMinimumHeight(m_dense ? height : control->minimumHeight());
    return row;
}

void Form::setRowVisible(const Row& row, bool visible) {
    row.label->setVisible(visible);
    if (row.help != nullptr && row.help->parentWidget() != nullptr)
        row.help->parentWidget()->setVisible(visible);
}

} // namespace vitrine::ui
