// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QRect>
#include <QSize>

#include <array>

namespace vitrine::qemu {

// Changed parts of a frame, merged as they come: a thousand small rectangles cost a thousand cheap
// additions and come out as a handful. The frame is cut into bands of equal height; each keeps the
// bounding box of its changes. No thread of its own; fixed memory.
class DamageBands final {
public:
    static constexpr int count = 128;

    void reset(QSize frame); // forgets all; everything later is clipped to the frame
    void add(const QRect& rectangle);
    [[nodiscard]] bool isEmpty() const { return m_empty; }
    [[nodiscard]] QList<QRect> take(); // disjoint, from top to bottom; at most `count`

private:
    QSize m_frame;
    int m_bandHeight = 16;
    bool m_empty = true;
    std::array<QRect, count> m_bands;
};

} // namespace vitrine::qemu
