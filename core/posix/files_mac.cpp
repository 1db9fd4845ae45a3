// SPDX-License-Identifier: Apache-2.0
#include "core/posix/files.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/attr.h>
#include <sys/clonefile.h>
#include <sys/disk.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace vitrine::posix {

namespace {

constexpr size_t longestValue = 64;
constexpr off_t largestPiece = off_t{1} << 30; // bytes that are mapped at once

// What getattrlist() answers for the one attribute that is asked for.
struct [[gnu::packed, gnu::aligned(4)]] Abilities {
    quint32 size;
    vol_capabilities_attr_t told;
};

} // namespace

bool renameExclusive(const char* from, const char* to) {
    if (::renamex_np(from, to, RENAME_EXCL) == 0)
        return true;
    if (errno == ENOTSUP)
        errno = EINVAL;
    return false;
}

bool cloneInto(int from, int& to, const char* path) {
    // A clone is made with its file: the empty one makes room. Whoever puts another into its place
    // meanwhile gets EEXIST told, and keeps his.
    ::close(to);
    to = -1;
    if (::unlink(path) != 0)
        return false;
    const bool cloned = ::fclonefileat(from, AT_FDCWD, path, CLONE_NOOWNERCOPY) == 0;
    const int error = errno;
    if (!cloned && error == EEXIST)
        return false;
    constexpr int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
    to = cloned ? ::open(path, flags) : ::open(path, flags | O_CREAT | O_EXCL, 0600);
    if (to < 0 && cloned && ::chmod(path, 0600) == 0) // the source was read-only
        to = ::open(path, flags);
    if (cloned && (to < 0 || ::fchmod(to, 0600) != 0)) {
        const int openError = errno;
        if (to >= 0)
            ::close(to);
        to = -1;
        ::unlink(path);
        errno = openError;
    }
    if (to < 0)
        return false;
    errno = error;
    return cloned;
}

bool canClone(int from, const char* folder) {
    struct stat source {};
    struct stat target {};
    struct statfs volume {};
    if (::fstat(from, &source) != 0 || ::stat(folder, &target) != 0 ||
        source.st_dev != target.st_dev || source.st_size == 0 || ::statfs(folder, &volume) != 0)
        return false;
    // Told for the folder where a volume begins alone.
    struct attrlist wanted {};
    wanted.bitmapcount = ATTR_BIT_MAP_COUNT;
    wanted.volattr = ATTR_VOL_INFO | ATTR_VOL_CAPABILITIES;
    Abilities abilities{};
    if (::getattrlist(volume.f_mntonname, &wanted, &abilities, sizeof(abilities), 0) != 0)
        return false;
    return (abilities.told.valid[VOL_CAPABILITIES_INTERFACES] &
            abilities.told.capabilities[VOL_CAPABILITIES_INTERFACES] & VOL_CAP_INT_CLONE) != 0;
}

bool cloneRange(int, quint64, int, quint64, quint64) {
    errno = ENOTSUP; // whole files only
    return false;
}

ssize_t copyRange(int, int, quint64, quint64) {
    errno = ENOTSUP;
    return -1;
}

bool meansOtherWay(int errorNumber) {
    return errorNumber == ENOTSUP || errorNumber == EOPNOTSUPP || errorNumber == EXDEV ||
           errorNumber == EINVAL || errorNumber == ENOTTY || errorNumber == ENOSYS ||
           errorNumber == EPERM || errorNumber == EACCES;
}

bool punchHole(int file, quint64 offset, quint64 size) {
    fpunchhole_t hole{};
    hole.fp_offset = static_cast<off_t>(offset);
    hole.fp_length = static_cast<off_t>(size);
    if (::fcntl(file, F_PUNCHHOLE, &hole) == 0)
        return true;
    // EINVAL: not on borders of blocks.
    if (errno == ENOTSUP || errno == ENOSYS || errno == ENOTTY || errno == EINVAL)
        errno = EOPNOTSUPP;
    return false;
}

std::optional<quint64> exclusiveBytes(int) {
    return std::nullopt; // APFS tells of volumes, not of files
}

bool blockDeviceSize(int device, quint64& size) {
    quint32 unit = 0;
    quint64 count = 0;
    if (::ioctl(device, DKIOCGETBLOCKSIZE, &unit) != 0 ||
        ::ioctl(device, DKIOCGETBLOCKCOUNT, &count) != 0)
        return false;
    size = unit * count;
    return true;
}

void startWriteBack(int, quint64, quint64) {}

bool writeBack(int, quint64, quint64) {
    return false;
}

bool flush(int file) {
    // fsync() alone leaves the bytes in the drive's own memory. Volumes without it answer ENOTSUP,
    // EINVAL or ENOTTY.
    while (::fcntl(file, F_FULLFSYNC) != 0) {
        if (errno == EINTR)
            continue;
        if (errno == EIO || errno == ENOSPC || errno == EBADF)
            return false;
        while (::fsync(file) != 0)
            if (errno != EINTR)
                return false;
        return true;
    }
    return true;
}

bool flushVolume(int) {
    ::sync();
    return true;
}

void forgetCached(int file) {
    struct stat info {};
    if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
        return;
    (void)::fsync(file); // sync() only begins
    for (off_t offset = 0; offset < info.st_size; offset += largestPiece) {
        const auto length = static_cast<size_t>(qMin<off_t>(largestPiece, info.st_size - offset));
        void* const at = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file, offset);
        if (at == MAP_FAILED)
            return;
        (void)::msync(at, length, MS_INVALIDATE);
        (void)::munmap(at, length);
    }
}

int openDirect(int) {
    return -1; // F_NOCACHE holds for a file, not for one of its descriptors
}

timespec accessTime(const struct stat& info) {
    return info.st_atimespec;
}

timespec modificationTime(const struct stat& info) {
    return info.st_mtimespec;
}

bool setAttribute(const char* path, const char* name, const QByteArray& value) {
    const QByteArray full = QByteArray("org.") + name;
    return ::setxattr(path,
                      full.constData(),
                      value.constData(),
                      static_cast<size_t>(value.size()),
                      0,
                      0) == 0;
}

QByteArray attribute(const char* path, const char* name) {
    const QByteArray full = QByteArray("org.") + name;
    std::array<char, longestValue> value{};
    const ssize_t size = ::getxattr(path, full.constData(), value.data(), value.size(), 0, 0);
    return size > 0 ? QByteArray(value.data(), size) : QByteArray();
}

} // namespace vitrine::posix
