// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/exclusive_size.h"

#include "core/disk/file_descriptor.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <vector>

namespace vitrine {

namespace {
constexpr quint32 extentsAtOnce = 512;
} // namespace

Result<ByteCount> exclusiveSize(const QString& path) {
    const FileDescriptor file(::open(QFile::encodeName(path).constData(),
                                     O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    struct stat info {};
    if (!file.isValid() || ::fstat(file.get(), &info) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot look at \"%1\".").arg(path), errno));
    const quint64 allocated = static_cast<quint64>(info.st_blocks) * 512;
    std::vector<char> buffer(sizeof(fiemap) + extentsAtOnce * sizeof(fiemap_extent));
    quint64 exclusive = 0;
    quint64 position = 0;
    while (true) {
        std::fill(buffer.begin(), buffer.end(), 0);
        auto* const map = reinterpret_cast<fiemap*>(buffer.data());
        map->fm_start = position;
        map->fm_length = FIEMAP_MAX_OFFSET - position;
        map->fm_extent_count = extentsAtOnce;
        if (::ioctl(file.get(), FS_IOC_FIEMAP, map) != 0)
            return ByteCount::fromBytes(allocated);
        for (quint32 i = 0; i < map->fm_mapped_extents; ++i) {
            const fiemap_extent& extent = map->fm_extents[i];
            if ((extent.fe_flags & FIEMAP_EXTENT_SHARED) == 0)
                exclusive += extent.fe_length;
            position = extent.fe_logical + extent.fe_length;
            if ((extent.fe_flags & FIEMAP_EXTENT_LAST) != 0)
                return ByteCount::fromBytes(exclusive);
        }
        if (map->fm_mapped_extents == 0)
            return ByteCount::fromBytes(exclusive);
    }
}

} // namespace vitrine
