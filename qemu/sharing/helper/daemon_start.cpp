// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/helper/daemon_start.h"

#include "qemu/sharing/helper/share_tree.h"
#include "qemu/sharing/share_protocol.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vitrine::shares {

namespace {

namespace protocol = qemu::shareprotocol;

// What the child says and hears on its socket before it becomes virtiofsd: "u" its user namespace
// is there, "m" the maps are written, "a" it dies with its parent, "g" go; then nothing, or the
// error of exec.
struct Told {
    char word = 0;
    int errorNumber = 0;
};

void tell(int fd, char word, int errorNumber = 0) {
    const Told told{word, errorNumber};
    const ssize_t sent = ::send(fd, &told, sizeof(told), MSG_NOSIGNAL);
    static_cast<void>(sent);
}

bool hear(int fd, Told& told) {
    ssize_t got = 0;
    do {
        got = ::recv(fd, &told, sizeof(told), 0);
    } while (got < 0 && errno == EINTR);
    return got == sizeof(told);
}

// What opens files of others for overlays (open_as_other.cpp), as a variable of the environment;
// empty when it is not beside this program. Opened as the caller: the folders above it may be
// closed to whom virtiofsd runs as.
std::string preloadedLibrary() {
    char own[PATH_MAX] = {};
    if (::readlink("/proc/self/exe", own, sizeof(own) - 1) <= 0) {
        return {};
    }
    std::string path = own;
    path = path.substr(0, path.rfind('/')) + "/vitrine-shares-open.so";
    const int library = ::open(path.c_str(), O_RDONLY); // stays open for the loader
    return library >= 0 ? "LD_PRELOAD=/proc/self/fd/" + std::to_string(library) : std::string();
}

[[noreturn]] void becomeDaemon(int talk,
                               const std::string& program,
                               const std::string& cache,
                               int socket,
                               const Identity& identity) {
    Told told;
    std::string preload = preloadedLibrary();
    if (identity.asRoot) {
        if (::unshare(CLONE_NEWUSER) != 0) {
            tell(talk, 'e', errno);
            ::_exit(1);
        }
        tell(talk, 'u');
        if (!hear(talk, told) || told.word != 'm') {
            ::_exit(1);
        }
        if (::setgroups(0, nullptr) != 0 || ::setresgid(0, 0, 0) != 0 ||
            ::setresuid(0, 0, 0) != 0) {
            tell(talk, 'e', errno);
            ::_exit(1);
        }
    }
    // Only now: a change of user would have taken it away again. The parent's answer shows that it
    // was still there afterwards; its number cannot be asked for from this process namespace.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    tell(talk, 'a');
    if (!hear(talk, told) || told.word != 'g') {
        ::_exit(1);
    }
    sigset_t mask;
    ::sigemptyset(&mask);
    ::sigaddset(&mask, SIGCHLD);
    ::sigprocmask(SIG_UNBLOCK, &mask, nullptr);
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &files);
    }
    ::fcntl(socket, F_SETFD, 0);
    std::string words[] = {"virtiofsd",
                           "--fd=" + std::to_string(socket),
                           "-o",
                           std::string("source=") + ShareTree::source,
                           "-o",
                           "cache=" + cache,
                           "-o",
                           "sandbox=namespace",
                           "--rlimit-nofile=0"};
    char* argv[std::size(words) + 1] = {};
    for (std::size_t i = 0; i < std::size(words); ++i) {
        argv[i] = words[i].data();
    }
    char path[] = "PATH=/usr/bin:/bin";
    char* environment[] = {path, preload.empty() ? nullptr : preload.data(), nullptr};
    ::execve(program.c_str(), argv, environment);
    tell(talk, 'e', errno);
    ::_exit(127);
}

// 0 when virtiofsd runs.
int accompany(int talk, pid_t child, const Identity& identity, Failure& failure) {
    for (;;) {
        Told told;
        if (!hear(talk, told)) {
            return 0; // the socket closed at exec
        }
        switch (told.word) {
        case 'u':
            failure = writeMaps(child, identity);
            if (failure) {
                return failure.errorNumber;
            }
            tell(talk, 'm');
            break;
        case 'a':
            tell(talk, 'g');
            break;
        default:
            failure = {protocol::stageStart, told.errorNumber};
            return told.errorNumber;
        }
    }
}

} // namespace

Failure startDaemon(const std::string& program,
                    const std::string& cache,
                    int socket,
                    const Identity& identity,
                    pid_t& pid) {
    int talk[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, talk) != 0) {
        return {protocol::stageStart, errno};
    }
    const auto child = static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0));
    if (child == 0) {
        ::close(talk[0]);
        becomeDaemon(talk[1], program, cache, socket, identity);
    }
    const int cloneError = errno;
    ::close(talk[1]);
    if (child < 0) {
        ::close(talk[0]);
        return {protocol::stageStart, cloneError};
    }
    Failure failure;
    accompany(talk[0], child, identity, failure);
    ::close(talk[0]);
    if (failure) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        return failure;
    }
    pid = child;
    return {};
}

} // namespace vitrine::shares
