// SPDX-License-Identifier: Apache-2.0
#include "qemu/rfb/shared_frame.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace vitrine::qemu {

namespace {

constexpr quint32 opaque = 0xff000000U;
constexpr qsizetype opaqueByte = Q_BYTE_ORDER == Q_LITTLE_ENDIAN ? 3 : 0; // of a pixel

// Makes the pixels opaque of which one byte lies in bytes [from, to) of `frame`.
void makeOpaque(uchar* frame, qsizetype from, qsizetype to) {
    for (qsizetype at = from - from % 4 + opaqueByte; at < to; at += 4) {
        frame[at] = 0xff;
    }
}

void copyOpaque(uchar* out, const uchar* in, qsizetype pixels) {
    for (qsizetype i = 0; i < pixels; ++i) {
        quint32 pixel = 0;
        std::memcpy(&pixel, in + 4 * i, sizeof(pixel));
        pixel |= opaque;
        std::memcpy(out + 4 * i, &pixel, sizeof(pixel));
    }
}

} // namespace

void SharedFrame::Free::operator()(quint32* data) const {
    std::free(data); // NOLINT
}

bool SharedFrame::resize(QSize size) {
    {
        const std::lock_guard lock(m_mutex);
        if (size == m_size && m_data) {
            m_damage.add(QRect(QPoint(0, 0), size));
            return true;
        }
        m_data.reset(); // never two of them: they may be large
        m_size = QSize(0, 0);
        m_damage.reset(m_size);
    }
    if (size.isEmpty()) {
        return true;
    }
    // Without the lock: it takes a while for a large screen, and readers do not wait for it.
    const auto pixels = static_cast<size_t>(size.width()) * static_cast<size_t>(size.height());
    std::unique_ptr<quint32[], Free> data(                           // NOLINT
        static_cast<quint32*>(std::malloc(pixels * bytesPerPixel))); // NOLINT
    if (!data) {
        return false;
    }
    std::fill_n(data.get(), pixels, opaque);
    const std::lock_guard lock(m_mutex);
    m_data = std::move(data);
    m_size = size;
    m_damage.reset(size);
    m_damage.add(QRect(QPoint(0, 0), size));
    return true;
}

uchar* SharedFrame::bytes() const {
    return reinterpret_cast<uchar*>(m_data.get());
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
    qsizetype at = stride * y + x;
    if (x % 4 == 0 && bytes % 4 == 0) {
        for (int row = 0; row < rows; ++row, at += stride, data += bytes) {
            copyOpaque(this->bytes() + at, data, bytes / 4);
        }
        return;
    }
    for (int row = 0; row < rows; ++row, at += stride, data += bytes) {
        std::memcpy(this->bytes() + at, data, static_cast<size_t>(bytes));
        makeOpaque(this->bytes(), at, at + bytes);
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
    const qint64 filled =
        fill(reinterpret_cast<char*>(this->bytes()) + offset, qMin(bytes, total - offset));
    if (filled > 0) {
        makeOpaque(this->bytes(), offset, offset + filled);
    }
    return filled;
}

void SharedFrame::read(const std::function<void(const FrameView&)>& read) const {
    const std::lock_guard lock(m_mutex);
    read(FrameView{bytes(), m_size.width(), m_size.height(), bytesPerPixel * m_size.width()});
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

void SharedFrame::forgetAnnouncement() {
    const std::lock_guard lock(m_mutex);
    m_announced = false;
}

QList<QRect> SharedFrame::takeDamage() {
    const std::lock_guard lock(m_mutex);
    m_announced = false;
    return m_damage.take();
}

} // namespace vitrine::qemu
