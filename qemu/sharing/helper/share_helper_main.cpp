// SPDX-License-Identifier: Apache-2.0
// vitrine-shares: keeps the namespaces of one shared tag and its virtiofsd (share_protocol.h).
// Started by the machine's process only, which passes the socket and the identity:
//   vitrine-shares SOCKET VIRTIOFSD GUESTUID GUESTGID UID GID FIRSTUID FIRSTGID UIDS GIDS
#include "qemu/sharing/helper/daemon_start.h"
#include "qemu/sharing/helper/ownership.h"
#include "qemu/sharing/helper/share_tree.h"
#include "qemu/sharing/share_protocol.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace vitrine::shares;
namespace protocol = vitrine::qemu::shareprotocol;

using Fields = std::vector<std::string>;

void send(int fd, const Fields& fields) {
    std::string message;
    for (const std::string& field : fields) {
        message += message.empty() ? field : std::string(1, '\0') + field;
    }
    const ssize_t sent = ::send(fd, message.data(), message.size(), MSG_NOSIGNAL);
    static_cast<void>(sent);
}

void answer(int fd, const Failure& failure) {
    if (failure) {
        send(fd, {protocol::error, failure.stage, std::to_string(failure.errorNumber)});
    } else {
        send(fd, {protocol::ok});
    }
}

// False at end of file. `passed` is a descriptor that came with the message, else -1.
bool receive(int fd, Fields& fields, int& passed) {
    char bytes[protocol::maximumMessage];
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    iovec part{bytes, sizeof(bytes)};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    const ssize_t size = ::recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    if (size <= 0) {
        return size < 0 && errno == EINTR;
    }
    passed = -1;
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
         head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
            std::memcpy(&passed, CMSG_DATA(head), sizeof(passed));
        }
    }
    fields.assign(1, {});
    for (ssize_t i = 0; i < size; ++i) {
        if (bytes[i] == '\0') {
            fields.emplace_back();
        } else {
            fields.back() += bytes[i];
        }
    }
    return true;
}

class Helper final {
public:
    Helper(int socket, std::string program, std::string cache, const Identity& identity)
        : m_socket(socket)
        , m_program(std::move(program))
        , m_cache(std::move(cache))
        , m_identity(identity)
        , m_tree(m_identity) {}

    int run(pid_t parent) {
        Failure failure = enterNamespaces(m_identity);
        if (!failure) {
            failure = m_tree.prepare();
        }
        // The change of user took away the signal that was set before this program started.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) {
            return 1;
        }
        if (failure) {
            answer(m_socket, failure);
            return 1;
        }
        send(m_socket, {protocol::ready});
        loop();
        if (m_daemon > 0) {
            ::kill(m_daemon, SIGKILL);
            ::waitpid(m_daemon, nullptr, 0);
        }
        return 0;
    }

private:
    void loop() {
        sigset_t children;
        ::sigemptyset(&children);
        ::sigaddset(&children, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &children, nullptr);
        const int signals = ::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
        for (;;) {
            pollfd wanted[] = {{m_socket, POLLIN, 0}, {signals, POLLIN, 0}};
            if (::poll(wanted, 2, -1) < 0 && errno != EINTR) {
                return;
            }
            if ((wanted[1].revents & POLLIN) != 0) {
                signalfd_siginfo info{};
                while (::read(signals, &info, sizeof(info)) > 0) {
                }
                collect();
            }
            if (wanted[0].revents != 0) {
                Fields fields;
                int passed = -1;
                if (!receive(m_socket, fields, passed)) {
                    return;
                }
                if (!fields.empty()) {
                    obey(fields, passed);
                }
                if (passed >= 0) {
                    ::close(passed);
                }
            }
        }
    }

    void collect() {
        int status = 0;
        for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0;
             pid = ::waitpid(-1, &status, WNOHANG)) {
            if (pid == m_daemon) {
                m_daemon = 0;
                send(m_socket, {protocol::ended, std::to_string(status)});
            }
        }
    }

    void obey(const Fields& fields, int passed) {
        if (fields.size() == 4 && fields[0] == protocol::add) {
            answer(m_socket, m_tree.add(fields[1], fields[2] != protocol::writable, fields[3]));
        } else if (fields.size() == 2 && fields[0] == protocol::remove) {
            answer(m_socket, m_tree.remove(fields[1]));
        } else if (fields.size() == 2 && fields[0] == protocol::protect) {
            answer(m_socket, m_tree.protect(fields[1], m_daemon));
        } else if (fields.size() == 2 && fields[0] == protocol::own) {
            unsigned long changed = 0;
            const Failure failure = takeOwnership(m_identity, fields[1], changed);
            if (failure) {
                answer(m_socket, failure);
            } else {
                send(m_socket, {protocol::ok, std::to_string(changed)});
            }
        } else if (fields[0] == protocol::run && passed >= 0 && m_daemon == 0) {
            answer(m_socket, startDaemon(m_program, m_cache, passed, m_identity, m_daemon));
        } else {
            answer(m_socket, {protocol::stageStart, EINVAL});
        }
    }

    int m_socket;
    std::string m_program;
    std::string m_cache;
    Identity m_identity;
    ShareTree m_tree;
    pid_t m_daemon = 0;
};

bool toNumber(const char* text, unsigned& number) {
    const char* const end = text + std::strlen(text);
    return std::from_chars(text, end, number).ptr == end && end != text;
}

} // namespace

int main(int argc, char** argv) {
    const pid_t parent = ::getppid();
    unsigned numbers[9] = {};
    bool good = (argc == 11 || argc == 12) && toNumber(argv[1], numbers[0]);
    for (int i = 0; good && i < 8; ++i) {
        good = toNumber(argv[i + 3], numbers[i + 1]);
    }
    if (!good) {
        static const char text[] = "vitrine-shares is started by vitrinectl run, not by hand.\n";
        const ssize_t written = ::write(STDERR_FILENO, text, sizeof(text) - 1);
        static_cast<void>(written);
        return 64;
    }
    ::umask(022); // what it makes is for the guest; nobody else sees it
    const int socket = static_cast<int>(numbers[0]);
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    Identity identity;
    identity.asRoot = ::geteuid() == 0;
    identity.guestUser = numbers[1];
    identity.guestGroup = numbers[2];
    identity.owner = numbers[3];
    identity.ownerGroup = numbers[4];
    identity.firstUid = numbers[5];
    identity.firstGid = numbers[6];
    identity.uidCount = numbers[7];
    identity.gidCount = numbers[8];
    return Helper(socket, argv[2], argc == 12 ? argv[11] : "auto", identity).run(parent);
}
