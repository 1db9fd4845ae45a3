// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign_store.h"
#include "core/bench/executor.h"
#include "core/bench/suite.h"

#include <functional>

namespace vitrine::bench {

// The machine in which executors run. Sizes are those of throw-away clones; 0: the machine's own.
struct GuestPlan {
    QString source;       // a machine's name or a cached image's reference; empty: none
    bool isImage = false; // of the two
    int cpus = 0;
    quint64 memory = 0; // bytes
    bool grow = false;  // a clone whose disk has too little room for the test files grows
    friend bool operator==(const GuestPlan&, const GuestPlan&) = default;
};

// What executors of the kind Kernel boot.
struct KernelPlan {
    QString file;    // absolute; empty: none
    QString modules; // folder, absolute; empty: the kernel's own place
    friend bool operator==(const KernelPlan&, const KernelPlan&) = default;
};

// What is to be measured. Kept in the campaign ("plan"), so that one that was cut off goes on with
// the same lines even if the suite has changed.
struct RunPlan {
    QList<Workload> workloads; // with the working set put in
    QStringList executors;     // names: ExecutorSpec::text
    GuestPlan guest;
    KernelPlan kernel;
    int rounds = 1;
    QString prepare; // the user's command between runs; empty: the page cache is emptied
    QString folder;  // where test files go; empty: below the library
    bool isShort = false;
    quint64 space = 0; // bytes that the test files need

    [[nodiscard]] static Result<RunPlan> fromJson(const QJsonObject& json);
    [[nodiscard]] QJsonObject toJson() const;
};
// `memory`: the larger of host's and guest's, bytes.
[[nodiscard]] RunPlan
planOf(const Suite& suite, const QStringList& executors, int rounds, bool isShort, quint64 memory);

// Bytes that must be free for the test files: file systems need some themselves.
[[nodiscard]] quint64 spaceNeededFor(const RunPlan& plan);

// DiskFull names the first executor that has less.
[[nodiscard]] Result<> checkSpace(const RunPlan& plan, const QList<Executor*>& executors);

// One measurement that is to be made.
struct RunSlot {
    int round = 1;
    Workload workload;
    QString executor;
};
// Interleaved: A B C, then C A B, …, of the workloads and, for each of them, of the executors, so
// that what drifts meets all of them alike.
[[nodiscard]] QList<RunSlot> slotsOf(const RunPlan& plan);
// Those without a result. A failure is no result: it is tried again.
[[nodiscard]] QList<RunSlot> slotsLeft(const RunPlan& plan, const Campaign& campaign);
// Seconds that a whole plan takes, as far as its commands say; starting guests not counted.
[[nodiscard]] double estimatedSeconds(const RunPlan& plan);

struct RunProgress {
    int done = 0; // slots of all rounds
    int total = 0;
    RunSlot slot;                      // that runs now
    std::optional<double> secondsLeft; // of all
};

struct RunContext {
    std::stop_token stop;
    std::function<void(const RunProgress&)> report = [](const RunProgress&) {}; // at each slot
};

// Measures what is left of a campaign in the store; each result is in its file before the next is
// begun. Failures are results, too: they are kept and the rest goes on. An executor that fails with
// NotRunning or Timeout is given up: its further slots fail at once. Returns how many failed.
// Cancelled leaves the campaign as "cancelled", to go on later; DiskFull when the test files do not
// fit, before anything is written.
[[nodiscard]] Result<int> runCampaign(const CampaignStore& store,
                                      const QString& id,
                                      const QList<Executor*>& executors,
                                      const RunContext& context);

} // namespace vitrine::bench
