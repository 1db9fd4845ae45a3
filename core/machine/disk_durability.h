// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"

#include <QString>

namespace vitrine {

// What a pair of caching and synchronisation means when this computer loses power, in words
// (docs/disks.md has the same table). Translated, a whole sentence.
[[nodiscard]] QString durabilityText(const DiskOptions& options);
// A power cut can destroy the whole file system, not only what was written last.
[[nodiscard]] bool isRisky(const DiskOptions& options);

} // namespace vitrine
