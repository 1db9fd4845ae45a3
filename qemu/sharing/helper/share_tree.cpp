// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/helper/share_tree.h"

#include "qemu/sharing/share_protocol.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vitrine::shares {

namespace {

namespace protocol = qemu::shareprotocol;

// Two memory file systems, one in the other, over a folder that every Linux has, everybody may
// pass, and nobody shares: the outer one cannot be cloned, so that a shared "/" does not contain
// its own shares; the inner one passes on what is mounted in it.
constexpr const char* base = "/sys";
constexpr const char* names = "/sys/names";
constexpr const char* tag = "/sys/names/tag";

Failure mountsFailed() {
    return {protocol::stageMounts, errno};
}

bool isGoodName(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

std::string placeOf(const std::string& name) {
    return std::string(tag) + '/' + name;
}

class Descriptor final {
public:
    explicit Descriptor(int fd)
        : m_fd(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (m_fd >= 0) {
            ::close(m_fd);
        }
    }
    [[nodiscard]] int get() const { return m_fd; }

private:
    int m_fd;
};

// Runs in a child that may change who it is. 0, or what is wrong.
int tryReach(const Identity& identity, const char* place, bool readOnly, bool& writing) {
    if (::setgroups(0, nullptr) != 0) {
        return errno;
    }
    if (identity.asRoot) {
        const gid_t group = identity.ownerGroup != 0 ? identity.ownerGroup : identity.firstGid;
        const uid_t user = identity.owner != 0 ? identity.owner : identity.firstUid;
        if (::setresgid(group, group, group) != 0 || ::setresuid(user, user, user) != 0) {
            return errno;
        }
    }
    DIR* const folder = ::opendir(place);
    if (folder == nullptr) {
        return errno;
    }
    errno = 0;
    const bool readable = ::readdir(folder) != nullptr || errno == 0;
    const int readError = errno;
    ::closedir(folder);
    if (!readable) {
        return readError;
    }
    writing = true;
    if (!readOnly && ::faccessat(AT_FDCWD, place, W_OK | X_OK, AT_EACCESS) != 0) {
        return errno;
    }
    return 0;
}

// Runs in a child that may change where it is. 0, or what is wrong.
int protectIn(pid_t daemon, const std::string& name) {
    const std::string process = "/proc/" + std::to_string(daemon);
    const Descriptor space(::open((process + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC));
    const Descriptor root(
        ::open((process + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)); // the tag
    struct stat own {};
    struct stat its {};
    if (space.get() < 0 || root.get() < 0 || ::fstat(space.get(), &its) != 0 ||
        ::stat("/proc/self/ns/mnt", &own) != 0) {
        return errno;
    }
    if (own.st_ino == its.st_ino) {
        return EAGAIN; // it is still on its way there
    }
    if (::setns(space.get(), CLONE_NEWNS) != 0) {
        return errno;
    }
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_RDONLY;
    if (::mount_setattr(root.get(),
                        name.c_str(),
                        AT_RECURSIVE | AT_SYMLINK_NOFOLLOW,
                        &attributes,
                        sizeof(attributes)) != 0) {
        return errno;
    }
    const Descriptor place(
        ::openat(root.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct statvfs now {};
    if (place.get() < 0 || ::fstatvfs(place.get(), &now) != 0) {
        return errno;
    }
    return (now.f_flag & ST_RDONLY) != 0 ? 0 : EPERM;
}

} // namespace

Failure ShareTree::prepare() {
    constexpr unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (::mount("vitrine", base, "tmpfs", flags, "mode=0755,size=1m,nr_inodes=64") != 0 ||
        ::mount(nullptr, base, nullptr, MS_UNBINDABLE, nullptr) != 0 || ::mkdir(names, 0755) != 0 ||
        ::mkdir(source, 0755) != 0 ||
        ::mount("vitrine", names, "tmpfs", flags, "mode=0755,size=4m,nr_inodes=4096") != 0 ||
        ::mount(nullptr, names, nullptr, MS_SHARED, nullptr) != 0 || ::mkdir(tag, 0755) != 0) {
        return mountsFailed();
    }
    return {};
}

// The tag's folder as the guest sees it: it cannot write there beside the shares.
Failure ShareTree::makeView() {
    const Descriptor view(::open_tree(AT_FDCWD, tag, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
    if (view.get() < 0) {
        return mountsFailed();
    }
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_RDONLY;
    if (::mount_setattr(view.get(), "", AT_EMPTY_PATH, &attributes, sizeof(attributes)) != 0 ||
        ::move_mount(view.get(), "", AT_FDCWD, source, MOVE_MOUNT_F_EMPTY_PATH) != 0) {
        return mountsFailed();
    }
    m_hasView = true;
    return {};
}

Failure ShareTree::add(const std::string& name, bool readOnly, const std::string& path) {
    const bool whole = name.empty();
    if ((!whole && !isGoodName(name)) || m_isFolderItself || (whole && m_hasView)) {
        return {protocol::stageName, EEXIST};
    }
    if (!whole && !m_hasView) {
        if (const Failure failure = makeView()) {
            return failure;
        }
    }
    // The path is followed as the user would, not with the powers of this namespace.
    if (!m_identity.asRoot) {
        ::setfsgid(m_identity.guestGroup);
        ::setfsuid(m_identity.guestUser);
    }
    const Descriptor folder(
        ::open_tree(AT_FDCWD,
                    path.c_str(),
                    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW));
    const int openError = errno;
    if (!m_identity.asRoot) {
        ::setfsuid(0);
        ::setfsgid(0);
    }
    if (folder.get() < 0) {
        return {protocol::stageOpen, openError};
    }
    struct stat status {};
    if (::fstat(folder.get(), &status) != 0 || !S_ISDIR(status.st_mode)) {
        return {protocol::stageOpen, ENOTDIR};
    }
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (readOnly ? MOUNT_ATTR_RDONLY : 0);
    // What is mounted below the folder later stays out: it would come writable.
    attributes.propagation = MS_PRIVATE;
    if (::mount_setattr(
            folder.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof(attributes)) != 0) {
        return {protocol::stageAccess, errno};
    }
    const std::string place = whole ? std::string(source) : placeOf(name);
    if (!whole && ::mkdir(place.c_str(), 0755) != 0) {
        return {protocol::stageName, errno};
    }
    if (::move_mount(folder.get(), "", AT_FDCWD, place.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0) {
        const int error = errno;
        if (!whole) {
            ::rmdir(place.c_str());
        }
        return {protocol::stagePlace, error};
    }
    if (const Failure failure = checkReach(place, readOnly)) {
        ::umount2(place.c_str(), MNT_DETACH);
        if (!whole) {
            ::rmdir(place.c_str());
        }
        return failure;
    }
    m_isFolderItself = whole;
    return {};
}

Failure ShareTree::remove(const std::string& name) {
    if (!isGoodName(name)) {
        return {protocol::stageName, EINVAL};
    }
    const std::string place = placeOf(name);
    if (::access(place.c_str(), F_OK) != 0) {
        return {protocol::stageName, errno};
    }
    if (::umount2(place.c_str(), UMOUNT_NOFOLLOW) != 0 &&
        ::umount2(place.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH) != 0) {
        return {protocol::stagePlace, errno};
    }
    if (::rmdir(place.c_str()) != 0) {
        return {protocol::stagePlace, errno};
    }
    return {};
}

Failure ShareTree::protect(const std::string& name, pid_t daemon) const {
    if (!isGoodName(name) || ::access(placeOf(name).c_str(), F_OK) != 0) {
        return {protocol::stageName, ENOENT};
    }
    if (daemon <= 0) {
        return {protocol::stageAccess, ESRCH};
    }
    int result[2];
    if (::pipe2(result, O_CLOEXEC) != 0) {
        return {protocol::stageAccess, errno};
    }
    const pid_t child = ::fork(); // this process stays where it is
    if (child == 0) {
        const int error = protectIn(daemon, name);
        const ssize_t written = ::write(result[1], &error, sizeof(error));
        ::_exit(written == sizeof(error) ? 0 : 1);
    }
    ::close(result[1]);
    int error = EIO;
    if (child < 0 || ::read(result[0], &error, sizeof(error)) != sizeof(error)) {
        error = EIO;
    }
    ::close(result[0]);
    while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (error == 0) {
        return {};
    }
    return {error == EBUSY ? protocol::stageInUse : protocol::stageAccess, error};
}

// virtiofsd has no groups besides its own, and no powers over files whose owner or group are not in
// the map: better said now than met as "permission denied" in the guest.
Failure ShareTree::checkReach(const std::string& place, bool readOnly) const {
    int result[2];
    if (::pipe2(result, O_CLOEXEC) != 0) {
        return {protocol::stageRead, errno};
    }
    const pid_t child = ::fork();
    if (child == 0) {
        bool writing = false;
        const int answer[2] = {tryReach(m_identity, place.c_str(), readOnly, writing), writing};
        const ssize_t written = ::write(result[1], answer, sizeof(answer));
        ::_exit(written == sizeof(answer) ? 0 : 1);
    }
    ::close(result[1]);
    int answer[2] = {EIO, 0};
    const bool heard = child > 0 && ::read(result[0], answer, sizeof(answer)) == sizeof(answer);
    ::close(result[0]);
    while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (!heard) {
        return {protocol::stageRead, EIO};
    }
    if (answer[0] == 0) {
        return {};
    }
    return {answer[1] != 0 ? protocol::stageWrite : protocol::stageRead, answer[0]};
}

} // namespace vitrine::shares
