// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/glyph_label.h"

#include <QPainter>

namespace vitrine::ui {

GlyphLabel::GlyphLabel(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

GlyphLabel::GlyphLabel(Glyph glyph, int size, QWidget* parent)
    : GlyphLabel(parent) {
    setGlyph(glyph, size);
}

void GlyphLabel::setGlyph(Glyph glyph, int size) {
    m_glyph = glyph;
    m_icon.clear();
    m_size = size;
    updateGeometry();
    update();
}

void GlyphLabel::setIcon(QStringView name, int size, IconTone tone) {
    m_glyph.reset();
    m_icon = name.toString();
    m_tone = tone;
    m_size = size;
    updateGeometry();
    update();
}

void GlyphLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF box((width() - m_size) / 2, (height() - m_size) / 2, m_size, m_size);
    const Theme& theme = Theme::current();
    if (m_glyph)
        paintGlyph(painter, box, *m_glyph);
    else if (!m_icon.isEmpty())
        paintThemeIcon(painter,
                       box,
                       m_icon,
                       m_tone == IconTone::Text     ? theme.text
                       : m_tone == IconTone::Accent ? theme.accent
                                                    : theme.secondary);
}

} // namespace vitrine::ui
