// SPDX-License-Identifier: Apache-2.0
#include "core/run/serial_hub.h"

#include "core/channel/local_socket.h"
#include "core/disk/real_path.h"

#include <QFile>
#include <QtEndian>

#include <array>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr int retryPause = 20;            // ms; the first words of a guest are not to be missed
constexpr qint64 behind = 4 << 20;        // bytes a viewer may not have taken
constexpr qint64 guestBacklog = 64 << 10; // bytes the guest may not have taken
constexpr qint64 viewerBuffer = 64 << 10; // bytes of keys read ahead

} // namespace

SerialHub::SerialHub(QString qemuSocket, QString viewerSocket, QObject* parent)
    : QObject(parent)
    , m_qemuPath(std::move(qemuSocket))
    , m_viewerPath(std::move(viewerSocket)) {
    m_retry.setSingleShot(true);
    m_retry.setInterval(retryPause);
    connect(&m_retry, &QTimer::timeout, this, &SerialHub::connectNow);
    connect(&m_server, &QLocalServer::newConnection, this, &SerialHub::accept);
}

SerialHub::~SerialHub() {
    close();
}

Result<> SerialHub::listen() {
    Result<SocketAddress> address = SocketAddress::of(m_viewerPath);
    if (!address) {
        return fail(address.error());
    }
    const Result<int> descriptor = listenOnLocalSocket(address->text());
    if (!descriptor) {
        return fail(withRealPaths(descriptor.error()));
    }
    if (!m_server.listen(static_cast<qintptr>(*descriptor))) {
        ::close(*descriptor);
        return fail(Error::Kind::Internal,
                    tr("Cannot listen on \"%1\".").arg(m_viewerPath),
                    m_server.errorString());
    }
    m_server.setMaxPendingConnections(maximumViewers);
    m_address = std::move(*address);
    return {};
}

void SerialHub::open() {
    if (!m_open) {
        m_open = true;
        connectNow();
    }
}

void SerialHub::close() {
    m_open = false;
    lost();
    m_server.close();
    if (m_address) {
        QFile::remove(m_address->text());
        m_address.reset();
    }
    const QList<QLocalSocket*> viewers = m_viewers;
    for (QLocalSocket* viewer : viewers) {
        viewer->flush(); // as far as it goes at once
        drop(viewer);
    }
}

Result<> SerialHub::open(FileDescriptor guest) {
    makeGuest();
    if (!m_guest->setSocketDescriptor(guest.get())) {
        const QString reason = m_guest->errorString();
        lost();
        return fail(Error::Kind::Internal, tr("The serial line cannot be opened."), reason);
    }
    (void)guest.release(); // the socket's from now on
    return {};
}

void SerialHub::makeGuest() {
    m_guest = new QLocalSocket(this);
    connect(m_guest, &QLocalSocket::readyRead, this, &SerialHub::readGuest);
    connect(m_guest, &QLocalSocket::bytesWritten, this, &SerialHub::readViewers);
    connect(m_guest, &QLocalSocket::errorOccurred, this, &SerialHub::lost, Qt::QueuedConnection);
}

void SerialHub::connectNow() {
    makeGuest();
    m_guest->connectToServer(m_qemuPath);
}

void SerialHub::lost() {
    m_retry.stop();
    if (m_guest != nullptr) {
        m_guest->disconnect(this);
        m_guest->abort();
        m_guest->deleteLater();
        m_guest = nullptr;
    }
    if (m_open) {
        m_retry.start();
    }
}

void SerialHub::explain(const QString& text) {
    show(text.toUtf8() + "\r\n");
}

void SerialHub::readGuest() {
    show(m_guest->readAll());
}

void SerialHub::show(const QByteArray& bytes) {
    m_history += bytes;
    if (m_history.size() > serial::maximumHistory) {
        m_history = m_history.last(serial::maximumHistory * 3 / 4);
    }
    const QList<QLocalSocket*> viewers = m_viewers;
    for (QLocalSocket* viewer : viewers) {
        if (viewer->bytesToWrite() + bytes.size() > behind) {
            drop(viewer);
        } else {
            viewer->write(bytes);
        }
    }
}

void SerialHub::accept() {
    while (QLocalSocket* viewer = m_server.nextPendingConnection()) {
        viewer->setParent(this);
        if (m_viewers.size() >= maximumViewers ||
            !checkPeerIsThisUser(viewer->socketDescriptor())) {
            viewer->abort();
            viewer->deleteLater();
            continue;
        }
        viewer->setReadBufferSize(viewerBuffer);
        m_viewers.append(viewer);
        connect(viewer, &QLocalSocket::readyRead, this, [this, viewer] { readViewer(viewer); });
        connect(
            viewer,
            &QLocalSocket::disconnected,
            this,
            [this, viewer] { drop(viewer); },
            Qt::QueuedConnection);
        std::array<char, sizeof(quint32)> length{};
        qToBigEndian(static_cast<quint32>(m_history.size()), length.data());
        viewer->write(QByteArray(length.data(), length.size()) + m_history);
        readViewer(viewer);
    }
}

void SerialHub::readViewer(QLocalSocket* viewer) {
    if (m_guest == nullptr || m_guest->state() != QLocalSocket::ConnectedState) {
        viewer->readAll(); // nobody is there who could be typed to
        return;
    }
    const qint64 room = guestBacklog - m_guest->bytesToWrite();
    if (room > 0) {
        const QByteArray keys = viewer->read(room);
        if (!keys.isEmpty()) {
            m_guest->write(keys);
        }
    }
}

void SerialHub::readViewers() {
    const QList<QLocalSocket*> viewers = m_viewers;
    for (QLocalSocket* viewer : viewers) {
        readViewer(viewer);
    }
}

void SerialHub::drop(QLocalSocket* viewer) {
    if (m_viewers.removeOne(viewer)) {
        viewer->disconnect(this);
        viewer->abort();
        viewer->deleteLater();
    }
}

} // namespace vitrine
