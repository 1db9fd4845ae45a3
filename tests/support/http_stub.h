// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>
#include <QPair>
#include <QString>

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace vitrine::test {

struct StubRequest {
    QByteArray method;
    QByteArray target; // path and query
    QList<QPair<QByteArray, QByteArray>> headers;
    QByteArray body;
    [[nodiscard]] QByteArray header(const QByteArray& name) const;
    [[nodiscard]] QByteArray path() const { return target.left(target.indexOf('?')); }
};

// One accepted connection. Writes end silently once the other side is gone.
class StubConnection final {
public:
    explicit StubConnection(int fd)
        : m_fd(fd) {}
    bool write(const QByteArray& bytes);
    void
    answer(int status, const QList<QPair<QByteArray, QByteArray>>& headers, const QByteArray& body);
    // Returns when the other side has closed or the server stops.
    void waitForEnd();
    [[nodiscard]] int descriptor() const { return m_fd; }

private:
    int m_fd;
};

// A small HTTP/1.1 server on a free loopback port. One request a connection, one thread a
// connection: the handler may block.
class HttpStub {
public:
    using Handler = std::function<void(const StubRequest&, StubConnection&)>;

    explicit HttpStub(Handler handler);
    virtual ~HttpStub();
    // Ends every connection and waits for the handlers. What handlers use must outlive it.
    void stop();
    HttpStub(const HttpStub&) = delete;
    HttpStub& operator=(const HttpStub&) = delete;

    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] QString host() const { return QStringLiteral("127.0.0.1:%1").arg(m_port); }
    [[nodiscard]] QList<StubRequest> requests() const; // that came so far
    [[nodiscard]] int count(const QByteArray& pathPart) const;

private:
    void accept();
    void serve(int fd);

    Handler m_handler;
    int m_listener = -1;
    int m_port = 0;
    std::atomic<bool> m_stopping{false};
    mutable std::mutex m_mutex;
    QList<StubRequest> m_requests;
    std::vector<int> m_open;
    std::vector<std::thread> m_threads;
    std::thread m_accepter;
};

} // namespace vitrine::test
