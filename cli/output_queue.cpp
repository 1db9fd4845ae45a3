// SPDX-License-Identifier: Apache-2.0
#include "cli/output_queue.h"

#include <QSocketNotifier>

#include <cerrno>
#include <climits>
#include <poll.h>
#include <unistd.h>

namespace vitrine::cli {

namespace {

constexpr qsizetype atOnce = PIPE_BUF; // bytes that a pipe with room takes without waiting
constexpr int stepsAtOnce = 64;        // then the event loop gets a turn

bool hasRoom(int descriptor) {
    pollfd wanted{descriptor, POLLOUT, 0};
    return ::poll(&wanted, 1, 0) > 0;
}

} // namespace

OutputQueue::OutputQueue(int descriptor)
    : m_descriptor(descriptor)
    , m_writable(std::make_unique<QSocketNotifier>(descriptor, QSocketNotifier::Write)) {
    m_writable->setEnabled(false);
    connect(m_writable.get(), &QSocketNotifier::activated, this, [this] {
        writeSome();
        Q_EMIT written();
    });
}

OutputQueue::~OutputQueue() = default;

void OutputQueue::write(const QByteArray& bytes) {
    if (m_failed)
        return;
    m_bytes.remove(0, m_start);
    m_start = 0;
    m_bytes += bytes;
    writeSome();
}

void OutputQueue::writeSome() {
    int error = 0;
    for (int step = 0; step < stepsAtOnce && waiting() > 0 && error == 0; ++step) {
        if (!hasRoom(m_descriptor))
            break;
        const ssize_t size = ::write(m_descriptor,
                                     m_bytes.constData() + m_start,
                                     static_cast<size_t>(qMin(waiting(), atOnce)));
        if (size >= 0)
            m_start += size;
        else if (errno != EINTR && errno != EAGAIN)
            error = errno;
    }
    if (waiting() == 0 || error != 0) {
        m_bytes.clear();
        m_start = 0;
    }
    m_writable->setEnabled(waiting() > 0);
    if (error != 0) {
        m_failed = true;
        Q_EMIT failed(error);
    }
}

} // namespace vitrine::cli
