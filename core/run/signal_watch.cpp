// SPDX-License-Identifier: Apache-2.0
#include "core/run/signal_watch.h"

#include "core/posix/descriptors.h"

#include <QPointer>

#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace vitrine {

namespace {

std::atomic<int> writeEnd{-1};

extern "C" void noteSignal(int number) {
    const int savedError = errno;
    const auto byte = static_cast<unsigned char>(number);
    const int fd = writeEnd.load(std::memory_order_relaxed);
    // A full pipe means that many signals wait already.
    if (fd >= 0 && ::write(fd, &byte, 1) < 0) {
        errno = savedError;
    }
    errno = savedError;
}

} // namespace

SignalWatch::SignalWatch(const QList<int>& signalNumbers, QObject* parent)
    : QObject(parent) {
    std::array<int, 2> ends{-1, -1};
    if (!posix::makePipe(ends)) {
        return; // signals keep their default effect, which also ends the machine
    }
    for (const int end : ends) {
        ::fcntl(end, F_SETFL, O_NONBLOCK);
    }
    m_readEnd = FileDescriptor(ends[0]);
    writeEnd.store(ends[1]);
    m_notifier = std::make_unique<QSocketNotifier>(ends[0], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &SignalWatch::drain);
    for (const int number : signalNumbers) {
        struct sigaction action {};
        struct sigaction earlier {};
        action.sa_handler = noteSignal;
        action.sa_flags = SA_RESTART;
        sigemptyset(&action.sa_mask);
        if (::sigaction(number, &action, &earlier) == 0) {
            m_earlier.append({number, earlier});
        }
    }
}

SignalWatch::~SignalWatch() {
    for (const auto& [number, action] : m_earlier) {
        ::sigaction(number, &action, nullptr);
    }
    const int fd = writeEnd.exchange(-1);
    if (fd >= 0) {
        ::close(fd);
    }
}

void SignalWatch::drain() {
    const QPointer<SignalWatch> alive(this);
    unsigned char number = 0;
    while (alive && ::read(m_readEnd.get(), &number, 1) == 1) {
        Q_EMIT arrived(number);
    }
}

} // namespace vitrine
