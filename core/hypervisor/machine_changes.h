// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_operations.h"
#include "core/result/result.h"

#include <QJsonObject>

namespace vitrine {

// "automatic", "on" or "off".
[[nodiscard]] QString refitWord(Refit refit);

// Parameters of "change": only what changes. Sizes are bytes, the display is its text
// ("1024x768px"), refit is "automatic", "on" or "off".
[[nodiscard]] QJsonObject changesToJson(const MachineChanges& changes);
// InvalidInput names the key. Unknown keys are refused: a newer client must not believe that its
// change was taken.
[[nodiscard]] Result<MachineChanges> changesFromJson(const QJsonObject& object);

} // namespace vitrine
