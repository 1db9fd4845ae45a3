// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign_run.h"
#include "core/bench/executor_spec.h"
#include "core/library/library.h"

namespace vitrine::bench {

// The machine or cached image that a plan's executors need, if it is in the state they need:
// stopped for clones, running for Kind::Running. Errors say what to do. Reads the disk only.
[[nodiscard]] Result<MachineInfo>
guestSourceOf(const Library& library, const GuestPlan& guest, const QList<ExecutorSpec>& specs);

struct HostSize {
    int cpus = 1;
    quint64 memory = 0;    // bytes
    quint64 available = 0; // bytes of it that are free now, without swapping
};
[[nodiscard]] HostSize hostSize();

// What a throw-away clone gets.
struct GuestSize {
    int cpus = 1;
    quint64 memory = 0; // bytes
    QStringList notes;  // translated; where it is not the machine's own
    friend bool operator==(const GuestSize&, const GuestSize&) = default;
};
// The machine's own size or what the plan says, never all of this computer's: its own programs
// would be measured too. InvalidInput for a size that was asked for and is not possible.
[[nodiscard]] Result<GuestSize>
guestSizeOf(const MachineConfig& config, const GuestPlan& guest, const HostSize& host);

// The memory that is free now suffices for so many clones at once, with what an emulator needs
// itself; also where nothing is known of the memory.
[[nodiscard]] bool fitTogether(quint64 clones, const GuestSize& size, const HostSize& host);

} // namespace vitrine::bench
