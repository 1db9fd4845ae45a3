// SPDX-License-Identifier: Apache-2.0
#include "core/library/machine_disk.h"

#include "core/disk/directory_tree.h"
#include "core/disk/disk_space.h"
#include "core/disk/file_copy.h"
#include "core/library/machine_operations.h"
#include "core/library/machine_reader.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>

namespace vitrine {

namespace {

Error cannotTake(const QString& path, const QString& reason, Error::Kind kind) {
    //: %1: path of a disk, %2: whole sentence
    return Error{kind, Tr::tr("The disk \"%1\" cannot be taken. %2").arg(path, reason), {}};
}

Result<> checkSource(const QString& path) {
    const QFileInfo info(path);
    if (!info.exists())
        return fail(cannotTake(path, Tr::tr("It does not exist."), Error::Kind::InvalidInput));
    if (!info.isFile() || info.size() == 0)
        return fail(cannotTake(
            path, Tr::tr("It is no disk image file, or it is empty."), Error::Kind::InvalidInput));
    const QString suffix = info.suffix().toLower();
    for (const char* format : {"qcow", "qcow2", "vmdk", "vdi", "vhd", "vhdx", "asif", "dmg"})
        if (suffix == QLatin1String(format))
            return fail(cannotTake(path,
                                   Tr::tr("Machines have raw disks. Convert it with \"qemu-img "
                                          "convert -O raw\" first."),
                                   Error::Kind::Unsupported));
    // A file that is being written gives a copy that never was.
    const QString beside = info.absolutePath() + QStringLiteral("/config.json");
    const auto holder = ConfigFile::holder(beside);
    if (DirectoryLock::isHeld(path) || (holder && holder->has_value()))
        return fail(cannotTake(path,
                               Tr::tr("A machine or another program uses it. Wait until that has "
                                      "ended."),
                               Error::Kind::Busy));
    if (info.size() % 512 != 0)
        return fail(cannotTake(path,
                               Tr::tr("Its size is no multiple of 512 bytes, so it is no image of "
                                      "a disk."),
                               Error::Kind::InvalidInput));
    return {};
}

Result<> put(const Library& library,
             const MachineInfo& machine,
             const QString& source,
             const JobContext& context) {
    const auto folder = library.makeTemporary(machine.directory);
    if (!folder)
        return fail(folder.error());
    const QString copy = folder->path + QStringLiteral("/disk.img");
    const QString disk = machine.directory + QStringLiteral("/disk.img");
    const auto replace = [&]() -> Result<> {
        if (const auto copied = copyDisk(source, copy, context); !copied)
            return fail(copied.error());
        if (std::rename(QFile::encodeName(copy).constData(), QFile::encodeName(disk).constData()) !=
            0)
            return fail(Error::fromErrno(Tr::tr("Cannot replace \"%1\".").arg(disk), errno));
        const FileDescriptor parent(::open(QFile::encodeName(machine.directory).constData(),
                                           O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (parent.isValid())
            ::fsync(parent.get());
        return {};
    };
    auto replaced = replace();
    (void)removeTree(folder->path);
    return replaced;
}

} // namespace

Result<> replaceDisk(const Library& library,
                     const MachineName& name,
                     const QString& source,
                     const JobContext& context) {
    if (const auto checked = checkSource(source); !checked)
        return checked;
    const auto machine = library.machine(name);
    if (!machine)
        return fail(machine.error());
    if (!machine->config)
        return fail(
            Error::Kind::Integrity,
            Tr::tr("\"%1\" cannot be changed. %2").arg(machine->name, machine->brokenReason));
    if (machine->config->diskFormat != DiskFormat::Raw)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The disk of \"%1\" is in a format that cannot be replaced here.")
                        .arg(machine->name));
    const auto lock =
        lockStopped(library, machine->directory, ConfigFile::Mode::Exclusive, [&context] {
            return context.cancelled();
        });
    if (!lock)
        return fail(lock.error());
    if (MachineReader::isSuspended(machine->directory))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" is suspended and its saved state fits no other disk. Resume it "
                           "and shut it down, or discard the saved state.")
                        .arg(machine->name));
    return put(library, *machine, source, context);
}

} // namespace vitrine
