// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/disk/file_lock.h"
#include "core/job/job.h"
#include "core/library/library.h"
#include "core/library/machine_info.h"
#include "core/library/runtime_directory.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"

#include <QStringList>

#include <optional>

namespace vitrine {

// A machine held for a run (contract 2): the lock on config.json that says "running", and `alive`
// on the runtime directory. Order: global flock, config.json, runtime directory; then, still under
// the global flock, what another run left is put right (config.json from .new, waiting changes) and
// a MAC address that another running machine has is replaced for good, unless this one goes on from
// a saved state, which fits only the address it was saved with. Released when it goes.
struct MachineHold {
    ConfigFile config;
    RuntimeDirectory runtime;
    DirectoryLock alive;
    MachineInfo machine; // read under the lock; state Stopped, or Suspended when a state was saved
    QStringList remarks; // translated; what was changed or dropped on the way
    // The running machine with the same MAC address; only when it was not replaced.
    std::optional<MachineInfo> twin;
    FileDescriptor folder; // the machine's directory, wherever it is moved to
    // They were not applied by take(): a snapshot has to be taken before, which is too long for the
    // global flock.
    bool changesWait = false;

    // A path to the directory, whatever became of its name (contract 1): on Linux for as long as
    // this lives, on macOS as it is now. For the files beside config.json.
    [[nodiscard]] QString folderPath() const;

    // NotFound, AlreadyRunning (both exit code 2), Busy, or what is wrong with the machine.
    enum class SavedState { GoesOn, Discarded };
    [[nodiscard]] static Result<MachineHold>
    take(const Library& library, const QString& name, SavedState saved = SavedState::GoesOn);
    // The last act of a run, and the first one when changesWait: changes that waited for the end,
    // after an automatic snapshot when the machine asks for those. Without that they wait on.
    // Returns remarks. Any thread, while no other uses this.
    [[nodiscard]] QStringList applyWaitingChanges(const JobContext& context);

    [[nodiscard]] bool mustKeepFirst() const; // so it may take long
    void reread();                            // `machine`, after its configuration was changed
};

// The machine as `machine` above tells it, for who holds it by way of another process.
[[nodiscard]] Result<MachineInfo> readHeldMachine(const Library& library, const QString& name);

// What there is to say about a twin of a machine that goes on from a saved state; Unsupported where
// both would be part of one network.
[[nodiscard]] Result<QString>
checkTwin(const MachineInfo& machine, const MachineInfo& twin, NetworkMode network);

} // namespace vitrine
