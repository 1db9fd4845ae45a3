// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QObject>

#include <functional>
#include <memory>

namespace vitrine {

// One call of gRPC over a connection of its own: HTTP/2 in clear text with prior knowledge (RFC
// 9113, "gRPC over HTTP2"), messages both ways as often as either side likes. The request is sent
// only after the peer has shown that it speaks HTTP/2. What the peer can make this keep is bounded:
// a window of 1 MiB and one message of at most 4 MiB. Lives on one thread; nothing blocks; the
// listener is called from the event loop only and may destroy this.
class GrpcCall final : public QObject {
    Q_OBJECT
public:
    struct Listener {
        std::function<void(const QByteArray& message)> message;
        std::function<void()>
            drained; // the first message was taken, or unsent() fell below lowWater
        // Once, as the last. Timeout: nobody answered within the opening time, or the connection
        // ended before that; the first message was not taken. Unsupported: the method is not known
        // there. Network: broken off. Text of the peer is made plain.
        std::function<void(const Result<>& end)> finished;
    };
    static constexpr qsizetype lowWater = 256 * 1024; // bytes

    // Takes the descriptor of a connected stream socket. `method`: "/Service/Method". `openingTime`
    // (ms): until the peer has taken the first message.
    GrpcCall(int descriptor,
             QByteArray method,
             Listener listener,
             int openingTime,
             QObject* parent = nullptr);
    ~GrpcCall() override; // cancels a call that goes on

    void send(QByteArrayView message);
    void finishSending(); // nothing more comes from here
    [[nodiscard]] qsizetype unsent() const;
    // While paused no messages are delivered, and the peer has to wait.
    void setPaused(bool paused);
    void cancel(); // resets the stream; finished() follows with Cancelled

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

} // namespace vitrine
