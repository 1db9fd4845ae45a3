// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/helper/share_identity.h"

#include "qemu/sharing/share_protocol.h"

#include <cerrno>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace vitrine::shares {

namespace {

namespace protocol = qemu::shareprotocol;

// Lines "inside outside count" of a map, as words: the guest's login user becomes the owner, all
// other ids become subordinate ids in order.
std::vector<unsigned> mapOf(unsigned guest, unsigned owner, unsigned first, unsigned count) {
    std::vector<unsigned> map;
    const auto line = [&map](unsigned inside, unsigned outside, unsigned length) {
        map.push_back(inside);
        map.push_back(outside);
        map.push_back(length);
    };
    if (guest > 0) {
        line(0, first, guest);
    }
    // Root's own folders belong to nobody inside.
    line(guest, owner != 0 ? owner : first + guest, 1);
    const unsigned used = owner != 0 ? guest : guest + 1;
    if (count > used + 1) {
        line(guest + 1, first + used, count - used - 1);
    }
    return map;
}

std::vector<unsigned> userMap(const Identity& identity) {
    return mapOf(identity.guestUser, identity.owner, identity.firstUid, identity.uidCount);
}

std::vector<unsigned> groupMap(const Identity& identity) {
    return mapOf(identity.guestGroup, identity.ownerGroup, identity.firstGid, identity.gidCount);
}

int runMapper(const char* program, pid_t child, const std::vector<unsigned>& map) {
    const pid_t runner = ::fork();
    if (runner < 0) {
        return errno;
    }
    if (runner == 0) {
        std::vector<std::string> words{program, std::to_string(child)};
        for (const unsigned number : map) {
            words.push_back(std::to_string(number));
        }
        std::vector<char*> argv;
        for (std::string& word : words) {
            argv.push_back(word.data());
        }
        argv.push_back(nullptr);
        char path[] = "PATH=/usr/bin:/bin:/usr/sbin:/sbin";
        char* environment[] = {path, nullptr};
        ::execvpe(program, argv.data(), environment);
        ::_exit(errno == ENOENT ? 127 : 126);
    }
    int status = 0;
    while (::waitpid(runner, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return 0;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? ENOENT : EPERM;
}

Failure enterUserNamespace(const Identity& identity) {
    int start[2];
    if (::pipe2(start, O_CLOEXEC) != 0) {
        return {protocol::stageUserNamespace, errno};
    }
    // The programs that write the map must run outside of the namespace, so they are started by a
    // child that stays there.
    const pid_t self = ::getpid();
    const pid_t mapper = ::fork();
    if (mapper < 0) {
        return {protocol::stageUserNamespace, errno};
    }
    if (mapper == 0) {
        ::close(start[1]);
        char go = 0;
        if (::read(start[0], &go, 1) != 1) {
            ::_exit(0);
        }
        if (runMapper("newuidmap", self, userMap(identity)) != 0) {
            ::_exit(1);
        }
        ::_exit(runMapper("newgidmap", self, groupMap(identity)) != 0 ? 2 : 0);
    }
    ::close(start[0]);
    Failure failure;
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
        failure = {protocol::stageUserNamespace, errno};
    } else if (::write(start[1], "g", 1) != 1) {
        failure = {protocol::stageUserNamespace, errno};
    }
    ::close(start[1]);
    int status = 0;
    while (::waitpid(mapper, &status, 0) < 0 && errno == EINTR) {
    }
    if (failure) {
        return failure;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        const bool users = !WIFEXITED(status) || WEXITSTATUS(status) == 1;
        return {users ? protocol::stageUserMap : protocol::stageGroupMap, EPERM};
    }
    if (::setresgid(0, 0, 0) != 0 || ::setresuid(0, 0, 0) != 0) {
        return {protocol::stageUserMap, errno};
    }
    return {};
}

int writeMap(const std::string& path, const std::vector<unsigned>& map) {
    std::string text;
    for (std::size_t i = 0; i + 2 < map.size(); i += 3) {
        text += std::to_string(map[i]) + ' ' + std::to_string(map[i + 1]) + ' ' +
                std::to_string(map[i + 2]) + '\n';
    }
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    // A map is written once and whole.
    const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int error = written ? 0 : errno;
    ::close(fd);
    return error;
}

} // namespace

Failure enterNamespaces(const Identity& identity) {
    if (!identity.asRoot) {
        if (const Failure failure = enterUserNamespace(identity)) {
            return failure;
        }
    } else if (::unshare(CLONE_NEWNS) != 0) {
        return {protocol::stageMounts, errno};
    }
    // What is mounted on this computer later can be shared too; nothing of ours leaks out.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
        return {protocol::stageMounts, errno};
    }
    return {};
}

Failure writeMaps(pid_t child, const Identity& identity) {
    const std::string folder = "/proc/" + std::to_string(child);
    if (const int error = writeMap(folder + "/uid_map", userMap(identity))) {
        return {protocol::stageUserMap, error};
    }
    if (const int error = writeMap(folder + "/gid_map", groupMap(identity))) {
        return {protocol::stageGroupMap, error};
    }
    return {};
}

} // namespace vitrine::shares
