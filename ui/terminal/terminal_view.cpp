// SPDX-License-Identifier: Apache-2.0
#include "ui/terminal/terminal_view.h"

#include "core/terminal/terminal_surface.h"
#include "ui/terminal/terminal_colours.h"
#include "ui/terminal/terminal_keys.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QFontMetricsF>
#include <QInputMethodEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <cmath>

namespace vitrine::ui {

namespace {

constexpr int room = 6; // pixels around the grid
constexpr int ringWidth = 2;
constexpr int scrollPace = 60;                // ms
constexpr int flashTime = 120;                // ms
constexpr quint32 rightControlScanCode = 105; // X11 and Wayland: evdev's 97 plus 8

bool isRightControl(const QKeyEvent& event) {
    return event.key() == Qt::Key_Control && event.nativeScanCode() == rightControlScanCode;
}

} // namespace

TerminalView::TerminalView(QWidget* parent)
    : QAbstractScrollArea(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    setAttribute(Qt::WA_InputMethodEnabled);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    viewport()->setCursor(Qt::IBeamCursor);
    verticalScrollBar()->setFocusPolicy(Qt::NoFocus);
    m_scrolling.setInterval(scrollPace);
    m_flash.setSingleShot(true);
    m_flash.setInterval(flashTime);
    connect(&m_scrolling, &QTimer::timeout, this, &TerminalView::scrollWhileMarking);
    connect(&m_flash, &QTimer::timeout, viewport(), qOverload<>(&QWidget::update));
    measure();
}

TerminalView::~TerminalView() = default;

void TerminalView::setSurface(TerminalSurface* surface) {
    if (m_surface) {
        m_surface->disconnect(this);
    }
    m_surface = surface;
    m_selection.clear();
    if (m_surface) {
        connect(m_surface, &TerminalSurface::changed, this, &TerminalView::surfaceChanged);
        connect(m_surface, &TerminalSurface::scrolled, this, &TerminalView::surfaceScrolled);
        connect(m_surface, &TerminalSurface::bell, this, [this] {
            m_flash.start();
            viewport()->update();
        });
        fitSurface();
    }
    applyScrollBar(true);
    markChanged();
}

void TerminalView::measure() {
    m_font = Theme::fixed();
    m_font.setStyleStrategy(QFont::PreferAntialias);
    m_font.setKerning(false);
    m_boldFont = m_font;
    m_boldFont.setBold(true);
    const QFontMetricsF metrics(m_font);
    m_cellWidth = qMax(4, static_cast<int>(std::ceil(metrics.horizontalAdvance(u'M'))));
    m_cellHeight = qMax(8, static_cast<int>(std::ceil(metrics.height())) + 1);
    m_ascent = static_cast<int>(std::ceil(metrics.ascent()));
}

TerminalSize TerminalView::gridSize() const {
    const QSize space = viewport()->size() - QSize(2 * room, 2 * room);
    return {qBound(TerminalSurface::smallest.rows,
                   space.height() / m_cellHeight,
                   TerminalSurface::largest.rows),
            qBound(TerminalSurface::smallest.columns,
                   space.width() / m_cellWidth,
                   TerminalSurface::largest.columns)};
}

void TerminalView::fitSurface() {
    // Hidden views have sizes that mean nothing, and what is cut off does not come back.
    if (m_surface && isVisible() && m_surface->size() != gridSize()) {
        m_surface->resize(gridSize());
        Q_EMIT gridSizeChanged();
    }
}

QSize TerminalView::sizeHint() const {
    return {80 * m_cellWidth + 2 * room + verticalScrollBar()->sizeHint().width(),
            24 * m_cellHeight + 2 * room};
}

void TerminalView::applyScrollBar(bool toEnd) {
    QScrollBar* bar = verticalScrollBar();
    const int lines = m_surface ? m_surface->scrollbackLines() : 0;
    bar->setPageStep(m_surface ? m_surface->size().rows : 1);
    bar->setSingleStep(1);
    bar->setRange(0, lines);
    if (toEnd) {
        bar->setValue(lines);
    }
    viewport()->update();
}

void TerminalView::surfaceChanged() {
    const QScrollBar* bar = verticalScrollBar();
    applyScrollBar(bar->value() == bar->maximum());
}

// Who reads further up keeps what is read where it is.
void TerminalView::surfaceScrolled(int lines, int dropped) {
    Q_UNUSED(lines)
    if (dropped > 0) {
        m_selection.linesDropped(dropped);
        QScrollBar* bar = verticalScrollBar();
        if (bar->value() != bar->maximum()) {
            bar->setValue(bar->value() - dropped);
        }
    }
}

void TerminalView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    const QRgb ground =
        m_surface && m_surface->isReversed() ? terminal::foreground : terminal::background;
    painter.fillRect(event->rect(), QColor::fromRgb(ground));
    if (m_surface) {
        const int first = verticalScrollBar()->value();
        for (int row = 0; row < m_surface->size().rows; ++row) {
            const int y = room + row * m_cellHeight;
            if (event->rect().intersects(QRect(0, y, viewport()->width(), m_cellHeight))) {
                paintLine(painter, first + row, y);
            }
        }
        paintCursor(painter);
    }
    const QRect all = viewport()->rect();
    if (hasFocus() || m_flash.isActive()) {
        const QRect inside = all.adjusted(ringWidth, ringWidth, -ringWidth, -ringWidth);
        const QColor colour =
            m_flash.isActive() ? Theme::current().paused : Theme::current().accent;
        for (const QRect& side : QRegion(all) - inside) {
            painter.fillRect(side, colour);
        }
    }
}

