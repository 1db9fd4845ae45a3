// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/terminal/terminal_selection.h"

#include <QAbstractScrollArea>
#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>

class QMenu;

namespace vitrine {
class TerminalSurface;
struct TerminalSize;
} // namespace vitrine

namespace vitrine::ui {

// Shows a TerminalSurface and takes keys for it while it has the focus. All keys go to the guest
// but Ctrl+Shift with C, V and A (copy, paste, mark all), Shift with the page keys (scroll) and
// Right Ctrl alone, which gives the keyboard back. The surface follows the view's size. Window
// thread.
class TerminalView final : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TerminalView(QWidget* parent = nullptr);
    ~TerminalView() override;

    void setSurface(TerminalSurface* surface);   // observed; null shows nothing
    [[nodiscard]] TerminalSize gridSize() const; // that fits into the view

    void copy(); // nothing when nothing is marked
    void paste();
    void selectAll();
    [[nodiscard]] bool hasSelection() const { return !m_selection.isEmpty(); }
    [[nodiscard]] QString selectedText() const;
    [[nodiscard]] QMenu* makeMenu(); // of the right button; the caller deletes it

    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void keyboardTaken(bool taken);
    void keyboardGivenBack(); // by Right Ctrl: the focus is to go elsewhere
    void selectionChanged();
    void gridSizeChanged();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void inputMethodEvent(QInputMethodEvent* event) override;
    [[nodiscard]] QVariant inputMethodQuery(Qt::InputMethodQuery query) const override;
    bool focusNextPrevChild(bool next) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent* event) override;

private:
    void measure();
    void fitSurface();
    void applyScrollBar(bool toEnd);
    void surfaceChanged();
    void surfaceScrolled(int lines, int dropped);
    void paintLine(QPainter& painter, int index, int y);
    void paintCursor(QPainter& painter);
    void markChanged();
    void scrollWhileMarking();
    [[nodiscard]] TerminalPlace placeAt(const QPoint& position) const;
    [[nodiscard]] bool isOurs(const QKeyEvent& event) const;

    QPointer<TerminalSurface> m_surface;
    QFont m_font;
    QFont m_boldFont;
    int m_cellWidth = 8;
    int m_cellHeight = 16;
    int m_ascent = 12;
    TerminalSelection m_selection;
    bool m_marking = false;
    bool m_rightControl = false; // pressed, and nothing else since
    QPoint m_pointer;            // while marking
    QTimer m_scrolling{this};    // while marking beyond an edge
    QElapsedTimer m_doubleClick; // a third click marks the line
    QTimer m_flash{this};        // the guest rang
};

} // namespace vitrine::ui
