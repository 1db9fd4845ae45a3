// SPDX-License-Identifier: Apache-2.0
#include "ui/console/console_status_line.h"

#include "ui/theme/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QPainter>

namespace vitrine::ui {

namespace {

constexpr int lineHeight = 32; // pixels

} // namespace

ConsoleStatusLine::ConsoleStatusLine(QWidget* parent)
    : QWidget(parent)
    , m_icon(new GlyphLabel(this))
    , m_strong(new TextLabel({}, TextSize::SmallStrong, TextTone::Text, this))
    , m_text(new ElidedLabel({}, Qt::ElideRight, TextSize::Small, TextTone::Text, this))
    , m_tick(new GlyphLabel(this))
    , m_clipboard(new TextLabel({}, TextSize::Small, TextTone::Secondary, this))
    , m_rate(new TextLabel({}, TextSize::Small, TextTone::Secondary, this)) {
    setFixedHeight(lineHeight);
    m_icon->setIcon(u"keyboard", 16, GlyphLabel::IconTone::Text);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(2 * spacing::grid, 1, 2 * spacing::grid, 0);
    layout->setSpacing(spacing::tight);
    layout->addWidget(m_icon);
    layout->addSpacing(spacing::tight);
    layout->addWidget(m_strong);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_tick);
    layout->addWidget(m_clipboard);
    layout->addSpacing(spacing::grid);
    layout->addWidget(m_rate);
    setKeyboard(Keyboard::Unavailable);
    setRate(-1);
    setClipboard({}, false);
}

void ConsoleStatusLine::setKeyboard(Keyboard keyboard, const QString& note) {
    m_icon->setVisible(keyboard != Keyboard::Unavailable);
    m_strong->setVisible(keyboard == Keyboard::InGuest || keyboard == Keyboard::InTerminal);
    m_text->setVisible(keyboard != Keyboard::Unavailable);
    switch (keyboard) {
    case Keyboard::Unavailable:
        m_strong->setText({});
        m_text->setText({});
        break;
    case Keyboard::Here:
        m_strong->setText({});
        m_text->setTone(TextTone::Secondary);
        m_text->setText(tr("Click the screen, or press Enter on it, to type in the guest."));
        break;
    case Keyboard::InGuest: {
        m_strong->setText(tr("Keyboard is in the guest."));
        m_text->setTone(TextTone::Text);
        const QString how =
            tr("Press Right Ctrl to give it back; Vitrine's own shortcuts wait until then.");
        m_text->setText(note.isEmpty() ? how : how + QLatin1Char(' ') + note);
        break;
    }
    case Keyboard::AtTerminal:
        m_strong->setText({});
        m_text->setTone(TextTone::Secondary);
        m_text->setText(tr("Click the serial console to type in the guest."));
        break;
    case Keyboard::InTerminal:
        m_strong->setText(tr("Keyboard is in the guest."));
        m_text->setTone(TextTone::Text);
        m_text->setText(tr("Press Right Ctrl to give it back; Ctrl+Shift+C copies, Ctrl+Shift+V "
                           "pastes."));
        break;
    }
    setAccessibleName(text());
}

void ConsoleStatusLine::setRate(int updatesPerSecond) {
    m_rate->setText(updatesPerSecond < 0
                        ? QString()
                        : tr("%1 frames/s").arg(QLocale().toString(updatesPerSecond)));
}

void ConsoleStatusLine::setClipboard(const QString& text, bool shared) {
    m_tick->setGlyph(Glyph::Done);
    m_tick->setVisible(shared && !text.isEmpty());
    m_clipboard->setText(text);
    m_clipboard->setVisible(!text.isEmpty());
}

QString ConsoleStatusLine::clipboardText() const {
    return m_clipboard->text();
}

QString ConsoleStatusLine::text() const {
    return m_strong->text().isEmpty() ? m_text->text()
                                      : m_strong->text() + QLatin1Char(' ') + m_text->text();
}

QString ConsoleStatusLine::rateText() const {
    return m_rate->text();
}

void ConsoleStatusLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.surface);
    painter.fillRect(QRect(0, 0, width(), 1), theme.separator);
}

} // namespace vitrine::ui
