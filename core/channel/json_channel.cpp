// SPDX-License-Identifier: Apache-2.0
#include "core/channel/json_channel.h"

#include "core/posix/descriptors.h"

#include <QJsonDocument>
#include <QPointer>
#include <QSocketNotifier>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

namespace vitrine {

namespace {
constexpr size_t readAtOnce = 64 * 1024;
constexpr int readsAtOnce = 16; // then the event loop gets a turn
} // namespace

JsonChannel::JsonChannel(std::unique_ptr<QLocalSocket> socket, Limits limits, QObject* parent)
    : QObject(parent)
    , m_limits(limits)
    , m_lines(limits.line) {
    // QLocalSocket closes at the first failed write and loses what it has not read by then; QEMU
    // says why it ends just before it does.
    m_linesFit = m_lines.append(socket->readAll());
    m_fd = ::fcntl(static_cast<int>(socket->socketDescriptor()), F_DUPFD_CLOEXEC, 3);
    socket.reset();
    if (m_fd >= 0) {
        posix::silence(m_fd);
        ::fcntl(m_fd, F_SETFL, ::fcntl(m_fd, F_GETFL) | O_NONBLOCK);
        m_readable = std::make_unique<QSocketNotifier>(m_fd, QSocketNotifier::Read);
        m_writable = std::make_unique<QSocketNotifier>(m_fd, QSocketNotifier::Write);
        m_writable->setEnabled(false);
        connect(m_readable.get(), &QSocketNotifier::activated, this, &JsonChannel::readAll);
        connect(m_writable.get(), &QSocketNotifier::activated, this, &JsonChannel::writeUnsent);
    }
    QMetaObject::invokeMethod(this, &JsonChannel::readAll, Qt::QueuedConnection);
}

JsonChannel::~JsonChannel() {
    m_open = false;
    m_readable.reset();
    m_writable.reset();
    if (m_fd >= 0) {
        ::close(m_fd);
    }
}

void JsonChannel::send(const QJsonObject& message) {
    sendBytes(QJsonDocument(message).toJson(QJsonDocument::Compact) + '\n');
}

void JsonChannel::sendBytes(const QByteArray& bytes) {
    if (!m_open || !m_peerReads) {
        return;
    }
    m_unsent += bytes;
    writeUnsent();
    if (m_open && m_unsent.size() > m_limits.unsent) {
        finish({Error::Kind::Timeout, tr("The other side has stopped reading."), {}});
    }
}

bool JsonChannel::sendWithDescriptor(const QJsonObject& message, int descriptor) {
    writeUnsent();
    if (!m_open || !m_peerReads || !m_unsent.isEmpty()) {
        return false;
    }
    QByteArray bytes = QJsonDocument(message).toJson(QJsonDocument::Compact) + '\n';
    iovec part{bytes.data(), static_cast<size_t>(bytes.size())};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof(int));
    ssize_t count = -1;
    do {
        count = ::sendmsg(m_fd, &header, MSG_DONTWAIT | posix::sendFlags);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) {
        return false;
    }
    sendBytes(bytes.mid(count));
    return true;
}

void JsonChannel::writeUnsent() {
    qsizetype sent = 0;
    while (m_open && sent < m_unsent.size()) {
        const ssize_t count = ::send(m_fd,
                                     m_unsent.constData() + sent,
                                     static_cast<size_t>(m_unsent.size() - sent),
                                     MSG_DONTWAIT | posix::sendFlags);
        if (count >= 0) {
            sent += count;
        } else if (errno != EINTR) {
            m_peerReads = errno == EAGAIN || errno == EWOULDBLOCK;
            break;
        }
    }
    m_unsent.remove(0, m_peerReads ? sent : m_unsent.size());
    if (m_writable) {
        m_writable->setEnabled(m_open && !m_unsent.isEmpty());
    }
}

void JsonChannel::close() {
    if (m_open) {
        writeUnsent();
        finish({Error::Kind::Cancelled, tr("The connection was closed here."), {}});
    }
}

void JsonChannel::readAll() {
    const QPointer<JsonChannel> alive(this);
    deliver(); // what came before this object existed
    std::array<char, readAtOnce> buffer;
    for (int i = 0; alive && m_open && i < readsAtOnce; ++i) {
        const ssize_t count = ::recv(m_fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (count > 0) {
            m_linesFit =
                m_lines.append(QByteArrayView(buffer.data(), static_cast<qsizetype>(count)));
            deliver();
        } else if (count < 0 && errno == EINTR) {
            continue;
        } else if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return;
        } else {
            finish({Error::Kind::NotRunning, tr("The other side closed the connection."), {}});
            return;
        }
    }
}

void JsonChannel::deliver() {
    const QPointer<JsonChannel> alive(this);
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
    if (!m_linesFit) {
        finish({Error::Kind::Integrity,
                tr("The other side sent a line of more than %1 bytes.").arg(m_limits.line),
                {}});
    }
}

void JsonChannel::finish(Error reason) {
    if (!m_open) {
        return;
    }
    m_open = false;
    // This may be called from one of them.
    for (std::unique_ptr<QSocketNotifier>* notifier : {&m_readable, &m_writable}) {
        if (*notifier) {
            (*notifier)->setEnabled(false);
            notifier->release()->deleteLater();
        }
    }
    if (m_fd >= 0) {
        ::close(std::exchange(m_fd, -1));
    }
    Q_EMIT closed(reason);
}

} // namespace vitrine
