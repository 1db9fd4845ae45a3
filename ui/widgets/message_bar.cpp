// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/message_bar.h"

#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/text_label.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPainter>
#include <QResizeEvent>
#include <QToolButton>

namespace vitrine::ui {

namespace {

constexpr int fieldWidth = 96;
constexpr int longestWord = 48; // characters; longer ones would widen the whole page

// An address or a path has no place to break a line; these have no width.
QString breakable(const QString& text) {
    QString result;
    int length = 0;
    for (const QChar c : text) {
        length = c.isSpace() ? 0 : length + 1;
        result += c;
        if (length >= longestWord && !c.isHighSurrogate()) {
            result += QChar(0x200B);
            length = 0;
        }
    }
    return result;
}

} // namespace

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent)
    , m_glyph(new GlyphLabel(this))
    , m_title(new TextLabel({}, TextSize::BodyStrong, TextTone::Text, this))
    , m_text(new TextLabel({}, TextSize::Body, TextTone::Text, this))
    , m_actions(new QHBoxLayout)
    , m_below(new QHBoxLayout(new QWidget(this)))
    , m_row(m_actions)
    , m_close(iconButton(tr("Dismiss"), u"close", this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(16, 8, 8, 8);
    layout->setSpacing(spacing::grid);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    texts->setContentsMargins(0, 4, 0, 4);
    m_title->setWordWrap(true);
    m_text->setWordWrap(true);
    m_text->makeSelectable();
    m_text->setFocusPolicy(Qt::ClickFocus);
    texts->addWidget(m_title);
    texts->addWidget(m_text);
    texts->addWidget(m_below->parentWidget());
    m_below->setContentsMargins(0, spacing::tight, 0, spacing::tight);
    m_below->setSpacing(spacing::grid);
    m_below->parentWidget()->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_below->parentWidget()->hide();
    auto* glyphColumn = new QVBoxLayout;
    glyphColumn->setContentsMargins(0, 6, 4, 0);
    glyphColumn->addWidget(m_glyph);
    glyphColumn->addStretch();
    layout->addLayout(glyphColumn);
    layout->addLayout(texts, 1);
    m_actions->setSpacing(spacing::grid);
    layout->addLayout(m_actions);
    layout->setAlignment(m_actions, Qt::AlignTop);
    layout->addWidget(m_close, 0, Qt::AlignTop);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    connect(m_close, &QToolButton::clicked, this, [this] {
        clear();
        Q_EMIT dismissed();
    });
    hide();
}

void MessageBar::showMessage(Kind kind, const QString& title, const QString& text) {
    clear();
    m_kind = kind;
    m_glyph->setGlyph(kind == Kind::Error     ? Glyph::Broken
                      : kind == Kind::Warning ? Glyph::Warning
                                              : Glyph::Info,
                      14);
    m_titleText = title;
    m_bodyText = text;
    m_title->setText(breakable(title));
    m_title->setVisible(!title.isEmpty());
    m_text->setText(breakable(text));
    m_text->setVisible(!text.isEmpty());
    setToolTip({});
    const QString all = title.isEmpty() ? text : title + QLatin1Char(' ') + text;
    setAccessibleName(all);
    show();
    update();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void MessageBar::showError(const Error& error, const QString& title) {
    if (error.isCancelled())
        return;
    showMessage(Kind::Error, title, error.message);
    setToolTip(error.detail.toHtmlEscaped());
}

// Tab goes through the bar as it is read: its controls, then the one that dismisses it.
void MessageBar::addToTabs(QWidget* control) {
    setTabOrder(m_lastControl != nullptr ? m_lastControl : m_text, control);
    setTabOrder(control, m_close);
    m_lastControl = control;
}

void MessageBar::addToRow(QWidget* control) {
    const bool stretched = m_row == m_below; // at its end
    m_row->insertWidget(stretched ? m_row->count() - 1 : m_row->count(), control);
}

QLineEdit* MessageBar::addField(const QString& label, const QString& text) {
    if (m_row != m_below) {
        m_row = m_below;
        m_below->addStretch();
        m_below->parentWidget()->show();
    }
    auto* field = new QLineEdit(text, this);
    field->setAccessibleName(label);
    field->setFixedWidth(fieldWidth);
    auto* name = new TextLabel(label, TextSize::Body, TextTone::Text, this);
    name->setBuddy(field);
    addToTabs(field);
    addToRow(name);
    addToRow(field);
    return field;
}

QPushButton* MessageBar::addAction(const QString& text, std::function<void()> action) {
    QPushButton* button = smallButton(text, {}, this);
    addToTabs(button);
    addToRow(button);
    connect(button, &QPushButton::clicked, this, [run = std::move(action)] {
        const auto keep = run; // the action may replace this message and this button
        if (keep)
            keep();
    });
    return button;
}

void MessageBar::setDismissible(bool dismissible) {
    m_close->setVisible(dismissible);
}

void MessageBar::clear() {
    m_lastControl = nullptr;
    for (QHBoxLayout* row : {m_actions, m_below})
        while (QLayoutItem* item = row->takeAt(0)) {
            if (QWidget* control = item->widget()) {
                control->hide();
                control->deleteLater();
            }
            delete item;
        }
    m_below->parentWidget()->hide();
    m_row = m_actions;
    hide();
}

QString MessageBar::text() const {
    return m_titleText.isEmpty() ? m_bodyText : m_titleText + QLatin1Char(' ') + m_bodyText;
}

QSize MessageBar::asHighAsTheText(QSize hint) const {
    if (m_laidOut && layout()->hasHeightForWidth())
        hint.setHeight(layout()->totalHeightForWidth(width()));
    return hint;
}

QSize MessageBar::sizeHint() const {
    return asHighAsTheText(QFrame::sizeHint());
}

QSize MessageBar::minimumSizeHint() const {
    return asHighAsTheText(QFrame::minimumSizeHint());
}

void MessageBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    if (event->oldSize().width() != event->size().width() || !m_laidOut) {
        m_laidOut = true;
        updateGeometry();
    }
}

void MessageBar::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    QColor background = theme.hintBackground;
    QColor bar = theme.accent;
    if (m_kind == Kind::Warning) {
        background = theme.warningBackground;
        bar = theme.warning;
    } else if (m_kind == Kind::Error) {
        background = theme.errorBackground;
        bar = theme.error;
    }
    painter.fillRect(rect(), background);
    painter.fillRect(QRect(0, 0, 3, height()), bar);
}

} // namespace vitrine::ui
