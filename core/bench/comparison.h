// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign.h"

namespace vitrine::bench {

// One figure of one workload in two campaigns, or on two executors.
struct Compared {
    QString workload;
    QString executorA;
    QString executorB;
    Metric metric = Metric::Elapsed;
    double a = 0; // medians
    double b = 0;
    Ratio ratio; // b over a

    // How much slower b is: 0.1 for 10 % less bandwidth or 10 % more time; below 0 is faster.
    [[nodiscard]] double slowdown() const;
    // By more than `limit`, and not by chance: where there is an interval, 1 is outside of it.
    [[nodiscard]] bool isSlowerThan(double limit) const;
    // Bandwidth, time of fsync, elapsed time; IOPS where no bandwidth was measured. The others
    // follow from these.
    bool isJudged = false;
};

// What both have, in A's order. Workloads pair by name; executors by name, or, where one is given,
// that of A with that of B; campaigns with one executor each pair too. NotFound, with what there
// is, when an executor is not there or nothing pairs.
[[nodiscard]] Result<QList<Compared>> compare(const Campaign& a,
                                              const Campaign& b,
                                              const QString& executorA = {},
                                              const QString& executorB = {});

} // namespace vitrine::bench
