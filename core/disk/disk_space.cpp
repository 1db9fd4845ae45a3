// SPDX-License-Identifier: Apache-2.0
#include "core/disk/disk_space.h"

#include "core/disk/file_descriptor.h"
#include "core/posix/files.h"

#include <QFile>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

namespace vitrine {

Result<VolumeSpace> volumeSpace(const QString& path) {
    struct statvfs info {};
    int status = 0;
    do {
        status = ::statvfs(QFile::encodeName(path).constData(), &info);
    } while (status != 0 && errno == EINTR);
    if (status != 0)
        return fail(
            Error::fromErrno(Tr::tr("Cannot find the free space of \"%1\".").arg(path), errno));
    const quint64 unit = info.f_frsize != 0 ? info.f_frsize : info.f_bsize;
    return VolumeSpace{ByteCount::fromBytes(info.f_blocks * unit),
                       ByteCount::fromBytes(info.f_bavail * unit)};
}

Result<FileSize> fileSize(const QString& path) {
    struct stat info {};
    if (::stat(QFile::encodeName(path).constData(), &info) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot find the size of \"%1\".").arg(path), errno));
    return FileSize{ByteCount::fromBytes(static_cast<quint64>(info.st_size)),
                    ByteCount::fromBytes(static_cast<quint64>(info.st_blocks) * 512)};
}

Result<> syncFile(int descriptor, const QString& path) {
    if (!posix::flush(descriptor))
        return fail(
            Error::fromErrno(Tr::tr("Cannot write \"%1\" safely to the disk.").arg(path), errno));
    return {};
}

Result<> syncDirectory(const QString& path) {
    const FileDescriptor fd(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot open the folder \"%1\".").arg(path), errno));
    // Some network file systems know no fsync of folders; their entries are written at once.
    if (!posix::flush(fd.get()) && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
        return fail(Error::fromErrno(
            Tr::tr("Cannot write the folder \"%1\" safely to the disk.").arg(path), errno));
    return {};
}

} // namespace vitrine
