// SPDX-License-Identifier: Apache-2.0
#include "core/credentials/credential_helper.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>

#include <algorithm>

namespace vitrine {

namespace {

constexpr qsizetype maximumAnswer = 1 << 20;
constexpr int killGrace = 2000; // ms

bool isHelperName(const QString& name) {
    return !name.isEmpty() && std::all_of(name.begin(), name.end(), [](QChar c) {
        return c.unicode() < 128 && (c.isLetterOrNumber() || QStringView(u"._-").contains(c));
    });
}

QString findHelper(const QString& program, const QProcessEnvironment& environment) {
    QStringList folders;
    for (const QString& folder :
         environment.value(QStringLiteral("PATH")).split(QDir::listSeparator())) {
        if (QDir::isAbsolutePath(folder)) // a relative one depends on where the user stands
            folders.append(folder);
    }
    return folders.isEmpty() ? QString() : QStandardPaths::findExecutable(program, folders);
}

} // namespace

Result<std::optional<Credentials>> askCredentialHelper(const QString& name,
                                                       const QString& serverAddress,
                                                       const QProcessEnvironment& environment,
                                                       int timeoutMilliseconds) {
    if (!isHelperName(name))
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("The Docker configuration names the credential helper \"%1\". A name "
                           "has letters, digits, dots, underscores and hyphens only.")
                        .arg(name.left(100)));
    const QString program = QLatin1String("docker-credential-") + name;
    const QString path = findHelper(program, environment);
    if (path.isEmpty())
        return fail(Error::Kind::NotFound,
                    Tr::tr("The Docker configuration names the credential helper \"%1\", which is "
                           "not in PATH. Install it or sign in with vitrinectl login.")
                        .arg(program));

    QProcess process;
    process.setProcessEnvironment(forCredentialHelper(environment));
    process.setWorkingDirectory(QDir::rootPath());
    process.start(path, {QStringLiteral("get")});
    const QDeadlineTimer deadline(timeoutMilliseconds);
    QByteArray answer;
    bool started = process.waitForStarted(timeoutMilliseconds);
    if (started) {
        process.write(serverAddress.toUtf8() + '\n');
        process.closeWriteChannel();
        while (process.state() != QProcess::NotRunning && !deadline.hasExpired() &&
               answer.size() <= maximumAnswer) {
            process.waitForReadyRead(
                static_cast<int>(std::clamp<qint64>(deadline.remainingTime(), 0, 1000)));
            answer += process.readAllStandardOutput();
        }
    }
    const bool overrun = process.state() != QProcess::NotRunning;
    if (overrun) {
        process.kill();
        process.waitForFinished(killGrace);
    }
    answer += process.readAllStandardOutput();
    const QString complaint =
        QString::fromLocal8Bit(process.readAllStandardError().left(1000)).trimmed();
    if (!started)
        return fail(Error::Kind::Permission,
                    Tr::tr("The credential helper \"%1\" cannot be started: %2.")
                        .arg(path, process.errorString()));
    if (answer.size() > maximumAnswer)
        return fail(Error::Kind::Integrity,
                    Tr::tr("The credential helper \"%1\" answers without an end.").arg(program));
    if (overrun)
        return fail(Error::Kind::Timeout,
                    Tr::tr("The credential helper \"%1\" did not answer in time.").arg(program),
                    complaint);
    if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0) {
        // Every helper says so with this sentence, on standard output.
        if (answer.contains("credentials not found"))
            return std::nullopt;
        return fail(Error::Kind::Unauthorized,
                    Tr::tr("The credential helper \"%1\" has failed for \"%2\".")
                        .arg(program, serverAddress),
                    complaint);
    }
    const QJsonDocument document = QJsonDocument::fromJson(answer);
    Credentials credentials;
    credentials.user = document.object().value(QLatin1String("Username")).toString();
    credentials.password = document.object().value(QLatin1String("Secret")).toString();
    credentials.source = Tr::tr("the Docker configuration (helper %1)").arg(name);
    if (credentials.user == QLatin1String("<token>")) {
        credentials.identityToken = credentials.password;
        credentials.password.clear();
    }
    if (!isUsable(credentials))
        return fail(Error::Kind::Integrity,
                    Tr::tr("The credential helper \"%1\" gave an answer without a user name and "
                           "secret.")
                        .arg(program),
                    complaint);
    return credentials;
}

} // namespace vitrine
