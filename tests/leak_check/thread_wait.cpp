// SPDX-License-Identifier: Apache-2.0
// Part of every program that is built with the sanitizers. QThread::wait() and the end of a
// QThreadPool return before the thread itself has ended, and what Qt keeps for a thread is freed by
// the last it does. When Qt's library is unloaded first, nobody frees it any more: the leak check,
// which comes later, tells it, and the program ends with 1. So the end of a program waits until its
// first thread is alone, and for a thread that hangs not longer than two seconds.
#include "tests/leak_check/first_thread.h"

#include <cstdlib>

namespace {

// Earlier than any object with a destructor is made: it comes after all of them have gone.
__attribute__((constructor(101))) void registerWait() {
    (void)std::atexit([] { vitrine::test::waitUntilAlone(std::chrono::seconds(2)); });
}

} // namespace
