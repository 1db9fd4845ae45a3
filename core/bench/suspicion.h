// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign.h"

namespace vitrine::bench {

// A figure that should not be quoted as it stands, and why.
struct Suspicion {
    enum class Kind {
        Mismatch,    // bandwidth more than 15 % off IOPS x block size
        AboveDevice, // more than the disk can do
        PageCache,   // through the page cache, at its speed
        Unsteady,    // latencies spread over many times their mean
        Outlier,     // one round far from the others
        Remark,      // who published it doubts it
        Failed,      // no figure at all
        Campaign     // holds for all figures
    };
    Kind kind = Kind::Campaign;
    QString workload; // empty: all
    QString executor;
    int round = 0;  // 0: all
    QString reason; // translated sentence; notes of a campaign are as they stand in its file

    friend bool operator==(const Suspicion&, const Suspicion&) = default;
};

// Everything that is doubtful, in the order of the runs; what holds for all figures comes first.
//
// What a disk can do is "device_bytes_per_s" of the host, else what PCIe 5.0 x4 carries. Block
// size, working set and whether the page cache is passed by come from fio's own options, the
// command, or the shipped suite that has a workload of that name.
[[nodiscard]] QList<Suspicion> suspicionsOf(const Campaign& campaign);

[[nodiscard]] QString wordOf(Suspicion::Kind kind); // for files: "mismatch", "page-cache", …

} // namespace vitrine::bench
