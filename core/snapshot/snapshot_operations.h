// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "core/library/library.h"
#include "core/snapshot/snapshot_tree.h"
#include "core/value/byte_count.h"

namespace vitrine {

// Restore points of a machine (contract 2, "Snapshots"), straight through on the calling thread.
// Killed at any step, each leaves the machine and its snapshots as they were before or after.
// Taking one of a running machine is its process's business (qemu/snapshot_taker.h).

// Snapshots that are really there: listed in vitrine.json or, after a kill, only on the disk. Needs
// no lock.
[[nodiscard]] Result<SnapshotTree> readSnapshots(const QString& machineDirectory);

struct SnapshotSize {
    ByteCount exclusive; // become free when it is deleted
    ByteCount allocated; // with what it shares
};
[[nodiscard]] SnapshotSize snapshotSize(const QString& machineDirectory, const QString& id);

// What another snapshot takes now: nothing where the file system shares blocks.
[[nodiscard]] ByteCount snapshotCost(const QString& machineDirectory);

// A name for one that was not given any: "Snapshot 3".
[[nodiscard]] QString freeSnapshotName(const SnapshotTree& tree);

struct SnapshotRequest {
    QString name;           // empty: freeSnapshotName()
    bool automatic = false; // before something risky
};
// Of a stopped or suspended machine. AlreadyRunning otherwise; DiskFull before anything is copied.
[[nodiscard]] Result<Snapshot> createSnapshot(const Library& library,
                                              const MachineName& machine,
                                              const SnapshotRequest& request,
                                              const JobContext& context);

struct RestoreRequest {
    QString id;
    bool discardState = false;  // of a suspended machine
    bool saveCurrent = false;   // as an automatic snapshot first
    bool withoutMemory = false; // of the snapshot: the guest boots
};
// The machine must not run. What it has now is gone afterwards unless it is saved. Restoring a
// snapshot with memory leaves the machine suspended: the next start goes on there. Disks that no
// snapshot has keep what they have; memory that does not fit them any more is Unsupported.
Result<> restoreSnapshot(const Library& library,
                         const MachineName& machine,
                         const RestoreRequest& request,
                         const JobContext& context);

// A new machine from a snapshot, as a clone. The machine may run meanwhile.
Result<> branchSnapshot(const Library& library,
                        const MachineName& machine,
                        const QString& id,
                        const MachineName& target,
                        const JobContext& context);

// Its children become children of its parent; they are whole and lose nothing. The machine may run.
Result<> deleteSnapshot(const Library& library, const MachineName& machine, const QString& id);

// Whether a snapshot is taken before risky actions (restore, growing the disk, other hardware);
// stored with the snapshots.
[[nodiscard]] bool takesAutomaticSnapshots(const QJsonObject& snapshots);
Result<> setAutomaticSnapshots(const QString& machineDirectory, bool automatic);

} // namespace vitrine
