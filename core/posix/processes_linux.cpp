// SPDX-License-Identifier: Apache-2.0
#include "core/posix/processes.h"

#include <cerrno>
#include <csignal>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vitrine::posix {

int watchProcess(pid_t pid) {
#ifdef SYS_pidfd_open
    return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U));
#else
    (void)pid;
    errno = ENOSYS;
    return -1;
#endif
}

bool signalWatched(int watch, pid_t, int number) {
#ifdef SYS_pidfd_send_signal
    return ::syscall(SYS_pidfd_send_signal, watch, number, nullptr, 0U) == 0;
#else
    (void)watch;
    (void)number;
    errno = ENOSYS;
    return false;
#endif
}

void endWithParent(int number) {
    ::prctl(PR_SET_PDEATHSIG, number);
}

} // namespace vitrine::posix
