// SPDX-License-Identifier: Apache-2.0
#include "core/posix/descriptors.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace vitrine::posix {

namespace {

// launchd gives programs 256, a shell may give more: not all that could be are tried.
constexpr int mostDescriptors = 10240; // OPEN_MAX

int limit() {
    const long told = ::sysconf(_SC_OPEN_MAX);
    return told > 0 && told < mostDescriptors ? static_cast<int>(told) : mostDescriptors;
}

int closedOnExec(int fd) {
    if (fd >= 0)
        (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

} // namespace

const int sendFlags = 0;

bool makePipe(std::array<int, 2>& ends) {
    if (::pipe(ends.data()) != 0)
        return false;
    for (const int end : ends)
        (void)closedOnExec(end);
    return true;
}

int makeLocalSocket() {
    const int fd = closedOnExec(::socket(AF_UNIX, SOCK_STREAM, 0));
    if (fd >= 0)
        silence(fd);
    return fd;
}

int acceptLocal(int server) {
    const int fd = closedOnExec(::accept(server, nullptr, nullptr));
    if (fd < 0)
        return fd;
    (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    silence(fd);
    return fd;
}

void silence(int socket) {
    const int on = 1;
    if (::setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on)) == 0 || errno != EINVAL)
        return;
    // The other end had gone already: such a socket takes no options, and writing to it is the
    // signal all the same. Nobody here wants that one for anything.
    struct sigaction action {};
    if (::sigaction(SIGPIPE, nullptr, &action) == 0 && action.sa_handler == SIG_DFL)
        (void)::signal(SIGPIPE, SIG_IGN);
}

bool peerOf(int socket, Peer& peer) {
    gid_t group = 0;
    if (::getpeereid(socket, &peer.user, &group) != 0)
        return false;
    pid_t process = 0;
    socklen_t length = sizeof(process);
    peer.process =
        ::getsockopt(socket, SOL_LOCAL, LOCAL_PEERPID, &process, &length) == 0 ? process : 0;
    return true;
}

void closeDescriptors(int first, int except) {
    const int end = limit();
    for (int fd = first; fd < end; ++fd)
        if (fd != except)
            ::close(fd);
}

void closeOnExec(int first) {
    const int end = limit();
    for (int fd = first; fd < end; ++fd)
        (void)closedOnExec(fd);
}

int openFolderForPath(const char* path) {
    return ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

QByteArray pathThrough(int folder) {
    QByteArray path(PATH_MAX, '\0');
    if (::fcntl(folder, F_GETPATH, path.data()) != 0)
        return {};
    path.truncate(qstrlen(path.constData()));
    return path;
}

} // namespace vitrine::posix
