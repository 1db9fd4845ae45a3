// SPDX-License-Identifier: Apache-2.0
#include "ui/sharing/drop_area.h"

#include "ui/theme/theme.h"

#include <QPainter>

namespace vitrine::ui {

namespace {
constexpr int iconSize = 32;
} // namespace

DropArea::DropArea(QWidget* parent)
    : QWidget(parent) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
}

void DropArea::setTexts(const QString& title, const QString& text, const QString& hint) {
    m_title = title;
    m_text = text;
    m_hint = hint;
    setAccessibleName(title);
    setAccessibleDescription(text);
    update();
}

void DropArea::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.hintBackground);
    QPen pen(theme.accent, 2);
    pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
    struct Line {
        QString text;
        QFont font;
        QColor color;
    };
    const Line lines[] = {{m_title, Theme::heading(), theme.text},
                          {m_text, Theme::body(), theme.text},
                          {m_hint, Theme::small(), theme.secondary}};
    int height = iconSize;
    for (const Line& line : lines)
        height += QFontMetrics(line.font).height() + spacing::grid;
    int y = (rect().height() - height) / 2;
    const QRect place(spacing::block, y, width() - 2 * spacing::block, iconSize);
    paintThemeIcon(painter,
                   QRectF(place.center().x() - iconSize / 2, y, iconSize, iconSize),
                   u"share-folder",
                   theme.accent);
    y += iconSize + spacing::grid;
    for (const Line& line : lines) {
        const QFontMetrics metrics(line.font);
        painter.setFont(line.font);
        painter.setPen(line.color);
        painter.drawText(QRect(place.x(), y, place.width(), metrics.height()),
                         Qt::AlignHCenter | Qt::AlignVCenter,
                         metrics.elidedText(line.text, Qt::ElideMiddle, place.width()));
        y += metrics.height() + spacing::grid;
    }
}

} // namespace vitrine::ui
