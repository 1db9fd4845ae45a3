// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/runtime_directory.h"
#include "qemu/rfb/rfb_news.h"
#include "qemu/rfb/rfb_protocol.h"
#include "qemu/rfb/shared_frame.h"

#include <QLocalSocket>
#include <QObject>
#include <QPoint>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace vitrine::qemu {

// The socket to a machine's screen. Lives on a thread of its own, where all its functions are
// called; the frame and the news are what others see of it. Opens the connection again after every
// loss, with pauses from 100 ms to 2 s, until close().
class RfbConnection final : public QObject, private RfbListener {
    Q_OBJECT
public:
    RfbConnection(QString socketPath,
                  std::shared_ptr<SharedFrame> frame,
                  std::shared_ptr<RfbNews> news);
    ~RfbConnection() override;

    void open();
    void close();
    void requestUpdate(); // answered once by the server, when something has changed
    void sendKey(quint32 keysym, quint32 qnum, bool pressed);
    void sendPointer(QPoint position, quint8 buttons);
    void requestSize(QSize size);

Q_SIGNALS:
    void newsWaiting(); // RfbNews has something to collect

private:
    void answer(const QByteArray& bytes) override;
    void established() override;
    bool frameResized(QSize size) override;
    void pixels(qsizetype x, int y, qsizetype bytes, int rows, const uchar* data) override;
    void rectangleFinished(const QRect& rectangle) override;
    void updateFinished() override;
    void pointerShape(const PointerShape& shape) override;
    void pointerMode(bool absolute) override;
    void ledState(int state) override;
    void extendedKeysOffered() override;
    void resizeOffered(quint32 screenId) override;
    void resizeAnswered(int status) override;

    void connectNow();
    void read();
    void write(const QByteArray& bytes);
    void flushPointer();
    void socketFailed(QLocalSocket::LocalSocketError error);
    void lost(const Error& reason);
    void setState(Display::State state);
    void reportFailure(const QString& message);
    template <class Write>
    void tell(RfbNews::Change change, Write write) {
        if (m_news->tell(change, write)) {
            Q_EMIT newsWaiting();
        }
    }

    struct PointerEvent {
        QPoint position;
        quint8 buttons = 0;
    };

    const QString m_path;
    const std::shared_ptr<SharedFrame> m_frame;
    const std::shared_ptr<RfbNews> m_news;
    std::optional<SocketAddress> m_address;
    QLocalSocket* m_socket = nullptr; // child
    QTimer* m_retry = nullptr;        // child
    QTimer* m_patience = nullptr;     // child; a server that says nothing is told about
    std::optional<RfbProtocol> m_protocol;
    std::vector<uchar> m_buffer;
    int m_pause = 0; // milliseconds before the next attempt
    bool m_open = false;
    bool m_failureReported = false; // of this outage
    bool m_requested = false;       // an update was asked for and has not come
    bool m_wholeWanted = true;      // the next request is for everything
    bool m_extendedKeys = false;
    bool m_absolute = true;
    std::optional<quint32> m_screenId; // the server can be asked for another size
    QSize m_wantedSize;                // asked for before that was known
    std::optional<PointerEvent> m_sentPointer;
    std::optional<PointerEvent>
        m_waitingPointer; // the server is slow: only the newest move is kept
};

} // namespace vitrine::qemu
