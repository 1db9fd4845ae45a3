// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign.h"
#include "core/bench/tart_table.h"

namespace vitrine::bench {

// RFC 4180 with a line of headings: one line for each figure of each workload and executor, with
// its statistics and, for latencies, percentiles. Text that a spreadsheet would take for a formula
// gets an apostrophe before it.
[[nodiscard]] QByteArray toCsv(const Campaign& campaign);
// Table, what is doubtful, and the commands, for an issue or a README.
[[nodiscard]] QByteArray toMarkdown(const Campaign& campaign);
// The medians in the layout of Tart's benchmark.
[[nodiscard]] QString toTartTable(const Campaign& campaign, Unmeasured unmeasured);

// With its unit, for people: "1.3 GB/s", "4.81 kIOPS", "203.4µs".
[[nodiscard]] QString valueText(Metric metric, double value);

} // namespace vitrine::bench
