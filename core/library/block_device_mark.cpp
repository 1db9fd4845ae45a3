// SPDX-License-Identifier: Apache-2.0
#include "core/library/block_device_mark.h"

#include "core/disk/file_descriptor.h"
#include "core/disk/small_file.h"
#include "core/posix/files.h"
#include "core/posix/host.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStringList>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#ifdef Q_OS_LINUX
#include <sys/sysmacros.h>
#endif

namespace vitrine {

#ifdef Q_OS_LINUX

namespace {

constexpr qsizetype longest = 4096; // bytes of a file below /sys
constexpr int sectorsWritten = 6;   // field of /sys/block/*/stat

QString textOf(const QString& path) {
    const auto bytes = readSmallFile(path, longest);
    return bytes ? QString::fromUtf8(*bytes).simplified() : QString();
}

// The first name that the kernel has for the device itself. `folder`: below /sys.
QString identityOf(const QString& folder) {
    for (const char* name : {"/wwid",
                             "/device/wwid",
                             "/serial",
                             "/device/serial",
                             "/dm/uuid",
                             "/md/uuid",
                             "/loop/backing_file"}) {
        const QString text = textOf(folder + QLatin1String(name));
        if (!text.isEmpty())
            return text;
    }
    return {};
}

} // namespace

Result<BlockDeviceMark> BlockDeviceMark::of(const QString& path) {
    const FileDescriptor device(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    BlockDeviceMark mark;
    struct stat info {};
    if (!device.isValid() || ::fstat(device.get(), &info) != 0 ||
        !posix::blockDeviceSize(device.get(), mark.size))
        return fail(Error::fromErrno(Tr::tr("Cannot look at \"%1\".").arg(path), errno));
    const QString folder = QFileInfo(QStringLiteral("/sys/dev/block/%1:%2")
                                         .arg(major(info.st_rdev))
                                         .arg(minor(info.st_rdev)))
                               .canonicalFilePath();
    // Of a partition its disk's name and its number.
    const QString partition = textOf(folder + QStringLiteral("/partition"));
    const QString disk = partition.isEmpty() ? folder : QFileInfo(folder).path();
    mark.identity = identityOf(disk);
    if (!mark.identity.isEmpty() && !partition.isEmpty())
        mark.identity += QStringLiteral(" partition ") + partition;
    const QString boot = QString::fromLatin1(posix::bootId());
    const QString number = textOf(disk + QStringLiteral("/diskseq"));
    const QString written = textOf(folder + QStringLiteral("/stat"))
                                .section(QLatin1Char(' '), sectorsWritten, sectorsWritten);
    if (!boot.isEmpty() && !written.isEmpty())
        mark.writes = boot + QLatin1Char(' ') + (number.isEmpty() ? QStringLiteral("-") : number) +
                      QLatin1Char(' ') + written;
    return mark;
}

#else

// macOS tells the size; whose disk it is and what was written to it are not to be had without
// rights.
Result<BlockDeviceMark> BlockDeviceMark::of(const QString& path) {
    const FileDescriptor device(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    BlockDeviceMark mark;
    if (!device.isValid() || !posix::blockDeviceSize(device.get(), mark.size))
        return fail(Error::fromErrno(Tr::tr("Cannot look at \"%1\".").arg(path), errno));
    return mark;
}

#endif

bool wasWrittenBetween(const QString& writes, const QString& later) {
    const QStringList before = writes.split(QLatin1Char(' '));
    const QStringList after = later.split(QLatin1Char(' '));
    return before.size() == 3 && after.size() == 3 && before.at(0) == after.at(0) &&
           before.at(1) == after.at(1) && before.at(2) != after.at(2);
}

} // namespace vitrine
