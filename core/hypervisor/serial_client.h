// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QLocalSocket>
#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>

namespace vitrine {

class SocketAddress;

// Protocol of console.sock: the machine's process sends four bytes, the big-endian number of bytes
// of history that follow, then those, then what the guest prints from now on; what the viewer sends
// is typed into the guest. Any number of viewers.
namespace serial {
inline constexpr qsizetype maximumHistory = 256 << 10; // bytes
}

// One viewer's end of a machine's serial line. Connects again by itself, with pauses, until
// close(); every connection starts with the history. One thread, that of the window; nothing
// waits, and one turn of the event loop brings at most 32 KiB.
class SerialClient final : public QObject {
    Q_OBJECT
public:
    explicit SerialClient(QObject* parent = nullptr);
    ~SerialClient() override;

    void open(const QString& socketPath); // another path closes the one before
    void close();
    [[nodiscard]] bool isConnected() const { return m_connected; }
    // False when the guest has not taken what was sent before and this was left out.
    bool send(const QByteArray& bytes);

Q_SIGNALS:
    void connectedChanged();
    void
    history(const QByteArray& bytes); // whole, once for each connection; what was shown is void
    void received(const QByteArray& bytes);

private:
    void connectNow();
    void connected();
    void lost();
    void read();

    QString m_path;
    std::unique_ptr<SocketAddress> m_address;
    QLocalSocket* m_socket = nullptr; // child
    QTimer m_retry{this};
    QByteArray m_head;              // length and history as far as they have come
    std::optional<qsizetype> m_due; // bytes of history; nullopt before the length has come
    bool m_connected = false;
    bool m_historyTold = false;
    bool m_readAgain = false; // a turn of the event loop was left for others
};

} // namespace vitrine
