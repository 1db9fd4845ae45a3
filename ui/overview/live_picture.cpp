// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/live_picture.h"

#include "ui/theme/theme.h"

#include <QPainter>

namespace vitrine::ui {

namespace {

QString wordsFor(MachineState state) {
    switch (state) {
    case MachineState::Starting:
        return Tr::tr("Starting…");
    case MachineState::Running:
    case MachineState::Paused:
    case MachineState::ShuttingDown:
    case MachineState::Suspending:
        return Tr::tr("Waiting for the first picture…");
    case MachineState::Suspended:
        return Tr::tr("Suspended: its memory is on the disk.");
    default:
        return Tr::tr("Not running");
    }
}

} // namespace

LivePicture::LivePicture(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void LivePicture::showPicture(const QImage& image, MachineState state) {
    m_image = image;
    m_state = state;
    setAccessibleName(image.isNull() ? wordsFor(state) : tr("Picture of the guest's screen"));
    update();
}

void LivePicture::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    if (!m_image.isNull()) {
        painter.fillRect(rect(), Qt::black);
        QRect target(QPoint(), m_image.size().scaled(size(), Qt::KeepAspectRatio));
        target.moveCenter(rect().center());
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        painter.drawImage(target, m_image);
        return;
    }
    painter.fillRect(rect(), theme.separator);
    painter.fillRect(rect().adjusted(1, 1, -1, -1), theme.alternate);
    const int middle = height() / 2;
    paintThemeIcon(painter,
                   QRectF(width() / 2 - 16, middle - 32, 32, 32),
                   m_state == MachineState::Stopped ? u"shut-down" : u"display",
                   theme.stopped);
    painter.setPen(theme.secondary);
    painter.drawText(QRect(8, middle + 8, width() - 16, fontMetrics().height() + 4),
                     Qt::AlignHCenter | Qt::AlignTop,
                     fontMetrics().elidedText(wordsFor(m_state), Qt::ElideRight, width() - 16));
}

} // namespace vitrine::ui
