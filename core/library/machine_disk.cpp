// SPDX-License-Identifier: Apache-2.0
#include "core/library/machine_disk.h"

#include "core/disk/directory_tree.h"
#include "core/disk/disk_space.h"
#include "core/disk/file_copy.h"
#include "core/library/disk_check.h"
#include "core/library/machine_operations.h"
#include "core/library/machine_reader.h"
#include "core/posix/files.h"

#include <QFile>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>

namespace vitrine {

namespace {

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
            (void)posix::flush(parent.get());
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
    if (const auto checked = checkDiskToCopy(source); !checked)
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
