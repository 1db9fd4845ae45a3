// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/channel/line_buffer.h"
#include "core/result/error.h"

#include <QJsonObject>
#include <QLocalSocket>
#include <QObject>

#include <memory>

class QSocketNotifier;

namespace vitrine {

// JSON objects, one a line, over a connected local socket. What the peer can make this process
// keep is bounded both ways. Lives on one thread; nothing blocks.
class JsonChannel final : public QObject {
    Q_OBJECT
public:
    struct Limits {
        qsizetype line = 1 << 20;   // bytes of one received line
        qint64 unsent = 16LL << 20; // bytes waiting because the peer does not read
    };

    // Takes the connected socket. received() comes from the event loop only, never from here. What
    // the peer sent before it went is read to the end, also when sending to it fails: its last
    // words are the ones that matter.
    JsonChannel(std::unique_ptr<QLocalSocket> socket, Limits limits, QObject* parent = nullptr);
    ~JsonChannel() override;

    [[nodiscard]] bool isOpen() const { return m_open; }
    void send(const QJsonObject& message);
    void sendBytes(const QByteArray& bytes); // as they are, for protocols with marks between lines
    // Passes a descriptor of this process along with the message. False when nothing was sent: the
    // peer does not take it at once, or other bytes wait before it.
    [[nodiscard]] bool sendWithDescriptor(const QJsonObject& message, int descriptor);
    // Sends what waits as far as the peer takes it at once, then closes. closed() follows unless it
    // was emitted.
    void close();

Q_SIGNALS:
    void received(const QJsonObject& message);
    void malformed(); // a line that is not a JSON object; the channel goes on
    void closed(const vitrine::Error& reason);

private:
    void readAll();
    void deliver();
    void writeUnsent();
    void finish(Error reason);

    int m_fd = -1;
    std::unique_ptr<QSocketNotifier> m_readable;
    std::unique_ptr<QSocketNotifier> m_writable;
    Limits m_limits;
    LineBuffer m_lines;
    bool m_linesFit = true;
    QByteArray m_unsent;
    bool m_peerReads = true;
    bool m_open = true;
};

} // namespace vitrine