// Neighbours of one look are drawn as one text where every character is as wide as a cell.
void TerminalView::paintLine(QPainter& painter, int index, int y) {
    const TerminalLine line = m_surface->line(index);
    const bool reversed = m_surface->isReversed();
    const int columns = m_surface->size().columns;
    const auto look = [&](int column) {
        const TerminalCell cell = column < line.size() ? line.at(column) : TerminalCell();
        return std::pair(cellColours(cell, reversed, m_selection.contains({index, column})),
                         cell.styles & ~TerminalCell::Reverse);
    };
    const auto isSimple = [&](int column) {
        const TerminalCell& cell = line.at(column);
        return cell.width == 1 && cell.characters[0] < 0x250 && cell.characters[1] == 0;
    };
    const CellColours plain = cellColours({}, reversed, false);
    int column = 0;
    while (column < columns) {
        const auto here = look(column);
        int end = column + 1;
        while (end < columns && look(end) == here) {
            ++end;
        }
        const QRect area(
            room + column * m_cellWidth, y, (end - column) * m_cellWidth, m_cellHeight);
        if (here.first.background != plain.background ||
            here.first.foreground != plain.foreground) {
            painter.fillRect(area, QColor::fromRgb(here.first.background));
        }
        painter.setPen(QColor::fromRgb(here.first.foreground));
        QFont font = (here.second & TerminalCell::Bold) != 0 ? m_boldFont : m_font;
        if ((here.second & TerminalCell::Italic) != 0) {
            font.setItalic(true);
        }
        painter.setFont(font);
        const int textEnd = qMin(end, static_cast<int>(line.size()));
        for (int from = column; from < textEnd;) {
            QString text;
            int to = from;
            while (to < textEnd && isSimple(to)) {
                text += line.at(to).isBlank() ? QStringLiteral(" ") : line.at(to).text();
                ++to;
            }
            if (to == from) {
                text = line.at(to).text(); // alone: its font may be another, with other widths
                ++to;
            }
            if (!text.trimmed().isEmpty()) {
                painter.drawText(room + from * m_cellWidth, y + m_ascent, text);
            }
            from = to;
        }
        if ((here.second & TerminalCell::Underline) != 0) {
            painter.fillRect(area.x(), y + m_ascent + 2, area.width(), 1, painter.pen().color());
        }
        if ((here.second & TerminalCell::Strike) != 0) {
            painter.fillRect(
                area.x(), y + m_ascent * 2 / 3, area.width(), 1, painter.pen().color());
        }
        column = end;
    }
}

