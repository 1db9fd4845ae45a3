// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/credentials/credential_store.h"
#include "core/result/result.h"

#include <QJsonObject>
#include <QProcessEnvironment>
#include <QString>

#include <optional>

namespace vitrine {

// Docker's client configuration: $DOCKER_CONFIG/config.json, else ~/.docker/config.json, and the
// credential helper programs it names. Read only. Format: docs of `docker login` and of
// docker-credential-helpers; what Tart reads of it is in specification 3.11.
class DockerConfig final {
public:
    explicit DockerConfig(QProcessEnvironment environment)
        : m_environment(std::move(environment)) {}

    [[nodiscard]] QString path() const;
    // In order: an entry of `auths` that holds a secret, a helper of `credHelpers`, the helper of
    // `credsStore`. Blocks while a helper runs, at most 30 s.
    [[nodiscard]] Result<std::optional<Credentials>> find(const QString& host) const;

    // Pure parts of it. `config` is the file's content.
    [[nodiscard]] static std::optional<Credentials> fromAuths(const QJsonObject& config,
                                                              const QString& host);
    // The exact key, else the first key in alphabetical order that as a regular expression matches
    // the whole host. Empty when there is none.
    [[nodiscard]] static QString helperFor(const QJsonObject& config, const QString& host);
    // What a helper knows the host by: Docker Hub's is "https://index.docker.io/v1/".
    [[nodiscard]] static QString serverAddress(const QString& host);

private:
    QProcessEnvironment m_environment;
};

} // namespace vitrine
