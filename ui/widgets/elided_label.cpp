// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/elided_label.h"

#include "ui/theme/theme.h"

#include <QPainter>

#include <algorithm>

namespace vitrine::ui {

namespace {

QColor toneColor(TextTone tone) {
    const Theme& theme = Theme::current();
    switch (tone) {
    case TextTone::Text:
        return theme.text;
    case TextTone::Secondary:
        return theme.secondary;
    case TextTone::Disabled:
        return theme.disabled;
    case TextTone::Accent:
        return theme.accent;
    case TextTone::Error:
        return theme.error;
    case TextTone::Warning:
        return theme.warning;
    case TextTone::Running:
        return theme.running;
    }
    return theme.text;
}

} // namespace

ElidedLabel::ElidedLabel(
    const QString& text, Qt::TextElideMode mode, TextSize size, TextTone tone, QWidget* parent)
    : QWidget(parent)
    , m_mode(mode)
    , m_tone(tone) {
    setFont(fontOf(size));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setText(text);
}

void ElidedLabel::setText(const QString& text) {
    if (m_text == text && !text.isEmpty())
        return;
    m_text = text;
    setAccessibleName(text);
    updateToolTip();
    updateGeometry();
    update();
}

void ElidedLabel::setTone(TextTone tone) {
    m_tone = tone;
    update();
}

void ElidedLabel::setMaximumTextWidth(int pixels) {
    m_maximum = pixels;
    updateGeometry();
}

QSize ElidedLabel::sizeHint() const {
    const int width = fontMetrics().horizontalAdvance(m_text) + 1;
    return {m_maximum > 0 ? std::min(width, m_maximum) : width, fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    const int few = fontMetrics().horizontalAdvance(QStringLiteral("mmmm"));
    return {std::min(few, sizeHint().width()), fontMetrics().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(isEnabled() ? toneColor(m_tone) : Theme::current().disabled);
    painter.drawText(rect(),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     fontMetrics().elidedText(m_text, m_mode, width()));
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    updateToolTip();
}

void ElidedLabel::updateToolTip() {
    const bool fits = fontMetrics().horizontalAdvance(m_text) <= width();
    // Escaped: a tool tip would otherwise take text from outside for markup.
    setToolTip(fits ? QString() : m_text.toHtmlEscaped());
}

} // namespace vitrine::ui
