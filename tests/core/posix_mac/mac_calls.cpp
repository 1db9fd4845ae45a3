// SPDX-License-Identifier: Apache-2.0
// Calls of macOS over those of Linux, as Apple's manual pages describe them.
#include "tests/core/posix_mac/mac_faults.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/fs.h>
#include <mutex>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "vz/check/darwin/besides.h"
#include "vz/check/darwin/sys/attr.h"
#include "vz/check/darwin/sys/clonefile.h"
#include "vz/check/darwin/sys/disk.h"

namespace vitrine::mac {

bool isSilenced(int fd); // mac_sockets.cpp
void noteSilenced(int fd);

namespace {

struct Fault {
    std::atomic<int> error{0};
    std::atomic<int> after{0};
    std::atomic<int> times{0};
    std::atomic<int> called{0};
};
std::array<Fault, static_cast<size_t>(Call::Last)> faults;
std::atomic<bool> clones{true};
std::mutex volumeMutex;
std::string volumeKind;
bool volumeIsLocal = true;

Fault& faultOf(Call call) {
    return faults.at(static_cast<size_t>(call));
}

} // namespace

void failNext(Call call, int errorNumber, int times, int after) {
    faultOf(call).error = errorNumber;
    faultOf(call).after = after;
    faultOf(call).times = times;
}

int timesCalled(Call call) {
    return faultOf(call).called;
}

void forgetFaults() {
    for (Fault& fault : faults)
        fault.error = fault.after = fault.times = fault.called = 0;
    clones = true;
    pretendVolume({});
}

void pretendVolume(const std::string& kind, bool isLocal) {
    const std::scoped_lock lock(volumeMutex);
    volumeKind = kind;
    volumeIsLocal = isLocal;
}

void pretendClones(bool possible) {
    clones = possible;
}

bool mustFail(Call call) {
    Fault& fault = faultOf(call);
    ++fault.called;
    if (fault.after > 0) {
        --fault.after;
        return false;
    }
    int left = fault.times;
    while (left > 0 && !fault.times.compare_exchange_weak(left, left - 1)) {
    }
    if (left <= 0)
        return false;
    errno = fault.error;
    return true;
}

bool volumesClone() {
    return clones;
}

bool pretendedVolume(std::string& kind, bool& isLocal); // mac_volumes.cpp

bool pretendedVolume(std::string& kind, bool& isLocal) {
    const std::scoped_lock lock(volumeMutex);
    if (volumeKind.empty())
        return false;
    kind = volumeKind;
    isLocal = volumeIsLocal;
    return true;
}

} // namespace vitrine::mac

using namespace vitrine;
using mac::Call;
using mac::mustFail;

namespace {

int fails(int errorNumber) {
    errno = errorNumber;
    return -1;
}

bool hasEnded(int fd) { // the other end of a connection
    struct pollfd entry {
        fd, 0, 0
    };
    return ::poll(&entry, 1, 0) > 0 && (entry.revents & POLLHUP) != 0;
}

// Shared where this computer's volume can; else copied, with its holes.
bool copyAll(int from, int to, off_t size) {
    if (::ioctl(to, FICLONE, from) == 0)
        return true;
    if (::ftruncate(to, size) != 0)
        return false;
    std::array<char, 65536> bytes{};
    off_t at = 0;
    while (at < size) {
        at = ::syscall(SYS_lseek, from, at, SEEK_DATA);
        if (at < 0)
            return errno == ENXIO;
        const off_t end = ::syscall(SYS_lseek, from, at, SEEK_HOLE);
        while (at < end) {
            const size_t wanted = std::min(bytes.size(), static_cast<size_t>(end - at));
            const ssize_t n = ::pread(from, bytes.data(), wanted, at);
            if (n <= 0 || ::pwrite(to, bytes.data(), static_cast<size_t>(n), at) != n)
                return false;
            at += n;
        }
    }
    return true;
}

} // namespace

extern "C" {

// getpeereid(3): of a stream socket that is or was connected.
int getpeereid(int fd, uid_t* user, gid_t* group) {
    ucred told{};
    socklen_t length = sizeof(told);
    if (mustFail(Call::PeerUser) || ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &told, &length) != 0)
        return -1;
    *user = told.uid;
    *group = told.gid;
    return 0;
}

