// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_program.h"

#include "core/credentials/credential_store.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>

#include <sys/stat.h>

namespace vitrine {

namespace {

constexpr int helpTime = 2000;          // ms
constexpr qint64 longestHelp = 1 << 16; // bytes

QString quoted(QString path) {
    path.replace(QLatin1Char('\''), QLatin1String("'\\''"));
    return QLatin1Char('\'') + path + QLatin1Char('\'');
}

struct Answer {
    bool succeeded = false;
    QByteArray text;
};

Answer ask(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.setProcessEnvironment(withoutSecrets(QProcessEnvironment::systemEnvironment()));
    process.setStandardInputFile(QProcess::nullDevice());
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments, QIODevice::ReadOnly);
    if (!process.waitForStarted(helpTime))
        return {};
    if (!process.waitForFinished(helpTime)) {
        process.kill();
        process.waitForFinished(-1);
    }
    return {process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0,
            process.read(longestHelp)};
}

// Without a terminal sudo cannot ask for a password.
bool runsBySudo(const QStringList& folders, const QString& program) {
    for (const QString& folder : folders) {
        const QFileInfo sudo(QDir(folder).filePath(QStringLiteral("sudo")));
        if (sudo.isFile() && sudo.isExecutable())
            return ask(sudo.filePath(),
                       {QStringLiteral("--non-interactive"), program, QStringLiteral("--help")})
                .succeeded;
    }
    return false;
}

} // namespace

QString SoftnetProgram::remedy() const {
    return isRaised || maySudo
               ? QString()
               : QStringLiteral("sudo chown root %1 && sudo chmod u+s %1").arg(quoted(path));
}

Result<SoftnetProgram> findSoftnet(QStringList folders) {
    if (folders.isEmpty())
        folders = qEnvironmentVariable("PATH").split(QLatin1Char(':'), Qt::SkipEmptyParts);
    for (const QString& folder : folders) {
        const QFileInfo file(QDir(folder).filePath(QStringLiteral("softnet")));
        if (!file.isFile())
            continue;
        SoftnetProgram program;
        program.path = file.canonicalFilePath();
        struct stat status {};
        program.isRaised = ::stat(QFile::encodeName(program.path).constData(), &status) == 0 &&
                           status.st_uid == 0 && (status.st_mode & S_ISUID) != 0;
        if (!QFileInfo(program.path).isExecutable())
            return fail(
                Error::Kind::Permission,
                Tr::tr("\"%1\" cannot be executed. Install Softnet again.").arg(program.path));
        program.maySudo = !program.isRaised && runsBySudo(folders, program.path);
        const QByteArray help = ask(program.path, {QStringLiteral("--help")}).text;
        program.hasControl = help.contains("--control-fd");
        program.hasVersion = help.contains("--version");
        return program;
    }
    return fail(Error::Kind::NotFound,
                Tr::tr("Softnet is not installed. Install it with \"brew install "
                       "openai/tools/softnet\"."));
}

} // namespace vitrine
