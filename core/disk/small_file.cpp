// SPDX-License-Identifier: Apache-2.0
#include "core/disk/small_file.h"

#include "core/disk/disk_space.h"
#include "core/disk/file_descriptor.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>

namespace vitrine {

Result<QByteArray> readSmallFile(int descriptor, const QString& path, qint64 maximum) {
    const QString what = Tr::tr("Cannot read \"%1\".").arg(path);
    struct stat info {};
    if (::fstat(descriptor, &info) != 0)
        return fail(Error::fromErrno(what, errno));
    if (!S_ISREG(info.st_mode))
        return fail(Error::Kind::Integrity,
                    Tr::tr("\"%1\" is not a regular file. Move it away and put the right file in "
                           "its place.")
                        .arg(path));
    const auto tooLarge = [&] {
        return fail(Error::Kind::Integrity,
                    Tr::tr("\"%1\" is larger than %2 and is not read. Put the right file in its "
                           "place.")
                        .arg(path)
                        .arg(ByteCount::fromBytes(static_cast<quint64>(maximum)).toMemoryText()));
    };
    if (info.st_size > maximum)
        return tooLarge();
    QByteArray bytes(info.st_size + 1, Qt::Uninitialized);
    qint64 length = 0;
    while (true) {
        if (length == bytes.size()) {
            if (length > maximum)
                return tooLarge();
            bytes.resize(qMin<qint64>(bytes.size() * 2, maximum + 1));
        }
        const ssize_t n = ::pread(descriptor,
                                  bytes.data() + length,
                                  static_cast<size_t>(bytes.size() - length),
                                  static_cast<off_t>(length));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(Error::fromErrno(what, errno));
        if (n == 0)
            break;
        length += n;
    }
    bytes.truncate(length);
    return bytes;
}

Result<QByteArray> readSmallFile(const QString& path, qint64 maximum) {
    const FileDescriptor fd(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot open \"%1\".").arg(path), errno));
    return readSmallFile(fd.get(), path, maximum);
}

Result<> writeFully(int descriptor, const QByteArray& bytes, qint64 offset, const QString& path) {
    qint64 written = 0;
    while (written < bytes.size()) {
        const ssize_t n = ::pwrite(descriptor,
                                   bytes.constData() + written,
                                   static_cast<size_t>(bytes.size() - written),
                                   static_cast<off_t>(offset + written));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail(Error::fromErrno(Tr::tr("Cannot write \"%1\".").arg(path),
                                         n == 0 ? ENOSPC : errno));
        written += n;
    }
    return {};
}

Result<> replaceFile(const QString& path, const QByteArray& bytes) {
    const QString newPath = path + QLatin1String(".new");
    const QByteArray newName = QFile::encodeName(newPath);
    ::unlink(newName.constData());
    FileDescriptor fd(
        ::open(newName.constData(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot create \"%1\".").arg(newPath), errno));
    auto written = writeFully(fd.get(), bytes, 0, newPath);
    if (written)
        written = syncFile(fd.get(), newPath);
    fd.reset();
    if (written && ::rename(newName.constData(), QFile::encodeName(path).constData()) != 0)
        written = fail(Error::fromErrno(Tr::tr("Cannot replace \"%1\".").arg(path), errno));
    if (!written) {
        ::unlink(newName.constData());
        return written;
    }
    return syncDirectory(QFileInfo(path).absolutePath());
}

} // namespace vitrine
