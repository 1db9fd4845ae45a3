// SPDX-License-Identifier: Apache-2.0
#include "core/library/linux_machine.h"

#include "core/disk/disk_space.h"
#include "core/disk/file_copy.h"
#include "core/disk/file_descriptor.h"
#include "core/library/disk_check.h"
#include "core/library/new_machine.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr quint64 sector = 512; // bytes
constexpr int usualProcessors = 4;
constexpr ByteCount usualMemory = ByteCount::fromMiB(4096);

Result<> checkDisc(const QString& path) {
    if (const auto usable = checkDiskFile(path, true); !usable)
        return usable;
    if (const auto format = foreignDiskFormat(path))
        return fail(unusableDisk(path,
                                 Tr::tr("It is %1 and no installation disc. Choose a file whose "
                                        "name ends in .iso.")
                                     .arg(*format)));
    return {};
}

MachineConfig configOf(const NewLinuxMachine& machine) {
    MachineConfig config;
    config.system = GuestSystem::Linux;
    config.architecture = machine.architecture;
    config.cpuCount = machine.cpuCount;
    config.cpuCountMinimum = std::min(machine.cpuCount, usualProcessors);
    config.memory = machine.memory;
    config.memoryMinimum = std::min(machine.memory, usualMemory);
    config.macAddress = MacAddress::random();
    return config;
}

Sidecar sidecarOf(const NewLinuxMachine& machine, bool grows) {
    Sidecar sidecar;
    QString origin = Tr::tr("Made with an empty disk.");
    if (!machine.diskImage.isEmpty())
        origin = Tr::tr("Made with a copy of the disk image \"%1\".").arg(machine.diskImage);
    else if (!machine.installationDisc.isEmpty())
        origin = Tr::tr("Made to be installed from \"%1\".").arg(machine.installationDisc);
    sidecar.addEvent(QStringLiteral("made"), origin, QDateTime::currentDateTime());
    if (!machine.installationDisc.isEmpty()) {
        ExtraDisk disc;
        disc.path = machine.installationDisc;
        disc.options.readOnly = true;
        sidecar.run.disks.append(disc);
    }
    sidecar.growPartition = grows;
    return sidecar;
}

Result<> makeVariables(const NewLinuxMachine& machine, const QString& path) {
    if (machine.makeVariables)
        return machine.makeVariables(path);
    const FileDescriptor file(
        ::open(QFile::encodeName(path).constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot make \"%1\".").arg(path), errno));
    return {};
}

// Only the blocks that hold something are copied.
Result<> checkSpace(const QString& image, const QString& folder) {
    if (canReflink(image, folder))
        return {};
    const auto size = fileSize(image);
    const auto space = volumeSpace(folder);
    if (!size || !space || space->available >= size->allocated)
        return {};
    return fail(Error::Kind::DiskFull,
                Tr::tr("The disk image \"%1\" cannot be copied. It needs %2 and only %3 are free. "
                       "Free some space and try again.")
                    .arg(image, size->allocated.toText(), space->available.toText()));
}

// Returns whether the disk is larger than what was copied.
Result<bool>
copyImage(const NewLinuxMachine& machine, const NewMachine& target, const JobContext& context) {
    if (const auto fits = checkSpace(machine.diskImage, target.folder()); !fits)
        return fail(fits.error());
    if (const auto copied = copyDisk(machine.diskImage, target.diskPath(), context); !copied)
        return fail(copied.error());
    const auto size = fileSize(target.diskPath());
    if (!size)
        return fail(size.error());
    if (!machine.diskSize || *machine.diskSize == size->logical)
        return false;
    if (::truncate(QFile::encodeName(target.diskPath()).constData(),
                   static_cast<off_t>(machine.diskSize->bytes())) != 0)
        return fail(Error::fromErrno(
            Tr::tr("The copied disk cannot grow to %1.").arg(machine.diskSize->toText()), errno));
    return true;
}

} // namespace

Result<> checkLinuxMachine(const NewLinuxMachine& machine) {
    if (machine.cpuCount < 1)
        return fail(Error::Kind::InvalidInput, Tr::tr("A machine needs at least one processor."));
    if (machine.memory.wholeMiB() < 1)
        return fail(Error::Kind::InvalidInput, Tr::tr("A machine needs memory."));
    if (machine.diskSize &&
        (machine.diskSize->bytes() == 0 || machine.diskSize->bytes() % sector != 0))
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("A disk cannot have %1 bytes. Choose a multiple of %2.")
                        .arg(machine.diskSize->bytes())
                        .arg(sector));
    if (!machine.installationDisc.isEmpty())
        if (const auto usable = checkDisc(machine.installationDisc); !usable)
            return usable;
    if (machine.diskImage.isEmpty())
        return {};
    if (const auto usable = checkDiskToCopy(machine.diskImage); !usable)
        return usable;
    const auto size = fileSize(machine.diskImage);
    if (size && machine.diskSize && *machine.diskSize < size->logical)
        return fail(
            Error::Kind::InvalidInput,
            Tr::tr("The disk image \"%1\" has %2 and does not fit a disk of %3. Choose a "
                   "larger disk, or leave the size away.")
                .arg(machine.diskImage, size->logical.toText(), machine.diskSize->toText()));
    return {};
}

Result<> createLinuxMachine(const Library& library,
                            const MachineName& name,
                            const NewLinuxMachine& machine,
                            const JobContext& context) {
    if (const auto possible = checkLinuxMachine(machine); !possible)
        return possible;
    auto made = NewMachine::begin(library, name);
    if (!made)
        return fail(made.error());
    if (context.cancelled())
        return fail(Error::cancelled());
    bool grows = false;
    if (machine.diskImage.isEmpty()) {
        const auto disk = made->makeEmptyDisk(machine.diskSize.value_or(usualLinuxDisk));
        if (!disk)
            return disk;
    } else {
        const auto copied = copyImage(machine, *made, context);
        if (!copied)
            return fail(copied.error());
        grows = *copied;
    }
    if (const auto variables = makeVariables(machine, made->variablesPath()); !variables)
        return variables;
    if (const auto written = made->writeConfig(configOf(machine)); !written)
        return written;
    if (const auto written = made->writeSidecar(sidecarOf(machine, grows)); !written)
        return written;
    if (context.cancelled())
        return fail(Error::cancelled());
    return made->publish();
}

} // namespace vitrine
