// SPDX-License-Identifier: Apache-2.0
#include "core/channel/json_channel.h"

#include <QJsonDocument>
#include <QPointer>

namespace vitrine {

namespace {
constexpr qint64 readAtOnce = 256 * 1024;
} // namespace

JsonChannel::JsonChannel(std::unique_ptr<QLocalSocket> socket, Limits limits, QObject* parent)
    : QObject(parent)
    , m_socket(std::move(socket))
    , m_limits(limits)
    , m_lines(limits.line) {
    m_socket->setReadBufferSize(readAtOnce);
    connect(m_socket.get(), &QLocalSocket::readyRead, this, &JsonChannel::readAll);
    connect(m_socket.get(), &QLocalSocket::disconnected, this, [this] {
        const QPointer<JsonChannel> alive(this);
        readAll(); // what arrived before the end counts
        if (alive) {
            finish({Error::Kind::NotRunning, tr("The other side closed the connection."), {}});
        }
    });
    // Bytes that came before this object existed are not announced again.
    QMetaObject::invokeMethod(this, &JsonChannel::readAll, Qt::QueuedConnection);
}

JsonChannel::~JsonChannel() {
    m_open = false;
    m_socket->disconnect(this);
}

void JsonChannel::send(const QJsonObject& message) {
    sendBytes(QJsonDocument(message).toJson(QJsonDocument::Compact) + '\n');
}

void JsonChannel::sendBytes(const QByteArray& bytes) {
    if (!m_open) {
        return;
    }
    m_socket->write(bytes);
    m_socket->flush();
    if (m_open && m_socket->bytesToWrite() > m_limits.unsent) {
        finish({Error::Kind::Timeout, tr("The other side has stopped reading."), {}});
    }
}

void JsonChannel::close() {
    if (m_open) {
        m_socket->flush();
        finish({Error::Kind::Cancelled, tr("The connection was closed here."), {}});
    }
}

void JsonChannel::readAll() {
    const QPointer<JsonChannel> alive(this);
    while (m_open && m_socket->bytesAvailable() > 0) {
        const QByteArray bytes = m_socket->read(readAtOnce);
        const bool fits = m_lines.append(bytes);
        while (m_open) {
            const std::optional<QByteArray> line = m_lines.takeLine();
            if (!line) {
                break;
            }
            if (line->trimmed().isEmpty()) {
                continue;
            }
            const QJsonDocument document = QJsonDocument::fromJson(*line);
            if (document.isObject()) {
                Q_EMIT received(document.object());
            } else {
                Q_EMIT malformed();
            }
            if (!alive) {
                return;
            }
        }
        if (!fits) {
            finish({Error::Kind::Integrity,
                    tr("The other side sent a line of more than %1 bytes.").arg(m_limits.line),
                    {}});
            return;
        }
    }
}

void JsonChannel::finish(Error reason) {
    if (!m_open) {
        return;
    }
    m_open = false;
    m_socket->disconnect(this);
    m_socket->abort();
    Q_EMIT closed(reason);
}

} // namespace vitrine
