// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>

namespace vitrine::cli {

// Questions to the user. They are written to the terminal itself and answered there, so that
// redirected output stays clean. Cancelled when the user types end of file or Ctrl-C.

[[nodiscard]] Result<bool> askYesNo(const QString& question); // " [y/N] " is added
// At most 8192 characters. `Hidden` does not show what is typed.
enum class Echo { Shown, Hidden };
[[nodiscard]] Result<QString> askLine(const QString& prompt, Echo echo);

// Everything on standard input, without newlines at its end; at most 8192 characters.
[[nodiscard]] Result<QString> readPasswordFromInput();

} // namespace vitrine::cli
