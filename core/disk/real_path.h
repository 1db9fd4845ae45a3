// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/error.h"

#include <QString>

namespace vitrine {

// Text for people. A folder that is held open is worked in by way of /proc/self/fd, so that a
// rename does no harm; here the path that it has now takes the place of that. Only where this
// process has the folder open. Any thread.
[[nodiscard]] QString withRealPaths(const QString& text);
[[nodiscard]] Error withRealPaths(Error error); // message and detail

} // namespace vitrine
