// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/content_area.h"

#include <QEvent>
#include <QLayout>
#include <QScreen>
#include <QTimer>

#include <algorithm>

namespace vitrine::ui {

ContentArea::ContentArea(QWidget* parent)
    : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
}

void ContentArea::setContent(QWidget* content) {
    setWidget(content);
    content->setAutoFillBackground(false);
    viewport()->setAutoFillBackground(false);
    content->installEventFilter(this);
}

QSize ContentArea::sizeHint() const {
    return widget() != nullptr ? widget()->sizeHint() : QScrollArea::sizeHint();
}

void ContentArea::showEvent(QShowEvent* event) {
    QScrollArea::showEvent(event);
    fitWindow();
}

bool ContentArea::eventFilter(QObject* watched, QEvent* event) {
    if (watched == widget() && event->type() == QEvent::LayoutRequest && isVisible()) {
        fitWindow();
        // What is wrapped deep inside has its height a little later.
        QTimer::singleShot(0, this, &ContentArea::fitWindow);
    }
    return QScrollArea::eventFilter(watched, event);
}

void ContentArea::fitWindow() {
    QWidget* const dialog = window();
    if (widget() == nullptr || dialog->layout() == nullptr)
        return;
    dialog->layout()->activate();
    widget()->layout()->activate();
    // The area gives it no less than the hint, which may think of narrower lines.
    const int content = std::max(widget()->heightForWidth(viewport()->width()),
                                 widget()->minimumSizeHint().height());
    const int missing = content - viewport()->height();
    const bool lower = m_shrinks && missing < 0 && dialog->height() == m_height;
    if (missing <= 0 && !lower) {
        if (m_height == 0)
            m_height = dialog->height();
        return;
    }
    const QRect area = dialog->screen()->availableGeometry();
    const int frame = dialog->frameGeometry().height() - dialog->height();
    const int wanted = std::min(dialog->height() + missing, area.height() - frame);
    if (wanted <= dialog->height() && !lower)
        return;
    dialog->resize(dialog->width(), wanted);
    m_height = dialog->height();
    // Growing goes downwards; the buttons must stay on the screen.
    if (const int below = dialog->frameGeometry().bottom() - area.bottom(); below > 0)
        dialog->move(dialog->x(), std::max(area.top(), dialog->y() - below));
}

} // namespace vitrine::ui
