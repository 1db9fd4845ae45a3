// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/desktop.h"

#include "core/credentials/credential_store.h"
#include "core/hypervisor/machine_launcher.h"

#include <QDesktopServices>
#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QUrl>

namespace vitrine::ui {

QString shellQuoted(const QString& word) {
    static const QRegularExpression harmless(QStringLiteral("^[A-Za-z0-9_./:@%+,=-]+$"));
    if (harmless.match(word).hasMatch())
        return word;
    QString quoted = word;
    quoted.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + quoted + QLatin1Char('\'');
}

QString runCommandLine(const QString& machineName) {
    return QStringLiteral("vitrinectl run %1 --no-graphics").arg(shellQuoted(machineName));
}

namespace {

// The window of a terminal closes with its program; a failure must stay to be read. $1: what to
// say then; the rest: the command.
QStringList keptOpenOnFailure(const QStringList& command) {
    return QStringList{
               QStringLiteral("/bin/sh"),
               QStringLiteral("-c"),
               QStringLiteral("say=$1; shift; \"$@\"; code=$?; "
                              "if [ $code -ne 0 ]; then printf '\\n%s ' \"$say\"; read -r _; "
                              "fi; exit $code"),
               QStringLiteral("vitrine"),
               Tr::tr("The connection ended with an error. Press Enter to close this "
                      "window.")} +
           command;
}

} // namespace

Result<> openTerminal(const Library& library, const QString& machineName) {
    struct Terminal {
        const char* program;
        QStringList before;
    };
    const QStringList dashE{QStringLiteral("-e")};
    const QStringList dashes{QStringLiteral("--")};
    const QList<Terminal> known{{"x-terminal-emulator", dashE},
                                {"gnome-terminal", dashes},
                                {"kgx", dashes},
                                {"konsole", dashE},
                                {"xfce4-terminal", {QStringLiteral("-x")}},
                                {"foot", {}},
                                {"alacritty", dashE},
                                {"kitty", {}},
                                {"xterm", dashE}};
    for (const Terminal& terminal : known) {
        const QString program =
            QStandardPaths::findExecutable(QString::fromLatin1(terminal.program));
        if (program.isEmpty())
            continue;
        QProcess process;
        process.setProgram(program);
        process.setArguments(
            terminal.before +
            keptOpenOnFailure({vitrinectlPath(), QStringLiteral("ssh"), machineName}));
        QProcessEnvironment environment = withoutSecrets(QProcessEnvironment::systemEnvironment());
        environment.insert(QStringLiteral("VITRINE_HOME"), library.home());
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(QDir::homePath());
        if (process.startDetached())
            return {};
    }
    return fail(Error::Kind::Unsupported,
                Tr::tr("No terminal program was found on this computer. Install one, such as "
                       "xterm, or run \"vitrinectl ssh %1\" in a shell.")
                    .arg(machineName));
}

void openTrash() {
    QDesktopServices::openUrl(QUrl(QStringLiteral("trash:///")));
}

void openPath(const QString& path) {
    QDesktopServices::openUrl(QUrl::fromLocalFile(path));
}

} // namespace vitrine::ui
