// SPDX-License-Identifier: Apache-2.0
#include "ui/transfers/progress_line.h"

#include "ui/theme/theme.h"

#include <QAccessible>
#include <QPainter>

#include <algorithm>

namespace vitrine::ui {

void paintProgressLine(QPainter& painter, const QRectF& rect, double fraction, const QColor& fill) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const qreal radius = rect.height() / 2;
    painter.setBrush(Theme::current().separator);
    painter.drawRoundedRect(rect, radius, radius);
    if (fraction <= 0)
        return;
    QRectF filled = rect;
    filled.setWidth(std::max(rect.height(), rect.width() * std::min(1.0, fraction)));
    painter.setBrush(fill);
    painter.drawRoundedRect(filled, radius, radius);
}

ProgressLine::ProgressLine(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFixedHeight(spacing::progressTrack);
}

void ProgressLine::setFraction(std::optional<double> fraction, Tone tone) {
    const auto pixels = [this](const std::optional<double>& value) {
        return value ? static_cast<int>(*value * width()) : -1;
    };
    const bool repaint = pixels(fraction) != pixels(m_fraction) || tone != m_tone;
    m_fraction = fraction;
    m_tone = tone;
    if (!repaint)
        return;
    setAccessibleDescription(fraction ? tr("%1 percent").arg(static_cast<int>(*fraction * 100))
                                      : tr("Size not known yet"));
    update();
}

QSize ProgressLine::sizeHint() const {
    return {120, spacing::progressTrack};
}

void ProgressLine::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    const QColor fill = m_tone == Tone::Done     ? theme.running
                        : m_tone == Tone::Failed ? theme.error
                                                 : theme.accent;
    QPainter painter(this);
    paintProgressLine(painter, QRectF(rect()), m_fraction.value_or(0.0), fill);
}

} // namespace vitrine::ui
