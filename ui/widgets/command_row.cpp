// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/command_row.h"

#include "ui/theme/theme.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QPainter>

namespace vitrine::ui {

CommandRow::CommandRow(QWidget* parent)
    : QWidget(parent)
    , m_line(new ElidedLabel({}, Qt::ElideRight, TextSize::Fixed, TextTone::Text, this))
    , m_copy(new CopyButton(tr("Copy the command"), this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(spacing::pageHorizontal, 0, spacing::block, 0);
    layout->setSpacing(spacing::grid);
    layout->addWidget(new TextLabel(tr("Command"), TextSize::Small, TextTone::Secondary, this));
    layout->addWidget(m_line, 1);
    layout->addWidget(m_copy);
    setFixedHeight(36);
}

void CommandRow::setCommand(const QString& line) {
    m_line->setText(line);
    m_line->setAccessibleName(line);
    m_copy->setTextToCopy(line);
}

QString CommandRow::command() const {
    return m_line->text();
}

void CommandRow::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), Theme::current().window);
}

} // namespace vitrine::ui
