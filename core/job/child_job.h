// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"

#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

namespace vitrine {

// Work that runs in a child process, because it holds the lock of a machine for long (contract 2:
// the window never is the process that holds it). `program` is vitrinectl; the arguments must
// contain `--progress json` (core/job/progress_line.h).
//
// The child is run on the job's own thread in a process group of its own. Its updates and log lines
// are passed on; cancelling sends SIGINT, and SIGKILL if the child has not ended 30 s later. Its
// error comes back with kind, sentence and detail. A child that ends without a last word is
// Internal with its standard error as the detail. If this process goes first, the child finishes
// its work. `environment` must hold no secrets (contract 5: withoutSecrets()) unless the child
// signs in to a registry.
[[nodiscard]] Job::Work
childWork(QString program, QStringList arguments, QProcessEnvironment environment);

} // namespace vitrine
