// SPDX-License-Identifier: Apache-2.0
#include "qemu/clipboard_port.h"

namespace vitrine::qemu {

namespace {

constexpr int retryPause = 200;       // ms
constexpr qint64 deafGuest = 4 << 20; // bytes it has not taken: what it asks for is dropped

} // namespace

ClipboardPort::ClipboardPort(QString socketPath, QObject* parent)
    : QObject(parent)
    , m_path(std::move(socketPath))
    , m_agent({[this](const QByteArray& bytes) { send(bytes); },
               [this] { Q_EMIT stateChanged(); },
               [this](const QString& text) {
                   m_guestText = text.toUtf8();
                   ++m_guestSerial;
                   Q_EMIT guestCopied();
               },
               [this] { Q_EMIT guestTextTooLong(); }}) {
    m_retry.setSingleShot(true);
    m_retry.setInterval(retryPause);
    connect(&m_retry, &QTimer::timeout, this, &ClipboardPort::connectNow);
}

ClipboardPort::~ClipboardPort() {
    disconnectNow();
}

void ClipboardPort::open() {
    m_open = true;
    connectNow();
}

void ClipboardPort::close() {
    m_open = false;
    disconnectNow();
}

void ClipboardPort::setEnabled(bool enabled) {
    if (enabled == m_enabled) {
        return;
    }
    m_enabled = enabled;
    m_agent.offer({});
    m_guestText.clear();
    if (enabled) {
        connectNow();
    } else {
        disconnectNow();
    }
    Q_EMIT stateChanged();
}

void ClipboardPort::setGuestOpened(bool opened) {
    if (opened == m_guestOpened) {
        return;
    }
    m_guestOpened = opened;
    m_broken = false;
    begin();
    Q_EMIT stateChanged();
}

ClipboardPort::State ClipboardPort::state() const {
    if (!m_enabled) {
        return State::Off;
    }
    const bool linked = m_socket != nullptr && m_guestOpened && !m_broken;
    return linked && m_agent.isReady() ? State::Ready : State::NoAgent;
}

void ClipboardPort::offer(const QString& text) {
    if (m_enabled) {
        m_agent.offer(text);
    }
}

void ClipboardPort::connectNow() {
    if (!m_open || !m_enabled || m_socket != nullptr) {
        return;
    }
    m_socket = new QLocalSocket(this);
    connect(m_socket, &QLocalSocket::connected, this, &ClipboardPort::begin, Qt::QueuedConnection);
    connect(m_socket, &QLocalSocket::readyRead, this, &ClipboardPort::read);
    connect(
        m_socket,
        &QLocalSocket::errorOccurred,
        this,
        [this] {
            disconnectNow();
            if (m_open && m_enabled) {
                m_retry.start();
            }
            Q_EMIT stateChanged();
        },
        Qt::QueuedConnection);
    m_socket->connectToServer(m_path);
}

void ClipboardPort::disconnectNow() {
    m_retry.stop();
    if (m_socket != nullptr) {
        m_socket->disconnect(this);
        m_socket->abort();
        m_socket->deleteLater();
        m_socket = nullptr;
    }
}

void ClipboardPort::begin() {
    if (m_guestOpened && m_socket != nullptr && m_socket->state() == QLocalSocket::ConnectedState) {
        m_agent.begin();
    }
}

void ClipboardPort::send(const QByteArray& bytes) {
    if (m_socket != nullptr && m_guestOpened && !m_broken &&
        m_socket->bytesToWrite() + bytes.size() <= deafGuest) {
        m_socket->write(bytes);
    }
}

void ClipboardPort::read() {
    const QByteArray bytes = m_socket->readAll();
    setGuestOpened(true); // its words may come before QMP's
    if (m_broken) {
        return;
    }
    if (!m_agent.feed(bytes)) {
        m_broken = true;
        Q_EMIT stateChanged();
    }
}

} // namespace vitrine::qemu
