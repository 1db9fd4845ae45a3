// SPDX-License-Identifier: Apache-2.0
#include "core/disk/disk_space.h"
#include "core/library/machine_operations.h"
#include "core/library/machine_reader.h"
#include "core/machine/machine_identifier.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr int maximumCpuCount = 255;           // of QEMU's q35; Virtualization allows fewer
constexpr quint64 minimumMemory = 16ULL << 20; // bytes
constexpr quint64 maximumMemory = 1ULL << 50;  // bytes
constexpr quint64 maximumDiskSize = 65535ULL * 1000 * 1000 * 1000; // bytes, specification 2.3

const QString cpuKey = QStringLiteral("cpuCount");
const QString memoryKey = QStringLiteral("memorySize");
const QString displayKey = QStringLiteral("display");
const QString refitKey = QStringLiteral("displayRefit");
const QString macKey = QStringLiteral("macAddress");
const QString ecidKey = QStringLiteral("ecid");
const QString diskKey = QStringLiteral("diskSize");

QString diskPath(const QString& machineDirectory) {
    return machineDirectory + QStringLiteral("/disk.img");
}

tl::unexpected<Error> refuse(const QString& sentence) {
    return fail(Error::Kind::InvalidInput, sentence);
}

Result<> validateCpu(const MachineConfig& config, int count) {
    const int minimum = config.system == GuestSystem::Darwin ? qMax(1, config.cpuCountMinimum) : 1;
    if (count < minimum || count > maximumCpuCount)
        return refuse(Tr::tr("The machine cannot have %1 CPUs. Choose a number from %2 to %3.")
                          .arg(count)
                          .arg(minimum)
                          .arg(maximumCpuCount));
    return {};
}

Result<> validateMemory(const MachineConfig& config, ByteCount memory) {
    const quint64 minimum = config.system == GuestSystem::Darwin
                                ? qMax(minimumMemory, config.memoryMinimum.bytes())
                                : minimumMemory;
    if (memory.bytes() < minimum || memory.bytes() > maximumMemory)
        return refuse(
            Tr::tr("The machine cannot have %1 of memory. Choose %2 or more.")
                .arg(memory.toMemoryText(), ByteCount::fromBytes(minimum).toMemoryText()));
    if (memory.bytes() % (1ULL << 20) != 0)
        return refuse(Tr::tr("The memory must be a whole number of megabytes."));
    return {};
}

Result<> validateDiskSize(const MachineInfo& machine, ByteCount size) {
    if (size < machine.diskSize)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The disk has %1 and cannot be made smaller. Choose a larger size.")
                        .arg(machine.diskSize.toText()));
    if (size.bytes() > maximumDiskSize)
        return refuse(Tr::tr("The disk cannot have %1. The largest size is %2.")
                          .arg(size.toText(), ByteCount::fromBytes(maximumDiskSize).toText()));
    if (size == machine.diskSize)
        return {};
    if (size.bytes() % 512 != 0)
        return refuse(Tr::tr("The size of the disk must be a multiple of 512 bytes."));
    if (machine.config->diskFormat != DiskFormat::Raw)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("A disk of the format %1 cannot be resized here. Resize it on a Mac.")
                        .arg(toText(machine.config->diskFormat)));
    return {};
}

Result<> validateMac(const MacAddress& address) {
    const QString text = address.toText();
    const int first = text.left(2).toInt(nullptr, 16);
    if ((first & 1) != 0 || address == MacAddress())
        return refuse(Tr::tr("The MAC address %1 cannot belong to a machine. Choose one whose "
                             "first group is even and that is not all zero.")
                          .arg(text));
    return {};
}

void apply(MachineConfig& config, const MachineChanges& changes) {
    if (changes.cpuCount)
        config.cpuCount = *changes.cpuCount;
    if (changes.memory)
        config.memory = *changes.memory;
    if (changes.display)
        config.display = *changes.display;
    if (changes.refit)
        config.refit = *changes.refit;
    if (changes.randomMac)
        config.macAddress = MacAddress::random();
    if (changes.macAddress)
        config.macAddress = *changes.macAddress;
    if (changes.randomSerial)
        config.ecid = renewedMachineIdentifier(config.ecid).value_or(config.ecid);
}

