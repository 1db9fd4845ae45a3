// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>

namespace vitrine::qemu {

// Contract 4: gives what root and other users of guests left in a shared folder of this computer,
// which belongs to subordinate ids, to the user (run by root: to the owner of the folder). Returns
// how many files and folders that were. Blocking, with an event loop of its own; a machine may use
// the folder meanwhile. Unsupported where folders are shared by 9P: there nothing like it is left.
[[nodiscard]] Result<quint64> takeOwnership(const QString& folder);

} // namespace vitrine::qemu
