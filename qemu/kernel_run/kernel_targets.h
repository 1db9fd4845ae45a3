// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "qemu/kernel_run/kernel_run_request.h"

#include <QList>
#include <QString>

namespace vitrine::qemu {

// A list of kernel runs (docs/kernel-runs.md): a TOML file with one [[target]] for each. Relative
// paths start in the file's folder. At most 1 MiB and 1,000 targets, each with a name of its own.
// Integrity names the line, the target and what is expected; a key that is not known is refused, it
// is probably mistyped. Any thread.
[[nodiscard]] Result<QList<KernelRunRequest>> readKernelTargets(const QString& path);

} // namespace vitrine::qemu
