// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/chart_source.h"

namespace vitrine::bench {

// The share of requests on an axis that spreads out its end: 90 % is 1, 99 % is 2, 99.9 % is 3.
[[nodiscard]] double ninesOf(double percent);
[[nodiscard]] double percentOfNines(double nines);

// Within what time how many requests of one workload were done, a curve for each executor.
// `group.metric` is a latency.
[[nodiscard]] ChartData percentilesOf(const ChartSource& source, const ChartGroup& group);

} // namespace vitrine::bench
