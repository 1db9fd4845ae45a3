// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_lock.h"
#include "core/result/result.h"

#include <QString>
#include <QStringList>

#include <functional>

namespace vitrine {

// Going back to a snapshot replaces several files of a machine. They are collected in a folder,
// which is renamed when it is complete: before that the machine is as it was, after that whoever
// holds its lock next brings the restore to its end. core/snapshot makes the folder.
[[nodiscard]] QString restoreStagePath(const QString& machineDirectory); // being filled
[[nodiscard]] QString restoreReadyPath(const QString& machineDirectory); // complete

// Names of the machine's files that belong to its state: disk, firmware variables, saved state.
// config.json is not among them: it is written through the locked descriptor.
[[nodiscard]] QStringList stateFileNames(const QString& machineDirectory);

// Brings a restore that is complete to its end; nothing when there is none (false). May be killed
// and called again. Only for the holder of the machine's lock, exclusive.
Result<bool> finishRestore(ConfigFile& config, const QString& machineDirectory);

// For tests that kill a process half-way: called with each step's name.
void setRestoreObserver(std::function<void(const char* step)> observer);
void restoreStepReached(const char* step);

} // namespace vitrine
