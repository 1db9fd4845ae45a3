// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "core/library/library.h"

#include <functional>

namespace vitrine {

// Work on machines of a library, straight through on the calling thread. Nothing here ever
// overwrites a name. Processes that hold a config.json lock for long (clone, grow) must be a
// vitrinectl child, never the window (contract 2): the window runs these through ui/ or app code
// that starts `vitrinectl`.

// Locks a machine that is stopped (contract 2, "Changing a stopped machine"): config.json under the
// global flock, which is let go again, then waits up to 5 s until programs of the last run are
// gone, and restores a half-written config.json. A change by another program (its lock is held and
// `alive` is free) is waited for up to 3 s. AlreadyRunning, Busy or NotFound otherwise.
[[nodiscard]] Result<ConfigFile> lockStopped(const Library& library,
                                             const QString& machineDirectory,
                                             ConfigFile::Mode mode = ConfigFile::Mode::Exclusive,
                                             const std::function<bool()>& cancelled = {});

// Waits up to 3 s, as lockStopped() does, while another program changes a stopped machine. True
// when the lock of config.json is free.
bool waitForChange(const Library& library, const QString& machineDirectory);

// A copy of a machine or cached image under a new name: built in tmp/, published under the global
// flock by a rename that cannot replace. New MAC and new machine identifier unless the source is
// suspended (contract 2). A running source is refused. vitrine.json is copied without forwards,
// logs, events and snapshots; its only event is where the machine is from. Removes what it made on
// failure and cancel. Checks free space first. The source is locked shared: several clones of it
// may run at once, it cannot start meanwhile.
Result<> cloneMachine(const Library& library,
                      const QString& sourceNameOrReference,
                      const MachineName& target,
                      const JobContext& context);
// The same into another library, `place`, such as one in a temporary folder that is thrown away.
Result<> cloneMachineTo(const Library& library,
                        const QString& sourceNameOrReference,
                        const Library& place,
                        const MachineName& target,
                        const JobContext& context);
// The same from a folder with a machine's files that is no machine itself (a snapshot);
// vitrine.json comes from the directory `settings`. The caller keeps others from changing the
// folder.
Result<> cloneFolder(const Library& library,
                     const QString& folder,
                     const QString& settings,
                     const MachineName& target,
                     const JobContext& context);

// Refuses a running machine (W24). A broken one can be renamed.
Result<> renameMachine(const Library& library, const MachineName& from, const MachineName& to);

enum class DeleteMode { Permanent, Trash };
// Machine or image. Refuses a running one. Renames aside before deleting (W22). Unsupported with
// the reason when the volume has no Trash (the caller asks). A tag: the link, and the image when it
// was its last one; a digest: the image and its tags; both are permanent whatever the mode.
Result<> deleteMachine(const Library& library, const QString& nameOrReference, DeleteMode mode);

// Changes of `set`. Only what is set changes; displayRefit is left alone unless given (M1).
struct MachineChanges {
    std::optional<int> cpuCount = {};
    std::optional<ByteCount> memory = {};
    std::optional<DisplaySize> display = {};
    std::optional<Refit> refit = {};
    bool randomMac = false;
    std::optional<MacAddress> macAddress = {};
    bool randomSerial = false;              // darwin only: new machine identifier
    std::optional<ByteCount> diskSize = {}; // grow only, whole GB in Tart; any multiple of 512 here
    [[nodiscard]] bool isEmpty() const;
};

// Checks the changes against 2.3 and this machine without writing anything. A suspended machine
// takes only `refit`, and what it has already: its saved state fits no other hardware.
Result<> validateChanges(const MachineInfo& machine, const MachineChanges& changes);

// Stopped: writes config.json as contract 2 says ("Changing a stopped machine") and grows the disk.
// A change of the same setting that waits while the machine is suspended is taken back.
// Running: NotRunning is never returned; the change is stored as pending through the machine's
// process by the caller, so this returns AlreadyRunning and changes nothing.
Result<>
changeMachine(const Library& library, const MachineName& name, const MachineChanges& changes);

// What `changes` means as pending entries against `config` (for the machine's process).
QList<PendingChange>
toPending(const MachineConfig& config, ByteCount diskSize, const MachineChanges& changes);
// `waiting` with `added` put over it: one entry a key, none that changes nothing.
QList<PendingChange> mergePending(QList<PendingChange> waiting, const QList<PendingChange>& added);
// Applies entries whose old value still holds to the locked file, grows the disk, and takes them
// out of vitrine.json; returns the sentences about dropped ones. Does nothing while the machine is
// suspended.
Result<QStringList> applyPending(ConfigFile& file, const QString& machineDirectory);

} // namespace vitrine
