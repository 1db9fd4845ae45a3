// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/sidecar.h"
#include "core/result/result.h"

#include <QString>

namespace vitrine {

// Pixels of the guest for one point of this computer's screen, where its picture is not fitted into
// the window: in per cent, or 0 for as many as the screen has itself, which is the sharpest.
using DisplayScale = int;
inline constexpr DisplayScale automaticDisplayScale = 0;
inline constexpr DisplayScale smallestDisplayScale = 50;
inline constexpr DisplayScale largestDisplayScale = 400;

// Of vitrine.json, which carries it as a key of its own: the window heeds it, no run does. A value
// that is none is automatic.
[[nodiscard]] DisplayScale displayScaleOf(const Sidecar& sidecar);
void setDisplayScale(Sidecar& sidecar, DisplayScale scale);

// "automatic", or a number from 0.5 to 4 with at most two decimals: "1", "1.5".
[[nodiscard]] Result<DisplayScale> displayScaleFromText(const QString& text);
[[nodiscard]] QString displayScaleToText(DisplayScale scale);

} // namespace vitrine
