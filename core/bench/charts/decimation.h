// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/chart_data.h"

namespace vitrine::bench {

// Most marks that a chart draws.
inline constexpr qsizetype mostMarks = 2000;

// At most `limit` of the marks (2 at least), in their order: first and last, and of every stretch
// between them the lowest and the highest, so that no peak is lost.
[[nodiscard]] QList<ChartMark> decimated(const QList<ChartMark>& marks, qsizetype limit);

// The same for a whole chart: at most mostMarks, shared out among its series. A chart that has no
// more is returned as it is.
[[nodiscard]] ChartData decimated(ChartData data, qsizetype limit = mostMarks);

} // namespace vitrine::bench
