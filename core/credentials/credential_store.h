// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QProcessEnvironment>
#include <QString>

#include <functional>
#include <optional>

namespace vitrine {

struct Credentials {
    QString user;
    QString password;      // or token
    QString identityToken; // from docker config; used as refresh token when set
    QString source; // translated, for people: "the environment", "the Docker configuration (helper
                    // gcloud)"
    // From an environment without TART_REGISTRY_HOSTNAME: never sent to a realm of another origin
    // (contract 5).
    bool registryOriginOnly = false;
};

// True when there is something to send.
[[nodiscard]] inline bool isUsable(const Credentials& credentials) {
    return !credentials.identityToken.isEmpty() ||
           (!credentials.user.isEmpty() && !credentials.password.isEmpty());
}

// The environment that signing in uses: that of the process before keepSecretsFromChildren(), else
// its present one. Any thread.
[[nodiscard]] QProcessEnvironment signInEnvironment();
// Takes what withoutSecrets() takes out of the process's own environment, so that no child inherits
// it whoever starts it (Qt opens folders and links with programs of the desktop). Call it once, at
// the start of main().
void keepSecretsFromChildren();

// Finds credentials for a registry host ("ghcr.io", "127.0.0.1:5000") in order: environment (bound
// to its host, contract 5), Docker configuration (auths, credHelpers, credsStore, identity token,
// DOCKER_CONFIG, Docker Hub's key), the system's secret store, the file store. A failing source is
// reported through `notice` and the next is tried. Blocking; call it from a worker thread.
class CredentialFinder final {
public:
    struct Options {
        QProcessEnvironment environment = signInEnvironment();
        // Host named on this command line: environment credentials without TART_REGISTRY_HOSTNAME
        // serve only it. Empty in the window: such credentials are then never used.
        QString commandLineHost;
        QString storePath; // of the file store, empty: <config dir>/vitrine/credentials.json
        bool useSecretService = true;
        std::function<void(QString)> notice = [](const QString&) {};
    };
    explicit CredentialFinder(Options options)
        : m_options(std::move(options)) {}
    // Never fails on a source that is missing or broken; nullopt means anonymous.
    [[nodiscard]] Result<std::optional<Credentials>> find(const QString& host) const;

private:
    [[nodiscard]] std::optional<Credentials> fromEnvironment(const QString& host) const;
    Options m_options;
};

enum class StoreKind { SecretService, File };
// `login` and `logout`. No secret service: Unsupported, the sentence names both ways out (docker
// login, --store=file). Blocking; needs a QCoreApplication; may be called from any thread.
Result<>
storeCredentials(StoreKind kind, const QString& host, const QString& user, const QString& password);
Result<bool> removeCredentials(const QString& host); // from both stores; false when there were none

// <config dir>/vitrine/credentials.json of this user.
[[nodiscard]] QString defaultCredentialFile();

// Takes TART_REGISTRY_*, *_PASSWORD and *_TOKEN out, for every child process (contract 5).
[[nodiscard]] QProcessEnvironment withoutSecrets(QProcessEnvironment environment);
// For a credential helper: only TART_REGISTRY_* go. It is the program that the user named for
// signing in, and may itself need a token, such as AWS_SESSION_TOKEN (ADR 0007).
[[nodiscard]] QProcessEnvironment forCredentialHelper(QProcessEnvironment environment);

} // namespace vitrine
