// SPDX-License-Identifier: Apache-2.0
// kqueue(2) for the ends of processes, on epoll and pidfd. As the manual and Apple's kernel have
// it: a queue is not inherited by a fork; EV_ADD of a process that has ended, be it still unreaped,
// is ESRCH; NOTE_EXIT is told with EV_EOF; EV_ONESHOT takes the filter out when it was told; an
// error of a change is told as an event where there is room for one, else by -1.
#include "tests/core/posix_mac/mac_faults.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // a structure and a call of one name
#include "vz/check/darwin/sys/event.h"
#pragma GCC diagnostic pop

#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

// No memory is asked for and no lock taken: both are called between fork and exec.
struct Filter {
    std::atomic<int> queue{-1};
    int process = -1; // its pidfd
    uintptr_t pid = 0;
};
std::array<Filter, 512> filters;
std::array<std::atomic<bool>, 4096> isQueue;

int closeNow(int fd) {
    return static_cast<int>(::syscall(SYS_close, fd));
}

void forget(Filter& filter) {
    closeNow(filter.process);
    filter.queue = -1;
}

void forgetQueue(int queue) {
    isQueue.at(static_cast<size_t>(queue)) = false;
    for (Filter& filter : filters)
        if (filter.queue == queue)
            forget(filter);
}

void closeQueuesOfChild() {
    for (size_t fd = 0; fd < isQueue.size(); ++fd) {
        if (!isQueue.at(fd))
            continue;
        forgetQueue(static_cast<int>(fd));
        closeNow(static_cast<int>(fd));
    }
}

int add(int queue, const struct kevent& change) {
    if (change.filter != EVFILT_PROC || (change.flags & EV_ADD) == 0 ||
        change.fflags != NOTE_EXIT || (change.flags & EV_ONESHOT) == 0)
        return ENOTSUP; // nothing here asks for more
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, change.ident, 0U));
    if (process < 0)
        return errno;
    struct pollfd ended {
        process, POLLIN, 0
    };
    if (::poll(&ended, 1, 0) > 0) {
        closeNow(process);
        return ESRCH;
    }
    for (size_t i = 0; i < filters.size(); ++i) {
        int free = -1;
        if (!filters.at(i).queue.compare_exchange_strong(free, queue))
            continue;
        filters.at(i).process = process;
        filters.at(i).pid = change.ident;
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = i;
        if (::epoll_ctl(queue, EPOLL_CTL_ADD, process, &event) == 0)
            return 0;
        const int error = errno;
        forget(filters.at(i));
        return error;
    }
    closeNow(process);
    return ENOMEM;
}

} // namespace

extern "C" int kqueue(void) {
    static std::atomic<bool> watchesForks{false};
    if (!watchesForks.exchange(true))
        ::pthread_atfork(nullptr, nullptr, closeQueuesOfChild);
    if (vitrine::mac::mustFail(vitrine::mac::Call::Kqueue))
        return -1;
    const int queue = ::epoll_create1(0);
    if (queue >= 0)
        isQueue.at(static_cast<size_t>(queue)) = true;
    return queue;
}

extern "C" int kevent(int queue,
                      const struct kevent* changes,
                      int changeCount,
                      struct kevent* events,
                      int eventCount,
                      const struct timespec* wait) {
    if (vitrine::mac::mustFail(vitrine::mac::Call::Kevent))
        return -1;
    if (queue < 0 || !isQueue.at(static_cast<size_t>(queue))) {
        errno = EBADF;
        return -1;
    }
    int told = 0;
    for (int i = 0; i < changeCount; ++i) {
        const int error = add(queue, changes[i]);
        if (error == 0)
            continue;
        if (told == eventCount) {
            errno = error;
            return -1;
        }
        events[told] = changes[i];
        events[told].flags = EV_ERROR;
        events[told++].data = error;
    }
    if (told > 0 || eventCount == 0)
        return told;
    std::array<epoll_event, 16> found{};
    const int most =
        eventCount < static_cast<int>(found.size()) ? eventCount : static_cast<int>(found.size());
    const int milliseconds =
        wait == nullptr ? -1 : static_cast<int>(wait->tv_sec * 1000 + wait->tv_nsec / 1000000);
    const int count = ::epoll_wait(queue, found.data(), most, milliseconds);
    for (int i = 0; i < count; ++i) {
        Filter& filter = filters.at(found.at(static_cast<size_t>(i)).data.u64);
        EV_SET(&events[i],
               filter.pid,
               EVFILT_PROC,
               EV_ADD | EV_ONESHOT | EV_CLEAR | EV_EOF,
               NOTE_EXIT,
               0,
               nullptr);
        ::epoll_ctl(queue, EPOLL_CTL_DEL, filter.process, nullptr);
        forget(filter);
    }
    return count;
}

namespace vitrine::mac {

void closesDescriptor(int fd);

void closesDescriptor(int fd) {
    if (fd >= 0 && static_cast<size_t>(fd) < isQueue.size() && isQueue.at(static_cast<size_t>(fd)))
        forgetQueue(fd);
}

} // namespace vitrine::mac
