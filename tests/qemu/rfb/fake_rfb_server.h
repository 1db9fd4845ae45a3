// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/qemu/rfb/rfb_bytes.h"

#include <QLocalServer>
#include <QLocalSocket>
#include <QObject>
#include <QPointer>
#include <QTemporaryDir>
#include <QtEndian>

namespace vitrine::test {

// A server on a real socket that says what it is told to and keeps what it hears. Lives on the
// thread of the test; the greeting is given by itself.
class FakeRfbServer final : public QObject {
    Q_OBJECT
public:
    struct Key {
        bool extended = false;
        quint32 keysym = 0;
        quint32 qnum = 0;
        bool pressed = false;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Pointer {
        int x = 0;
        int y = 0;
        int buttons = 0;
        friend bool operator==(const Pointer&, const Pointer&) = default;
    };

    FakeRfbServer() {
        connect(&m_server, &QLocalServer::newConnection, this, &FakeRfbServer::accept);
    }

    bool listen() { return m_server.listen(path()); }
    void stopListening() { m_server.close(); }
    [[nodiscard]] QString path() const { return m_directory.filePath(QStringLiteral("vnc.sock")); }

    void send(const ServerBytes& bytes) {
        if (m_socket) {
            m_socket->write(bytes.bytes());
        }
    }
    void hangUp() {
        if (m_socket) {
            m_socket->abort();
        }
    }
    [[nodiscard]] bool hasClient() const {
        return m_socket && m_socket->state() == QLocalSocket::ConnectedState;
    }

    QSize size{640, 480};
    bool greets = true;
    bool reads = true;
    int connections = 0;
    int requests = 0; // FramebufferUpdateRequest
    int wholeRequests = 0;
    QList<Key> keys;
    QList<Pointer> pointers;
    QList<QSize> wantedSizes;
    QList<qint32> encodings;

Q_SIGNALS:
    void heard();

private:
    void accept() {
        while (QLocalSocket* socket = m_server.nextPendingConnection()) {
            ++connections;
            m_socket = socket;
            socket->setReadBufferSize(1 << 16); // what is not read stays with the client
            m_bytes.clear();
            m_handshakeLeft = 12 + 1 + 1;
            connect(socket, &QLocalSocket::readyRead, this, &FakeRfbServer::read);
            connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
            if (greets) {
                socket->write(ServerBytes().greeting(size).bytes());
            }
            Q_EMIT heard();
        }
    }

    void read() {
        if (!reads || !m_socket) {
            return;
        }
        m_bytes += m_socket->readAll();
        if (m_handshakeLeft > 0) {
            const auto part = qMin(m_handshakeLeft, m_bytes.size());
            m_bytes.remove(0, part);
            m_handshakeLeft -= part;
        }
        while (!m_bytes.isEmpty() && take()) {
        }
        Q_EMIT heard();
    }

    [[nodiscard]] int u16(qsizetype at) const {
        return qFromBigEndian<quint16>(m_bytes.constData() + at);
    }
    [[nodiscard]] quint32 u32(qsizetype at) const {
        return qFromBigEndian<quint32>(m_bytes.constData() + at);
    }

    bool take() {
        const auto type = static_cast<quint8>(m_bytes.at(0));
        qsizetype length = 0;
        switch (type) {
        case 0:
            length = 20;
            break;
        case 2:
            length = m_bytes.size() < 4 ? 4 : 4 + qsizetype{4} * u16(2);
            break;
        case 3:
            length = 10;
            break;
        case 4:
            length = 8;
            break;
        case 5:
            length = 6;
            break;
        case 251:
            length = 24;
            break;
        case 255:
            length = 12;
            break;
        default:
            length = m_bytes.size();
            break;
        }
        if (m_bytes.size() < length) {
            return false;
        }
        switch (type) {
        case 2:
            for (int i = 0; i < u16(2); ++i) {
                encodings.append(static_cast<qint32>(u32(4 + 4 * i)));
            }
            break;
        case 3:
            ++requests;
            wholeRequests += m_bytes.at(1) == 0 ? 1 : 0;
            break;
        case 4:
            keys.append({false, u32(4), 0, m_bytes.at(1) != 0});
            break;
        case 5:
            pointers.append({u16(2), u16(4), static_cast<quint8>(m_bytes.at(1))});
            break;
        case 251:
            wantedSizes.append({u16(2), u16(4)});
            break;
        case 255:
            keys.append({true, u32(4), u32(8), u16(2) != 0});
            break;
        default:
            break;
        }
        m_bytes.remove(0, length);
        return true;
    }

    QTemporaryDir m_directory;
    QLocalServer m_server;
    QPointer<QLocalSocket> m_socket;
    QByteArray m_bytes;
    qsizetype m_handshakeLeft = 0;
};

} // namespace vitrine::test
