// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/reason_label.h"

#include "ui/widgets/glyph_label.h"

#include <QHBoxLayout>

namespace vitrine::ui {

ReasonLabel::ReasonLabel(QWidget* parent)
    : QWidget(parent)
    , m_text(helpLabel({}, this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* lock = new GlyphLabel(this);
    lock->setIcon(u"lock", 14);
    layout->addWidget(lock, 0, Qt::AlignTop);
    layout->addWidget(m_text, 1);
    hide();
}

void ReasonLabel::setReason(const QString& reason) {
    m_text->setText(reason);
    setVisible(!reason.isEmpty());
}

void setAvailable(QWidget* control, ReasonLabel* label, bool available, const QString& reason) {
    control->setEnabled(available);
    control->setAccessibleDescription(available ? QString() : reason);
    if (label != nullptr)
        label->setReason(available ? QString() : reason);
}

} // namespace vitrine::ui
