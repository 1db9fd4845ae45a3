// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/guest_ssh.h"

#include "core/hypervisor/ssh_process.h"
#include "core/machine/run_command.h"

#include <QTimer>

#include <memory>

namespace vitrine::qemu {

GuestSsh::GuestSsh(std::function<SshTarget()> address, QString machineDirectory)
    : m_address(std::move(address))
    , m_directory(std::move(machineDirectory))
    , m_user(QString::fromLatin1(usualGuestUser)) {}

void GuestSsh::run(const QString& program,
                   const QStringList& arguments,
                   int timeoutMilliseconds,
                   std::function<void(Result<GuestAgent::ExecResult>)> reply) {
    SshTarget target = m_address();
    target.user = m_user;
    target.input = false;
    QStringList words{program};
    words += arguments;
    if (m_user != QLatin1String("root")) {
        words = QStringList{QStringLiteral("sudo"), QStringLiteral("-n")} + words;
    }
    target.command = {quotedForShell(words)};
    auto* const process = new QProcess(this);
    if (Result<> prepared = prepareSsh(*process, target, m_directory); !prepared) {
        process->deleteLater();
        reply(fail(prepared.error()));
        return;
    }
    auto* const limit = new QTimer(process);
    limit->setSingleShot(true);
    const auto tell =
        [process, limit, reply = std::move(reply)](const Result<GuestAgent::ExecResult>& result) {
            process->disconnect();
            limit->stop();
            process->kill();
            process->deleteLater();
            reply(result);
        };
    connect(limit, &QTimer::timeout, process, [tell] {
        tell(fail(Error::Kind::Timeout, tr("The guest does not answer over ssh.")));
    });
    connect(
        process, &QProcess::errorOccurred, process, [tell, process](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart) {
                tell(fail(Error::Kind::Internal,
                          tr("Cannot start \"%1\".").arg(process->program()),
                          process->errorString()));
            }
        });
    connect(process, &QProcess::finished, process, [tell, process, target](int code) {
        GuestAgent::ExecResult result;
        result.exitCode = code;
        result.standardOutput = process->readAllStandardOutput();
        result.standardError = process->readAllStandardError();
        const bool failed = process->exitStatus() != QProcess::NormalExit || code == sshFailed;
        tell(failed ? Result<GuestAgent::ExecResult>(fail(sshFailure(target, result.standardError)))
                    : result);
    });
    limit->start(timeoutMilliseconds);
    process->start(QIODevice::ReadOnly);
}

} // namespace vitrine::qemu
