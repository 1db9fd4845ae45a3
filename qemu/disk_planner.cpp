// SPDX-License-Identifier: Apache-2.0
#include "qemu/disk_planner.h"

#include "core/disk/file_lock.h"
#include "core/library/disk_check.h"
#include "core/machine/nbd_address.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::qemu {
namespace {

using Kind = ExtraDisk::Kind;

Error openFailure(const QString& path, bool readOnly, int error) {
    switch (error) {
    case EBUSY:
        return unusableDisk(
            path,
            Tr::tr("This computer uses it itself, for example because it is mounted. "
                   "Unmount it first, or use it read-only."),
            Error::Kind::Busy);
    case EACCES:
    case EPERM:
        return unusableDisk(path,
                            readOnly
                                ? Tr::tr("You may not read this device. Devices belong to the "
                                         "group \"disk\": have yourself added to it and log in "
                                         "again, or have the device given to you with chown.")
                                : Tr::tr("You may not write to this device. Devices belong to "
                                         "the group \"disk\": have yourself added to it and log "
                                         "in again, or have the device given to you with chown."),
                            Error::Kind::Permission);
    case EROFS:
        return unusableDisk(path, Tr::tr("It is write-protected. Use it read-only."));
    case ENOMEDIUM:
        return unusableDisk(path, Tr::tr("There is no medium in it. Insert one."));
    default:
        return Error::fromErrno(Tr::tr("Cannot open the disk \"%1\".").arg(path), error);
    }
}

// Opening exclusively fails when this computer has it mounted, as swap or in an array.
Result<> checkBlockDevice(const QString& path, bool readOnly, QStringList& notes) {
    const QByteArray name = QFile::encodeName(path);
    const int access = readOnly ? O_RDONLY : O_RDWR;
    FileDescriptor device(::open(name.constData(), access | O_EXCL | O_CLOEXEC | O_NONBLOCK));
    if (!device.isValid() && errno == EBUSY && readOnly) {
        device = FileDescriptor(::open(name.constData(), access | O_CLOEXEC | O_NONBLOCK));
        notes << Tr::tr("This computer uses the disk \"%1\" itself: the guest may read things that "
                        "do not fit together.")
                     .arg(path);
    }
    if (!device.isValid())
        return fail(openFailure(path, readOnly, errno));
    quint64 size = 0;
    if (::ioctl(device.get(), BLKGETSIZE64, &size) != 0 || size == 0)
        return fail(unusableDisk(path, Tr::tr("The device has no size. Is there a medium in it?")));
    return {};
}

// Formats are never probed: a guest could write another format's head onto its raw disk. A name
// that promises another format is believed, though.
Result<> checkDiskName(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    for (const char* format : {"qcow", "qcow2", "vmdk", "vdi", "vhd", "vhdx", "asif", "dmg"})
        if (suffix == QLatin1String(format))
            return fail(unusableDisk(path,
                                     Tr::tr("This version runs raw disks only. Convert it with "
                                            "\"qemu-img convert -O raw\" first.")));
    return {};
}

// Specification 5.1, "Values".
Result<> checkWords(const ExtraDisk& disk, Kind kind) {
    const bool device = kind == Kind::BlockDevice;
    if ((device || kind == Kind::NetworkDisk) &&
        disk.options.synchronisation == Synchronisation::Fsync)
        return fail(unusableDisk(disk.path,
                                 Tr::tr("The option sync=fsync is for disk image files. Write "
                                        "sync=full, which means the same on Linux, or sync=none."),
                                 Error::Kind::InvalidInput));
    if (kind == Kind::NetworkDisk && disk.options.caching != Caching::Automatic)
        return fail(
            unusableDisk(disk.path,
                         Tr::tr("A network disk has no page cache on this computer that could "
                                "be chosen: the server caches. Leave the option caching out."),
                         Error::Kind::InvalidInput));
    return {};
}

Result<QString> imageDisk(const MachineInfo& machine, const QString& reference) {
    const auto image = imageOfDisk(machine.directory, reference);
    if (!image)
        return fail(image.error());
    if (image->config->diskFormat != DiskFormat::Raw)
        return fail(unusableDisk(reference,
                                 Tr::tr("The image's disk is in Apple's format ASIF, which QEMU "
                                        "cannot read.")));
    return image->directory + QStringLiteral("/disk.img");
}

Result<PlannedDisk> planFile(const ExtraDisk& disk, PlannedDisk planned) {
    planned.optical = disk.isOptical();
    planned.options.readOnly = planned.options.readOnly || planned.optical;
    if (const auto named = checkDiskName(planned.path); !named)
        return fail(named.error());
    if (const auto checked = checkDiskFile(planned.path, planned.options.readOnly); !checked)
        return fail(checked.error());
    if (!planned.options.readOnly && DirectoryLock::isHeld(planned.path))
        return fail(Error::Kind::Busy,
                    Tr::tr("The disk \"%1\" is in use by another program. Wait until it has "
                           "finished, or use the disk read-only.")
                        .arg(planned.path));
    return planned;
}

Result<PlannedDisk>
planExtraDisk(const MachineInfo& machine, const ExtraDisk& disk, LaunchPlan& plan) {
    if (disk.path.isEmpty())
        return fail(Error::Kind::InvalidInput, Tr::tr("An extra disk has no path."));
    if (plan.guest == Architecture::Arm64 && disk.path.endsWith(QLatin1String("-amd64.iso")))
        return fail(
            unusableDisk(disk.path,
                         Tr::tr("Its name says that it is for amd64 and the machine is arm64. "
                                "Take the file for arm64.")));
    const QString here = QDir::currentPath();
    PlannedDisk planned;
    planned.kind = disk.kind(here);
    planned.options = disk.options;
    planned.path = disk.path;
    if (const auto words = checkWords(disk, planned.kind); !words)
        return fail(words.error());
    switch (planned.kind) {
    case Kind::NetworkDisk: {
        const auto address = NbdAddress::fromText(disk.path);
        if (!address)
            return fail(address.error());
        if (!address->socket.isEmpty() && !QFileInfo::exists(address->socket))
            return fail(unusableDisk(disk.path,
                                     Tr::tr("The socket \"%1\" does not exist. Start its server "
                                            "first.")
                                         .arg(address->socket)));
        return planned;
    }
    case Kind::CachedImage: {
        const auto path = imageDisk(machine, disk.path);
        if (!path)
            return fail(path.error());
        planned.path = *path;
        // Only the copy is written.
        if (const auto checked = checkDiskFile(planned.path, true); !checked)
            return fail(checked.error());
        return planned;
    }
    case Kind::BlockDevice:
        planned.path = disk.filePath(here);
        if (const auto checked =
                checkBlockDevice(planned.path, planned.options.readOnly, plan.notes);
            !checked)
            return fail(checked.error());
        return planned;
    case Kind::File:
        break;
    }
    planned.path = disk.filePath(here);
    return planFile(disk, std::move(planned));
}

} // namespace

