// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/ssh_process.h"

#include "core/credentials/credential_store.h"
#include "core/machine/sidecar.h"
#include "core/posix/processes.h"

#include <QStandardPaths>

#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr qsizetype longestWords = 300;

} // namespace

QString rememberedGuestUser(const QString& machineDirectory) {
    const auto sidecar = Sidecar::read(machineDirectory);
    const QString user = sidecar ? sidecar->sshUser : QString();
    return user.isEmpty() ? QString::fromLatin1(usualGuestUser) : user;
}

Result<> rememberGuestUser(const QString& machineDirectory, const QString& user) {
    return Sidecar::update(machineDirectory, [&user](Sidecar& sidecar) { sidecar.sshUser = user; });
}

Result<> prepareSsh(QProcess& process,
                    SshTarget target,
                    const QString& machineDirectory,
                    const QString& askPass) {
    const QString program = QStandardPaths::findExecutable(QStringLiteral("ssh"));
    if (program.isEmpty())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The program ssh is not in PATH. Install it (Debian: openssh-client)."));
    if (target.port == 0)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("No agent answers in the guest, and it has no address for ssh yet. It "
                           "may still be starting or busy: try again in a moment."));
    target.asks = false;
    target.hasPassword = !askPass.isEmpty();
    const auto arguments = sshArguments(target);
    if (!arguments)
        return fail(arguments.error());
    process.setProgram(program);
    process.setArguments(*arguments);
    process.setWorkingDirectory(machineDirectory);
    QProcessEnvironment environment = withoutSecrets(QProcessEnvironment::systemEnvironment());
    if (!askPass.isEmpty()) {
        environment.insert(QStringLiteral("SSH_ASKPASS"), askPass);
        environment.insert(QStringLiteral("SSH_ASKPASS_REQUIRE"), QStringLiteral("force"));
    }
    process.setProcessEnvironment(environment);
    process.setChildProcessModifier([] {
        ::setpgid(0, 0);
        ::umask(077);
        posix::endWithParent(SIGTERM);
    });
    return {};
}

Error sshFailure(const SshTarget& target, const QByteArray& said) {
    return {
        Error::Kind::Unsupported,
        Tr::tr("No agent answers in the guest, and ssh does not get in as \"%1\": %2 The guest may "
               "still be starting or busy: try again in a moment. Else start the guest's agent "
               "(Debian: qemu-guest-agent), or let your key in.")
            .arg(target.user, QString::fromUtf8(said).simplified().left(longestWords)),
        {}};
}

} // namespace vitrine
