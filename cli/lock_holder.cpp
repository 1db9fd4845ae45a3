// SPDX-License-Identifier: Apache-2.0
#include "cli/lock_holder.h"

#include "core/disk/file_lock.h"
#include "core/library/runtime_directory.h"

#include <QDeadlineTimer>
#include <QFile>

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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
        FileDescriptor fd(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0U)));
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
    const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // The kernel accepts for a process that hangs, and knows who listens.
    if (!socket.isValid() ||
        ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
        return std::nullopt;
    ucred peer{};
    socklen_t size = sizeof(peer);
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0 ||
        peer.uid != ::geteuid())
        return std::nullopt;
    FileDescriptor fd(static_cast<int>(::syscall(SYS_pidfd_open, peer.pid, 0U)));
    if (!fd.isValid())
        return std::nullopt; // it has ended meanwhile
    return PinnedHolder(peer.pid, std::move(fd));
}

Result<> PinnedHolder::signal(int number) const {
    if (::syscall(SYS_pidfd_send_signal, m_fd.get(), number, nullptr, 0U) != 0 && errno != ESRCH)
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
