// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/page_frame.h"

#include "ui/theme/theme.h"

#include <QVBoxLayout>

#include <algorithm>

namespace vitrine::ui {

PageFrame::PageFrame(QWidget* parent)
    : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    auto* inside = new QWidget(this);
    inside->setBackgroundRole(QPalette::Base);
    inside->setAutoFillBackground(true);
    m_layout = new QVBoxLayout(inside);
    m_layout->setContentsMargins(spacing::pageHorizontal,
                                 spacing::pageVertical,
                                 spacing::pageHorizontal,
                                 spacing::pageVertical);
    m_layout->setSpacing(spacing::block);
    setWidget(inside);
    setBackgroundRole(QPalette::Base);
    viewport()->setBackgroundRole(QPalette::Base);
}

int headingHeight() {
    // As high as a link in small letters, which may stand beside it.
    return std::max(24, QFontMetrics(Theme::small()).height() + 4);
}

} // namespace vitrine::ui