void TerminalView::paintCursor(QPainter& painter) {
    const TerminalCursor cursor = m_surface->cursor();
    const int row = m_surface->scrollbackLines() + cursor.row - verticalScrollBar()->value();
    if (!cursor.visible || row >= m_surface->size().rows) {
        return;
    }
    QRect area(
        room + cursor.column * m_cellWidth, room + row * m_cellHeight, m_cellWidth, m_cellHeight);
    const QColor colour =
        QColor::fromRgb(m_surface->isReversed() ? terminal::background : terminal::foreground);
    if (!hasFocus()) {
        painter.setPen(colour);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(area.adjusted(0, 0, -1, -1));
        return;
    }
    switch (cursor.shape) {
    case TerminalCursor::Shape::Underline:
        area.setTop(area.bottom() - 1);
        break;
    case TerminalCursor::Shape::Bar:
        area.setWidth(2);
        break;
    case TerminalCursor::Shape::Block:
        break;
    }
    painter.fillRect(area, colour);
    const TerminalLine line = m_surface->line(m_surface->scrollbackLines() + cursor.row);
    if (cursor.shape == TerminalCursor::Shape::Block && cursor.column < line.size() &&
        !line.at(cursor.column).isBlank()) {
        painter.setPen(
            QColor::fromRgb(m_surface->isReversed() ? terminal::foreground : terminal::background));
        painter.setFont(m_font);
        painter.drawText(area.x(), area.y() + m_ascent, line.at(cursor.column).text());
    }
}

void TerminalView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    fitSurface();
    surfaceChanged();
}

bool TerminalView::isOurs(const QKeyEvent& event) const {
    const Qt::KeyboardModifiers held = event.modifiers() & ~Qt::KeypadModifier;
    if (held == (Qt::ControlModifier | Qt::ShiftModifier)) {
        return event.key() == Qt::Key_C || event.key() == Qt::Key_V || event.key() == Qt::Key_A;
    }
    return held == Qt::ShiftModifier &&
           (event.key() == Qt::Key_PageUp || event.key() == Qt::Key_PageDown);
}

bool TerminalView::event(QEvent* event) {
    switch (event->type()) {
    case QEvent::ShortcutOverride:
        event->accept(); // the window's own shortcuts wait while the keyboard is in the guest
        return true;
    case QEvent::Show:
        fitSurface();
        break;
    default:
        break;
    }
    return QAbstractScrollArea::event(event);
}

void TerminalView::keyPressEvent(QKeyEvent* event) {
    event->accept();
    m_rightControl = isRightControl(*event) && !event->isAutoRepeat();
    if (!m_surface) {
        return;
    }
    if (isOurs(*event)) {
        switch (event->key()) {
        case Qt::Key_C:
            copy();
            break;
        case Qt::Key_V:
            paste();
            break;
        case Qt::Key_A:
            selectAll();
            break;
        case Qt::Key_PageUp:
            verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepSub);
            break;
        default:
            verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepAdd);
            break;
        }
        return;
    }
    if (pressTerminalKey(*m_surface, *event)) {
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
        m_selection.clear();
        markChanged();
    }
}

void TerminalView::keyReleaseEvent(QKeyEvent* event) {
    event->accept();
    if (isRightControl(*event) && m_rightControl) {
        m_rightControl = false;
        Q_EMIT keyboardGivenBack();
    }
}

void TerminalView::inputMethodEvent(QInputMethodEvent* event) {
    if (m_surface && !event->commitString().isEmpty()) {
        m_surface->type(event->commitString());
    }
    event->accept();
}

QVariant TerminalView::inputMethodQuery(Qt::InputMethodQuery query) const {
    if (query == Qt::ImCursorRectangle && m_surface) {
        const TerminalCursor cursor = m_surface->cursor();
        return QRect(room + cursor.column * m_cellWidth,
                     room + cursor.row * m_cellHeight,
                     m_cellWidth,
                     m_cellHeight);
    }
    return QAbstractScrollArea::inputMethodQuery(query);
}

bool TerminalView::focusNextPrevChild(bool) {
    return false; // Tab is the guest's
}

void TerminalView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
    Q_EMIT keyboardTaken(true);
}

void TerminalView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    m_rightControl = false;
    viewport()->update();
    Q_EMIT keyboardTaken(false);
}

TerminalPlace TerminalView::placeAt(const QPoint& position) const {
    const TerminalSize size = m_surface->size();
    return {verticalScrollBar()->value() +
                qBound(0, (position.y() - room) / m_cellHeight, size.rows - 1),
            qBound(0, (position.x() - room) / m_cellWidth, size.columns - 1)};
}