// ftruncate under the machine's lock. Nothing is written: the new part is a hole.
Result<> resizeDisk(const QString& machineDirectory, ByteCount size) {
    const QString path = diskPath(machineDirectory);
    const FileDescriptor fd(
        ::open(QFile::encodeName(path).constData(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    const QString what = Tr::tr("Cannot resize \"%1\".").arg(path);
    if (!fd.isValid())
        return fail(Error::fromErrno(what, errno));
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0)
        return fail(Error::fromErrno(what, errno));
    if (!S_ISREG(info.st_mode))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" is not a disk image file and cannot be resized.").arg(path));
    while (::ftruncate(fd.get(), static_cast<off_t>(size.bytes())) != 0) {
        if (errno == EINTR)
            continue;
        if (errno == EFBIG)
            return fail(Error::Kind::Unsupported,
                        Tr::tr("Cannot resize \"%1\". Its volume takes no file of %2. Choose a "
                               "smaller size.")
                            .arg(path, size.toText()));
        return fail(Error::fromErrno(what, errno));
    }
    return syncFile(fd.get(), path);
}

QJsonValue refitValue(Refit refit) {
    return refit == Refit::Automatic ? QJsonValue(QJsonValue::Null)
                                     : QJsonValue(refit == Refit::On);
}

QJsonValue numberValue(ByteCount count) {
    return QJsonValue(static_cast<qint64>(count.bytes()));
}

QJsonValue ecidValue(const QByteArray& ecid) {
    return QJsonValue(QString::fromLatin1(ecid.toBase64()));
}

QJsonValue currentValue(const MachineConfig& config, ByteCount diskSize, const QString& key) {
    if (key == cpuKey)
        return config.cpuCount;
    if (key == memoryKey)
        return numberValue(config.memory);
    if (key == displayKey)
        return config.display.toText();
    if (key == refitKey)
        return refitValue(config.refit);
    if (key == macKey)
        return config.macAddress.toText();
    if (key == ecidKey)
        return ecidValue(config.ecid);
    if (key == diskKey)
        return numberValue(diskSize);
    return QJsonValue(QJsonValue::Undefined);
}

QString settingName(const QString& key) {
    if (key == cpuKey)
        return Tr::tr("number of CPUs");
    if (key == memoryKey)
        return Tr::tr("memory");
    if (key == displayKey)
        return Tr::tr("display size");
    if (key == refitKey)
        return Tr::tr("display refit");
    if (key == macKey)
        return Tr::tr("MAC address");
    if (key == ecidKey)
        return Tr::tr("machine identifier");
    if (key == diskKey)
        return Tr::tr("disk size");
    return key;
}

// What a waiting entry asks for. nullopt: the value makes no sense.
std::optional<MachineChanges> toChanges(const PendingChange& entry) {
    MachineChanges changes;
    const QJsonValue& value = entry.newValue;
    if (entry.key == cpuKey && value.isDouble()) {
        const qint64 count = value.toInteger(-1);
        changes.cpuCount = count > maximumCpuCount ? -1 : static_cast<int>(count);
    } else if (entry.key == memoryKey && value.toInteger(-1) >= 0) {
        changes.memory = ByteCount::fromBytes(static_cast<quint64>(value.toInteger()));
    } else if (entry.key == displayKey) {
        changes.display = DisplaySize::fromText(value.toString());
    } else if (entry.key == refitKey && (value.isBool() || value.isNull())) {
        changes.refit = value.isNull() ? Refit::Automatic : value.toBool() ? Refit::On : Refit::Off;
    } else if (entry.key == macKey) {
        changes.macAddress = MacAddress::fromText(value.toString());
    } else if (entry.key == diskKey && value.toInteger(-1) >= 0) {
        changes.diskSize = ByteCount::fromBytes(static_cast<quint64>(value.toInteger()));
    }
    if (changes.isEmpty())
        return std::nullopt;
    return changes;
}

