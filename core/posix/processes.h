// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

// Processes that need not be children. Failure is -1 (false) with errno. Any thread.
namespace vitrine::posix {

// A descriptor that becomes readable when the process ends, for poll() and QSocketNotifier; the
// caller's, not inherited. ESRCH: it has ended. It stands for that process alone, whoever gets its
// number later. ENOSYS: the kernel is too old.
[[nodiscard]] int watchProcess(pid_t pid);
// To the process of such a descriptor; ESRCH when it has ended. On macOS, which has no call for
// this, the number could be given away between looking and signalling: a moment in which tens of
// thousands of processes would have to start.
[[nodiscard]] bool signalWatched(int watch, pid_t pid, int number);

// The calling process gets signal `number` when its parent ends. Called between fork and exec,
// after any change of user. On macOS a process of its own, in a session of its own, sees to it; it
// goes when either of the two has ended. The caller checks getppid() afterwards.
void endWithParent(int number);

} // namespace vitrine::posix
