// SPDX-License-Identifier: Apache-2.0
// Sockets of macOS for the whole program, its libraries too: there is no MSG_NOSIGNAL, and what
// writes to a closed end without SO_NOSIGPIPE gets the signal; an accepted socket waits or not as
// the listening one does. Also where close() and lseek() differ.
#include "tests/core/posix_mac/mac_faults.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace vitrine::mac {

void closesDescriptor(int fd); // mac_kqueue.cpp
bool isSilenced(int fd);
void noteSilenced(int fd);

namespace {
std::array<std::atomic<bool>, 4096> silenced;
} // namespace

bool isSilenced(int fd) {
    return fd >= 0 && static_cast<size_t>(fd) < silenced.size() &&
           silenced.at(static_cast<size_t>(fd));
}

void noteSilenced(int fd) {
    silenced.at(static_cast<size_t>(fd)) = true;
}

} // namespace vitrine::mac

using namespace vitrine;

extern "C" {

int close(int fd) {
    mac::closesDescriptor(fd);
    if (mac::isSilenced(fd))
        mac::silenced.at(static_cast<size_t>(fd)) = false;
    return static_cast<int>(::syscall(SYS_close, fd));
}

int accept(int server, struct sockaddr* address, socklen_t* length) {
    const int fd = static_cast<int>(::syscall(SYS_accept4, server, address, length, 0));
    if (fd >= 0)
        (void)::fcntl(fd, F_SETFL, ::fcntl(server, F_GETFL) & (O_NONBLOCK | O_ACCMODE));
    return fd;
}

ssize_t send(int fd, const void* bytes, size_t size, int flags) {
    const int silent = mac::isSilenced(fd) ? MSG_NOSIGNAL : 0;
    return ::syscall(SYS_sendto, fd, bytes, size, flags | silent, nullptr, 0);
}

ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
    const int silent = mac::isSilenced(fd) ? MSG_NOSIGNAL : 0;
    return ::syscall(SYS_sendmsg, fd, message, flags | silent);
}

ssize_t write(int fd, const void* bytes, size_t size) {
    if (mac::isSilenced(fd))
        return ::syscall(SYS_sendto, fd, bytes, size, MSG_NOSIGNAL, nullptr, 0);
    return ::syscall(SYS_write, fd, bytes, size);
}

off_t lseek(int fd, off_t offset, int whence) noexcept {
    if ((whence == SEEK_DATA || whence == SEEK_HOLE) && mac::mustFail(mac::Call::SeekData))
        return -1;
    return ::syscall(SYS_lseek, fd, offset, whence);
}

} // extern "C"
