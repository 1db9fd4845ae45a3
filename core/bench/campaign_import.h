// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign.h"

namespace vitrine::bench {

// Makes a campaign of a file of somebody else's: fio's JSON, a table that Tart's benchmark printed,
// a campaign of ours, or a set in the layout of the published ones. What it is is told by its
// content.
struct ImportNames {
    QString workload; // of fio's result; empty: its job's name
    QString executor; // of fio's result; empty: "host"
};
// `name` is the file's, for "source". Integrity says what was tried.
[[nodiscard]] Result<Campaign>
importCampaign(const QByteArray& bytes, const QString& name, const ImportNames& names = {});

// True for fio's results: several of them are the rounds of one campaign.
[[nodiscard]] bool isFioResult(const Campaign& campaign);
// Appends the runs of `other`; a run of the same workload and executor is the next round.
void addRounds(Campaign& campaign, const Campaign& other);

} // namespace vitrine::bench
