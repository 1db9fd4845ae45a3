// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/helper/ownership.h"

#include "qemu/sharing/share_protocol.h"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::shares {

namespace {

namespace protocol = qemu::shareprotocol;

constexpr int deepest = 512; // folders in folders, each of which takes two descriptors

class Taker final {
public:
    Taker(const Identity& identity, unsigned long& changed)
        : m_identity(identity)
        , m_changed(changed) {}

    // Takes `fd` (O_PATH) over. 0, or what is wrong with it; goes on with the others all the same.
    int take(int fd, int depth) {
        struct stat status {};
        int error = ::fstat(fd, &status) != 0 ? errno : 0;
        if (error == 0 && depth == 0) {
            m_device = status.st_dev;
        }
        if (error == 0 && status.st_dev == m_device) {
            error = own(fd, status);
            if (S_ISDIR(status.st_mode)) {
                const int inside = depth < deepest ? enter(fd, depth) : ELOOP;
                error = error != 0 ? error : inside;
            }
        }
        ::close(fd);
        return error;
    }

private:
    // Ids of the guest: inside-root of an ordinary user sees all of them and no others of this
    // computer, which root sees as they are.
    [[nodiscard]] bool isGuests(unsigned id, unsigned own, unsigned first, unsigned count) const {
        return m_identity.asRoot ? id >= first && id - first < count
                                 : id != own && id < count && id != unmapped;
    }
    int own(int fd, const struct stat& status) {
        const Identity& who = m_identity;
        const uid_t user = who.asRoot ? who.owner : who.guestUser;
        const gid_t group = who.asRoot ? who.ownerGroup : who.guestGroup;
        const bool users = isGuests(status.st_uid, user, who.firstUid, who.uidCount);
        const bool groups = isGuests(status.st_gid, group, who.firstGid, who.gidCount);
        if (!users && !groups) {
            return 0;
        }
        // By the descriptor: the name may lead elsewhere by now.
        constexpr uid_t same = static_cast<uid_t>(-1);
        if (::fchownat(fd, "", users ? user : same, groups ? group : same, AT_EMPTY_PATH) != 0) {
            return errno;
        }
        ++m_changed;
        return 0;
    }
    int enter(int fd, int depth) {
        const int readable = ::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR* const folder = readable >= 0 ? ::fdopendir(readable) : nullptr;
        if (folder == nullptr) {
            const int error = errno;
            if (readable >= 0) {
                ::close(readable);
            }
            return error;
        }
        int first = 0;
        while (const dirent* const entry = ::readdir(folder)) {
            if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) {
                continue;
            }
            const int child = ::openat(readable, entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
            // Gone meanwhile is as good.
            const int error = child < 0 ? (errno == ENOENT ? 0 : errno) : take(child, depth + 1);
            first = first != 0 ? first : error;
        }
        ::closedir(folder);
        return first;
    }

    static constexpr unsigned unmapped = 65534; // what the kernel shows for ids outside of the map
    const Identity& m_identity;
    unsigned long& m_changed;
    dev_t m_device = 0;
};

} // namespace

Failure takeOwnership(const Identity& identity, const std::string& path, unsigned long& changed) {
    changed = 0;
    // The path is followed as the user would, not with the powers of this namespace.
    if (!identity.asRoot) {
        ::setfsgid(identity.guestGroup);
        ::setfsuid(identity.guestUser);
    }
    const int fd = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int openError = errno;
    if (!identity.asRoot) {
        ::setfsuid(0);
        ::setfsgid(0);
    }
    if (fd < 0) {
        return {protocol::stageOpen, openError};
    }
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &files);
    }
    if (const int error = Taker(identity, changed).take(fd, 0)) {
        return {protocol::stageOwner, error};
    }
    return {};
}

} // namespace vitrine::shares
