// SPDX-License-Identifier: Apache-2.0
#include "cli/console_window.h"

#include "core/credentials/credential_store.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QProcess>

#include <csignal>
#include <unistd.h>

namespace vitrine::cli {

Result<QString> consoleProgram() {
    const QDir folder(QCoreApplication::applicationDirPath());
    QString path = folder.filePath(QStringLiteral("vitrine"));
#ifdef Q_OS_MACOS
    // Vitrine.app/Contents/MacOS, on a volume that tells capitals from small letters.
    if (!QFileInfo::exists(path))
        path = folder.filePath(QStringLiteral("Vitrine"));
#endif
    if (!QFileInfo(path).isExecutable())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("This installation has no window to show the machine in. Run it with "
                           "--no-graphics."));
#ifdef Q_OS_LINUX
    if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("There is no display to show the machine on. Run it with "
                           "--no-graphics."));
#endif
    return path;
}

Result<qint64> openConsole(const QString& program,
                           const QString& name,
                           const QString& home,
                           const QStringList& more) {
    QProcess console;
    console.setProgram(program);
    console.setArguments(QStringList{QStringLiteral("--console"), name} + more);
    QProcessEnvironment environment = withoutSecrets(QProcessEnvironment::systemEnvironment());
    environment.insert(QStringLiteral("VITRINE_HOME"), home);
    console.setProcessEnvironment(environment);
    console.setStandardInputFile(QProcess::nullDevice());
    console.setStandardOutputFile(QProcess::nullDevice());
    console.setStandardErrorFile(QProcess::nullDevice());
    console.setChildProcessModifier([] {
        ::setsid();
        ::signal(SIGPIPE, SIG_DFL);
    });
    qint64 process = 0;
    if (!console.startDetached(&process))
        return fail(Error::Kind::Internal,
                    Tr::tr("The window \"%1\" cannot be started. Run the machine with "
                           "--no-graphics.")
                        .arg(program),
                    console.errorString());
    return process;
}

} // namespace vitrine::cli
