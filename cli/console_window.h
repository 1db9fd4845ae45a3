// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>
#include <QStringList>

namespace vitrine::cli {

// Path of the window's program beside this one; Unsupported when there is none or no display to
// show it on.
[[nodiscard]] Result<QString> consoleProgram();

// Starts it on a machine of the library `home`, in a session of its own: closing it leaves this
// process alone, and Ctrl-C here leaves the window alone. Returns its process.
[[nodiscard]] Result<qint64> openConsole(const QString& program,
                                         const QString& name,
                                         const QString& home,
                                         const QStringList& more = {});

} // namespace vitrine::cli
