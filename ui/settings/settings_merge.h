// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/machine_draft.h"

namespace vitrine::ui {

// Puts what differs between `saved` and `edited` into vitrine.json as it is now, and nothing else:
// the console, the Sharing page and vitrinectl write there as well while a draft is open. Lists of
// disks and forwards keep what others added and lose what others removed. Shares are never
// touched: no pane edits them.
void mergeInto(Sidecar& sidecar, const MachineSettings& saved, const MachineSettings& edited);

} // namespace vitrine::ui
