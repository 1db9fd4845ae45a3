// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/stream_splice.h"

#include "core/posix/descriptors.h"

#include <QSocketNotifier>

#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <utility>

namespace vitrine::vz {

namespace {

constexpr qsizetype keptAtMost = 64 * 1024; // bytes of one direction
constexpr int stepsAtOnce = 32;             // then the event loop gets a turn

bool mustWait(int error) {
    return error == EAGAIN || error == EWOULDBLOCK;
}

} // namespace

StreamSplice::StreamSplice(FileDescriptor first, FileDescriptor second, QObject* parent)
    : QObject(parent)
    , m_sides{std::move(first), std::move(second)} {
    for (size_t side = 0; side < m_sides.size(); ++side) {
        const int fd = m_sides.at(side).get();
        ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
        posix::silence(fd);
        m_readable.at(side) = std::make_unique<QSocketNotifier>(fd, QSocketNotifier::Read);
        m_writable.at(side) = std::make_unique<QSocketNotifier>(fd, QSocketNotifier::Write);
        for (const auto* const notifier : {&m_readable.at(side), &m_writable.at(side)})
            connect(notifier->get(), &QSocketNotifier::activated, this, [this] { move(); });
    }
    m_directions.at(0).from = m_directions.at(1).to = 0;
    m_directions.at(0).to = m_directions.at(1).from = 1;
    watch();
}

StreamSplice::~StreamSplice() = default;

void StreamSplice::move() {
    const auto isDone = [this] { return m_directions.at(0).done && m_directions.at(1).done; };
    if (isDone())
        return;
    for (Direction& direction : m_directions)
        move(direction);
    watch();
    if (isDone())
        QMetaObject::invokeMethod(this, &StreamSplice::finished, Qt::QueuedConnection);
}

void StreamSplice::move(Direction& direction) {
    const int from = m_sides.at(static_cast<size_t>(direction.from)).get();
    const int to = m_sides.at(static_cast<size_t>(direction.to)).get();
    for (int step = 0; step < stepsAtOnce && !direction.done; ++step) {
        if (direction.start < direction.bytes.size()) {
            const ssize_t sent =
                ::send(to,
                       direction.bytes.constData() + direction.start,
                       static_cast<size_t>(direction.bytes.size() - direction.start),
                       posix::sendFlags | MSG_DONTWAIT);
            if (sent >= 0) {
                direction.start += sent;
            } else if (mustWait(errno)) {
                return;
            } else if (errno != EINTR) {
                // Nobody takes it any more, which the source learns; the other direction goes on.
                direction.done = true;
                direction.start = direction.bytes.size();
                ::shutdown(from, SHUT_RD);
            }
        } else if (direction.sourceEnded) {
            direction.done = true;
            ::shutdown(to, SHUT_WR);
        } else {
            direction.bytes.resize(keptAtMost);
            const ssize_t size = ::recv(from, direction.bytes.data(), keptAtMost, MSG_DONTWAIT);
            const int error = errno;
            direction.bytes.resize(qMax<ssize_t>(size, 0));
            direction.start = 0;
            if (size < 0 && mustWait(error))
                return;
            if (size == 0 || (size < 0 && error != EINTR))
                direction.sourceEnded = true;
        }
    }
}

void StreamSplice::watch() {
    for (const Direction& direction : m_directions) {
        const bool waits = direction.start < direction.bytes.size();
        m_readable.at(static_cast<size_t>(direction.from))
            ->setEnabled(!direction.done && !waits && !direction.sourceEnded);
        m_writable.at(static_cast<size_t>(direction.to))
            ->setEnabled(!direction.done && (waits || direction.sourceEnded));
    }
}

} // namespace vitrine::vz
