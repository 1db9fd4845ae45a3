// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/http_stub.h"

#include <condition_variable>
#include <optional>

namespace vitrine::test {

// What the proxy does with one answer of the server behind it. Byte numbers count the body.
struct Fault {
    std::optional<int> status; // answered by the proxy itself
    QList<QPair<QByteArray, QByteArray>> headers;
    bool dropRange = false;                 // the server behind never sees the Range
    std::optional<qint64> cutAfter;         // the connection breaks
    std::optional<qint64> hangAfter;        // nothing more comes
    std::optional<qint64> trickleAfter;     // byte by byte from here, 50 a second
    std::optional<qint64> corruptAt;        // this byte is changed
    qint64 lengthDelta = 0;                 // added to the Content-Length
    std::optional<QByteArray> contentRange; // instead of the true one
    std::optional<qint64> extraBytes;       // after the body, told in the Content-Length
};

// Stands before a real server on loopback and spoils its answers.
class FaultProxy final : public HttpStub {
public:
    using Decide = std::function<Fault(const StubRequest&)>;
    FaultProxy(int upstreamPort, Decide decide);
    ~FaultProxy() override { stop(); }

    // Body bytes given to clients so far, small send buffers: nearly what they have got.
    [[nodiscard]] quint64 bodyBytes() const;
    // Waits until bodyBytes() reaches `bytes`; false after `milliseconds`.
    bool waitForBytes(quint64 bytes, int milliseconds) const;

private:
    void forward(const StubRequest& request, StubConnection& client);

    int m_upstreamPort;
    Decide m_decide;
    mutable std::mutex m_bytesMutex;
    mutable std::condition_variable m_bytesChanged;
    quint64 m_bytes = 0;
};

} // namespace vitrine::test
