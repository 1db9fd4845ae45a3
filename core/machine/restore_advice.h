// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace vitrine {

// The sentence that ends errors of MachineConfig::fromJson() about a file that is damaged: "Restore
// the file from a copy." Whoever read the bytes from somewhere else puts a remedy of its own there.
[[nodiscard]] QString restoreAdvice();

} // namespace vitrine
