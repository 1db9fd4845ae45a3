// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/result/result.h"

#include <QString>

#include <optional>

namespace vitrine::cli {

// The process that holds a machine's lock, pinned so that its number cannot come to mean another
// process: F_GETLK, posix::watchProcess(), F_GETLK again (contract 2).
class PinnedHolder final {
public:
    // nullopt when the lock is free. Unsupported for a holder on another host or in another process
    // namespace: it cannot be signalled.
    [[nodiscard]] static Result<std::optional<PinnedHolder>> of(const QString& configPath);

    // The process that listens on a machine's control socket, even when it answers nothing. nullopt
    // when there is none.
    [[nodiscard]] static Result<std::optional<PinnedHolder>> ofSocket(const QString& controlSocket);

    [[nodiscard]] qint64 pid() const { return m_pid; }
    Result<> signal(int number) const;
    // Waits until the process has ended; false when the time is over.
    [[nodiscard]] bool waitForEnd(int timeoutMilliseconds) const;

private:
    PinnedHolder(qint64 pid, FileDescriptor fd)
        : m_pid(pid)
        , m_fd(std::move(fd)) {}
    qint64 m_pid;
    FileDescriptor m_fd;
};

} // namespace vitrine::cli