// Disk first: growing is done at once or not at all, and is taken back if the file cannot be
// written.
Result<> store(ConfigFile& file,
               const QString& machineDirectory,
               const MachineConfig& before,
               const MachineConfig& after,
               ByteCount diskBefore,
               ByteCount diskAfter) {
    const bool grows = diskAfter != diskBefore;
    if (grows)
        if (auto resized = resizeDisk(machineDirectory, diskAfter); !resized) {
            resizeDisk(machineDirectory, diskBefore);
            return resized;
        }
    if (after == before)
        return {};
    auto written = file.write(after.toJson());
    if (!written && grows)
        resizeDisk(machineDirectory, diskBefore); // still ours, nothing was written behind it
    return written;
}

// What waited for the same settings is overtaken. A suspended machine may wait for long.
Result<> endWaiting(const QString& machineDirectory, const QList<PendingChange>& asked) {
    const auto overtaken = [&asked](const PendingChange& waiting) {
        return std::any_of(asked.begin(), asked.end(), [&waiting](const PendingChange& change) {
            return change.key == waiting.key;
        });
    };
    const auto sidecar = Sidecar::read(machineDirectory);
    if (!sidecar || std::none_of(sidecar->pending.begin(), sidecar->pending.end(), overtaken))
        return {};
    return Sidecar::update(machineDirectory,
                           [&overtaken](Sidecar& now) { now.pending.removeIf(overtaken); });
}

} // namespace

bool MachineChanges::isEmpty() const {
    return !cpuCount && !memory && !display && !refit && !randomMac && !macAddress &&
           !randomSerial && !diskSize;
}

Result<> validateChanges(const MachineInfo& machine, const MachineChanges& changes) {
    if (!machine.config)
        return fail(Error::Kind::Integrity,
                    Tr::tr("\"%1\" cannot be changed. %2").arg(machine.name, machine.brokenReason));
    const QList<PendingChange> asked = toPending(*machine.config, machine.diskSize, changes);
    const bool otherHardware = std::any_of(asked.begin(), asked.end(), [](const auto& change) {
        return change.key != refitKey && change.oldValue != change.newValue;
    });
    if (machine.state == MachineState::Suspended && otherHardware)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" is suspended and its saved state fits no other hardware. Resume "
                           "it and shut it down, or discard the saved state, then change it.")
                        .arg(machine.name));
    const MachineConfig& config = *machine.config;
    if (changes.cpuCount)
        if (auto valid = validateCpu(config, *changes.cpuCount); !valid)
            return valid;
    if (changes.memory)
        if (auto valid = validateMemory(config, *changes.memory); !valid)
            return valid;
    if (changes.display && !DisplaySize::fromText(changes.display->toText()))
        return refuse(Tr::tr("The display size %1 is not possible. Choose 1 to 16384 in each "
                             "direction.")
                          .arg(changes.display->toText()));
    if (changes.randomMac && changes.macAddress)
        return refuse(Tr::tr("A random MAC address and a given one exclude each other. Choose one "
                             "of them."));
    if (changes.macAddress)
        if (auto valid = validateMac(*changes.macAddress); !valid)
            return valid;
    if (changes.randomSerial && config.system != GuestSystem::Darwin)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("Only macOS guests have a serial number. \"%1\" is a Linux guest.")
                        .arg(machine.name));
    if (changes.randomSerial && !renewedMachineIdentifier(config.ecid))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The machine identifier of \"%1\" is of an unknown form and cannot be "
                           "renewed here.")
                        .arg(machine.name));
    if (changes.diskSize)
        return validateDiskSize(machine, *changes.diskSize);
    return {};
}

Result<>
changeMachine(const Library& library, const MachineName& name, const MachineChanges& changes) {
    const auto found = library.machine(name);
    if (!found)
        return fail(found.error());
    auto file = lockStopped(library, found->directory);
    if (!file)
        return fail(file.error());
    // Read again under the lock.
    auto machine = library.machine(name);
    if (!machine)
        return fail(machine.error());
    machine->state = MachineReader::isSuspended(machine->directory) ? MachineState::Suspended
                                                                    : MachineState::Stopped;
    const auto text = file->read();
    if (!text)
        return fail(text.error());
    const auto config = MachineConfig::fromJson(*text);
    if (!config)
        return fail(config.error());
    machine->config = *config;
    if (auto valid = validateChanges(*machine, changes); !valid)
        return valid;
    MachineConfig after = *config;
    apply(after, changes);
    if (auto stored = store(*file,
                            machine->directory,
                            *config,
                            after,
                            machine->diskSize,
                            changes.diskSize.value_or(machine->diskSize));
        !stored)
        return stored;
    return machine->state == MachineState::Suspended
               ? endWaiting(machine->directory, toPending(*config, machine->diskSize, changes))
               : Result<>();
}

