// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>

class QPainter;

namespace vitrine::ui {

// Shapes of a chart that Qt Charts does not have. Plain lines and polygons only, so that they look
// the same in a picture that is written as SVG.

// A bar; `hatched` for a figure that should not be quoted.
void paintBar(QPainter& painter, const QRectF& bar, const QColor& color, bool hatched);
// From `top` to `bottom`, with ends `width` wide.
void paintInterval(
    QPainter& painter, double x, double top, double bottom, double width, const QColor& color);
// Of a set that is shown beside another; filled unless the figure should not be quoted.
void paintDiamond(
    QPainter& painter, QPointF centre, double radius, const QColor& outline, const QColor& fill);
// Of a line.
void paintDot(
    QPainter& painter, QPointF centre, double radius, const QColor& color, const QColor& fill);
// A short text with a warning's triangle on the background of warnings; as wide as it needs.
void paintTag(QPainter& painter, const QRectF& place, const QString& text);
[[nodiscard]] double tagWidth(const QString& text);

} // namespace vitrine::ui
