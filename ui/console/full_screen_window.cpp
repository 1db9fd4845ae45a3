// SPDX-License-Identifier: Apache-2.0
#include "ui/console/full_screen_window.h"

#include "ui/theme/theme.h"

#include <QCloseEvent>
#include <QPalette>
#include <QShortcut>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

constexpr int hintTime = 6000; // ms

} // namespace

FullScreenWindow::FullScreenWindow(QWidget* content, Hint place, QWidget* parent)
    : QWidget(parent, Qt::Window)
    , m_content(content)
    , m_hint(new QLabel(this))
    , m_place(place) {
    setAttribute(Qt::WA_DeleteOnClose);
    QPalette black = palette();
    black.setColor(QPalette::Window, Qt::black);
    setPalette(black);
    setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    if (place == Hint::Above) {
        m_hint->setAlignment(Qt::AlignCenter);
        layout->addWidget(m_hint);
    }
    layout->addWidget(content, 1);

    const Theme& theme = Theme::current();
    QPalette hint = m_hint->palette();
    hint.setColor(QPalette::Window, theme.window);
    hint.setColor(QPalette::WindowText, theme.text);
    m_hint->setPalette(hint);
    m_hint->setAutoFillBackground(true);
    m_hint->setMargin(spacing::grid);
    m_hint->setTextFormat(Qt::PlainText);
    m_hint->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_hint->setText(tr("Press Right Ctrl and then F11 to leave full screen."));
    m_hintTime.setSingleShot(true);
    connect(&m_hintTime, &QTimer::timeout, m_hint, &QWidget::hide);
    m_hintTime.start(hintTime);

    for (const QKeySequence& keys : {QKeySequence(Qt::Key_F11), QKeySequence(Qt::Key_Escape)}) {
        auto* leave = new QShortcut(keys, this);
        connect(leave, &QShortcut::activated, this, &QWidget::close);
    }
}

void FullScreenWindow::closeEvent(QCloseEvent* event) {
    Q_EMIT closing();
    event->accept();
}

void FullScreenWindow::resizeEvent(QResizeEvent*) {
    placeHint();
}

void FullScreenWindow::placeHint() {
    if (m_place == Hint::Above)
        return; // the layout does
    m_hint->adjustSize();
    m_hint->move((width() - m_hint->width()) / 2, 2 * spacing::grid);
    m_hint->raise();
}

} // namespace vitrine::ui
