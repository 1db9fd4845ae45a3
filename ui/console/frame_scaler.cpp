// SPDX-License-Identifier: Apache-2.0
#include "ui/console/frame_scaler.h"

#include <QImage>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace vitrine::ui {

namespace {

constexpr int one = 1 << 14; // fixed point

} // namespace

FrameScaler::Axis FrameScaler::makeAxis(int frame, int target) {
    Axis axis;
    axis.taps.reserve(static_cast<size_t>(target));
    const double ratio = static_cast<double>(frame) / target;
    std::vector<double> parts;
    for (int i = 0; i < target; ++i) {
        // Smaller: the frame's pixels under this one. Larger: the two around its middle.
        double from = i * ratio;
        double to = (i + 1) * ratio;
        if (ratio < 1) {
            const double middle = (i + 0.5) * ratio;
            from = middle - 0.5;
            to = middle + 0.5;
        }
        const int first = std::clamp(static_cast<int>(std::floor(from)), 0, frame - 1);
        const int last = std::clamp(static_cast<int>(std::ceil(to)) - 1, first, frame - 1);
        parts.clear();
        double sum = 0;
        for (int pixel = first; pixel <= last; ++pixel) {
            const double part = std::min<double>(pixel + 1, to) - std::max<double>(pixel, from);
            parts.push_back(std::max(part, 0.0));
            sum += parts.back();
        }
        Taps taps{first, last - first + 1, static_cast<int>(axis.weights.size())};
        int left = one;
        for (size_t k = 0; k < parts.size(); ++k) {
            const int weight =
                k + 1 == parts.size()
                    ? left
                    : std::min(left,
                               static_cast<int>(std::lround(one * (sum > 0 ? parts[k] / sum : 0))));
            axis.weights.push_back(static_cast<quint16>(weight));
            left -= weight;
        }
        axis.taps.push_back(taps);
    }
    return axis;
}

void FrameScaler::setSizes(QSize frame, QSize target) {
    if (frame == m_frame && target == m_target) {
        return;
    }
    m_frame = frame;
    m_target = target;
    const bool empty = frame.isEmpty() || target.isEmpty();
    m_horizontal = empty ? Axis{} : makeAxis(frame.width(), target.width());
    m_vertical = empty ? Axis{} : makeAxis(frame.height(), target.height());
}

QRect FrameScaler::affected(const QRect& damage) const {
    const QRect inside = damage & QRect(QPoint(0, 0), m_frame);
    if (inside.isEmpty() || m_horizontal.taps.empty()) {
        return {};
    }
    return span(m_horizontal, m_vertical, inside);
}

QRect FrameScaler::span(const Axis& horizontal, const Axis& vertical, const QRect& damage) {
    const auto range = [](const Axis& axis, int from, int to) {
        // taps go up in both ends, so both borders can be searched
        const auto begin = std::lower_bound(
            axis.taps.begin(), axis.taps.end(), from, [](const Taps& taps, int wanted) {
                return taps.first + taps.count - 1 < wanted;
            });
        const auto end =
            std::upper_bound(begin, axis.taps.end(), to, [](int wanted, const Taps& taps) {
                return wanted < taps.first;
            });
        return std::pair<int, int>(static_cast<int>(begin - axis.taps.begin()),
                                   static_cast<int>(end - axis.taps.begin()));
    };
    const auto [left, right] = range(horizontal, damage.left(), damage.right());
    const auto [top, bottom] = range(vertical, damage.top(), damage.bottom());
    return {left, top, right - left, bottom - top};
}

void FrameScaler::scale(const FrameView& frame, QImage& picture, const QRect& wanted) const {
    const QRect area = wanted & QRect(QPoint(0, 0), m_target) & picture.rect();
    if (area.isEmpty() || frame.data == nullptr || QSize(frame.width, frame.height) != m_frame) {
        return;
    }
    const Taps& firstColumn = m_horizontal.taps[static_cast<size_t>(area.left())];
    const Taps& lastColumn = m_horizontal.taps[static_cast<size_t>(area.right())];
    const int left = firstColumn.first;
    const int width = lastColumn.first + lastColumn.count - left;
    // Rows first, added up in 32 bits a channel; then columns.
    std::vector<quint32> sums(static_cast<size_t>(width) * 4);
    for (int y = area.top(); y <= area.bottom(); ++y) {
        const Taps& rows = m_vertical.taps[static_cast<size_t>(y)];
        std::fill(sums.begin(), sums.end(), 0U);
        for (int k = 0; k < rows.count; ++k) {
            const quint32 weight = m_vertical.weights[static_cast<size_t>(rows.weights + k)];
            const uchar* in =
                frame.data + qsizetype{rows.first + k} * frame.stride + qsizetype{4} * left;
            quint32* sum = sums.data();
            for (int i = 0; i < width * 4; ++i) {
                sum[i] += in[i] * weight;
            }
        }
        auto* out = reinterpret_cast<QRgb*>(picture.scanLine(y)) + area.left();
        for (int x = area.left(); x <= area.right(); ++x) {
            const Taps& columns = m_horizontal.taps[static_cast<size_t>(x)];
            const quint16* weights = m_horizontal.weights.data() + columns.weights;
            const quint32* in = sums.data() + qsizetype{4} * (columns.first - left);
            std::array<quint32, 4> channels{};
            for (int k = 0; k < columns.count; ++k) {
                // 8 bits of the pixel and 14 of the row's weight: 8 of them make room for this one
                for (size_t c = 0; c < 4; ++c) {
                    channels[c] += (in[c] >> 8U) * weights[k];
                }
                in += 4;
            }
            quint32 pixel = 0;
            for (size_t c = 0; c < 4; ++c) {
                channels[c] = (channels[c] + (1U << 19U)) >> 20U;
            }
            if constexpr (Q_BYTE_ORDER == Q_LITTLE_ENDIAN) {
                pixel = channels[0] | (channels[1] << 8U) | (channels[2] << 16U);
            } else {
                pixel = channels[3] | (channels[2] << 8U) | (channels[1] << 16U);
            }
            *out++ = pixel | 0xff000000U;
        }
    }
}

} // namespace vitrine::ui