void TerminalView::mousePressEvent(QMouseEvent* event) {
    event->accept();
    if (!m_surface) {
        return;
    }
    if (event->button() == Qt::MiddleButton && QApplication::clipboard()->supportsSelection()) {
        m_surface->paste(QApplication::clipboard()->text(QClipboard::Selection));
        return;
    }
    if (event->button() != Qt::LeftButton) {
        return;
    }
    const TerminalPlace place = placeAt(event->position().toPoint());
    const bool third =
        m_doubleClick.isValid() && m_doubleClick.elapsed() < QApplication::doubleClickInterval();
    if (third) {
        m_selection.begin(*m_surface, place, TerminalSelection::Unit::Line);
    } else if (event->modifiers().testFlag(Qt::ShiftModifier) && !m_selection.isEmpty()) {
        m_selection.extend(*m_surface, place);
    } else {
        m_selection.begin(*m_surface, place, TerminalSelection::Unit::Character);
    }
    m_doubleClick.invalidate();
    m_marking = true;
    markChanged();
}

void TerminalView::mouseDoubleClickEvent(QMouseEvent* event) {
    event->accept();
    if (!m_surface || event->button() != Qt::LeftButton) {
        return;
    }
    m_selection.begin(
        *m_surface, placeAt(event->position().toPoint()), TerminalSelection::Unit::Word);
    m_doubleClick.start();
    m_marking = true;
    markChanged();
}

void TerminalView::mouseMoveEvent(QMouseEvent* event) {
    event->accept();
    if (!m_marking || !m_surface) {
        return;
    }
    m_pointer = event->position().toPoint();
    m_selection.extend(*m_surface, placeAt(m_pointer));
    markChanged();
    const bool beyond = m_pointer.y() < 0 || m_pointer.y() >= viewport()->height();
    if (beyond && !m_scrolling.isActive()) {
        m_scrolling.start();
    } else if (!beyond) {
        m_scrolling.stop();
    }
}

void TerminalView::scrollWhileMarking() {
    if (!m_marking || !m_surface) {
        m_scrolling.stop();
        return;
    }
    verticalScrollBar()->setValue(verticalScrollBar()->value() + (m_pointer.y() < 0 ? -1 : 1));
    m_selection.extend(*m_surface, placeAt(m_pointer));
    markChanged();
}

void TerminalView::mouseReleaseEvent(QMouseEvent* event) {
    event->accept();
    if (event->button() != Qt::LeftButton || !m_marking) {
        return;
    }
    m_marking = false;
    m_scrolling.stop();
    if (hasSelection() && QApplication::clipboard()->supportsSelection()) {
        QApplication::clipboard()->setText(selectedText(), QClipboard::Selection);
    }
}

void TerminalView::markChanged() {
    viewport()->update();
    Q_EMIT selectionChanged();
}

QString TerminalView::selectedText() const {
    return m_surface ? m_selection.text(*m_surface) : QString();
}

void TerminalView::copy() {
    if (hasSelection()) {
        QApplication::clipboard()->setText(selectedText());
    }
}

void TerminalView::paste() {
    if (m_surface) {
        m_surface->paste(QApplication::clipboard()->text());
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
    }
}

void TerminalView::selectAll() {
    if (m_surface) {
        m_selection.selectAll(*m_surface);
        markChanged();
    }
}

QMenu* TerminalView::makeMenu() {
    auto* menu = new QMenu(this);
    const auto add = [&](const QString& text, const QKeySequence& keys, auto act) {
        QAction* action = menu->addAction(text);
        action->setShortcut(keys); // shown only: keyPressEvent() acts
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, act);
        return action;
    };
    add(tr("&Copy"), Qt::CTRL | Qt::SHIFT | Qt::Key_C, [this] {
        copy();
    })->setEnabled(hasSelection());
    add(tr("&Paste"), Qt::CTRL | Qt::SHIFT | Qt::Key_V, [this] { paste(); });
    add(tr("Mark &All"), Qt::CTRL | Qt::SHIFT | Qt::Key_A, [this] { selectAll(); });
    menu->addSeparator();
    add(tr("&Tell the Guest's Shell This Size"), {}, [this] {
        if (m_surface) { // a serial line does not carry it
            const TerminalSize size = m_surface->size();
            m_surface->type(
                QStringLiteral("stty rows %1 cols %2\r").arg(size.rows).arg(size.columns));
        }
    });
    add(tr("C&lear"), {}, [this] {
        if (m_surface) {
            m_surface->clear();
        }
    });
    return menu;
}

void TerminalView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu* menu = makeMenu();
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(event->globalPos());
}

void TerminalView::scrollContentsBy(int, int) {
    viewport()->update();
}

void TerminalView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) {
        measure();
        fitSurface();
        viewport()->update();
    }
}

} // namespace vitrine::ui
