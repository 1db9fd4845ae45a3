// SPDX-License-Identifier: Apache-2.0
#include "core/credentials/credential_store.h"

#include "core/credentials/credential_file.h"
#include "core/credentials/docker_config.h"
#include "core/credentials/secret_store.h"

#include <QStandardPaths>

namespace vitrine {

namespace {

bool isSameHost(const QString& a, const QString& b) {
    return a.compare(b, Qt::CaseInsensitive) == 0;
}

Credentials make(const StoredLogin& login, const QString& source) {
    return {login.user, login.password, {}, source, false};
}

} // namespace

QString defaultCredentialFile() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QLatin1String("/vitrine/credentials.json");
}

std::optional<Credentials> CredentialFinder::fromEnvironment(const QString& host) const {
    const QProcessEnvironment& environment = m_options.environment;
    const QString boundTo = environment.value(QStringLiteral("TART_REGISTRY_HOSTNAME"));
    const QString& owner = boundTo.isEmpty() ? m_options.commandLineHost : boundTo;
    if (owner.isEmpty() || !isSameHost(owner, host))
        return std::nullopt;
    const QString user = environment.value(QStringLiteral("TART_REGISTRY_USERNAME"));
    const QString password = environment.value(QStringLiteral("TART_REGISTRY_PASSWORD"));
    if (user.isEmpty() || password.isEmpty())
        return std::nullopt;
    return Credentials{user, password, {}, Tr::tr("the environment"), boundTo.isEmpty()};
}

Result<std::optional<Credentials>> CredentialFinder::find(const QString& host) const {
    if (auto found = fromEnvironment(host))
        return found;

    const DockerConfig docker(m_options.environment);
    if (auto found = docker.find(host); !found) {
        m_options.notice(found.error().message);
    } else if (*found) {
        return found;
    }

    if (m_options.useSecretService) {
        if (auto found = SecretStore::find(host); !found) {
            // Having no secret service is a state of the computer and nothing to report.
            if (found.error().kind != Error::Kind::Unsupported)
                m_options.notice(found.error().message);
        } else if (*found) {
            return make(**found, Tr::tr("the system's secret store"));
        }
    }

    const CredentialFile file(m_options.storePath.isEmpty() ? defaultCredentialFile()
                                                            : m_options.storePath);
    if (auto found = file.find(host); !found) {
        m_options.notice(found.error().message);
    } else if (*found) {
        return make(**found, Tr::tr("the file \"%1\"").arg(file.path()));
    }
    return std::nullopt;
}

Result<> storeCredentials(StoreKind kind,
                          const QString& host,
                          const QString& user,
                          const QString& password) {
    if (host.isEmpty() || user.isEmpty() || password.isEmpty())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("A host, a user name and a password are needed to sign in."));
    if (kind == StoreKind::File)
        return CredentialFile(defaultCredentialFile()).store(host, {user, password});
    return SecretStore::store(host, {user, password});
}

Result<bool> removeCredentials(const QString& host) {
    auto fromFile = CredentialFile(defaultCredentialFile()).remove(host);
    auto fromSecretStore = SecretStore::remove(host);
    if (!fromSecretStore && fromSecretStore.error().kind == Error::Kind::Unsupported)
        fromSecretStore = false;
    if (!fromFile)
        return fromFile;
    if (!fromSecretStore)
        return fromSecretStore;
    return *fromFile || *fromSecretStore;
}

namespace {

std::optional<QProcessEnvironment>& keptEnvironment() {
    static std::optional<QProcessEnvironment> kept;
    return kept;
}

} // namespace

QProcessEnvironment signInEnvironment() {
    return keptEnvironment().value_or(QProcessEnvironment::systemEnvironment());
}

void keepSecretsFromChildren() {
    const QProcessEnvironment all = QProcessEnvironment::systemEnvironment();
    const QProcessEnvironment harmless = withoutSecrets(all);
    keptEnvironment() = all;
    const QStringList names = all.keys();
    for (const QString& name : names) {
        if (!harmless.contains(name))
            qunsetenv(name.toLocal8Bit().constData());
    }
}

QProcessEnvironment withoutSecrets(QProcessEnvironment environment) {
    const QStringList names = environment.keys();
    for (const QString& name : names) {
        if (name.startsWith(QLatin1String("TART_REGISTRY_")) ||
            name.endsWith(QLatin1String("_PASSWORD")) || name.endsWith(QLatin1String("_TOKEN")))
            environment.remove(name);
    }
    return environment;
}

QProcessEnvironment forCredentialHelper(QProcessEnvironment environment) {
    const QStringList names = environment.keys();
    for (const QString& name : names) {
        if (name.startsWith(QLatin1String("TART_REGISTRY_")))
            environment.remove(name);
    }
    return environment;
}

} // namespace vitrine
