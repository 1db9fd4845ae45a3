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

QByteArray helpOf(const QString& program) {
    QProcess process;
    process.setProcessEnvironment(withoutSecrets(QProcessEnvironment::systemEnvironment()));
    process.setStandardInputFile(QProcess::nullDevice());
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, {QStringLiteral("--help")}, QIODevice::ReadOnly);
    if (!process.waitForStarted(helpTime))
        return {};
    if (!process.waitForFinished(helpTime)) {
        process.kill();
        process.waitForFinished(-1);
    }
    return process.read(longestHelp);
}

} // namespace

QString SoftnetProgram::remedy() const {
    return isRaised ? QString()
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
        const QByteArray help = helpOf(program.path);
        program.hasControl = help.contains("--control-fd");
        program.hasVersion = help.contains("--version");
        return program;
    }
    return fail(Error::Kind::NotFound,
                Tr::tr("Softnet is not installed. Install it with \"brew install "
                       "openai/tools/softnet\"."));
}

} // namespace vitrine
