// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.h"

#include "core/posix/descriptors.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <unistd.h>

namespace vitrine::cli {

namespace {

constexpr std::array handledSignals{SIGINT, SIGTERM, SIGHUP};
constexpr char end = 'e';

std::atomic<int> g_writeEnd{-1};
std::array<struct sigaction, handledSignals.size()> g_previous;
struct sigaction g_previousPipe;

void onSignal(int number) {
    const int saved = errno;
    // SA_RESETHAND: the next one of this kind has its default effect.
    const char byte = static_cast<char>(number);
    if (const int fd = g_writeEnd.load(); fd >= 0)
        (void)!::write(fd, &byte, 1);
    errno = saved;
}

} // namespace

Interruption::Interruption() {
    std::array<int, 2> ends{-1, -1};
    if (!posix::makePipe(ends))
        return; // signals keep their default effect, which is safe
    m_readEnd = FileDescriptor(ends[0]);
    m_writeEnd = FileDescriptor(ends[1]);
    g_writeEnd = m_writeEnd.get();
    m_listener = std::thread([fd = m_readEnd.get(), source = m_source]() mutable {
        char byte = 0;
        for (;;) {
            const ssize_t n = ::read(fd, &byte, 1);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0 || byte == end)
                return;
            source.request_stop();
        }
    });
    struct sigaction action {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < handledSignals.size(); ++i)
        ::sigaction(handledSignals.at(i), &action, &g_previous.at(i));
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &g_previousPipe);
}

Interruption::~Interruption() {
    if (!m_listener.joinable())
        return;
    for (std::size_t i = 0; i < handledSignals.size(); ++i)
        ::sigaction(handledSignals.at(i), &g_previous.at(i), nullptr);
    ::sigaction(SIGPIPE, &g_previousPipe, nullptr);
    g_writeEnd = -1;
    while (::write(m_writeEnd.get(), &end, 1) < 0 && errno == EINTR) {
    }
    m_listener.join();
}

} // namespace vitrine::cli
