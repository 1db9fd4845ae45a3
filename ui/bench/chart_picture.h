// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QImage>
#include <QSize>
#include <QStringList>

namespace vitrine::ui {

class BenchChart;

// The chart as a picture of its own, in the colours that it has, with lines of text above it. The
// first line is the title. Window thread only.
inline constexpr QSize chartPictureSize{1280, 720};
[[nodiscard]] QImage chartImage(BenchChart& chart, const QStringList& lines, double scale = 2);
[[nodiscard]] QByteArray chartSvg(BenchChart& chart, const QStringList& lines);

} // namespace vitrine::ui
