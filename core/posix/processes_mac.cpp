// SPDX-License-Identifier: Apache-2.0
#include "core/posix/processes.h"

#include "core/posix/descriptors.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/event.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vitrine::posix {

namespace {

bool add(int queue, pid_t pid) {
    struct kevent change {};
    EV_SET(&change,
           static_cast<uintptr_t>(pid),
           EVFILT_PROC,
           EV_ADD | EV_ONESHOT,
           NOTE_EXIT,
           0,
           nullptr);
    int done = 0;
    do {
        done = ::kevent(queue, &change, 1, nullptr, 0, nullptr);
    } while (done < 0 && errno == EINTR);
    return done >= 0;
}

// The process that sees to endWithParent(): never returns. System calls alone.
[[noreturn]] void wait(pid_t parent, pid_t child, int number) {
    ::setsid(); // what ends the child's group must not end this before
    for (int each = 1; each < NSIG; ++each)
        ::signal(each, SIG_DFL);
    closeDescriptors(0, -1); // pipes of the two must not be held open
    const int queue = ::kqueue();
    if (queue < 0 || !add(queue, child))
        ::_exit(0);
    const bool watched = add(queue, parent);
    bool parentEnded = !watched && errno == ESRCH;
    if (watched) {
        struct kevent event {};
        int count = 0;
        do {
            count = ::kevent(queue, nullptr, 0, &event, 1, nullptr);
        } while (count < 0 && errno == EINTR);
        parentEnded = count == 1 && event.ident == static_cast<uintptr_t>(parent);
    }
    if (parentEnded)
        ::kill(child, number);
    ::_exit(0);
}

} // namespace

int watchProcess(pid_t pid) {
    const int queue = ::kqueue();
    if (queue < 0)
        return -1;
    (void)::fcntl(queue, F_SETFD, FD_CLOEXEC);
    if (add(queue, pid))
        return queue;
    const int error = errno;
    ::close(queue);
    errno = error;
    return -1;
}

bool signalWatched(int watch, pid_t pid, int number) {
    if (watch < 0 || pid <= 0) { // poll() passes over the first, and kill() takes 0 for a group
        errno = EBADF;
        return false;
    }
    struct pollfd entry {
        watch, POLLIN, 0
    };
    int ready = 0;
    do {
        ready = ::poll(&entry, 1, 0);
    } while (ready < 0 && errno == EINTR);
    if (ready > 0) {
        errno = ESRCH;
        return false;
    }
    return ready == 0 && ::kill(pid, number) == 0;
}

void endWithParent(int number) {
    const pid_t parent = ::getppid();
    const pid_t child = ::getpid();
    // Twice, so that it is no child of the program that this process becomes.
    const pid_t between = ::fork();
    if (between == 0) {
        if (::fork() == 0)
            wait(parent, child, number);
        ::_exit(0);
    }
    int status = 0;
    while (between > 0 && ::waitpid(between, &status, 0) < 0 && errno == EINTR) {
    }
}

} // namespace vitrine::posix
