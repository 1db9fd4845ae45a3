// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"

#include <QFontMetrics>
#include <QVariant>
#include <QWidget>

#include <algorithm>

// What painting and geometry of VitrineStyle share. Distances in device-independent pixels.
namespace vitrine::ui {

inline constexpr int buttonPadding = 15;
inline constexpr int smallPadding = 10;
inline constexpr int fieldPadding = 11;
inline constexpr int iconGap = 8;

[[nodiscard]] inline bool isSmall(const QWidget* widget) {
    return widget != nullptr && widget->property(property::small).toBool();
}

[[nodiscard]] inline bool isLink(const QWidget* widget) {
    return widget != nullptr && widget->property(property::link).toBool();
}

[[nodiscard]] inline Segment segmentOf(const QWidget* widget) {
    if (widget == nullptr)
        return Segment::None;
    return static_cast<Segment>(widget->property(property::segment).toInt());
}

[[nodiscard]] inline int controlHeight(const QWidget* widget, const QFontMetrics& metrics) {
    return isSmall(widget) ? std::max(spacing::smallControl, metrics.height() + 8)
                           : std::max(spacing::control, metrics.height() + 12);
}

} // namespace vitrine::ui
