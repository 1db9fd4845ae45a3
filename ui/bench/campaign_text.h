// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/chart_source.h"

namespace vitrine::ui {

// Texts that say which campaign it is. Plain text in the user's language.

[[nodiscard]] QString
titleOf(const bench::Campaign& campaign); // "10 June 2025, 14:02 · Honest disk"
// "AMD EPYC, 32 GB, Debian 12 · guest Ubuntu · 5 interleaved rounds · published"
[[nodiscard]] QString factsOf(const bench::ChartSource& source);
// What holds for all figures and should be known before quoting one; empty if there is nothing.
[[nodiscard]] QString doubtsOf(const bench::ChartSource& source);
// The machine it is of; empty for the host alone, what was imported or published.
[[nodiscard]] QString machineOf(const bench::Campaign& campaign);
// How many of how many measurements there are, where it did not come to its end; empty if it did.
[[nodiscard]] QString cutOffText(const bench::Campaign& campaign);

} // namespace vitrine::ui
