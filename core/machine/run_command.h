// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"

#include <QString>
#include <QStringList>

namespace vitrine {

// The words of `vitrinectl run` that stand for these options, without the ones that are defaults
// anyway: what `run --plain` and these gives is exactly `options`.
[[nodiscard]] QStringList runArguments(const RunOptions& options);

// The line to type (contract 2): complete, so it carries --plain, and quoted for a shell.
[[nodiscard]] QString runCommandLine(const QString& machineName, const RunOptions& options);

// The line that shares these folders with the machine, and the one that lists them when there are
// none. Archives are left out: they are shared at a start only.
[[nodiscard]] QString shareCommandLine(const QString& machineName, const QList<ShareSpec>& shares);

// A word as a POSIX shell needs it: in apostrophes unless it is harmless.
[[nodiscard]] QString quotedForShell(const QString& word);
[[nodiscard]] QString quotedForShell(const QStringList& words); // with blanks between them

} // namespace vitrine
