// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/hairline.h"

#include "ui/theme/theme.h"

#include <QPainter>

namespace vitrine::ui {

Hairline::Hairline(Qt::Orientation orientation, QWidget* parent)
    : QWidget(parent) {
    if (orientation == Qt::Horizontal) {
        setFixedHeight(1);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    } else {
        setFixedWidth(1);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    }
}

void Hairline::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), Theme::current().separator);
}

} // namespace vitrine::ui
