// SPDX-License-Identifier: Apache-2.0
#include "ui/library/navigation_row.h"

#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"

#include <QPainter>

#include <algorithm>

namespace vitrine::ui {

NavigationRow::NavigationRow(const QString& text, QStringView icon, QWidget* parent)
    : QAbstractButton(parent)
    , m_icon(icon.toString()) {
    setText(text);
    setAccessibleName(text);
    setCheckable(true);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void NavigationRow::setCount(const QString& count) {
    m_count = count;
    setAccessibleDescription(count);
    update();
}

QSize NavigationRow::sizeHint() const {
    return {spacing::sideListMinimum, std::max(spacing::imageRow, fontMetrics().height() + 10)};
}

void NavigationRow::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const bool selected = isChecked();
    painter.fillRect(rect(),
                     selected       ? theme.selection
                     : underMouse() ? theme.separator
                                    : theme.window);
    paintThemeIcon(painter,
                   QRectF(16, height() / 2 - 8, 16, 16),
                   m_icon,
                   selected ? theme.onSelection : theme.secondary);
    painter.setPen(selected ? theme.onSelection : theme.text);
    painter.drawText(rect().adjusted(40, 0, -16, 0), Qt::AlignLeft | Qt::AlignVCenter, text());
    painter.setFont(Theme::small());
    painter.setPen(selected ? theme.onSelection : theme.secondary);
    painter.drawText(rect().adjusted(40, 0, -16, 0), Qt::AlignRight | Qt::AlignVCenter, m_count);
    if (hasFocus())
        drawing::focusRing(painter, QRectF(rect()));
}

} // namespace vitrine::ui
