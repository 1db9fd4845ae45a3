// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/comparison.h"
#include "core/bench/suspicion.h"

namespace vitrine::cli {

// Text of benchmarks for terminals of 80 columns, made plain(): workloads are headings, executors
// lines. Longer names of executors are cut in the middle. Newline at the end; empty for no figures.

[[nodiscard]] QString byWorkload(const bench::Campaign& campaign);
[[nodiscard]] QString byWorkload(const QList<bench::Compared>& compared);

// "- WORKLOAD, EXECUTOR: reason", each once, however many rounds have it.
[[nodiscard]] QString doubtsText(const QList<bench::Suspicion>& suspicions);

inline constexpr int narrowWidth = 80;
// Of the terminal that standard output is; nullopt when it is none.
[[nodiscard]] std::optional<int> terminalWidth();
// Whether a line of `text` is longer than the terminal is wide. Tabs count as one.
[[nodiscard]] bool isTooWide(const QString& text);

} // namespace vitrine::cli
