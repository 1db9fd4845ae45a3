// SPDX-License-Identifier: Apache-2.0
#include "core/posix/descriptors.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vitrine::posix {

namespace {

constexpr int mostDescriptors = 65536; // that are closed one by one

int limit() {
    const long told = ::sysconf(_SC_OPEN_MAX);
    return told > 0 && told < mostDescriptors ? static_cast<int>(told) : mostDescriptors;
}

bool closeRange(unsigned first, unsigned last, unsigned flags) {
#ifdef SYS_close_range
    return first > last || ::syscall(SYS_close_range, first, last, flags) == 0;
#else
    (void)flags;
    return first > last;
#endif
}

} // namespace

const int sendFlags = MSG_NOSIGNAL;

bool makePipe(std::array<int, 2>& ends) {
    return ::pipe2(ends.data(), O_CLOEXEC) == 0;
}

int makeLocalSocket() {
    return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

int acceptLocal(int server) {
    return ::accept4(server, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

void silence(int) {}

bool peerOf(int socket, Peer& peer) {
    ucred credentials{};
    socklen_t length = sizeof(credentials);
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
        return false;
    peer = {credentials.uid, credentials.pid};
    return true;
}

void closeDescriptors(int first, int except) {
    const auto begin = static_cast<unsigned>(first);
    if (except < first) {
        if (closeRange(begin, ~0U, 0))
            return;
    } else {
        const auto kept = static_cast<unsigned>(except);
        if ((kept == begin || closeRange(begin, kept - 1, 0)) && closeRange(kept + 1, ~0U, 0))
            return;
    }
    for (int fd = first; fd < limit(); ++fd)
        if (fd != except)
            ::close(fd);
}

void closeOnExec(int first) {
    // A kernel before 5.11 knows no such flag; what is open by mistake there stays open.
    (void)closeRange(static_cast<unsigned>(first), ~0U, CLOSE_RANGE_CLOEXEC);
}

int openFolderForPath(const char* path) {
    return ::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

QByteArray pathThrough(int folder) {
    return "/proc/self/fd/" + QByteArray::number(folder);
}

} // namespace vitrine::posix
