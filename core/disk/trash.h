// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>

namespace vitrine {

// Moves a file or folder to the Trash of its volume: on macOS the system's; elsewhere by the
// FreeDesktop.org Trash specification 1.0: the home Trash ($XDG_DATA_HOME/Trash) on the volume of
// the home folder, else $top/.Trash/UID or $top/.Trash-UID. Only renames, never copies; nothing is
// changed on failure. Returns where it is now: long names are shortened there, the note keeps the
// whole. Unsupported when the volume has no Trash that can be used.
//
// QFile::moveToTrash of Qt 6.4 is not used on Linux: where no Trash can be made it never returns.
[[nodiscard]] Result<QString> moveToTrash(const QString& path);

// Puts back what was moved from `path` last: only renames, and never over anything. NotFound when
// the Trash does not hold it any more or, on macOS, another process moved it; AlreadyExists when
// the path is taken meanwhile.
Result<> restoreFromTrash(const QString& path);

} // namespace vitrine
