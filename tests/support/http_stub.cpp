// SPDX-License-Identifier: Apache-2.0
#include "tests/support/http_stub.h"

#include <algorithm>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace vitrine::test {

QByteArray StubRequest::header(const QByteArray& name) const {
    for (const auto& [key, value] : headers) {
        if (key.compare(name, Qt::CaseInsensitive) == 0)
            return value;
    }
    return {};
}

bool StubConnection::write(const QByteArray& bytes) {
    qsizetype done = 0;
    while (done < bytes.size()) {
        const ssize_t n = ::send(
            m_fd, bytes.constData() + done, static_cast<size_t>(bytes.size() - done), MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        done += n;
    }
    return true;
}

void StubConnection::answer(int status,
                            const QList<QPair<QByteArray, QByteArray>>& headers,
                            const QByteArray& body) {
    QByteArray text = "HTTP/1.1 " + QByteArray::number(status) + " Status\r\n";
    bool sized = false;
    for (const auto& [name, value] : headers) {
        text += name + ": " + value + "\r\n";
        sized = sized || name.compare("Content-Length", Qt::CaseInsensitive) == 0;
    }
    if (!sized)
        text += "Content-Length: " + QByteArray::number(body.size()) + "\r\n";
    text += "Connection: close\r\n\r\n";
    write(text + body);
}

void StubConnection::waitForEnd() {
    char byte = 0;
    while (::recv(m_fd, &byte, 1, 0) > 0) {
    }
}

HttpStub::HttpStub(Handler handler)
    : m_handler(std::move(handler)) {
    m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(m_listener, generic, size) == 0 && ::listen(m_listener, 64) == 0 &&
        ::getsockname(m_listener, generic, &size) == 0)
        m_port = ntohs(address.sin_port);
    m_accepter = std::thread([this] { accept(); });
}

HttpStub::~HttpStub() {
    stop();
}

void HttpStub::stop() {
    if (m_stopping.exchange(true))
        return;
    ::shutdown(m_listener, SHUT_RDWR);
    m_accepter.join();
    ::close(m_listener);
    std::vector<std::thread> threads;
    {
        const std::scoped_lock lock(m_mutex);
        for (const int fd : m_open)
            ::shutdown(fd, SHUT_RDWR);
        threads.swap(m_threads);
    }
    for (std::thread& thread : threads)
        thread.join();
}

QList<StubRequest> HttpStub::requests() const {
    const std::scoped_lock lock(m_mutex);
    return m_requests;
}

int HttpStub::count(const QByteArray& pathPart) const {
    const QList<StubRequest> all = requests();
    return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const StubRequest& request) {
        return request.target.contains(pathPart);
    }));
}

void HttpStub::accept() {
    while (!m_stopping) {
        const int fd = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0)
            continue;
        const int on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const std::scoped_lock lock(m_mutex);
        m_open.push_back(fd);
        m_threads.emplace_back([this, fd] { serve(fd); });
    }
}

void HttpStub::serve(int fd) {
    QByteArray data;
    QByteArray piece(64 * 1024, Qt::Uninitialized);
    qsizetype end = -1;
    qint64 length = 0;
    StubRequest request;
    bool whole = false;
    while (!whole) {
        const ssize_t n = ::recv(fd, piece.data(), static_cast<size_t>(piece.size()), 0);
        if (n <= 0)
            break;
        data.append(piece.constData(), n);
        if (end < 0 && (end = data.indexOf("\r\n\r\n")) >= 0) {
            QList<QByteArray> lines = data.left(end).split('\n');
            const QList<QByteArray> first = lines.takeFirst().trimmed().split(' ');
            request.method = first.value(0);
            request.target = first.value(1);
            for (const QByteArray& line : lines) {
                const qsizetype colon = line.indexOf(':');
                request.headers.append({line.left(colon).trimmed(), line.mid(colon + 1).trimmed()});
            }
            length = request.header("Content-Length").toLongLong();
        }
        whole = end >= 0 && data.size() >= end + 4 + length;
    }
    if (whole) {
        request.body = data.mid(end + 4);
        {
            const std::scoped_lock lock(m_mutex);
            m_requests.append(request);
        }
        StubConnection connection(fd);
        m_handler(request, connection);
    }
    const std::scoped_lock lock(m_mutex);
    m_open.erase(std::find(m_open.begin(), m_open.end(), fd));
    ::close(fd);
}

} // namespace vitrine::test
