// SPDX-License-Identifier: Apache-2.0
#include "core/registry/http_client.h"

#include "core/value/byte_count.h"

#include <QAbstractEventDispatcher>
#include <QElapsedTimer>
#include <QFile>
#include <QHostAddress>
#include <QNetworkProxy>
#include <QNetworkProxyFactory>
#include <QNetworkRequest>
#include <QSslCertificate>
#include <QSslError>
#include <QThread>
#include <QTimer>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

namespace vitrine {
namespace {

constexpr qint64 leastBytesPerSecond = 1024;
constexpr int tickMilliseconds = 100;

// What was set, else the system's proxies, but never those for this computer itself.
class ProxyChoice final : public QNetworkProxyFactory {
public:
    explicit ProxyChoice(const QString& set) {
        if (set == QLatin1String("none")) {
            m_set = QNetworkProxy(QNetworkProxy::NoProxy);
        } else if (!set.isEmpty()) {
            const QUrl url(set);
            m_set =
                QNetworkProxy(url.scheme() == QLatin1String("socks5") ? QNetworkProxy::Socks5Proxy
                                                                      : QNetworkProxy::HttpProxy,
                              url.host(),
                              static_cast<quint16>(url.port()),
                              url.userName(),
                              url.password());
        }
    }
    QList<QNetworkProxy> queryProxy(const QNetworkProxyQuery& query) override {
        if (m_set)
            return {*m_set};
        const QString host = query.peerHostName();
        if (host == QLatin1String("localhost") || QHostAddress(host).isLoopback())
            return {QNetworkProxy(QNetworkProxy::NoProxy)};
        return systemProxyForQuery(query);
    }

private:
    std::optional<QNetworkProxy> m_set;
};

} // namespace

QString urlForLog(const QUrl& url) {
    return url.toString(QUrl::RemoveUserInfo | QUrl::RemoveQuery | QUrl::RemoveFragment);
}

HttpReply::HttpReply(QNetworkReply* reply,
                     QEventLoop& loop,
                     HttpSockets& sockets,
                     const HttpOptions& options)
    : m_reply(reply)
    , m_loop(loop)
    , m_sockets(sockets)
    , m_options(options) {
    m_reply->setReadBufferSize(HttpClient::readBufferBytes);
    QObject::connect(m_reply.get(),
                     &QNetworkReply::sslErrors,
                     m_reply.get(),
                     [this](const QList<QSslError>& errors) {
                         if (!errors.isEmpty())
                             m_sslErrors = errors;
                     });
}

HttpReply::~HttpReply() {
    if (!m_reply)
        return;
    m_reply->disconnect();
    if (m_reply->isFinished())
        return;
    m_reply->abort();
    if (m_status == 0)
        m_sockets.endUsed(); // Qt's thread may be too busy to hear of it
}

QByteArray HttpReply::header(const QByteArray& name) const {
    return m_reply->rawHeader(name);
}

QUrl HttpReply::url() const {
    return m_reply->url();
}

Attempt<> HttpReply::wait(const std::function<bool()>& ready, const std::stop_token& stop) {
    if (ready() || m_reply->isFinished())
        return {};
    QAbstractEventDispatcher* const dispatcher = QThread::currentThread()->eventDispatcher();
    const std::stop_callback wake(stop, [dispatcher] {
        if (dispatcher)
            dispatcher->wakeUp();
    });
    QTimer tick; // looks at the clock even when no event comes
    tick.start(tickMilliseconds);
    QElapsedTimer idle;
    idle.start();
    // Bytes that are neither a head nor a body. The head's are counted from the request on.
    std::optional<quint64> before;
    if (m_status == 0)
        before = 0;
    while (!ready() && !m_reply->isFinished()) {
        if (stop.stop_requested())
            return failed(Failure::permanent(Error::cancelled()));
        const QString host = m_reply->url().host();
        if (idle.elapsed() > m_options.idleMilliseconds) {
            const int seconds = std::max(1, m_options.idleMilliseconds / 1000);
            return failed(Failure::passing(Error{
                Error::Kind::Timeout,
                m_status == 0
                    ? Tr::tr("\"%1\" did not answer for %n second(s).", nullptr, seconds).arg(host)
                    : Tr::tr("\"%1\" sent nothing for %n second(s).", nullptr, seconds).arg(host),
                urlForLog(m_reply->url())}));
        }
        if (idle.elapsed() >= tickMilliseconds) {
            const quint64 taken = m_sockets.taken();
            if (!before)
                before = taken;
            if (taken > *before + static_cast<quint64>(HttpClient::longestHead)) {
                const QString most = ByteCount::fromBytes(HttpClient::longestHead).toText();
                return failed(Failure::permanent(
                    Error{Error::Kind::Network,
                          m_status == 0
                              ? Tr::tr("\"%1\" sent an answer head larger than %2. It is no "
                                       "registry, or does not work as it should: check the "
                                       "address, or tell whoever runs it.")
                                    .arg(host, most)
                              : Tr::tr("\"%1\" sent more than %2 in which nothing of the file "
                                       "is. It does not work as it should: tell whoever runs it.")
                                    .arg(host, most),
                          urlForLog(m_reply->url())}));
            }
        }
        m_loop.processEvents(QEventLoop::WaitForMoreEvents);
    }
    return {};
}

std::optional<Failure> HttpReply::stall() {
    if (m_waited < m_options.stallMilliseconds)
        return std::nullopt;
    const double speed =
        static_cast<double>(m_arrived) * 1000 / static_cast<double>(std::max<qint64>(1, m_waited));
    const qint64 seconds = (m_waited + 999) / 1000;
    m_waited = 0;
    m_arrived = 0;
    if (speed >= leastBytesPerSecond || m_reply->isFinished())
        return std::nullopt;
    Failure failure = Failure::passing(
        Error{Error::Kind::Timeout,
              Tr::tr("\"%1\" sent only %2 bytes/s for %n second(s). The connection was given up.",
                     nullptr,
                     static_cast<int>(seconds))
                  .arg(m_reply->url().host())
                  .arg(static_cast<qint64>(speed)),
              urlForLog(m_reply->url())});
    failure.stalled = true;
    return failure;
}

Attempt<> HttpReply::waitForHead(const std::stop_token& stop) {
    const auto statusOf = [this] {
        return m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    };
    if (auto waited = wait([&] { return statusOf() != 0; }, stop); !waited)
        return waited;
    m_status = statusOf();
    if (m_status == 0) // over before a status came
        return failed(failure());
    return {};
}

Failure HttpReply::failure() const {
    const QNetworkReply::NetworkError code = m_reply->error();
    const QString host = m_reply->url().host();
    Error error;
    error.kind = Error::Kind::Network;
    error.detail = QStringLiteral("%1: %2 (%3)")
                       .arg(urlForLog(m_reply->url()), m_reply->errorString())
                       .arg(code);
    switch (code) {
    case QNetworkReply::SslHandshakeFailedError:
        error.message = tlsFailureText(m_reply->url().adjusted(QUrl::RemoveUserInfo).authority(),
                                       m_reply->errorString(),
                                       m_sslErrors,
                                       m_options.advice);
        return Failure::permanent(std::move(error));
    case QNetworkReply::HostNotFoundError:
        error.message =
            Tr::tr("There is no computer \"%1\". Check the name and the network.").arg(host);
        break;
    case QNetworkReply::ConnectionRefusedError:
        error.message = Tr::tr("\"%1\" refuses the connection. Check the name and the port, and "
                               "whether the registry runs.")
                            .arg(m_reply->url().authority());
        break;
    case QNetworkReply::ProtocolUnknownError:
    case QNetworkReply::ProtocolInvalidOperationError:
        error.message = Tr::tr("\"%1\" cannot be fetched: %2")
                            .arg(urlForLog(m_reply->url()), withFullStop(m_reply->errorString()));
        return Failure::permanent(std::move(error));
    case QNetworkReply::ProxyAuthenticationRequiredError:
        error.message = Tr::tr("The proxy on the way to \"%1\" wants a user name and password. Put "
                               "them into the proxy's address in the environment.")
                            .arg(host);
        return Failure::permanent(std::move(error));
    default:
        error.message = Tr::tr("The connection to \"%1\" broke: %2")
                            .arg(host, withFullStop(m_reply->errorString()));
        break;
    }
    return Failure::passing(std::move(error));
}

Attempt<qint64> HttpReply::read(char* buffer, qint64 capacity, const std::stop_token& stop) {
    if (stop.stop_requested())
        return failed(Failure::permanent(Error::cancelled()));
    if (m_reply->bytesAvailable() == 0) {
        QElapsedTimer clock;
        clock.start();
        const auto waited = wait([this] { return m_reply->bytesAvailable() > 0; }, stop);
        if (!waited)
            return failed(waited.error());
        m_waited += clock.elapsed();
    }
    const qint64 count = m_reply->read(buffer, capacity);
    if (count > 0) {
        m_arrived += count;
        if (auto stalled = stall())
            return failed(*std::move(stalled));
        return count;
    }
    // Over. A status of 400 and above is an "error" for Qt although the body came whole.
    const auto code = m_reply->error();
    const bool byStatus = m_status >= 400 && code >= QNetworkReply::ContentAccessDenied;
    if (code != QNetworkReply::NoError && !byStatus)
        return failed(failure());
    return 0;
}

Attempt<QByteArray> HttpReply::readAll(qint64 limit, const std::stop_token& stop) {
    QByteArray body;
    body.reserve(std::min(limit, header("Content-Length").toLongLong()));
    QByteArray piece(64 * 1024, Qt::Uninitialized);
    while (true) {
        const auto count = read(piece.data(), piece.size(), stop);
        if (!count)
            return failed(count.error());
        if (*count == 0)
            return body;
        if (body.size() + *count > limit)
            return failed(Failure::permanent(
                Error{Error::Kind::Integrity,
                      Tr::tr("\"%1\" sent more than the %2 bytes that were expected.")
                          .arg(m_reply->url().host())
                          .arg(limit),
                      urlForLog(m_reply->url())}));
        body.append(piece.constData(), *count);
    }
}

HttpClient::HttpClient(HttpOptions options)
    : m_options(std::move(options))
    , m_manager(std::make_unique<QNetworkAccessManager>()) {
    m_manager->setAutoDeleteReplies(false);
    m_manager->setProxyFactory(new ProxyChoice(m_options.proxy)); // owned by the manager
    m_manager->setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
}

HttpClient::~HttpClient() {
    // The manager waits some seconds for its thread, and that one may have begun to read what does
    // not end after its connection was looked for.
    const std::jthread watch([this](const std::stop_token& over) {
        while (waitFor(std::chrono::milliseconds(tickMilliseconds), over))
            m_sockets.endAll();
    });
    m_manager.reset();
}

void HttpClient::prepareSsl() {
    m_sslReady = true;
    m_ssl = QSslConfiguration::defaultConfiguration();
    if (m_options.caFile.isEmpty())
        return;
    QFile file(m_options.caFile);
    if (!file.open(QIODevice::ReadOnly)) {
        m_sslError = Error{Error::Kind::InvalidInput,
                           Tr::tr("The certificate file \"%1\" cannot be read: %2.")
                               .arg(m_options.caFile, file.errorString()),
                           {}};
        return;
    }
    const QList<QSslCertificate> certificates = QSslCertificate::fromDevice(&file, QSsl::Pem);
    if (certificates.isEmpty()) {
        m_sslError = Error{
            Error::Kind::InvalidInput,
            Tr::tr("\"%1\" holds no certificate. It must be a PEM file.").arg(m_options.caFile),
            {}};
        return;
    }
    m_ssl.addCaCertificates(certificates);
}

Attempt<std::unique_ptr<HttpReply>> HttpClient::send(const HttpRequest& request,
                                                     const std::stop_token& stop) {
    if (stop.stop_requested())
        return failed(Failure::permanent(Error::cancelled()));
    QNetworkRequest out(request.url);
    out.setAttribute(QNetworkRequest::RedirectPolicyAttribute,
                     QNetworkRequest::ManualRedirectPolicy);
    out.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    out.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    out.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    out.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    out.setAttribute(QNetworkRequest::CacheSaveControlAttribute, false);
    out.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    out.setRawHeader("User-Agent", "Vitrine/" VITRINE_VERSION);
    out.setRawHeader("Accept-Encoding", "identity"); // also keeps Qt from decoding by itself
    for (const auto& [name, value] : request.headers)
        out.setRawHeader(name, value);
    if (request.url.scheme() == QLatin1String("https")) {
        if (!m_sslReady)
            prepareSsl();
        if (m_sslError)
            return failed(Failure::permanent(*m_sslError));
        out.setSslConfiguration(m_ssl);
    }
    m_sockets.start();
    QNetworkReply* const reply =
        request.method == "GET"    ? m_manager->get(out)
        : request.method == "HEAD" ? m_manager->head(out)
        : request.method == "POST"
            ? m_manager->post(out, request.body)
            : m_manager->sendCustomRequest(out, request.method, request.body);
    std::unique_ptr<HttpReply> answer(new HttpReply(reply, m_loop, m_sockets, m_options));
    const auto head = answer->waitForHead(stop);
    const QString line =
        QString::fromLatin1(request.method) + QLatin1Char(' ') + urlForLog(request.url);
    if (!head) {
        if (!head.error().error.isCancelled())
            m_options.log(line + QLatin1String(" -> ") + head.error().error.detail);
        return failed(head.error());
    }
    m_options.log(line + QLatin1String(" -> ") + QString::number(answer->status()));
    return answer;
}

} // namespace vitrine
