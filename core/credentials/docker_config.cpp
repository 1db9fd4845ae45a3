// SPDX-License-Identifier: Apache-2.0
#include "core/credentials/docker_config.h"

#include "core/credentials/credential_helper.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QRegularExpression>

namespace vitrine {

namespace {

constexpr qint64 maximumSize = 4 << 20;
constexpr QLatin1String dockerHubKey("https://index.docker.io/v1/");
constexpr QLatin1String tokenUser("<token>");

bool isDockerHub(const QString& host) {
    return host == QLatin1String("index.docker.io") ||
           host == QLatin1String("registry-1.docker.io") || host == QLatin1String("docker.io");
}

// "https://ghcr.io/v2/" and "ghcr.io" are the same key to Docker.
QString hostOfKey(QString key) {
    for (const auto scheme : {QLatin1String("https://"), QLatin1String("http://")}) {
        if (key.startsWith(scheme))
            key.remove(0, scheme.size());
    }
    return key.section(QLatin1Char('/'), 0, 0);
}

std::optional<Credentials> fromEntry(const QJsonObject& entry) {
    Credentials credentials;
    credentials.source = Tr::tr("the Docker configuration");
    credentials.user = entry.value(QLatin1String("username")).toString();
    credentials.password = entry.value(QLatin1String("password")).toString();
    credentials.identityToken = entry.value(QLatin1String("identitytoken")).toString();
    QByteArray plain =
        QByteArray::fromBase64(entry.value(QLatin1String("auth")).toString().toLatin1());
    // Only the first colon separates; Docker pads the password with zero bytes.
    if (const qsizetype colon = plain.indexOf(':'); colon > 0) {
        while (plain.endsWith('\0'))
            plain.chop(1);
        credentials.user = QString::fromUtf8(plain.first(colon));
        credentials.password = QString::fromUtf8(plain.sliced(colon + 1));
    }
    if (credentials.user == tokenUser && credentials.identityToken.isEmpty()) {
        credentials.identityToken = credentials.password;
        credentials.password.clear();
    }
    if (!isUsable(credentials))
        return std::nullopt;
    return credentials;
}

} // namespace

QString DockerConfig::path() const {
    QString folder = m_environment.value(QStringLiteral("DOCKER_CONFIG"));
    if (folder.isEmpty()) {
        const QString home = m_environment.value(QStringLiteral("HOME"));
        folder = (home.isEmpty() ? QDir::homePath() : home) + QLatin1String("/.docker");
    }
    return folder + QLatin1String("/config.json");
}

QString DockerConfig::serverAddress(const QString& host) {
    return isDockerHub(host) ? QString(dockerHubKey) : host;
}

std::optional<Credentials> DockerConfig::fromAuths(const QJsonObject& config, const QString& host) {
    const QJsonObject auths = config.value(QLatin1String("auths")).toObject();
    if (auto exact = fromEntry(auths.value(host).toObject()))
        return exact;
    if (isDockerHub(host))
        return fromEntry(auths.value(dockerHubKey).toObject());
    for (auto entry = auths.begin(); entry != auths.end(); ++entry) {
        if (hostOfKey(entry.key()).compare(host, Qt::CaseInsensitive) != 0)
            continue;
        if (auto found = fromEntry(entry.value().toObject()))
            return found;
    }
    return std::nullopt;
}

QString DockerConfig::helperFor(const QJsonObject& config, const QString& host) {
    const QJsonObject helpers = config.value(QLatin1String("credHelpers")).toObject();
    for (const QString& key : {host, serverAddress(host)}) {
        if (const QString exact = helpers.value(key).toString(); !exact.isEmpty())
            return exact;
    }
    // A QJsonObject is sorted by key, so the answer does not depend on the file's order.
    for (auto entry = helpers.begin(); entry != helpers.end(); ++entry) {
        const QRegularExpression pattern(QRegularExpression::anchoredPattern(entry.key()));
        if (pattern.isValid() && pattern.match(host).hasMatch())
            return entry.value().toString();
    }
    return {};
}

Result<std::optional<Credentials>> DockerConfig::find(const QString& host) const {
    QFile file(path());
    if (!file.exists())
        return std::nullopt;
    if (!file.open(QIODevice::ReadOnly))
        return fail(Error::Kind::Permission,
                    Tr::tr("Cannot read Docker's configuration \"%1\": %2.")
                        .arg(file.fileName(), file.errorString()));
    const QByteArray text = file.read(maximumSize + 1);
    QJsonParseError parseError;
    const QJsonDocument document = QJsonDocument::fromJson(text, &parseError);
    if (text.size() > maximumSize || !document.isObject())
        return fail(Error::Kind::Integrity,
                    Tr::tr("Docker's configuration \"%1\" is not valid JSON. Correct it or sign in "
                           "with vitrinectl login.")
                        .arg(file.fileName()),
                    parseError.errorString());
    const QJsonObject config = document.object();
    if (auto found = fromAuths(config, host))
        return found;

    QStringList helpers{helperFor(config, host),
                        config.value(QLatin1String("credsStore")).toString()};
    helpers.removeAll(QString());
    helpers.removeDuplicates();
    for (const QString& helper : std::as_const(helpers)) {
        auto found = askCredentialHelper(helper, serverAddress(host), m_environment);
        if (!found || *found)
            return found;
    }
    return std::nullopt;
}

} // namespace vitrine
