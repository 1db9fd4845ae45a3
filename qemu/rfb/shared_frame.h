// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/display.h"
#include "qemu/rfb/damage_bands.h"

#include <QList>
#include <QRect>
#include <QSize>

#include <functional>
#include <memory>
#include <mutex>

namespace vitrine::qemu {

// The pixels of a screen, opaque (0xffRRGGBB), shared between the connection's thread, which
// writes, and the display's, which reads. Thread-safe. The lock is held for one copy at a time,
// never while waiting for data.
class SharedFrame final {
public:
    static constexpr int bytesPerPixel = 4;

    // Wholly damaged; black unless it keeps its size. False when there is no memory; the old frame
    // is gone then.
    [[nodiscard]] bool resize(QSize size);
    [[nodiscard]] QSize size() const;

    // Copies packed rows to byte `x` of row `y` and the rows below. Outside of the frame: nothing
    // happens.
    void write(qsizetype x, int y, qsizetype bytes, int rows, const uchar* data);
    // Lets `fill` write at most `bytes` bytes from byte `offset` of the frame on, rows one after
    // another; `fill` returns how many it wrote and must not wait. Returns that.
    qint64
    fill(qsizetype offset, qsizetype bytes, const std::function<qint64(char*, qint64)>& fill);
    void read(const std::function<void(const FrameView&)>& read) const;

    void damage(const QRect& rectangle);
    [[nodiscard]] bool isDamaged() const;
    // True once for all damage until it is taken: somebody has to be told.
    [[nodiscard]] bool announceDamage();
    // Whoever was told does not listen any longer: all damage is announced again.
    void forgetAnnouncement();
    [[nodiscard]] QList<QRect> takeDamage();

private:
    struct Free {
        void operator()(quint32* data) const;
    };
    [[nodiscard]] uchar* bytes() const; // with the lock

    mutable std::mutex m_mutex;
    std::unique_ptr<quint32[], Free> m_data; // NOLINT
    QSize m_size{0, 0};
    DamageBands m_damage;
    bool m_announced = false;
};

} // namespace vitrine::qemu
