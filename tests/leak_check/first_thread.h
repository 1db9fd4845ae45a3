// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <iterator>
#include <poll.h>

namespace vitrine::test {

// Waits until the calling process has no other thread, but not longer than `patience`. On Linux.
inline void waitUntilAlone(std::chrono::milliseconds patience) {
    const auto limit = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < limit) {
        std::error_code none;
        const std::filesystem::directory_iterator threads("/proc/self/task", none);
        if (none || std::distance(begin(threads), end(threads)) <= 1)
            return;
        (void)::poll(nullptr, 0, 1);
    }
}

} // namespace vitrine::test
