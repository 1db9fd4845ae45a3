// SPDX-License-Identifier: Apache-2.0
#include "ui/kernel/kernel_output.h"

#include "ui/theme/theme.h"

#include <QEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextOption>

#include <utility>

namespace vitrine::ui {

namespace {

constexpr int moment = 80; // ms between what comes and what is shown

bool isHarmless(QChar character) {
    if (character == QLatin1Char('\t'))
        return true;
    const QChar::Category category = character.category();
    return category != QChar::Other_Control && category != QChar::Other_Format &&
           category != QChar::Separator_Line && category != QChar::Separator_Paragraph;
}

QString harmless(QStringView text) {
    QString clean = text.toString();
    for (QChar& character : clean) {
        if (!isHarmless(character))
            character = QChar(QChar::ReplacementCharacter);
    }
    return clean;
}

} // namespace

KernelOutput::KernelOutput(QWidget* parent)
    : QPlainTextEdit(parent)
    , m_margin(new QWidget(this)) {
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setUndoRedoEnabled(false);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    setMaximumBlockCount(mostLines);
    setTabChangesFocus(true);
    setFont(Theme::fixed());
    setAccessibleName(tr("Output of the command"));
    setAccessibleDescription(tr("Lines of standard error are marked with err."));
    setPlaceholderText(tr("What the command prints appears here."));
    m_margin->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_margin->installEventFilter(this);
    setViewportMargins(marginWidth(), 0, 0, 0);
    m_soon.setSingleShot(true);
    m_soon.setInterval(moment);
    connect(&m_soon, &QTimer::timeout, this, &KernelOutput::flush);
    connect(this, &QPlainTextEdit::updateRequest, m_margin, qOverload<>(&QWidget::update));
}

void KernelOutput::add(Stream stream, const QByteArray& bytes) {
    Source& source = m_sources.at(static_cast<std::size_t>(stream));
    const QString text = source.decoder.decode(bytes);
    qsizetype begin = 0;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar character = text.at(i);
        const bool afterReturn = std::exchange(source.atReturn, character == QLatin1Char('\r'));
        if (character == QLatin1Char('\n') && afterReturn) {
            begin = i + 1; // one end of line
        } else if (character == QLatin1Char('\n') || character == QLatin1Char('\r')) {
            take(stream, QStringView(text).sliced(begin, i - begin), true);
            begin = i + 1;
        }
    }
    if (begin < text.size())
        take(stream, QStringView(text).sliced(begin), false);
    if (!m_soon.isActive())
        m_soon.start();
}

void KernelOutput::take(Stream stream, QStringView text, bool endsLine) {
    do {
        const bool goesOn = m_open && m_lastStream == stream && m_length < longestLine;
        const qsizetype room = goesOn ? longestLine - m_length : longestLine;
        const QStringView part = text.left(room);
        text = text.sliced(part.size());
        if (goesOn && !m_pending.isEmpty())
            m_pending.last().text += harmless(part);
        else
            m_pending.append({stream, goesOn, harmless(part)});
        m_length = (goesOn ? m_length : 0) + part.size();
        m_lastStream = stream;
        m_open = true;
    } while (!text.isEmpty());
    m_open = !endsLine;
    if (m_pending.size() > 2 * mostLines) {
        m_pending.remove(0, m_pending.size() - mostLines);
        m_cut = true;
    }
}

QTextCharFormat KernelOutput::formatOf(Stream stream) {
    QTextCharFormat format;
    if (stream == Stream::Errors) {
        format.setFontItalic(true);
        format.setForeground(Theme::current().error);
    }
    return format;
}

void KernelOutput::flush() {
    if (m_pending.isEmpty())
        return;
    const bool wasCut = m_cut;
    if (m_pending.size() > mostLines) {
        m_pending.remove(0, m_pending.size() - mostLines);
        m_cut = true;
    }
    if (m_pending.size() == mostLines && !document()->isEmpty()) {
        clear();
        m_cut = true;
    }
    const bool atEnd = verticalScrollBar()->value() >= verticalScrollBar()->maximum();
    bool first = document()->isEmpty() && document()->firstBlock().userState() < 0;
    QTextCursor cursor(document());
    cursor.movePosition(QTextCursor::End);
    cursor.beginEditBlock();
    int lines = document()->blockCount();
    for (const Line& line : std::as_const(m_pending)) {
        if (!line.goesOn && !first) {
            cursor.insertBlock();
            ++lines;
        }
        first = false;
        cursor.insertText(line.text, formatOf(line.stream));
        cursor.block().setUserState(static_cast<int>(line.stream));
    }
    cursor.endEditBlock();
    m_cut = m_cut || lines > mostLines;
    m_pending.clear();
    if (atEnd)
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
    m_margin->update();
    if (m_cut && !wasCut)
        Q_EMIT cutChanged(true);
}

void KernelOutput::reset() {
    clear();
    document()->firstBlock().setUserState(-1);
    m_pending.clear();
    m_sources = {};
    m_open = false;
    m_length = 0;
    if (std::exchange(m_cut, false))
        Q_EMIT cutChanged(false);
    m_margin->update();
}

KernelOutput::Stream KernelOutput::streamOf(int line) const {
    return document()->findBlockByNumber(line).userState() == static_cast<int>(Stream::Errors)
               ? Stream::Errors
               : Stream::Output;
}

int KernelOutput::marginWidth() const {
    return QFontMetrics(Theme::small()).horizontalAdvance(tr("err")) + 2 * spacing::tight;
}

void KernelOutput::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    const QRect area = contentsRect();
    m_margin->setGeometry(area.left(), area.top(), marginWidth(), viewport()->height());
}

void KernelOutput::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        colour();
}

// Colours are of the text; those of a change of scheme have to be set again.
void KernelOutput::colour() {
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        if (block.userState() != static_cast<int>(Stream::Errors))
            continue;
        QTextCursor cursor(block);
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        cursor.setCharFormat(formatOf(Stream::Errors));
    }
}

bool KernelOutput::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_margin && event->type() == QEvent::Paint) {
        paintMargin();
        return true;
    }
    return QPlainTextEdit::eventFilter(watched, event);
}

void KernelOutput::paintMargin() {
    QPainter painter(m_margin);
    painter.setFont(Theme::small());
    painter.setPen(Theme::current().error);
    QTextBlock block = firstVisibleBlock();
    while (block.isValid()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() > m_margin->height())
            break;
        if (block.userState() == static_cast<int>(Stream::Errors))
            painter.drawText(
                QRectF(0, place.top(), m_margin->width() - spacing::tight, fontMetrics().height()),
                Qt::AlignRight | Qt::AlignVCenter,
                tr("err"));
        block = block.next();
    }
}

} // namespace vitrine::ui
