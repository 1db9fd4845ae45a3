// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/chart_source.h"

namespace vitrine::bench {

struct BarChoice {
    Quantity quantity = Quantity::Bandwidth;
    QString baseline;          // an executor; empty: values instead of ratios
    ChartSourcePointer beside; // another campaign or published set; may be null
};

// A group for each workload and direction, a series for each executor. A ratio's own baseline is
// not drawn: it is the line at 1. Of the set beside it, each executor is paired by what it is with
// one of the campaign; its ratios are to its own baseline. Takes about a millisecond for each
// figure with several runs: not for the window's thread.
[[nodiscard]] ChartData barsOf(const ChartSource& source, const BarChoice& choice);

} // namespace vitrine::bench