// rename(2): RENAME_EXCL is EEXIST when the target is there, ENOTSUP where the volume has not
// VOL_CAP_INT_RENAME_EXCL, EINVAL with other flags.
int renamex_np(const char* from, const char* to, unsigned flags) {
    if (mustFail(Call::RenameExclusive))
        return -1;
    if (flags != RENAME_EXCL)
        return fails(EINVAL);
    return ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

// clonefile(2): makes a new file, with the mode of the old one; EEXIST when there is one, EXDEV on
// another volume, ENOTSUP where the volume has no clones.
int fclonefileat(int from, int toFolder, const char* to, uint32_t flags) {
    if (mustFail(Call::Clone))
        return -1;
    if ((flags & ~(CLONE_NOFOLLOW | CLONE_NOOWNERCOPY)) != 0)
        return fails(EINVAL);
    struct stat info {};
    struct stat there {};
    if (::fstat(from, &info) != 0)
        return -1;
    if (::fstatat(toFolder, to, &there, AT_SYMLINK_NOFOLLOW) == 0)
        return fails(EEXIST);
    if (!mac::volumesClone())
        return fails(ENOTSUP);
    const int file = ::openat(toFolder, to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return -1;
    const bool done =
        copyAll(from, file, info.st_size) && ::fchmod(file, info.st_mode & 07777) == 0;
    const int error = errno;
    ::close(file);
    if (done)
        return 0;
    ::unlinkat(toFolder, to, 0); // all or nothing
    return fails(error);
}

// getattrlist(2): the length and then what was asked for, which is the volume's abilities alone;
// EINVAL when the path is not where a volume begins.
int getattrlist(const char* path, void* wanted, void* answer, size_t size, unsigned) {
    if (mustFail(Call::Attributes))
        return -1;
    const auto* const asked = static_cast<const struct attrlist*>(wanted);
    struct Told {
        uint32_t length;
        vol_capabilities_attr_t abilities;
    } told{};
    static_assert(sizeof(Told) == 36);
    struct stat here {};
    struct stat above {};
    if (::stat(path, &here) != 0 || ::stat((std::string(path) + "/..").c_str(), &above) != 0)
        return -1;
    const bool isVolume = here.st_dev != above.st_dev || here.st_ino == above.st_ino;
    if (asked->bitmapcount != ATTR_BIT_MAP_COUNT ||
        asked->volattr != (ATTR_VOL_INFO | ATTR_VOL_CAPABILITIES) || !isVolume)
        return fails(EINVAL);
    told.length = sizeof(told);
    told.abilities.valid[VOL_CAPABILITIES_INTERFACES] = VOL_CAP_INT_CLONE;
    if (mac::volumesClone())
        told.abilities.capabilities[VOL_CAPABILITIES_INTERFACES] = VOL_CAP_INT_CLONE;
    std::memcpy(answer, &told, std::min(size, sizeof(told)));
    return 0;
}

// gethostuuid(2): 16 bytes.
int gethostuuid(unsigned char id[16], const struct timespec* wait) {
    if (mustFail(Call::HostId))
        return -1;
    std::array<char, 33> text{};
    std::FILE* const file = wait == nullptr ? nullptr : std::fopen("/etc/machine-id", "re");
    const bool isThere = file != nullptr && std::fscanf(file, "%32s", text.data()) == 1;
    if (file != nullptr)
        std::fclose(file);
    for (size_t i = 0; i < 16; ++i) {
        const std::array<char, 3> pair{text.at(2 * i), text.at(2 * i + 1), '\0'};
        id[i] = static_cast<unsigned char>(std::strtoul(pair.data(), nullptr, 16));
    }
    return isThere ? 0 : fails(EWOULDBLOCK);
}

// sysctlbyname(3): a text comes with its end, ENOMEM where it does not fit; ENOENT for a name that
// there is not.
int sysctlbyname(const char* name, void* old, size_t* oldSize, void* value, size_t) {
    const auto give = [&](const void* bytes, size_t size) {
        if (value != nullptr)
            return fails(EPERM);
        if (*oldSize < size)
            return fails(ENOMEM);
        std::memcpy(old, bytes, size);
        *oldSize = size;
        return 0;
    };
    const std::string wanted(name);
    struct sysinfo machine {};
    (void)::sysinfo(&machine);
    const uint64_t memory = uint64_t{machine.totalram} * machine.mem_unit;
    if (wanted == "hw.memsize")
        return mustFail(Call::MemorySize) ? -1 : give(&memory, sizeof(memory));
    if (wanted == "kern.memorystatus_level") {
        const uint64_t free = uint64_t{machine.freeram} * machine.mem_unit;
        const int level = static_cast<int>(free * 100 / memory);
        return mustFail(Call::MemoryLevel) ? -1 : give(&level, sizeof(level));
    }
    if (wanted == "kern.bootsessionuuid") {
        std::array<char, 37> text{};
        std::FILE* const file = std::fopen("/proc/sys/kernel/random/boot_id", "re");
        const bool isRead = file != nullptr && std::fscanf(file, "%36s", text.data()) == 1;
        if (file != nullptr)
            std::fclose(file);
        return mustFail(Call::BootId) || !isRead ? -1 : give(text.data(), text.size());
    }
    return fails(ENOENT);
}

int mac_accept(int server, struct sockaddr* address, socklen_t* length) {
    return mustFail(Call::Accept) ? -1 : ::accept(server, address, length);
}

int mac_chmod(const char* path, mode_t mode) {
    return mustFail(Call::ChangeMode) ? -1 : ::chmod(path, mode);
}

int mac_fchmod(int file, mode_t mode) {
    return mustFail(Call::ChangeMode) ? -1 : ::fchmod(file, mode);
}

// fcntl(2). F_FULLFSYNC: as fsync and the drive's own memory; ENOTSUP and others where the volume
// or the drive has it not. F_PUNCHHOLE: EPERM when the file is not open for writing, EINVAL with
// flags, without a length or not on borders of blocks. F_GETPATH: PATH_MAX bytes.
int mac_fcntl(int file, int command, ...) {
    va_list more;
    va_start(more, command);
    void* const argument = va_arg(more, void*);
    va_end(more);
    switch (command) {
    case F_FULLFSYNC:
        return mustFail(Call::FullSync) ? -1 : ::fsync(file);
    case F_PUNCHHOLE: {
        if (mustFail(Call::PunchHole))
            return -1;
        const auto* const hole = static_cast<const fpunchhole_t*>(argument);
        struct stat info {};
        if (::fstat(file, &info) != 0)
            return -1;
        if ((::fcntl(file, F_GETFL) & O_ACCMODE) == O_RDONLY)
            return fails(EPERM);
        if (hole->fp_flags != 0 || hole->reserved != 0 || hole->fp_length <= 0 ||
            hole->fp_offset % info.st_blksize != 0 || hole->fp_length % info.st_blksize != 0)
            return fails(EINVAL);
        const int punched = ::fallocate(
            file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, hole->fp_offset, hole->fp_length);
        return punched != 0 && errno == EOPNOTSUPP ? fails(ENOTSUP) : punched;
    }
    case F_GETPATH: {
        if (mustFail(Call::PathOf))
            return -1;
        const std::string link = "/proc/self/fd/" + std::to_string(file);
        const ssize_t size = ::readlink(link.c_str(), static_cast<char*>(argument), PATH_MAX - 1);
        if (size < 0)
            return fails(EBADF);
        static_cast<char*>(argument)[size] = '\0';
        struct stat named {};
        return ::stat(static_cast<char*>(argument), &named);
    }
    default:
        return ::fcntl(file, command, argument);
    }
}

int mac_fsync(int file) {
    return mustFail(Call::OrdinarySync) ? -1 : ::fsync(file);
}

// unix(4): LOCAL_PEERPID of the process that made or listened at the other end, ENOTCONN when that
// is gone.
int mac_getsockopt(int fd, int level, int option, void* value, socklen_t* length) {
    if (level != SOL_LOCAL || option != LOCAL_PEERPID)
        return ::getsockopt(fd, level, option, value, length);
    if (mustFail(Call::PeerProcess))
        return -1;
    ucred told{};
    socklen_t size = sizeof(told);
    if (*length != sizeof(pid_t))
        return fails(EINVAL);
    if (hasEnded(fd))
        return fails(ENOTCONN);
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &told, &size) != 0)
        return -1;
    std::memcpy(value, &told.pid, sizeof(pid_t));
    return 0;
}

