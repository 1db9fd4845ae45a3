// SPDX-License-Identifier: Apache-2.0
#include "cli/lock_holder.h"

#include "core/disk/file_lock.h"
#include "core/library/runtime_directory.h"
#include "core/posix/descriptors.h"
#include "core/posix/processes.h"

#include <QDeadlineTimer>
#include <QFile>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace vitrine::cli {

namespace {

constexpr int attempts = 5; // a lock that changes hands each time is not worth more

} // namespace

Result<std::optional<PinnedHolder>> PinnedHolder::of(const QString& configPath) {
    for (int i = 0; i < attempts; ++i) {
        const auto before = ConfigFile::holder(configPath);
        if (!before)
            return fail(before.error());
        if (!*before)
            return std::nullopt;
        const qint64 pid = (*before)->pid;
        if (pid <= 0)
            return fail(Error::Kind::Unsupported,
                        Tr::tr("The machine runs on another computer or in a container. Stop it "
                               "there."));
        FileDescriptor fd(posix::watchProcess(static_cast<pid_t>(pid)));
        const int error = errno;
        const auto after = ConfigFile::holder(configPath);
        if (!after)
            return fail(after.error());
        if (!*after || (*after)->pid != pid)
            continue;
        if (!fd.isValid())
            return fail(Error::fromErrno(
                Tr::tr("Cannot reach process %1, which runs the machine.").arg(pid), error));
        return PinnedHolder(pid, std::move(fd));
    }
    return fail(Error::Kind::Busy,
                Tr::tr("The machine is being started and stopped by another program. Try again."));
}

Result<std::optional<PinnedHolder>> PinnedHolder::ofSocket(const QString& controlSocket) {
    const auto path = SocketAddress::of(controlSocket);
    if (!path)
        return fail(path.error());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const QByteArray text = QFile::encodeName(path->text());
    if (text.size() >= qsizetype{sizeof(address.sun_path)})
        return std::nullopt;
    std::memcpy(address.sun_path, text.constData(), static_cast<std::size_t>(text.size()));
    const FileDescriptor socket(posix::makeLocalSocket());
    // The kernel accepts for a process that hangs, and knows who listens.
    if (!socket.isValid() || ::fcntl(socket.get(), F_SETFL, O_NONBLOCK) != 0 ||
        ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
        return std::nullopt;
    posix::Peer peer;
    if (!posix::peerOf(socket.get(), peer) || peer.process <= 0 || peer.user != ::geteuid())
        return std::nullopt;
    FileDescriptor fd(posix::watchProcess(peer.process));
    if (!fd.isValid())
        return std::nullopt; // it has ended meanwhile
    return PinnedHolder(peer.process, std::move(fd));
}

Result<> PinnedHolder::signal(int number) const {
    if (!posix::signalWatched(m_fd.get(), static_cast<pid_t>(m_pid), number) && errno != ESRCH)
        return fail(Error::fromErrno(
            Tr::tr("Cannot signal process %1, which runs the machine.").arg(m_pid), errno));
    return {};
}

bool PinnedHolder::waitForEnd(int timeoutMilliseconds) const {
    const QDeadlineTimer deadline(timeoutMilliseconds);
    for (;;) {
        struct pollfd entry {
            m_fd.get(), POLLIN, 0
        };
        const int ready = ::poll(&entry, 1, static_cast<int>(deadline.remainingTime()));
        if (ready > 0)
            return true;
        if (ready == 0 || errno != EINTR)
            return false;
    }
}

} // namespace vitrine::cli
