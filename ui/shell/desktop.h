// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"
#include "core/result/result.h"

#include <QString>

namespace vitrine::ui {

// What the window asks of the desktop around it. Nothing waits for the program that is started.

// A terminal window with `vitrinectl ssh NAME`, which waits for Enter when that fails. Unsupported
// when no terminal program is found; the sentence names the line to paste. Starts a process: call
// it off the window's thread.
[[nodiscard]] Result<> openTerminal(const Library& library, const QString& machineName);
// Opens a folder or a file with the program the desktop has for it.
void openPath(const QString& path);
// `vitrinectl run NAME --no-graphics`, quoted for a shell.
[[nodiscard]] QString runCommandLine(const QString& machineName);
[[nodiscard]] QString shellQuoted(const QString& word);

// Shows the Trash in the desktop's file manager.
void openTrash();

} // namespace vitrine::ui
