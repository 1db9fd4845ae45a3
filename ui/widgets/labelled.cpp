// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/labelled.h"

#include "ui/theme/theme.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>

namespace vitrine::ui {

QWidget* labelled(const QString& text, QWidget* control, QWidget* parent) {
    auto* const widget = new QWidget(parent);
    auto* const layout = new QHBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::grid);
    auto* const label = new TextLabel(text, TextSize::Body, TextTone::Secondary, widget);
    label->setBuddy(control);
    layout->addWidget(label);
    layout->addWidget(control);
    return widget;
}

} // namespace vitrine::ui
