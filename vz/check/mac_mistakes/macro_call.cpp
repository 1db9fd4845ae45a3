// |expected unqualified-id
// SPDX-License-Identifier: Apache-2.0
#include <csignal>

void unblock() {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}
