// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/disk_plans.h"

#include "core/disk/file_lock.h"
#include "core/library/disk_check.h"
#include "core/machine/nbd_address.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>

#include <cerrno>
#include <fcntl.h>

namespace vitrine::vz {
namespace {

using Kind = ExtraDisk::Kind;

constexpr qint64 blockSize = 512;   // bytes; images are whole blocks
constexpr int networkDiskTime = 30; // s, Tart's

// Formats are never probed: a guest could write another format's head onto its raw disk. A name
// that promises another format is believed, though.
Result<> checkFormat(const QString& path, const HostCaps& host) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == QLatin1String("asif")) {
        if (host.system >= macOs26)
            return {};
        return fail(unusableDisk(path, Tr::tr("Apple's format ASIF needs macOS 26.")));
    }
    for (const char* format : {"qcow", "qcow2", "vmdk", "vdi", "vhd", "vhdx", "dmg"})
        if (suffix == QLatin1String(format))
            return fail(unusableDisk(path,
                                     Tr::tr("Apple's framework runs raw disks only. Convert it "
                                            "with \"qemu-img convert -O raw\" first.")));
    return {};
}

Result<> checkImage(const QString& path, bool readOnly, bool raw) {
    if (const auto checked = checkDiskFile(path, readOnly); !checked)
        return checked;
    if (raw && QFileInfo(path).size() % blockSize != 0)
        return fail(unusableDisk(path,
                                 Tr::tr("Its size is not a multiple of 512 bytes: it is no raw "
                                        "disk image, or was cut off.")));
    return {};
}

// Specification 5.1, "Values".
Result<> checkWords(const ExtraDisk& disk, Kind kind) {
    if (kind != Kind::BlockDevice && kind != Kind::NetworkDisk)
        return {};
    if (disk.options.synchronisation == Synchronisation::Fsync)
        return fail(unusableDisk(disk.path,
                                 Tr::tr("The option sync=fsync is for disk image files. Write "
                                        "sync=full or sync=none."),
                                 Error::Kind::InvalidInput));
    if (disk.options.caching != Caching::Automatic)
        return fail(unusableDisk(disk.path,
                                 Tr::tr("Caching can be chosen for disk image files only. Leave "
                                        "the option caching out."),
                                 Error::Kind::InvalidInput));
    return {};
}

Result<> checkVersion(const QString& path, const HostCaps& host) {
    if (host.system >= macOs14)
        return {};
    return fail(unusableDisk(path,
                             Tr::tr("Network disks and devices need macOS 14; this is macOS %1.")
                                 .arg(host.system.toText())));
}

Result<Disk> planNetworkDisk(const ExtraDisk& disk, const HostCaps& host) {
    if (const auto checked = checkVersion(disk.path, host); !checked)
        return fail(checked.error());
    const auto address = NbdAddress::fromText(disk.path);
    if (!address)
        return fail(address.error());
    if (!address->certificates.isEmpty())
        return fail(unusableDisk(disk.path,
                                 Tr::tr("On a Mac the authorities of the keychain are trusted, and "
                                        "no others. Add yours there and take \"tls-certificates\" "
                                        "out.")));
    if (!address->socket.isEmpty() && !QFileInfo::exists(address->socket))
        return fail(unusableDisk(disk.path,
                                 Tr::tr("The socket \"%1\" does not exist. Start its server first.")
                                     .arg(address->socket)));
    const bool synchronised = disk.options.synchronisation != Synchronisation::None;
    return Disk{NetworkDisk{disk.path, networkDiskTime, disk.options.readOnly, synchronised},
                DiskBus::VirtioBlock,
                {}};
}

Result<Disk> planImageDisk(const MachineInfo& machine,
                           const ExtraDisk& disk,
                           const HostCaps& host,
                           const QString& copyFolder,
                           qsizetype number) {
    const auto image = imageOfDisk(machine.directory, disk.path);
    if (!image)
        return fail(image.error());
    const bool raw = image->config->diskFormat == DiskFormat::Raw;
    if (!raw && host.system < macOs26)
        return fail(unusableDisk(disk.path, Tr::tr("Apple's format ASIF needs macOS 26.")));
    const QString source = image->directory + QStringLiteral("/disk.img");
    // Only the copy is written.
    if (const auto checked = checkImage(source, true, raw); !checked)
        return fail(checked.error());
    if (copyFolder.isEmpty())
        return fail(unusableDisk(disk.path, Tr::tr("Images' disks cannot be used here.")));
    return Disk{ImageDisk{QStringLiteral("%1/disk-%2.img").arg(copyFolder).arg(number),
                          disk.options.readOnly,
                          disk.options.caching,
                          disk.options.synchronisation},
                DiskBus::VirtioBlock,
                source};
}

Result<Disk> planFile(const ExtraDisk& disk, const QString& path, const HostCaps& host) {
    const bool readOnly = disk.options.readOnly || disk.isOptical();
    if (const auto checked = checkFormat(path, host); !checked)
        return fail(checked.error());
    const bool raw = !path.endsWith(QLatin1String(".asif"), Qt::CaseInsensitive);
    if (const auto checked = checkImage(path, readOnly, raw); !checked)
        return fail(checked.error());
    if (!readOnly && DirectoryLock::isHeld(path))
        return fail(Error::Kind::Busy,
                    Tr::tr("The disk \"%1\" is in use by another program, such as the Finder. "
                           "Eject it there, or use the disk read-only.")
                        .arg(path));
    return Disk{ImageDisk{path, readOnly, disk.options.caching, disk.options.synchronisation},
                DiskBus::VirtioBlock,
                {}};
}

