// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/registry/failure_text.h"
#include "core/registry/retry_policy.h"

#include <QByteArray>
#include <QEventLoop>
#include <QList>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QPair>
#include <QSslConfiguration>
#include <QSslError>
#include <QUrl>

#include <functional>
#include <memory>
#include <stop_token>

namespace vitrine {

struct HttpOptions {
    QString caFile;               // extra trusted certificates (PEM); empty: the system's only
    QString proxy;                // as in registry_settings.h; empty: the system's
    int idleMilliseconds = 60000; // no byte for so long: the connection is given up
    std::function<void(QString)> log = [](const QString&) {}; // "GET https://h/p -> 200"
    TlsAdvice advice = {};
};

struct HttpRequest {
    QByteArray method = "GET";
    QUrl url;
    QList<QPair<QByteArray, QByteArray>> headers;
    QByteArray body;
};

// The answer to one request while its body arrives. Used on the thread that made it; must go before
// its client.
class HttpReply final {
public:
    ~HttpReply();
    HttpReply(const HttpReply&) = delete;
    HttpReply& operator=(const HttpReply&) = delete;

    [[nodiscard]] int status() const { return m_status; }
    // Several fields of one name are joined with ", ". Empty when missing.
    [[nodiscard]] QByteArray header(const QByteArray& name) const;
    [[nodiscard]] QUrl url() const;

    // Waits for the next bytes, at most `capacity`; 0 at the end of the body. Returns within about
    // 100 ms of a stop (Cancelled).
    [[nodiscard]] Attempt<qint64> read(char* buffer, qint64 capacity, const std::stop_token& stop);
    // The whole body. Longer than `limit`: an Integrity failure.
    [[nodiscard]] Attempt<QByteArray> readAll(qint64 limit, const std::stop_token& stop);

private:
    friend class HttpClient;
    HttpReply(QNetworkReply* reply, QEventLoop& loop, const HttpOptions& options);
    [[nodiscard]] Attempt<> waitForHead(const std::stop_token& stop);
    // Processes events until `ready` or the reply is over.
    [[nodiscard]] Attempt<> wait(const std::function<bool()>& ready, const std::stop_token& stop);
    [[nodiscard]] Failure failure() const;

    std::unique_ptr<QNetworkReply> m_reply;
    QEventLoop& m_loop;
    const HttpOptions& m_options;
    int m_status = 0;
    QList<QSslError> m_sslErrors;
};

// HTTP(S) without cookies, automatic redirects, stored credentials or content coding; HTTP/1.1
// only, because one HTTP/2 connection would share one window among the parts of a layer. Blocking.
// One client per thread: a network manager opens only six connections a host. What arrives but is
// not read is bounded, so a slow disk slows the server down instead of filling memory.
class HttpClient final {
public:
    static constexpr qint64 readBufferBytes = 512 * 1024;

    explicit HttpClient(HttpOptions options);
    // Sends and waits for the status. A status that says "failed" is not a failure here.
    [[nodiscard]] Attempt<std::unique_ptr<HttpReply>> send(const HttpRequest& request,
                                                           const std::stop_token& stop);

private:
    HttpOptions m_options;
    QEventLoop m_loop; // gives a thread that Qt did not start its event dispatcher
    std::unique_ptr<QNetworkAccessManager> m_manager;
    QSslConfiguration m_ssl;
    bool m_sslReady = false;
    std::optional<Error> m_sslError;
    void prepareSsl();
};

// Scheme, host and path: queries of redirects carry signatures that belong in no log.
[[nodiscard]] QString urlForLog(const QUrl& url);

} // namespace vitrine
