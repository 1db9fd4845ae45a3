// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <sys/types.h>

namespace vitrine::test {

// kill() of one process. What did not start has the number 0, which kill() takes for everybody in
// the group of the test, and a failed call's -1 for everybody at all: both are a failure here and
// go to nobody. Returns what kill() does.
inline int sendSignal(pid_t process, int number) {
    if (process < 2) {
        ADD_FAILURE() << "signal " << number << " for process " << process
                      << ", which is none of the test's";
        errno = ESRCH;
        return -1;
    }
    return ::kill(process, number);
}

} // namespace vitrine::test
