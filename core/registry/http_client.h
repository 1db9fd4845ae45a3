// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/registry/failure_text.h"
#include "core/registry/http_sockets.h"
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
#include <optional>
#include <stop_token>

namespace vitrine {

struct HttpOptions {
    QString caFile;               // extra trusted certificates (PEM); empty: the system's only
    QString proxy;                // as in registry_settings.h; empty: the system's
    int idleMilliseconds = 60000; // no byte for so long: the connection is given up
    std::function<void(QString)> log = [](const QString&) {}; // "GET https://h/p -> 200"
    TlsAdvice advice = {};
    // A body that is waited for for so long in all and brought less than 1 KiB a second: the
    // connection is given up. Time in which nobody reads does not count.
    int stallMilliseconds = 60000;
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
    HttpReply(QNetworkReply* reply,
              QEventLoop& loop,
              HttpSockets& sockets,
              const HttpOptions& options);
    [[nodiscard]] Attempt<> waitForHead(const std::stop_token& stop);
    // Processes events until `ready` or the reply is over.
    [[nodiscard]] Attempt<> wait(const std::function<bool()>& ready, const std::stop_token& stop);
    [[nodiscard]] Failure failure() const;
    // Too little came in all the time that was waited.
    [[nodiscard]] std::optional<Failure> stall();

    std::unique_ptr<QNetworkReply> m_reply;
    QEventLoop& m_loop;
    HttpSockets& m_sockets;
    const HttpOptions& m_options;
    int m_status = 0;
    QList<QSslError> m_sslErrors;
    qint64 m_waited = 0;  // milliseconds of the window in which the speed is looked at
    qint64 m_arrived = 0; // bytes of the body in it
};

// HTTP(S) without cookies, automatic redirects, stored credentials or content coding; HTTP/1.1
// only, because one HTTP/2 connection would share one window among the parts of a layer. Blocking.
// One client per thread: a network manager opens only six connections a host. What arrives but is
// not read is bounded, so a slow disk slows the server down instead of filling memory.
class HttpClient final {
public:
    static constexpr qint64 readBufferBytes = 512 * 1024;
    // The head of an answer with all of 1xx before it. Some of the body may be counted with it.
    static constexpr qint64 longestHead = 1'000'000;

    explicit HttpClient(HttpOptions options);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;
    // Sends and waits for the status. A status that says "failed" is not a failure here.
    [[nodiscard]] Attempt<std::unique_ptr<HttpReply>> send(const HttpRequest& request,
                                                           const std::stop_token& stop);

private:
    HttpOptions m_options;
    QEventLoop m_loop; // gives a thread that Qt did not start its event dispatcher
    HttpSockets m_sockets;
    std::unique_ptr<QNetworkAccessManager> m_manager;
    QSslConfiguration m_ssl;
    bool m_sslReady = false;
    std::optional<Error> m_sslError;
    void prepareSsl();
};

// Scheme, host and path: queries of redirects carry signatures that belong in no log.
[[nodiscard]] QString urlForLog(const QUrl& url);

} // namespace vitrine
