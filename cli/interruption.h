// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"

#include <stop_token>
#include <thread>

namespace vitrine::cli {

// Turns the first SIGINT, SIGTERM or SIGHUP into a request to stop; the second ends the process at
// once. SIGPIPE is ignored meanwhile: work goes on when nobody reads its progress. Make it before
// any lock is taken. At most one lives at a time; main thread.
class Interruption final {
public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }

private:
    std::stop_source m_source;
    FileDescriptor m_readEnd; // of the pipe that the handler writes to
    FileDescriptor m_writeEnd;
    std::thread m_listener; // stop_source is not to be touched by a handler
};

} // namespace vitrine::cli
