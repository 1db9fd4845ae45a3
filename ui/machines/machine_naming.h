// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job_list_model.h"
#include "core/library/library_model.h"

#include <QString>

#include <functional>

namespace vitrine::ui {

// "ubuntu" -> "ubuntu-2", "ubuntu-2" -> "ubuntu-3": the first that is free.
[[nodiscard]] QString freeName(const QString& base,
                               const std::function<bool(const QString&)>& isTaken);

// Why a new machine cannot bear this name, in whole sentences; empty when it can.
[[nodiscard]] QString machineNameProblem(const QString& name,
                                         const std::function<bool(const QString&)>& isTaken);

// A machine has the name, or work that has not ended makes one of it: a clone bears it as its
// title, other jobs in their property "machine". The window's thread; does not touch the disk.
[[nodiscard]] bool
isMachineNameTaken(const LibraryModel& library, const JobListModel& jobs, const QString& name);

} // namespace vitrine::ui
