// SPDX-License-Identifier: Apache-2.0
#include "ui/console/console_notice.h"

#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

constexpr int textWidth = 480;  // pixels
constexpr int logHeight = 160;  // pixels
constexpr int largeIcon = 32;   // pixels
constexpr int longestLog = 200; // lines

} // namespace

ConsoleNotice::ConsoleNotice(QWidget* parent)
    : QWidget(parent)
    , m_icon(new GlyphLabel(this))
    , m_title(new TextLabel({}, TextSize::Heading, TextTone::Text, this))
    , m_text(new TextLabel({}, TextSize::Body, TextTone::Secondary, this))
    , m_button(primaryButton({}, {}, this))
    , m_log(new QPlainTextEdit(this)) {
    m_icon->setIcon(u"display", largeIcon);
    m_title->setAlignment(Qt::AlignCenter);
    m_title->setWordWrap(true);
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setWordWrap(true);
    m_text->setFixedWidth(textWidth);
    m_log->setReadOnly(true);
    m_log->setFont(Theme::fixed());
    m_log->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_log->setMaximumBlockCount(longestLog);
    m_log->setFixedHeight(logHeight);
    m_log->setMaximumWidth(2 * textWidth);
    m_log->setTabChangesFocus(true);
    m_log->setAccessibleName(tr("Log of the machine"));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(spacing::pageHorizontal,
                               spacing::pageVertical,
                               spacing::pageHorizontal,
                               spacing::pageVertical);
    layout->setSpacing(spacing::grid);
    layout->addStretch();
    layout->addWidget(m_icon, 0, Qt::AlignHCenter);
    layout->addWidget(m_title);
    layout->addWidget(m_text, 0, Qt::AlignHCenter);
    layout->addSpacing(spacing::grid);
    layout->addWidget(m_button, 0, Qt::AlignHCenter);
    auto* logLine = new QHBoxLayout;
    logLine->addStretch(1);
    logLine->addWidget(m_log, 8);
    logLine->addStretch(1);
    layout->addLayout(logLine);
    layout->addStretch();
    connect(m_button, &QPushButton::clicked, this, &ConsoleNotice::actionRequested);
    setAction({});
    setLog({});
}

void ConsoleNotice::setIcon(QStringView name) {
    m_icon->setIcon(name, largeIcon);
}

void ConsoleNotice::setTexts(const QString& title, const QString& text) {
    m_title->setText(title);
    m_text->setText(text);
    m_text->setVisible(!text.isEmpty());
    m_text->setMinimumHeight(text.isEmpty() ? 0 : m_text->heightForWidth(textWidth));
}

void ConsoleNotice::setAction(const QString& text) {
    m_button->setText(text);
    m_button->setVisible(!text.isEmpty());
}

void ConsoleNotice::setLog(const QString& log) {
    m_log->setVisible(!log.isEmpty());
    if (log != m_log->toPlainText()) {
        m_log->setPlainText(log);
        m_log->verticalScrollBar()->setValue(m_log->verticalScrollBar()->maximum());
    }
}

QString ConsoleNotice::title() const {
    return m_title->text();
}

QString ConsoleNotice::text() const {
    return m_text->text();
}

QString ConsoleNotice::log() const {
    return m_log->toPlainText();
}

} // namespace vitrine::ui
