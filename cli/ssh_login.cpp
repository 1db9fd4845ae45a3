// SPDX-License-Identifier: Apache-2.0
#include "cli/ssh_login.h"

#include "core/credentials/credential_store.h"

#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace vitrine::cli {

namespace {

// Becomes ssh; returns only when that fails.
Error become(const QString& program, const QStringList& arguments, const QString& directory) {
    if (::chdir(QFile::encodeName(directory).constData()) != 0)
        return Error::fromErrno(Tr::tr("Cannot enter \"%1\".").arg(directory), errno);
    std::vector<QByteArray> words{QFile::encodeName(program)};
    for (const QString& argument : arguments)
        words.push_back(argument.toLocal8Bit());
    std::vector<QByteArray> variables;
    const QStringList environment =
        withoutSecrets(QProcessEnvironment::systemEnvironment()).toStringList();
    for (const QString& variable : environment)
        variables.push_back(variable.toLocal8Bit());
    std::vector<char*> argv;
    for (QByteArray& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<char*> envp;
    for (QByteArray& variable : variables)
        envp.push_back(variable.data());
    envp.push_back(nullptr);
    ::execve(words.front().constData(), argv.data(), envp.data());
    return Error::fromErrno(Tr::tr("Cannot start \"%1\".").arg(program), errno);
}

} // namespace

Error becomeSsh(SshLogin login) {
    const QString program = QStandardPaths::findExecutable(QStringLiteral("ssh"));
    if (program.isEmpty())
        return {Error::Kind::Unsupported,
                Tr::tr("The program ssh is not in PATH. Install it (Debian: openssh-client)."),
                {}};
    if (!login.identity.isEmpty())
        login.target.identityFile = QFileInfo(login.identity).absoluteFilePath();
    const auto arguments = sshArguments(login.target);
    if (!arguments)
        return arguments.error();
    return become(program, *arguments, login.machineDirectory);
}

QString quotedForShell(const QString& word) {
    QString quoted = word;
    quoted.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + quoted + QLatin1Char('\'');
}

} // namespace vitrine::cli