QList<PendingChange>
toPending(const MachineConfig& config, ByteCount diskSize, const MachineChanges& changes) {
    MachineConfig after = config;
    apply(after, changes);
    const ByteCount diskAfter = changes.diskSize.value_or(diskSize);
    QList<PendingChange> pending;
    for (const QString& key : {cpuKey, memoryKey, displayKey, refitKey, macKey, ecidKey, diskKey}) {
        const QJsonValue oldValue = currentValue(config, diskSize, key);
        const QJsonValue newValue = currentValue(after, diskAfter, key);
        const bool asked =
            (key == cpuKey && changes.cpuCount) || (key == memoryKey && changes.memory) ||
            (key == displayKey && changes.display) || (key == refitKey && changes.refit) ||
            (key == macKey && (changes.randomMac || changes.macAddress)) ||
            (key == ecidKey && changes.randomSerial) || (key == diskKey && changes.diskSize);
        // Also a change back to what the file holds: it ends an entry that waits.
        if (asked)
            pending.append({key, oldValue, newValue});
    }
    return pending;
}

QList<PendingChange> mergePending(QList<PendingChange> waiting, const QList<PendingChange>& added) {
    for (const PendingChange& change : added) {
        waiting.removeIf([&change](const PendingChange& old) { return old.key == change.key; });
        if (change.oldValue != change.newValue)
            waiting.append(change);
    }
    return waiting;
}

Result<QStringList> applyPending(ConfigFile& file, const QString& machineDirectory) {
    const auto sidecar = Sidecar::read(machineDirectory);
    if (!sidecar)
        return fail(sidecar.error());
    if (sidecar->pending.isEmpty() || MachineReader::isSuspended(machineDirectory))
        return QStringList();
    const auto text = file.read();
    if (!text)
        return fail(text.error());
    const auto config = MachineConfig::fromJson(*text);
    if (!config)
        return fail(config.error());
    const auto disk = fileSize(diskPath(machineDirectory));
    if (!disk)
        return fail(disk.error());

    MachineInfo machine;
    machine.name = QFileInfo(machineDirectory).fileName();
    machine.config = *config;
    machine.diskSize = disk->logical;
    QStringList dropped;
    for (const PendingChange& entry : sidecar->pending) {
        const QJsonValue current = currentValue(*machine.config, machine.diskSize, entry.key);
        if (!current.isUndefined() && current == entry.newValue)
            continue; // done before, by a run that was killed afterwards
        const QString setting = settingName(entry.key);
        if (current.isUndefined() || current != entry.oldValue) {
            dropped.append(
                Tr::tr("The waiting change of the %1 was dropped, because it was changed "
                       "meanwhile. Change it again if you still want it.")
                    .arg(setting));
            continue;
        }
        const auto ecid = QByteArray::fromBase64(entry.newValue.toString().toLatin1());
        if (entry.key == ecidKey && renewedMachineIdentifier(ecid)) {
            machine.config->ecid = ecid;
            continue;
        }
        const auto changes = toChanges(entry);
        const auto valid = changes ? validateChanges(machine, *changes)
                                   : Result<>(refuse(Tr::tr("Its value cannot be read.")));
        if (!valid) {
            dropped.append(Tr::tr("The waiting change of the %1 was dropped. %2")
                               .arg(setting, valid.error().message));
            continue;
        }
        apply(*machine.config, *changes);
        machine.diskSize = changes->diskSize.value_or(machine.diskSize);
    }
    if (auto stored = store(
            file, machineDirectory, *config, *machine.config, disk->logical, machine.diskSize);
        !stored)
        return fail(stored.error());
    const QList<PendingChange> done = sidecar->pending;
    const auto updated = Sidecar::update(machineDirectory, [&done](Sidecar& now) {
        now.pending.removeIf([&done](const PendingChange& entry) { return done.contains(entry); });
    });
    if (!updated)
        return fail(updated.error());
    return dropped;
}

} // namespace vitrine
