// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fault_proxy.h"

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace vitrine::test {
namespace {

// False when the other side has gone.
bool trickle(StubConnection& client, const QByteArray& bytes) {
    for (const char byte : bytes) {
        pollfd gone{client.descriptor(), POLLIN, 0};
        if (::poll(&gone, 1, 20) != 0 || !client.write(QByteArray(1, byte)))
            return false;
    }
    return true;
}

} // namespace

FaultProxy::FaultProxy(int upstreamPort, Decide decide)
    : HttpStub(
          [this](const StubRequest& request, StubConnection& client) { forward(request, client); })
    , m_upstreamPort(upstreamPort)
    , m_decide(std::move(decide)) {}

quint64 FaultProxy::bodyBytes() const {
    const std::scoped_lock lock(m_bytesMutex);
    return m_bytes;
}

bool FaultProxy::waitForBytes(quint64 bytes, int milliseconds) const {
    std::unique_lock lock(m_bytesMutex);
    return m_bytesChanged.wait_for(
        lock, std::chrono::milliseconds(milliseconds), [&] { return m_bytes >= bytes; });
}

void FaultProxy::forward(const StubRequest& request, StubConnection& client) {
    const Fault fault = m_decide(request);
    if (fault.status) {
        client.answer(*fault.status, fault.headers, "{}");
        return;
    }
    const int small = 64 * 1024;
    ::setsockopt(client.descriptor(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);

    const int upstream = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(m_upstreamPort));
    if (::connect(upstream, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        ::close(upstream);
        client.answer(502, {}, {});
        return;
    }
    QByteArray head = request.method + ' ' + request.target + " HTTP/1.1\r\n";
    for (const auto& [name, value] : request.headers) {
        const bool range = name.compare("Range", Qt::CaseInsensitive) == 0;
        if (name.compare("Connection", Qt::CaseInsensitive) != 0 && !(range && fault.dropRange))
            head += name + ": " + value + "\r\n";
    }
    head += "Connection: close\r\n\r\n" + request.body;
    StubConnection server(upstream);
    server.write(head);

    QByteArray data;
    QByteArray piece(64 * 1024, Qt::Uninitialized);
    qsizetype end = -1;
    const auto receive = [&] {
        const ssize_t n = ::recv(upstream, piece.data(), static_cast<size_t>(piece.size()), 0);
        return n > 0 ? piece.left(n) : QByteArray();
    };
    while (end < 0) {
        const QByteArray more = receive();
        if (more.isEmpty())
            break;
        data += more;
        end = data.indexOf("\r\n\r\n");
    }
    QByteArray answer;
    const QList<QByteArray> lines = data.left(end).split('\n');
    for (const QByteArray& line : lines) {
        const QByteArray name = line.left(line.indexOf(':')).trimmed().toLower();
        if (name == "content-length")
            answer += "Content-Length: " +
                      QByteArray::number(line.mid(15).trimmed().toLongLong() + fault.lengthDelta +
                                         fault.extraBytes.value_or(0)) +
                      "\r\n";
        else if (name == "content-range" && fault.contentRange)
            answer += "Content-Range: " + *fault.contentRange + "\r\n";
        else
            answer += line.trimmed() + "\r\n";
    }
    bool open = client.write(answer + "\r\n");
    qint64 position = 0;
    QByteArray body = data.mid(end + 4);
    while (open) {
        if (fault.corruptAt && *fault.corruptAt >= position &&
            *fault.corruptAt < position + body.size())
            body[*fault.corruptAt - position] =
                static_cast<char>(~body.at(*fault.corruptAt - position));
        const qint64 stop =
            std::min(fault.cutAfter.value_or(INT64_MAX), fault.hangAfter.value_or(INT64_MAX));
        const bool over = position + body.size() >= stop;
        if (over)
            body.truncate(std::max<qint64>(0, stop - position));
        const qint64 quick =
            std::clamp<qint64>(fault.trickleAfter.value_or(INT64_MAX) - position, 0, body.size());
        open = client.write(body.left(quick)) && trickle(client, body.mid(quick));
        position += body.size();
        {
            const std::scoped_lock lock(m_bytesMutex);
            m_bytes += static_cast<quint64>(body.size());
        }
        m_bytesChanged.notify_all();
        if (over && fault.hangAfter && open)
            client.waitForEnd();
        if (over)
            break;
        body = receive();
        if (body.isEmpty())
            break;
    }
    if (open && fault.extraBytes)
        client.write(QByteArray(*fault.extraBytes, 'x'));
    ::close(upstream);
}

} // namespace vitrine::test
