// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/display.h"

#include <QRect>
#include <QSize>

#include <vector>

class QImage;

namespace vitrine::ui {

// Scales parts of a frame into a picture of another size. Every pixel of the result is the mean of
// the area of the frame it covers (smaller) or lies between its two neighbours on each side
// (larger), whichever part is asked for, so parts fit together without seams.
class FrameScaler final {
public:
    void setSizes(QSize frame, QSize target); // cheap when nothing changed
    [[nodiscard]] QSize frameSize() const { return m_frame; }
    [[nodiscard]] QSize targetSize() const { return m_target; }

    // The pixels of the target that change when `damage` of the frame did.
    [[nodiscard]] QRect affected(const QRect& damage) const;
    // Fills `area` of `picture` (Format_RGB32, of the target's size).
    void scale(const FrameView& frame, QImage& picture, const QRect& area) const;

private:
    // The pixels of the frame that one pixel of the target is made of, along one axis.
    struct Taps {
        int first = 0;
        int count = 0;
        int weights = 0; // index of the first one; they sum up to 1 << 14
    };
    struct Axis {
        std::vector<Taps> taps;
        std::vector<quint16> weights;
    };
    [[nodiscard]] static Axis makeAxis(int frame, int target);
    [[nodiscard]] static QRect
    span(const Axis& horizontal, const Axis& vertical, const QRect& damage);

    QSize m_frame;
    QSize m_target;
    Axis m_horizontal;
    Axis m_vertical;
};

} // namespace vitrine::ui
