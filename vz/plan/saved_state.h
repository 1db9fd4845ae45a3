// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/saved_state.h"
#include "core/result/result.h"
#include "vz/plan/host_caps.h"
#include "vz/plan/machine_plan.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace vitrine::vz {

// Files of a suspended machine, in its directory. The first is Tart's, and so is what it means. The
// fingerprint is that of core/library/saved_state.h; a state that Tart saved has none.
inline constexpr const char* vzStateName = "state.vzvmsave";
inline constexpr const char* vzPartialStateName = "state.vzvmsave.part"; // being written
inline constexpr const char* vzUsedStateName = "state.vzvmsave.used";    // a run goes on from it

// The configuration of a plan, one line a device: what a saved state fits.
[[nodiscard]] QStringList deviceLines(const MachinePlan& plan);
// Takes out what some versions of macOS refuse to save (14, as is known): the console ports of the
// clipboard and of Tart's agent. False when there is none to take out.
bool leaveOutConsoles(MachinePlan& plan);
// The state there was saved without them, whatever this Mac has become since.
[[nodiscard]] bool wasSavedWithoutConsoles(const QString& machineDirectory);
// Files of the machine that a state fits only unchanged: its disks and its auxiliary storage.
[[nodiscard]] QStringList filesOf(const MachinePlan& plan);

// What a state taken now would fit. Touches the disk. The caller adds `run` and `stored`.
[[nodiscard]] Result<StateFingerprint>
fingerprintOf(const QString& machineDirectory, const MachinePlan& plan, const HostCaps& host);
// Why a state saved with `saved` cannot go on in `now`: a sentence that names the difference.
[[nodiscard]] std::optional<QString> whyUnfit(const StateFingerprint& saved,
                                              const StateFingerprint& now);

// What there is to go on from. `.used` counts only when its fingerprint still holds, since the
// disks have not been written then.
struct FoundState {
    enum class Kind { None, Saved, Used, Unfit };
    Kind kind = Kind::None;
    QString reason; // Unfit: translated, with the remedy
};
[[nodiscard]] FoundState
findState(const QString& machineDirectory, const MachinePlan& plan, const HostCaps& host);

// Files of the actions of Lifecycle, for the holder of the machine's lock.
Result<> publishState(const QString& machineDirectory, const StateFingerprint& fingerprint);
Result<> markStateUsed(const QString& machineDirectory);
Result<> deleteState(const QString& machineDirectory);
void deletePartialState(const QString& machineDirectory);

} // namespace vitrine::vz
