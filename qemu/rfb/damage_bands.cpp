// SPDX-License-Identifier: Apache-2.0
#include "qemu/rfb/damage_bands.h"

namespace vitrine::qemu {

namespace {

qint64 area(const QRect& rectangle) {
    return qint64{rectangle.width()} * rectangle.height();
}

} // namespace

void DamageBands::reset(QSize frame) {
    m_frame = frame;
    m_bandHeight = qMax(16, (frame.height() + count - 1) / count);
    m_bands.fill(QRect());
    m_empty = true;
}

void DamageBands::add(const QRect& rectangle) {
    const QRect clipped = rectangle & QRect(QPoint(0, 0), m_frame);
    if (clipped.isEmpty()) {
        return;
    }
    m_empty = false;
    const int last = clipped.bottom() / m_bandHeight;
    for (int band = clipped.top() / m_bandHeight; band <= last; ++band) {
        const QRect whole(0, band * m_bandHeight, m_frame.width(), m_bandHeight);
        m_bands[static_cast<size_t>(band)] |= clipped & whole;
    }
}

QList<QRect> DamageBands::take() {
    QList<QRect> rectangles;
    if (m_empty) {
        return rectangles;
    }
    for (QRect& band : m_bands) {
        if (band.isEmpty()) {
            continue;
        }
        // Neighbours become one when that paints at most a quarter more.
        if (!rectangles.isEmpty() && rectangles.last().bottom() + 1 >= band.top()) {
            const QRect both = rectangles.last() | band;
            if (area(both) * 4 <= (area(rectangles.last()) + area(band)) * 5) {
                rectangles.last() = both;
                band = QRect();
                continue;
            }
        }
        rectangles.append(band);
        band = QRect();
    }
    m_empty = true;
    return rectangles;
}

} // namespace vitrine::qemu
