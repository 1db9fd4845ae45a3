// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/ssh_arguments.h"
#include "core/result/result.h"

#include <QString>

namespace vitrine::cli {

struct SshLogin {
    SshTarget target;
    QString identity;         // path as typed, or empty
    QString machineDirectory; // where the host keys are kept
};

// This process becomes ssh (OpenSSH's client, from PATH), which keeps its terminal, its standard
// input and output and gives its exit code. Returns only when that fails. Registry passwords are
// not passed on.
[[nodiscard]] Error becomeSsh(SshLogin login);

// One word of a POSIX shell's line.
[[nodiscard]] QString quotedForShell(const QString& word);

} // namespace vitrine::cli
