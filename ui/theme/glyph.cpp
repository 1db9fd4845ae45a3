// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/theme.h"

#include <QGuiApplication>
#include <QPainter>
#include <QPainterPath>

namespace vitrine::ui {

namespace {

// All shapes are drawn on a grid of 12 units.
QPainterPath disc(double radius) {
    QPainterPath path;
    path.addEllipse(QPointF(6, 6), radius, radius);
    return path;
}

QPainterPath triangle(double left, double top, double right, double bottom) {
    QPainterPath path;
    path.moveTo(left, top);
    path.lineTo(right, (top + bottom) / 2);
    path.lineTo(left, bottom);
    path.closeSubpath();
    return path;
}

QPainterPath exclamationMark(double top, double bottom) {
    QPainterPath path;
    path.addRoundedRect(QRectF(5.3, top, 1.4, bottom - top - 2.1), 0.5, 0.5);
    path.addEllipse(QPointF(6, bottom - 0.7), 0.85, 0.85);
    return path;
}

QPainterPath octagon() {
    QPainterPath path;
    path.addPolygon(QPolygonF({{3.6, 0.2},
                               {8.4, 0.2},
                               {11.8, 3.6},
                               {11.8, 8.4},
                               {8.4, 11.8},
                               {3.6, 11.8},
                               {0.2, 8.4},
                               {0.2, 3.6}}));
    path.closeSubpath();
    return path;
}

QPainterPath crescent() {
    QPainterPath bite;
    bite.addEllipse(QPointF(8.3, 3.7), 4.6, 4.6);
    return disc(5.6).subtracted(bite);
}

QPainterPath warningTriangle() {
    QPainterPath path;
    path.moveTo(6, 0.6);
    path.lineTo(11.8, 11.2);
    path.lineTo(0.2, 11.2);
    path.closeSubpath();
    return path;
}

void stroke(QPainter& painter, const QColor& color, double width) {
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
}

} // namespace

Glyph glyphOf(MachineState state) {
    switch (state) {
    case MachineState::Stopped:
        return Glyph::Stopped;
    case MachineState::Starting:
    case MachineState::ShuttingDown:
    case MachineState::Suspending:
        return Glyph::Waiting;
    case MachineState::Running:
        return Glyph::Running;
    case MachineState::Paused:
        return Glyph::Paused;
    case MachineState::Suspended:
        return Glyph::Suspended;
    case MachineState::RunningElsewhere:
        return Glyph::Elsewhere;
    case MachineState::Broken:
        return Glyph::Broken;
    }
    return Glyph::Broken;
}

void paintGlyph(QPainter& painter, const QRectF& rect, Glyph glyph) {
    paintGlyph(painter, rect, glyph, Theme::current().color(glyph));
}

void paintGlyph(QPainter& painter, const QRectF& rect, Glyph glyph, const QColor& color) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(rect.topLeft());
    painter.scale(rect.width() / 12, rect.height() / 12);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    switch (glyph) {
    case Glyph::Running:
        painter.drawPath(disc(5.8).subtracted(triangle(4.4, 3.2, 9.2, 8.8)));
        break;
    case Glyph::Paused:
        painter.drawRect(QRectF(1.5, 0.5, 3.2, 11));
        painter.drawRect(QRectF(7.3, 0.5, 3.2, 11));
        break;
    case Glyph::Suspended:
        painter.drawPath(crescent());
        break;
    case Glyph::Stopped:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color, 1.5, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
        painter.drawRect(QRectF(1.25, 1.25, 9.5, 9.5));
        break;
    case Glyph::Elsewhere:
        painter.drawPath(triangle(4.5, 3.4, 8.9, 8.6));
        stroke(painter, color, 1.4);
        painter.drawPath(disc(5.1));
        break;
    case Glyph::Broken:
        painter.drawPath(octagon().subtracted(exclamationMark(2.4, 9.8)));
        break;
    case Glyph::Warning:
        painter.drawPath(warningTriangle().subtracted(exclamationMark(3.9, 10.2)));
        break;
    case Glyph::Done:
        stroke(painter, color, 1.9);
        painter.drawPolyline(QPolygonF({{1.3, 6.5}, {4.6, 9.7}, {10.7, 2.5}}));
        break;
    case Glyph::Blocked:
        stroke(painter, color, 1.6);
        painter.drawPath(disc(5));
        painter.drawLine(QPointF(2.5, 2.5), QPointF(9.5, 9.5));
        break;
    case Glyph::Waiting:
        stroke(painter, color, 1.4);
        painter.drawPath(disc(5.1));
        painter.drawPolyline(QPolygonF({{6, 3}, {6, 6.2}, {8, 7.5}}));
        break;
    case Glyph::Fetching:
        stroke(painter, color, 1.5);
        painter.drawLine(QPointF(6, 0.9), QPointF(6, 7));
        painter.drawPolyline(QPolygonF({{3.2, 4.5}, {6, 7.2}, {8.8, 4.5}}));
        painter.drawPolyline(QPolygonF({{0.9, 7.8}, {0.9, 11}, {11.1, 11}, {11.1, 7.8}}));
        break;
    case Glyph::Info:
        painter.drawEllipse(QPointF(6, 3.5), 0.85, 0.85);
        stroke(painter, color, 1.4);
        painter.drawPath(disc(5.1));
        painter.drawLine(QPointF(6, 5.8), QPointF(6, 8.6));
        break;
    }
    painter.restore();
}

QPixmap glyphPixmap(Glyph glyph, int size) {
    const double ratio = qGuiApp->devicePixelRatio();
    QPixmap pixmap(qRound(size * ratio), qRound(size * ratio));
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintGlyph(painter, QRectF(0, 0, size, size), glyph);
    return pixmap;
}

QPixmap stateGlyph(MachineState state, int size) {
    return glyphPixmap(glyphOf(state), size);
}

} // namespace vitrine::ui
