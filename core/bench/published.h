// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign.h"

namespace vitrine::bench {

// The reference sets that come with the program (resources/bench/published), unchanged but for what
// resources/bench/references.json adds: title, notes, "device_bytes_per_s" and, below "plan",
// "workingSets" (bytes by workload). They are known to be whole.
[[nodiscard]] QList<Campaign> publishedSets();

// What holds for every table of Tart's benchmark, for the notes of an imported one.
[[nodiscard]] QStringList tartTableNotes();

} // namespace vitrine::bench