// Of a regular file too, which stands for a disk of its size: blocks of 512 bytes.
int mac_ioctl(int file, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    void* const argument = va_arg(more, void*);
    va_end(more);
    struct stat info {};
    if (::fstat(file, &info) != 0)
        return -1;
    uint64_t bytes = static_cast<uint64_t>(info.st_size);
    const bool isDisk = S_ISREG(info.st_mode) ||
                        (S_ISBLK(info.st_mode) && ::ioctl(file, BLKGETSIZE64, &bytes) == 0);
    if (request == DKIOCGETBLOCKSIZE && isDisk) {
        *static_cast<uint32_t*>(argument) = 512;
        return 0;
    }
    if (request == DKIOCGETBLOCKCOUNT && isDisk) {
        if (mustFail(Call::BlockCount))
            return -1;
        *static_cast<uint64_t*>(argument) = bytes / 512;
        return 0;
    }
    return fails(ENOTTY);
}

int mac_pipe(int ends[2]) {
    return mustFail(Call::Pipe) ? -1 : ::pipe(ends);
}

// SO_NOSIGPIPE; EINVAL when the other end has gone, as for every option of such a socket.
int mac_setsockopt(int fd, int level, int option, const void* value, socklen_t length) {
    if (level != SOL_SOCKET || option != SO_NOSIGPIPE)
        return ::setsockopt(fd, level, option, value, length);
    if (mustFail(Call::SilenceSocket))
        return -1;
    struct stat info {};
    if (::fstat(fd, &info) != 0)
        return -1;
    if (!S_ISSOCK(info.st_mode))
        return fails(ENOTSOCK);
    int isListening = 0;
    socklen_t size = sizeof(isListening);
    (void)::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size);
    sockaddr_storage address{};
    size = sizeof(address);
    if (isListening == 0 && hasEnded(fd) &&
        ::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0)
        return fails(EINVAL);
    mac::noteSilenced(fd);
    return 0;
}

int mac_socket(int domain, int type, int protocol) {
    return mustFail(Call::Socket) ? -1 : ::socket(domain, type, protocol);
}

// sync(2) begins to write and does not wait. Nothing is begun: it would be all of this computer.
void mac_sync() {
    (void)mustFail(Call::SyncAll);
}

} // extern "C"
