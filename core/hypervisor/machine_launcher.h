// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"
#include "core/result/result.h"

#include <QStringList>

namespace vitrine {

// Path of vitrinectl: beside this program, else in PATH. Empty when missing.
[[nodiscard]] QString vitrinectlPath();

// Starts `vitrinectl run NAME --no-graphics` detached: a session of its own, secrets out of its
// environment, output to a file <library>/run/start-<pid>.log that the caller shows when the start
// fails. Returns at once with the process id.
struct LaunchedMachine {
    qint64 processId = 0;
    QString outputFile;
};
[[nodiscard]] Result<LaunchedMachine>
launchMachine(const Library& library, const QString& name, const QStringList& extraArguments = {});

} // namespace vitrine
