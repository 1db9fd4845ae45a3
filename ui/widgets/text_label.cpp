// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/text_label.h"

#include "ui/theme/theme.h"

#include <QEvent>

namespace vitrine::ui {

QFont fontOf(TextSize size) {
    switch (size) {
    case TextSize::Small:
        return Theme::small();
    case TextSize::SmallStrong:
        return Theme::smallStrong();
    case TextSize::Body:
        return Theme::body();
    case TextSize::BodyStrong:
        return Theme::bodyStrong();
    case TextSize::Heading:
        return Theme::heading();
    case TextSize::PageTitle:
        return Theme::pageTitle();
    case TextSize::Fixed:
        return Theme::fixed();
    }
    return Theme::body();
}

TextLabel::TextLabel(const QString& text, TextSize size, TextTone tone, QWidget* parent)
    : QLabel(parent)
    , m_tone(tone) {
    setTextFormat(Qt::PlainText);
    setForegroundRole(QPalette::WindowText); // whatever the page's background is
    setFont(fontOf(size));
    setText(text);
    applyTone();
}

void TextLabel::setTone(TextTone tone) {
    m_tone = tone;
    applyTone();
}

void TextLabel::makeSelectable() {
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setCursor(Qt::IBeamCursor);
}

void TextLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if ((event->type() == QEvent::PaletteChange ||
         event->type() == QEvent::ApplicationPaletteChange) &&
        !m_applying)
        applyTone();
}

void TextLabel::applyTone() {
    const Theme& theme = Theme::current();
    const auto color = [&] {
        switch (m_tone) {
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
    }();
    QPalette changed;
    for (const auto group : {QPalette::Active, QPalette::Inactive})
        changed.setColor(group, QPalette::WindowText, color);
    m_applying = true;
    setPalette(changed);
    m_applying = false;
}

TextLabel* sectionHeading(const QString& text, QWidget* parent) {
    return new TextLabel(text, TextSize::Heading, TextTone::Text, parent);
}

TextLabel* helpLabel(const QString& text, QWidget* parent) {
    auto* label = new TextLabel(text, TextSize::Small, TextTone::Secondary, parent);
    label->setWordWrap(true);
    return label;
}

} // namespace vitrine::ui
