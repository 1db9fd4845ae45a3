// SPDX-License-Identifier: Apache-2.0
#include "core/registry/registry_session.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUrlQuery>

namespace vitrine {
namespace {

constexpr qint64 longestErrorBody = 4096;
constexpr qint64 longestTokenAnswer = 256 * 1024;

QByteArray encoded(const QString& text) {
    return QUrl::toPercentEncoding(text);
}

int portOf(const QUrl& url) {
    return url.port(url.scheme() == QLatin1String("https") ? 443 : 80);
}

} // namespace

QString errorText(const QByteArray& body) {
    QStringList parts;
    const QJsonDocument document = QJsonDocument::fromJson(body);
    const QJsonArray errors = document.object().value(QLatin1String("errors")).toArray();
    for (const auto& entry : errors) {
        const QString message = entry.toObject().value(QLatin1String("message")).toString();
        parts +=
            message.isEmpty() ? entry.toObject().value(QLatin1String("code")).toString() : message;
    }
    if (parts.isEmpty() && document.isObject())
        parts += document.object().value(QLatin1String("message")).toString();
    QString text = parts.join(QLatin1String("; ")).simplified();
    if (text.isEmpty() && !body.trimmed().startsWith('<'))
        text = QString::fromUtf8(body).simplified();
    return text.left(1000);
}

Failure statusFailure(const HttpReply& reply, const QByteArray& body) {
    const int status = reply.status();
    const QString host = reply.url().host();
    const QString text = errorText(body);
    Failure failure;
    failure.error.kind = Error::Kind::Network;
    failure.error.detail =
        QStringLiteral("%1 -> %2 %3").arg(urlForLog(reply.url())).arg(status).arg(text);
    failure.transient = status == 408 || status == 425 || status == 429 || status >= 500;
    failure.retryAfter = parseRetryAfter(reply.header("Retry-After"));
    if (failure.transient && failure.retryAfter >= std::chrono::minutes(1))
        failure.error.message =
            Tr::tr("\"%1\" takes no more requests now (%2) and asks to try again in %3 minutes.")
                .arg(host)
                .arg(status)
                .arg((failure.retryAfter->count() + 59999) / 60000);
    else if (status == 429)
        failure.error.message =
            Tr::tr("\"%1\" gets too many requests (429). Try again later, or sign in for a higher "
                   "limit.")
                .arg(host);
    else if (status >= 500)
        failure.error.message =
            Tr::tr("\"%1\" has a problem of its own (%2). Try again later.").arg(host).arg(status);
    else if (status == 206)
        failure.error.message =
            Tr::tr("\"%1\" sent only a part (206) of what was asked for as a whole. The registry, "
                   "or a proxy on the way to it, does not work as it should: try again without the "
                   "proxy, or tell whoever runs it.")
                .arg(host);
    else if (text.isEmpty())
        failure.error.message = Tr::tr("\"%1\" answered with status %2.").arg(host).arg(status);
    else
        failure.error.message =
            Tr::tr("\"%1\" answered with status %2: %3").arg(host).arg(status).arg(text);
    return failure;
}

RegistrySession::RegistrySession(QString host,
                                 RegistryOptions options,
                                 std::function<void(QString)> log)
    : m_host(std::move(host))
    , m_options(std::move(options))
    , m_log(std::move(log)) {}

HttpOptions RegistrySession::httpOptions() const {
    return {m_options.caFile,
            m_options.proxy,
            m_options.idleMilliseconds,
            m_log,
            m_options.advice,
            m_options.stallMilliseconds};
}

QUrl RegistrySession::url(const QString& path) const {
    const QString scheme =
        m_options.insecure ? QStringLiteral("http://") : QStringLiteral("https://");
    return QUrl(scheme + m_host + QLatin1String("/v2/") + path, QUrl::StrictMode);
}

bool RegistrySession::isOwnOrigin(const QUrl& other) const {
    const QUrl own = url(QString());
    return other.scheme() == own.scheme() &&
           other.host().compare(own.host(), Qt::CaseInsensitive) == 0 &&
           portOf(other) == portOf(own);
}

Result<std::optional<Credentials>> RegistrySession::credentials() {
    const std::scoped_lock lock(m_credentialsMutex);
    if (!m_credentialsKnown && m_options.credentials) {
        auto found = m_options.credentials(m_host);
        if (!found)
            return found;
        m_credentials = std::move(*found);
    }
    m_credentialsKnown = true;
    return m_credentials;
}

QString RegistrySession::credentialsSource() const {
    const std::scoped_lock lock(m_mutex);
    return m_credentialsSource;
}

Error RegistrySession::refused(int status,
                               const QString& repository,
                               const QByteArray& body) const {
    const std::scoped_lock lock(m_mutex);
    const TokenKey key = m_bearer.value(repository);
    Error error;
    error.kind = Error::Kind::Unauthorized;
    error.detail = QStringLiteral("%1: status %2, realm \"%3\", service \"%4\", scope \"%5\": %6")
                       .arg(m_host)
                       .arg(status)
                       .arg(key.realm, key.service, key.scope, errorText(body));
    const QString what = repository.isEmpty() ? m_host : m_host + QLatin1Char('/') + repository;
    if (m_credentialsSource.isEmpty())
        error.message =
            Tr::tr("The registry does not show \"%1\" to somebody who is not signed in, "
                   "or there is no such image. Sign in to \"%2\", or check the name.")
                .arg(what, m_host);
    else
        error.message = Tr::tr("The registry refuses \"%1\" to the account from %2. Check the user "
                               "name, the password and the rights of that account, and the name of "
                               "the image.")
                            .arg(what, m_credentialsSource);
    if (!key.realm.isEmpty())
        error.message += QLatin1Char(' ') +
                         Tr::tr("It asked %1 for the scope \"%2\".").arg(key.realm, key.scope);
    return error;
}

Attempt<> RegistrySession::checkRealm(const QUrl& realm) {
    const bool http = realm.scheme() == QLatin1String("http");
    if (!realm.isValid() || realm.host().isEmpty() ||
        (!http && realm.scheme() != QLatin1String("https")))
        return failed(Failure::permanent(Error{
            Error::Kind::Network,
            Tr::tr("The registry \"%1\" names an address for signing in that is none.").arg(m_host),
            realm.toString(QUrl::RemoveQuery)}));
    if (http && !m_options.insecure)
        return failed(Failure::permanent(Error{
            Error::Kind::Network,
            Tr::tr("The registry \"%1\" wants the sign-in sent unencrypted to \"%2\". That is "
                   "refused unless plain http is allowed for it.")
                .arg(m_host, realm.host()),
            urlForLog(realm)}));
    if (realm.host().compare(url(QString()).host(), Qt::CaseInsensitive) == 0)
        return {};
    if (!m_options.consentToRealm)
        return {}; // fetchToken() sends no credentials there
    const std::scoped_lock lock(m_consentMutex);
    auto known = m_consents.constFind(realm.host());
    if (known == m_consents.constEnd())
        known = m_consents.insert(realm.host(), m_options.consentToRealm(m_host, realm.host()));
    if (*known)
        return {};
    return failed(Failure::permanent(
        Error{Error::Kind::Unauthorized,
              Tr::tr("The registry \"%1\" wants the sign-in at \"%2\". That was not allowed.")
                  .arg(m_host, realm.host()),
              urlForLog(realm)}));
}

Attempt<> RegistrySession::answerChallenge(const QString& repository,
                                           const QByteArray& wwwAuthenticate,
                                           const QByteArray& used) {
    const auto challenges = parseChallenges(wwwAuthenticate);
    const HttpChallenge* bearer = nullptr;
    const HttpChallenge* basic = nullptr;
    if (challenges) {
        for (const HttpChallenge& challenge : *challenges) {
            if (!bearer && challenge.isScheme(QLatin1String("bearer")) &&
                challenge.parameters.contains(QStringLiteral("realm")))
                bearer = &challenge;
            else if (!basic && challenge.isScheme(QLatin1String("basic")))
                basic = &challenge;
        }
    }
    if (bearer) {
        const auto value = [&](const char* key) {
            return bearer->parameters.value(QLatin1String(key));
        };
        const TokenKey key{value("realm"), value("service"), value("scope")};
        if (auto checked = checkRealm(QUrl(key.realm, QUrl::StrictMode)); !checked)
            return checked;
        {
            const std::scoped_lock lock(m_mutex);
            m_bearer.insert(repository, key);
        }
        if (used.startsWith("Bearer "))
            m_tokens.forget(key, used.mid(7));
        return {};
    }
    if (basic) {
        const auto found = credentials();
        if (!found)
            return failed(Failure::permanent(found.error()));
        if (!*found)
            return failed(Failure::permanent(refused(401, repository, {})));
        const Credentials& login = **found;
        const QString secret = login.password.isEmpty() ? login.identityToken : login.password;
        const QByteArray field =
            "Basic " + (login.user + QLatin1Char(':') + secret).toUtf8().toBase64();
        {
            const std::scoped_lock lock(m_mutex);
            m_basic = field;
            m_credentialsSource = login.source;
        }
        if (used == field)
            return failed(Failure::permanent(refused(401, repository, {})));
        return {};
    }
    return failed(Failure::permanent(Error{
        Error::Kind::Unauthorized,
        Tr::tr("The registry \"%1\" wants a sign-in of a kind that is not known here.").arg(m_host),
        QString::fromLatin1(wwwAuthenticate.left(1000))}));
}

Attempt<QByteArray> RegistrySession::authorization(HttpClient& client,
                                                   const QString& repository,
                                                   const std::stop_token& stop) {
    TokenKey key;
    {
        const std::scoped_lock lock(m_mutex);
        const auto found = m_bearer.constFind(repository);
        if (found == m_bearer.constEnd())
            return m_basic;
        key = *found;
    }
    const auto token = m_tokens.get(
        key, [&] { return fetchToken(client, key, stop); }, stop);
    if (!token)
        return failed(token.error());
    return "Bearer " + *token;
}

Attempt<Token>
RegistrySession::fetchToken(HttpClient& client, const TokenKey& key, const std::stop_token& stop) {
    const auto found = credentials();
    if (!found)
        return failed(Failure::permanent(found.error()));
    QUrl realm(key.realm, QUrl::StrictMode);
    const bool foreignHost = realm.host().compare(url(QString()).host(), Qt::CaseInsensitive) != 0;
    const std::optional<Credentials>& login = *found;
    const bool withheld = login && ((login->registryOriginOnly && !isOwnOrigin(realm)) ||
                                    (foreignHost && !m_options.consentToRealm));
    if (withheld)
        m_log(QStringLiteral("the credentials from %1 are not sent to %2")
                  .arg(login->source, realm.host()));
    const bool useLogin = login && !withheld;

    HttpRequest request;
    if (useLogin && !login->identityToken.isEmpty()) {
        // Docker's token protocol for a refresh token.
        request.method = "POST";
        request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
        request.body =
            "grant_type=refresh_token&client_id=vitrine&service=" + encoded(key.service) +
            "&scope=" + encoded(key.scope) + "&refresh_token=" + encoded(login->identityToken);
    } else {
        QByteArray query = realm.query(QUrl::FullyEncoded).toLatin1();
        const auto add = [&query](const char* name, const QString& value) {
            if (value.isEmpty())
                return;
            if (!query.isEmpty())
                query += '&';
            query += name + QByteArray("=") + encoded(value);
        };
        add("service", key.service);
        add("scope", key.scope);
        realm.setQuery(QString::fromLatin1(query), QUrl::StrictMode);
        if (useLogin)
            request.headers = {
                {"Authorization",
                 "Basic " +
                     (login->user + QLatin1Char(':') + login->password).toUtf8().toBase64()}};
    }
    request.url = realm;
    {
        const std::scoped_lock lock(m_mutex);
        m_credentialsSource = useLogin ? login->source : QString();
    }
    const auto reply = client.send(request, stop);
    if (!reply)
        return failed(reply.error());
    const int status = (*reply)->status();
    const auto body =
        (*reply)->readAll(status == 200 ? longestTokenAnswer : longestErrorBody, stop);
    if (status != 200) {
        const QByteArray text = body.value_or(QByteArray());
        if (status == 401 || status == 403) {
            Error error = refused(status, QString(), text);
            error.message =
                useLogin ? Tr::tr("\"%1\" does not accept the user name or the password from %2 "
                                  "(realm %3, scope \"%4\"). Sign in to \"%5\" again.")
                               .arg(realm.host(), login->source, key.realm, key.scope, m_host)
                         : Tr::tr("\"%1\" wants a sign-in (realm %2, scope \"%3\"). Sign in to "
                                  "\"%4\".")
                               .arg(realm.host(), key.realm, key.scope, m_host);
            return failed(Failure::permanent(std::move(error)));
        }
        return failed(statusFailure(**reply, text));
    }
    if (!body)
        return failed(body.error());
    auto token = Token::fromJson(*body);
    if (!token)
        return failed(Failure::permanent(
            Error{Error::Kind::Network,
                  Tr::tr("\"%1\" answered the sign-in without a token.").arg(realm.host()),
                  urlForLog(realm)}));
    return *token;
}

} // namespace vitrine
