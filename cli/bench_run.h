// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.h"
#include "core/bench/campaign_store.h"

namespace vitrine::cli {

struct BenchRunOptions {
    std::string suite;
    int rounds = 3;
    std::string prepare;
    std::string directory;
    std::string title;
    std::string resume; // a campaign's identifier; then nothing else counts
    bool isShort = false;
};

// Measures on this computer. The identifier of the campaign is printed; exit code 1 when a workload
// failed.
[[nodiscard]] Result<int> runBench(const Library& library,
                                   const bench::CampaignStore& store,
                                   const BenchRunOptions& options,
                                   ProgressFormat format);

} // namespace vitrine::cli
