// SPDX-License-Identifier: Apache-2.0
#include "core/posix/files.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

namespace vitrine::posix {

namespace {

constexpr quint32 extentsAtOnce = 512;
constexpr size_t longestValue = 64;

} // namespace

bool renameExclusive(const char* from, const char* to) {
    return ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0;
}

bool cloneInto(int from, int& to, const char*) {
    return ::ioctl(to, FICLONE, from) == 0;
}

bool canClone(int from, const char* folder) {
    const int to = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    struct stat info {};
    if (to < 0 || ::fstat(from, &info) != 0) {
        if (to >= 0)
            ::close(to);
        return false;
    }
    const auto block = static_cast<quint64>(info.st_blksize);
    const auto size = static_cast<quint64>(info.st_size);
    // Length 0: to the end.
    const bool cloned = size > 0 && cloneRange(from, 0, to, 0, size < block ? 0 : block);
    ::close(to);
    return cloned;
}

bool cloneRange(int from, quint64 fromOffset, int to, quint64 toOffset, quint64 size) {
    file_clone_range range{};
    range.src_fd = from;
    range.src_offset = fromOffset;
    range.src_length = size;
    range.dest_offset = toOffset;
    return ::ioctl(to, FICLONERANGE, &range) == 0;
}

ssize_t copyRange(int from, int to, quint64 offset, quint64 size) {
    auto in = static_cast<off_t>(offset);
    auto out = in;
    return ::copy_file_range(from, &in, to, &out, size, 0);
}

bool meansOtherWay(int errorNumber) {
    return errorNumber == EOPNOTSUPP || errorNumber == EXDEV || errorNumber == EINVAL ||
           errorNumber == ENOTTY || errorNumber == ENOSYS || errorNumber == EPERM ||
           errorNumber == EACCES || errorNumber == ETXTBSY || errorNumber == EBADF;
}

bool punchHole(int file, quint64 offset, quint64 size) {
    int status = 0;
    do {
        status = ::fallocate(file,
                             FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                             static_cast<off_t>(offset),
                             static_cast<off_t>(size));
    } while (status != 0 && errno == EINTR);
    if (status != 0 && errno == ENOSYS)
        errno = EOPNOTSUPP;
    return status == 0;
}

std::optional<quint64> exclusiveBytes(int file) {
    std::vector<char> buffer(sizeof(fiemap) + extentsAtOnce * sizeof(fiemap_extent));
    quint64 exclusive = 0;
    quint64 position = 0;
    while (true) {
        std::fill(buffer.begin(), buffer.end(), 0);
        auto* const map = reinterpret_cast<fiemap*>(buffer.data());
        map->fm_start = position;
        map->fm_length = FIEMAP_MAX_OFFSET - position;
        map->fm_extent_count = extentsAtOnce;
        if (::ioctl(file, FS_IOC_FIEMAP, map) != 0)
            return std::nullopt;
        for (quint32 i = 0; i < map->fm_mapped_extents; ++i) {
            const fiemap_extent& extent = map->fm_extents[i];
            if ((extent.fe_flags & FIEMAP_EXTENT_SHARED) == 0)
                exclusive += extent.fe_length;
            position = extent.fe_logical + extent.fe_length;
            if ((extent.fe_flags & FIEMAP_EXTENT_LAST) != 0)
                return exclusive;
        }
        if (map->fm_mapped_extents == 0)
            return exclusive;
    }
}

bool blockDeviceSize(int device, quint64& size) {
    return ::ioctl(device, BLKGETSIZE64, &size) == 0;
}

void startWriteBack(int file, quint64 offset, quint64 size) {
    (void)::sync_file_range(
        file, static_cast<off64_t>(offset), static_cast<off64_t>(size), SYNC_FILE_RANGE_WRITE);
}

bool writeBack(int file, quint64 offset, quint64 size) {
    (void)::sync_file_range(file,
                            static_cast<off64_t>(offset),
                            static_cast<off64_t>(size),
                            SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                                SYNC_FILE_RANGE_WAIT_AFTER);
    return true;
}

bool flush(int file) {
    while (::fsync(file) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

bool flushVolume(int folder) {
    return ::syncfs(folder) == 0;
}

void forgetCached(int file) {
    (void)::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
}

int openDirect(int file) {
    struct statfs info {};
    if (::fstatfs(file, &info) != 0 ||
        (info.f_type != EXT4_SUPER_MAGIC && info.f_type != XFS_SUPER_MAGIC))
        return -1;
    const QByteArray path = "/proc/self/fd/" + QByteArray::number(file);
    return ::open(path.constData(), O_WRONLY | O_DIRECT | O_CLOEXEC);
}

timespec accessTime(const struct stat& info) {
    return info.st_atim;
}

timespec modificationTime(const struct stat& info) {
    return info.st_mtim;
}

bool setAttribute(const char* path, const char* name, const QByteArray& value) {
    const QByteArray full = QByteArray("user.") + name;
    return ::setxattr(
               path, full.constData(), value.constData(), static_cast<size_t>(value.size()), 0) ==
           0;
}

QByteArray attribute(const char* path, const char* name) {
    const QByteArray full = QByteArray("user.") + name;
    std::array<char, longestValue> value{};
    const ssize_t size = ::getxattr(path, full.constData(), value.data(), value.size());
    return size > 0 ? QByteArray(value.data(), size) : QByteArray();
}

} // namespace vitrine::posix
