// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/ssh_arguments.h"
#include "core/result/result.h"

#include <QProcess>
#include <QString>

namespace vitrine {

// The user of the guest that ssh logs in as where nobody named one, as in Tart's images.
inline constexpr const char* usualGuestUser = "admin";

// As whom ssh logs in to this machine's guest, mounts and copies where nobody is named: the user
// who mounted over ssh last (Sidecar::sshUser), else the usual one.
[[nodiscard]] QString rememberedGuestUser(const QString& machineDirectory);
Result<> rememberGuestUser(const QString& machineDirectory, const QString& user);

// The second way into a guest (contract 3): OpenSSH's client for a command without a terminal and
// without questions. Sets what `process` is started with: the host keys of the machine, no
// registry passwords, ending with this thread. `askPass`: a program that prints the password, asked
// once where no key gets in. Unsupported when ssh is not installed or the guest has no address yet.
[[nodiscard]] Result<> prepareSsh(QProcess& process,
                                  SshTarget target,
                                  const QString& machineDirectory,
                                  const QString& askPass = {});

// ssh's own failure, exit code 255: `said` is its standard error, untrusted.
inline constexpr int sshFailed = 255;
[[nodiscard]] Error sshFailure(const SshTarget& target, const QByteArray& said);

} // namespace vitrine
