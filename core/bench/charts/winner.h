// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/chart_source.h"

namespace vitrine::bench {

// Which set of root disk options is the fastest of a campaign, or why that cannot be said.
struct Winner {
    QString executor; // empty: none is clear
    ExecutorIdentity identity;
    Ratio faster;    // than the next one, of their scores: above 1
    QString nextOne; // name of it
    QString reason;  // translated sentence: why none is clear; empty with a winner
};

// The score of an executor in one round is the geometric mean, over all workloads, of how many
// times as fast it was as the first set of options; doubtful figures do not count. The winner is
// clear if the 95 % interval of its scores overlaps with no other's. Takes milliseconds.
[[nodiscard]] Winner winnerOf(const ChartSource& source);

} // namespace vitrine::bench
