// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/mark_painting.h"

#include "ui/theme/theme.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr double hatchStep = 5;
constexpr double tagGlyph = 10;
constexpr double tagPadding = 6;

} // namespace

void paintBar(QPainter& painter, const QRectF& bar, const QColor& color, bool hatched) {
    if (!hatched) {
        painter.fillRect(bar, color);
        return;
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1.5));
    // Lines from lower left to upper right: x + y is the same all along one.
    for (double sum = bar.left() + bar.top() + hatchStep; sum < bar.right() + bar.bottom();
         sum += hatchStep) {
        const double from = std::max(bar.left(), sum - bar.bottom());
        const double to = std::min(bar.right(), sum - bar.top());
        if (from < to)
            painter.drawLine(QPointF(from, sum - from), QPointF(to, sum - to));
    }
    painter.setPen(QPen(color, 1));
    painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
}

void paintInterval(
    QPainter& painter, double x, double top, double bottom, double width, const QColor& color) {
    painter.setPen(QPen(color, 1.3));
    painter.drawLine(QPointF(x, top), QPointF(x, bottom));
    for (const double y : {top, bottom})
        painter.drawLine(QPointF(x - width / 2, y), QPointF(x + width / 2, y));
}

void paintDiamond(
    QPainter& painter, QPointF centre, double radius, const QColor& outline, const QColor& fill) {
    painter.setPen(QPen(outline, 1.4));
    painter.setBrush(fill);
    painter.drawPolygon(QPolygonF({centre + QPointF(0, -radius),
                                   centre + QPointF(radius, 0),
                                   centre + QPointF(0, radius),
                                   centre + QPointF(-radius, 0)}));
}

void paintDot(
    QPainter& painter, QPointF centre, double radius, const QColor& color, const QColor& fill) {
    painter.setPen(QPen(color, 1.5));
    painter.setBrush(fill);
    painter.drawEllipse(centre, radius, radius);
}

double tagWidth(const QString& text) {
    return QFontMetricsF(Theme::small()).horizontalAdvance(text) + tagGlyph + 3 * tagPadding;
}

void paintTag(QPainter& painter, const QRectF& place, const QString& text) {
    const Theme& theme = Theme::current();
    painter.fillRect(place, theme.warningBackground);
    paintGlyph(
        painter,
        QRectF(place.left() + tagPadding, place.center().y() - tagGlyph / 2, tagGlyph, tagGlyph),
        Glyph::Warning);
    painter.setFont(Theme::small());
    painter.setPen(theme.text);
    painter.drawText(
        place.adjusted(tagGlyph + 2 * tagPadding, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
}

} // namespace vitrine::ui