Result<> planDisks(const MachineInfo& machine, const RunOptions& options, LaunchPlan& plan) {
    plan.bootOrder = options.bootOrder;
    plan.diskPath = machine.directory + QStringLiteral("/disk.img");
    plan.disk = options.rootDisk;
    if (const auto checked = checkDiskFile(plan.diskPath, plan.disk.readOnly); !checked)
        return fail(checked.error());
    if (options.disks.size() > maximumExtraDisks)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" has %2 extra disks and there is room for %3. Remove some.")
                        .arg(machine.name)
                        .arg(options.disks.size())
                        .arg(maximumExtraDisks));
    QStringList writable;
    QStringList all;
    const auto claim = [&](const QString& path, bool readOnly) {
        const QString real = QFileInfo(path).canonicalFilePath();
        const bool clash = readOnly ? writable.contains(real) : all.contains(real);
        all << real;
        if (!readOnly)
            writable << real;
        return !clash;
    };
    claim(plan.diskPath, plan.disk.readOnly);
    for (const ExtraDisk& disk : options.disks) {
        const auto planned = planExtraDisk(machine, disk, plan);
        if (!planned)
            return fail(planned.error());
        // A network disk is for its server to guard, an image is copied.
        const bool own = planned->kind == Kind::File || planned->kind == Kind::BlockDevice;
        if (own && !claim(planned->path, planned->options.readOnly))
            return fail(unusableDisk(planned->path,
                                     Tr::tr("The machine has it already; only disks that are "
                                            "read-only everywhere can be attached twice.")));
        plan.disks << *planned;
    }
    return {};
}

} // namespace vitrine::qemu
