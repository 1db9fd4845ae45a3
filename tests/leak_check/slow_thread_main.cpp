// SPDX-License-Identifier: Apache-2.0
// A thread of a pool that ends long after the pool has gone; exits with 0 if no leak is told. Of
// the sanitizers' build only.
#include "tests/leak_check/first_thread.h"

#include <QCoreApplication>
#include <QThreadPool>

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore>
#include <unistd.h>

namespace {

pthread_key_t key;
int value;
std::counting_semaphore<> unloaded{0};

// The end of the thread waits for Qt's library to go, if it goes.
void endSlowly(void* /*value*/) {
    (void)unloaded.try_acquire_for(std::chrono::milliseconds(100));
}

// Before Qt's library makes its key, whose destructor is then called after this one.
void makeKey(int /*count*/, char** /*words*/, char** /*environment*/) {
    if (pthread_key_create(&key, endSlowly) != 0)
        _exit(2);
}

__attribute__((section(".preinit_array"), used)) void (*const first)(int, char**, char**) = makeKey;

} // namespace

// Qt's library calls it when it is unloaded. From then on there is no destructor of its key.
extern "C" int pthread_key_delete(pthread_key_t which) noexcept {
    const auto real =
        reinterpret_cast<int (*)(pthread_key_t)>(dlsym(RTLD_NEXT, "pthread_key_delete"));
    const int result = real(which);
    unloaded.release();
    vitrine::test::waitUntilAlone(std::chrono::seconds(2));
    return result;
}

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    QThreadPool pool;
    pool.start([] { (void)pthread_setspecific(key, &value); });
    pool.waitForDone();
    return 0;
}
