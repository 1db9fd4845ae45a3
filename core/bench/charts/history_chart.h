// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/chart_source.h"

namespace vitrine::bench {

// How one figure of one workload went on over campaigns: the median and its interval at each date,
// a series for each executor. Campaigns without a date or that figure are passed over.
[[nodiscard]] ChartData historyOf(const QList<ChartSourcePointer>& sources,
                                  const ChartGroup& group);

} // namespace vitrine::bench
