// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/serial_client.h"

#include "core/channel/local_socket.h"
#include "core/library/runtime_directory.h"

#include <QtEndian>

#include <utility>

namespace vitrine {

namespace {

constexpr int retryPause = 300; // ms
constexpr qint64 oneTurn = 32 << 10;
constexpr qint64 maximumUnsent = 2 << 20;
constexpr qsizetype lengthBytes = 4;

} // namespace

SerialClient::SerialClient(QObject* parent)
    : QObject(parent) {
    m_retry.setSingleShot(true);
    m_retry.setInterval(retryPause);
    connect(&m_retry, &QTimer::timeout, this, &SerialClient::connectNow);
}

SerialClient::~SerialClient() {
    if (m_socket != nullptr) {
        m_socket->disconnect(this);
    }
}

void SerialClient::open(const QString& socketPath) {
    if (socketPath == m_path) {
        return;
    }
    close();
    m_path = socketPath;
    if (!m_path.isEmpty()) {
        connectNow();
    }
}

void SerialClient::close() {
    m_path.clear();
    lost();
}

void SerialClient::connectNow() {
    auto address = SocketAddress::of(m_path);
    if (!address) {
        m_retry.start();
        return;
    }
    m_address = std::make_unique<SocketAddress>(std::move(*address));
    m_socket = new QLocalSocket(this);
    m_socket->setReadBufferSize(2 * oneTurn); // the rest waits at its sender
    connect(
        m_socket, &QLocalSocket::connected, this, &SerialClient::connected, Qt::QueuedConnection);
    connect(
        m_socket, &QLocalSocket::errorOccurred, this, &SerialClient::lost, Qt::QueuedConnection);
    connect(m_socket, &QLocalSocket::readyRead, this, &SerialClient::read);
    m_socket->connectToServer(m_address->text());
}

void SerialClient::connected() {
    if (m_socket == nullptr || m_socket->state() != QLocalSocket::ConnectedState) {
        return;
    }
    if (!checkPeerIsThisUser(m_socket->socketDescriptor())) {
        lost();
        return;
    }
    m_connected = true;
    Q_EMIT connectedChanged();
    read();
}

void SerialClient::lost() {
    m_retry.stop();
    if (m_socket != nullptr) {
        m_socket->disconnect(this);
        m_socket->abort();
        m_socket->deleteLater();
        m_socket = nullptr;
    }
    m_head.clear();
    m_due.reset();
    m_historyTold = false;
    if (!m_path.isEmpty()) {
        m_retry.start();
    }
    if (std::exchange(m_connected, false)) {
        Q_EMIT connectedChanged();
    }
}

void SerialClient::read() {
    if (!m_connected || m_readAgain) {
        return;
    }
    QByteArray bytes = m_socket->read(oneTurn);
    if (m_socket->bytesAvailable() > 0) {
        m_readAgain = true;
        QMetaObject::invokeMethod(
            this,
            [this] {
                m_readAgain = false;
                read();
            },
            Qt::QueuedConnection);
    }
    if (!m_historyTold) {
        m_head += bytes;
        if (!m_due && m_head.size() >= lengthBytes) {
            m_due = qFromBigEndian<quint32>(m_head.constData());
            if (*m_due > serial::maximumHistory) {
                lost(); // it speaks something else
                return;
            }
        }
        if (!m_due || m_head.size() < lengthBytes + *m_due) {
            return;
        }
        m_historyTold = true;
        bytes = m_head.sliced(lengthBytes + *m_due);
        const QByteArray past = m_head.sliced(lengthBytes, *m_due);
        m_head.clear();
        Q_EMIT history(past);
    }
    if (!bytes.isEmpty()) {
        Q_EMIT received(bytes);
    }
}

bool SerialClient::send(const QByteArray& bytes) {
    if (!m_connected || m_socket->bytesToWrite() + bytes.size() > maximumUnsent) {
        return false;
    }
    m_socket->write(bytes);
    return true;
}

} // namespace vitrine