Result<Disk> planExtraDisk(const MachineInfo& machine,
                           const ExtraDisk& disk,
                           const HostCaps& host,
                           const QString& copyFolder,
                           qsizetype number) {
    if (disk.path.isEmpty())
        return fail(Error::Kind::InvalidInput, Tr::tr("An extra disk has no path."));
    if (host.architecture == Architecture::Arm64 && disk.path.endsWith(QLatin1String("-amd64.iso")))
        return fail(unusableDisk(disk.path,
                                 Tr::tr("Its name says that it is for amd64 and this Mac has "
                                        "Apple silicon. Take the file for arm64.")));
    const QString here = QDir::currentPath();
    const Kind kind = disk.kind(here);
    if (const auto words = checkWords(disk, kind); !words)
        return fail(words.error());
    switch (kind) {
    case Kind::NetworkDisk:
        return planNetworkDisk(disk, host);
    case Kind::CachedImage:
        return planImageDisk(machine, disk, host, copyFolder, number);
    case Kind::BlockDevice: {
        if (const auto checked = checkVersion(disk.path, host); !checked)
            return fail(checked.error());
        const bool synchronised = disk.options.synchronisation != Synchronisation::None;
        return Disk{BlockDisk{disk.filePath(here), -1, disk.options.readOnly, synchronised},
                    DiskBus::VirtioBlock,
                    {}};
    }
    case Kind::File:
        break;
    }
    return planFile(disk, disk.filePath(here), host);
}

// Path and whether it is only read, of what this computer itself has to keep from being written
// twice.
std::optional<std::pair<QString, bool>> claimOf(const Disk& disk) {
    if (const auto* image = std::get_if<ImageDisk>(&disk.source))
        if (disk.copyOf.isEmpty())
            return std::pair(image->path, image->readOnly);
    if (const auto* device = std::get_if<BlockDisk>(&disk.source))
        return std::pair(device->path, device->readOnly);
    return std::nullopt;
}

Error openFailure(const QString& path, int error) {
    switch (error) {
    case EBUSY:
        return unusableDisk(path,
                            Tr::tr("This Mac uses it itself. Unmount it first: diskutil "
                                   "unmountDisk %1")
                                .arg(path),
                            Error::Kind::Busy);
    case EACCES:
    case EPERM:
        return unusableDisk(path,
                            Tr::tr("You may not open this device, which belongs to the "
                                   "administrator. Have it given to you until it is next plugged "
                                   "in: sudo chown \"$USER\" %1")
                                .arg(path),
                            Error::Kind::Permission);
    case EROFS:
        return unusableDisk(path, Tr::tr("It is write-protected. Use it read-only."));
    default:
        return Error::fromErrno(Tr::tr("Cannot open the disk \"%1\".").arg(path), error);
    }
}

} // namespace

QList<Disk> planDisks(const MachineInfo& machine,
                      const RunOptions& options,
                      const HostCaps& host,
                      const QString& copyFolder,
                      QList<vitrine::Error>& errors) {
    QList<Disk> disks;
    const bool isLinux = machine.config->system == GuestSystem::Linux;
    const bool raw = machine.config->diskFormat == DiskFormat::Raw;
    ImageDisk root;
    root.path = machine.directory + QStringLiteral("/disk.img");
    root.readOnly = options.rootDisk.readOnly;
    root.synchronisation = options.rootDisk.synchronisation;
    root.caching = options.rootDisk.caching;
    // File systems of Linux guests were damaged otherwise (Tart's pull request 675).
    if (root.caching == Caching::Automatic && isLinux)
        root.caching = Caching::Cached;
    if (!raw && host.system < macOs26)
        errors << unusableDisk(root.path,
                               Tr::tr("Apple's format ASIF needs macOS 26; this is macOS %1.")
                                   .arg(host.system.toText()));
    else if (const auto checked = checkImage(root.path, root.readOnly, raw); !checked)
        errors << checked.error();
    disks.append({root, DiskBus::VirtioBlock, {}});

    QSet<QString> all;
    QSet<QString> writable;
    const auto claim = [&](const Disk& disk) {
        const auto used = claimOf(disk);
        if (!used)
            return true;
        const QString canonical = QFileInfo(used->first).canonicalFilePath();
        const QString real = canonical.isEmpty() ? used->first : canonical;
        const bool clash = used->second ? writable.contains(real) : all.contains(real);
        all.insert(real);
        if (!used->second)
            writable.insert(real);
        return !clash;
    };
    (void)claim(disks.constFirst());
    for (const ExtraDisk& extra : options.disks) {
        const auto disk = planExtraDisk(machine, extra, host, copyFolder, disks.size());
        if (!disk)
            errors << disk.error();
        else if (!claim(*disk))
            errors << unusableDisk(extra.path,
                                   Tr::tr("The machine has it already; only disks that are "
                                          "read-only everywhere can be attached twice."));
        else
            disks.append(*disk);
    }
    return disks;
}

Result<std::vector<FileDescriptor>> openBlockDevices(MachinePlan& plan) {
    std::vector<FileDescriptor> opened;
    for (Disk& disk : plan.disks) {
        auto* const device = std::get_if<BlockDisk>(&disk.source);
        if (device == nullptr)
            continue;
        const int access = device->readOnly ? O_RDONLY : O_RDWR;
        FileDescriptor descriptor(
            ::open(QFile::encodeName(device->path).constData(), access | O_CLOEXEC | O_NONBLOCK));
        if (!descriptor.isValid())
            return fail(openFailure(device->path, errno));
        device->descriptor = descriptor.get();
        opened.push_back(std::move(descriptor));
    }
    return opened;
}

} // namespace vitrine::vz
