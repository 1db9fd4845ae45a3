// SPDX-License-Identifier: Apache-2.0
#include "cli/signal_notifier.h"

#include <QPointer>
#include <QSocketNotifier>

#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace vitrine::cli {

namespace {

std::atomic<int> g_signalPipe{-1};

void onSignal(int number) {
    const int saved = errno;
    const auto byte = static_cast<unsigned char>(number);
    // A full pipe means that many wait already.
    if (const int fd = g_signalPipe.load(); fd >= 0)
        (void)!::write(fd, &byte, 1);
    errno = saved;
}

} // namespace

SignalNotifier::SignalNotifier(std::initializer_list<int> signalNumbers) {
    std::array<int, 2> ends{-1, -1};
    if (::pipe(ends.data()) != 0)
        return; // signals keep their effect
    m_readEnd = FileDescriptor(ends[0]);
    m_writeEnd = FileDescriptor(ends[1]);
    for (const int end : ends) {
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
        ::fcntl(end, F_SETFL, O_NONBLOCK);
    }
    g_signalPipe = ends[1];
    m_notifier = std::make_unique<QSocketNotifier>(ends[0], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] { drain(); });
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    for (const int number : signalNumbers) {
        struct sigaction earlier {};
        if (::sigaction(number, &action, &earlier) == 0)
            m_earlier.emplace_back(number, earlier);
    }
}

SignalNotifier::~SignalNotifier() {
    for (const auto& [number, action] : m_earlier)
        ::sigaction(number, &action, nullptr);
    g_signalPipe = -1;
}

void SignalNotifier::drain() {
    const QPointer<SignalNotifier> alive(this);
    unsigned char number = 0;
    while (alive && ::read(m_readEnd.get(), &number, 1) == 1)
        Q_EMIT arrived(number);
}

} // namespace vitrine::cli
