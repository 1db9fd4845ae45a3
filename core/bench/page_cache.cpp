// SPDX-License-Identifier: Apache-2.0
#include "core/bench/page_cache.h"

#include "core/disk/file_descriptor.h"
#include "core/posix/files.h"

#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace vitrine::bench {

namespace {

FileDescriptor opened(const QString& path) {
    return FileDescriptor(::open(QFile::encodeName(path).constData(),
                                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

// What is not on the disk yet cannot leave the cache.
Result<> writeAll(const QString& folder) {
    const FileDescriptor directory(
        ::open(QFile::encodeName(folder).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.isValid() || !posix::flushVolume(directory.get()))
        return fail(Error::fromErrno(
            Tr::tr("Cannot write the files of \"%1\" to the disk.").arg(folder), errno));
    return {};
}

void forget(const QString& path) {
    const FileDescriptor file = opened(path);
    if (file.isValid())
        posix::forgetCached(file.get());
}

} // namespace

Result<> dropPageCache(const QString& folder) {
    auto written = writeAll(folder);
    if (!written)
        return written;
    QDirIterator files(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext())
        forget(files.next());
    return {};
}

Result<> dropPageCacheOf(const QString& file) {
    auto written = writeAll(QFileInfo(file).path());
    if (written)
        forget(file);
    return written;
}

QList<FilePiece> mappedPieces(qint64 size) {
    QList<FilePiece> pieces;
    for (qint64 offset = 0; offset < size; offset += largestPiece)
        pieces.append({offset, std::min(largestPiece, size - offset)});
    return pieces;
}

// macOS has no posix_fadvise. 1: PROT_READ and MAP_SHARED; 2: MS_INVALIDATE.
QString dropProgram() {
    return QStringLiteral(R"py(
import os
if hasattr(os, "posix_fadvise"):
    def forget(file, size):
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
else:
    import ctypes
    system = ctypes.CDLL(None)
    system.mmap.restype = ctypes.c_void_p
    system.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                            ctypes.c_int, ctypes.c_longlong]
    system.msync.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    system.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    nowhere = ctypes.c_void_p(-1).value
    largest = %1
    def forget(file, size):
        for offset in range(0, size, largest):
            length = min(largest, size - offset)
            place = system.mmap(None, length, 1, 1, file, offset)
            if place == nowhere:
                raise SystemExit(1)
            failed = system.msync(place, length, 2)
            system.munmap(place, length)
            if failed:
                raise SystemExit(1)
for folder, _, names in os.walk("."):
    for name in names:
        try:
            file = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            continue
        forget(file, os.fstat(file).st_size)
        os.close(file)
)py")
        .arg(QString::number(largestPiece));
}

} // namespace vitrine::bench
