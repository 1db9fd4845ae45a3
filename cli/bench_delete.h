// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign_store.h"

#include <string>
#include <vector>

namespace vitrine::cli {

// `vitrinectl bench delete`: campaigns of the library by their identifiers or the beginnings of
// those. All are found before the first one goes; published sets are refused.
[[nodiscard]] Result<int> deleteCampaigns(const bench::CampaignStore& store,
                                          const std::vector<std::string>& words);

} // namespace vitrine::cli
