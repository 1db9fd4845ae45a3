// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign.h"

namespace vitrine::bench {

// The same file read from the page cache and after that was emptied: does emptying work here? Of
// each executor, by the medians of all rounds, in this order (half: 0.5):
//
// 1. After emptying, half of the file or more is still in the cache: DoesNot.
// 2. The cached read did not come from the cache either (less than half of the file was in it, or
//    half of what was read came from the disk): NothingCached.
// 3. Half of the emptied read or more came from the disk, or it was at least 1.5 times as slow and
//    the 95 % interval of that ratio is above 1: Works.
// 4. The file has left the cache, and the read is no slower: Unclear. Where nothing is known of
//    the cache: DoesNot.
struct CacheCheck {
    enum class Verdict { Works, DoesNot, NothingCached, Unclear };

    QString executor;
    QString cached;      // workload
    QString invalidated; // workload
    Verdict verdict = Verdict::Unclear;
    double cachedBandwidth = 0;      // bytes per second, median
    double invalidatedBandwidth = 0; // bytes per second, median
    Ratio ratio;                     // cached over invalidated
    qsizetype rounds = 0;
    // Shares from 0 to 1; nullopt where the system does not tell.
    std::optional<double> keptBefore; // of the file, in the cache before the cached read
    std::optional<double> keptAfter;  // of the file, in the cache after emptying
    std::optional<double> cachedFromDisk;
    std::optional<double> invalidatedFromDisk;

    [[nodiscard]] QString toText() const; // translated: verdict, figures and by what it was decided
    [[nodiscard]] QJsonObject toJson() const;
};

// In the order of the runs; executors that lack one half are left out.
[[nodiscard]] QList<CacheCheck> cacheChecksOf(const Campaign& campaign);

[[nodiscard]] QString wordOf(CacheCheck::Verdict verdict); // "works", "does-not", …

// A line that prints bytes in the page cache and bytes of every test file; it fails where the
// program for that is missing.
[[nodiscard]] QString residencyLine();
// The command with a last line on standard error that tells how many bytes it had read from a disk;
// its exit code is the command's.
[[nodiscard]] QString countingReads(const QString& command);
// BenchRun::evidence of both: "file_bytes", "resident_bytes", "read_bytes", as far as they are
// known. The line of countingReads() is taken out of `err`.
[[nodiscard]] QJsonObject evidenceFrom(const QByteArray& residency, QByteArray& err);

} // namespace vitrine::bench
