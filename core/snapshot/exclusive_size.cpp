// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/exclusive_size.h"

#include "core/disk/file_descriptor.h"
#include "core/posix/files.h"

#include <QFile>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

namespace vitrine {

Result<ByteCount> exclusiveSize(const QString& path) {
    const FileDescriptor file(::open(QFile::encodeName(path).constData(),
                                     O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    struct stat info {};
    if (!file.isValid() || ::fstat(file.get(), &info) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot look at \"%1\".").arg(path), errno));
    const quint64 allocated = static_cast<quint64>(info.st_blocks) * 512;
    return ByteCount::fromBytes(posix::exclusiveBytes(file.get()).value_or(allocated));
}

} // namespace vitrine
