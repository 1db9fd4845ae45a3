// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/chart_picture.h"

#include "ui/bench/bench_chart.h"
#include "ui/theme/theme.h"

#include <QBuffer>
#include <QPainter>
#include <QSvgGenerator>

namespace vitrine::ui {

namespace {

constexpr int margin = 24;

void paint(QPainter& painter, BenchChart& chart, const QStringList& lines) {
    const Theme& theme = Theme::current();
    painter.fillRect(QRect(QPoint(), chartPictureSize), theme.surface);
    double top = margin;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QFont font = i == 0 ? Theme::heading() : Theme::small();
        const double width = chartPictureSize.width() - 2 * margin;
        painter.setFont(font);
        painter.setPen(i == 0 ? theme.text : theme.secondary);
        QRectF used; // a picture has no tool tip: whatever is long wraps
        painter.drawText(QRectF(margin, top, width, chartPictureSize.height() / 2.0),
                         Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignTop,
                         lines.at(i),
                         &used);
        top += used.height() + 2;
    }
    top += 8;
    chart.paintInto(painter,
                    QRectF(margin,
                           top,
                           chartPictureSize.width() - 2 * margin,
                           chartPictureSize.height() - top - margin));
}

} // namespace

QImage chartImage(BenchChart& chart, const QStringList& lines, double scale) {
    QImage image(chartPictureSize * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    paint(painter, chart, lines);
    return image;
}

QByteArray chartSvg(BenchChart& chart, const QStringList& lines) {
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(chartPictureSize);
    generator.setViewBox(QRect(QPoint(), chartPictureSize));
    generator.setResolution(96);
    generator.setTitle(lines.value(0).toHtmlEscaped()); // it is written as it stands
    QPainter painter(&generator);
    paint(painter, chart, lines);
    painter.end();
    return buffer.data();
}

} // namespace vitrine::ui
