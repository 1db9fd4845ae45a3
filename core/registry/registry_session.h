// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/registry/http_challenge.h"
#include "core/registry/http_client.h"
#include "core/registry/registry_options.h"
#include "core/registry/token_cache.h"

#include <QHash>
#include <QSet>
#include <QUrl>

#include <mutex>
#include <optional>

namespace vitrine {

// What the workers of one job share about a registry: its address, the credentials and the tokens.
// Any thread; requests go through the client of the calling thread.
class RegistrySession final {
public:
    RegistrySession(QString host, RegistryOptions options, std::function<void(QString)> log);

    [[nodiscard]] const QString& host() const { return m_host; }
    [[nodiscard]] const RegistryOptions& options() const { return m_options; }
    [[nodiscard]] HttpOptions httpOptions() const;
    [[nodiscard]] QUrl url(const QString& path) const; // below /v2/
    // Same scheme, host and port as the registry: the only place Authorization is sent to.
    [[nodiscard]] bool isOwnOrigin(const QUrl& url) const;

    // The Authorization field for a request about `repository`, empty when none is known to be
    // needed. Fetches or renews a token when the registry has asked for one before.
    [[nodiscard]] Attempt<QByteArray>
    authorization(HttpClient& client, const QString& repository, const std::stop_token& stop);
    // Takes in a 401: afterwards authorization() gives what the registry wants. `used` is the field
    // that was refused.
    [[nodiscard]] Attempt<> answerChallenge(const QString& repository,
                                            const QByteArray& wwwAuthenticate,
                                            const QByteArray& used);
    // For a request that stays refused: the sentence names realm and scope.
    [[nodiscard]] Error
    refused(int status, const QString& repository, const QByteArray& body) const;
    // Where the credentials in use come from; empty while anonymous.
    [[nodiscard]] QString credentialsSource() const;

private:
    [[nodiscard]] Result<std::optional<Credentials>> credentials();
    [[nodiscard]] Attempt<> checkRealm(const QUrl& realm);
    [[nodiscard]] Attempt<Token>
    fetchToken(HttpClient& client, const TokenKey& key, const std::stop_token& stop);

    const QString m_host;
    const RegistryOptions m_options;
    const std::function<void(QString)> m_log;
    TokenCache m_tokens;

    std::mutex m_credentialsMutex; // held while the finder works: one look-up a session
    bool m_credentialsKnown = false;
    std::optional<Credentials> m_credentials;
    std::mutex m_consentMutex; // held while the user is asked: once a session and host
    QHash<QString, bool> m_consents;

    mutable std::mutex m_mutex;
    QByteArray m_basic;                // "Basic …" once the registry has asked for it
    QHash<QString, TokenKey> m_bearer; // by repository
    QString m_credentialsSource;
};

// 408, 425, 429 and 5xx may pass; everything else is final. `body` is cut for the sentence.
[[nodiscard]] Failure statusFailure(const HttpReply& reply, const QByteArray& body);
// The messages of a registry's JSON error body, else its text; plain, at most 1000 characters.
[[nodiscard]] QString errorText(const QByteArray& body);

} // namespace vitrine
