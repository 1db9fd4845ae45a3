// SPDX-License-Identifier: Apache-2.0
#include "qemu/rfb/shared_frame.h"

#include <cstdlib>
#include <cstring>

namespace vitrine::qemu {

void SharedFrame::Free::operator()(uchar* data) const {
    std::free(data); // NOLINT
}

bool SharedFrame::resize(QSize size) {
    const std::lock_guard lock(m_mutex);
    if (size == m_size && m_data) {
        m_damage.add(QRect(QPoint(0, 0), size));
        return true;
    }
    m_data.reset();
    m_size = QSize(0, 0);
    m_damage.reset(m_size);
    if (size.isEmpty()) {
        return true;
    }
    const auto pixels = static_cast<size_t>(size.width()) * static_cast<size_t>(size.height());
    // calloc: a screen of which little is ever sent takes little.
    m_data.reset(static_cast<uchar*>(std::calloc(pixels, bytesPerPixel))); // NOLINT
    if (!m_data) {
        return false;
    }
    m_size = size;
    m_damage.reset(size);
    m_damage.add(QRect(QPoint(0, 0), size));
    return true;
}

QSize SharedFrame::size() const {
    const std::lock_guard lock(m_mutex);
    return m_size;
}

void SharedFrame::write(qsizetype x, int y, qsizetype bytes, int rows, const uchar* data) {
    const std::lock_guard lock(m_mutex);
    const qsizetype stride = qsizetype{bytesPerPixel} * m_size.width();
    if (!m_data || x < 0 || y < 0 || bytes <= 0 || rows <= 0 || bytes > stride ||
        x > stride - bytes || rows > m_size.height() || y > m_size.height() - rows) {
        return;
    }
    uchar* out = m_data.get() + stride * y + x;
    if (bytes == stride) {
        std::memcpy(out, data, static_cast<size_t>(bytes * rows));
        return;
    }
    for (int row = 0; row < rows; ++row) {
        std::memcpy(out, data, static_cast<size_t>(bytes));
        out += stride;
        data += bytes;
    }
}

qint64 SharedFrame::fill(qsizetype offset,
                         qsizetype bytes,
                         const std::function<qint64(char*, qint64)>& fill) {
    const std::lock_guard lock(m_mutex);
    const qsizetype total = qsizetype{bytesPerPixel} * m_size.width() * m_size.height();
    if (!m_data || offset < 0 || offset >= total) {
        return -1;
    }
    return fill(reinterpret_cast<char*>(m_data.get()) + offset, qMin(bytes, total - offset));
}

void SharedFrame::read(const std::function<void(const FrameView&)>& read) const {
    const std::lock_guard lock(m_mutex);
    read(FrameView{m_data.get(), m_size.width(), m_size.height(), bytesPerPixel * m_size.width()});
}

void SharedFrame::damage(const QRect& rectangle) {
    const std::lock_guard lock(m_mutex);
    m_damage.add(rectangle);
}

bool SharedFrame::isDamaged() const {
    const std::lock_guard lock(m_mutex);
    return !m_damage.isEmpty();
}

bool SharedFrame::announceDamage() {
    const std::lock_guard lock(m_mutex);
    const bool announce = !m_damage.isEmpty() && !m_announced;
    m_announced = m_announced || announce;
    return announce;
}

QList<QRect> SharedFrame::takeDamage() {
    const std::lock_guard lock(m_mutex);
    m_announced = false;
    return m_damage.take();
}

} // namespace vitrine::qemu
