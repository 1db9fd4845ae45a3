// SPDX-License-Identifier: Apache-2.0
#include "core/run/machine_hold.h"

#include "core/disk/disk_space.h"
#include "core/disk/real_path.h"
#include "core/library/address_twin.h"
#include "core/library/interrupted_restore.h"
#include "core/library/machine_operations.h"
#include "core/library/machine_reader.h"
#include "core/machine/sidecar.h"
#include "core/posix/descriptors.h"
#include "core/snapshot/automatic_snapshot.h"
#include "core/snapshot/snapshot_draft.h"
#include "core/snapshot/snapshot_operations.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <utility>

namespace vitrine {

namespace {

bool needsSnapshotFirst(const QString& directory) {
    const Result<Sidecar> sidecar = Sidecar::read(directory);
    return sidecar && !sidecar->pending.isEmpty() && takesAutomaticSnapshots(sidecar->snapshots) &&
           !MachineReader::isSuspended(directory);
}

Result<MachineConfig> readConfig(const ConfigFile& file) {
    const Result<QByteArray> text = file.read();
    if (!text) {
        return fail(text.error());
    }
    return MachineConfig::fromJson(*text);
}

} // namespace

Result<MachineHold>
MachineHold::take(const Library& library, const QString& name, SavedState saved) {
    const Result<MachineInfo> found = library.find(name);
    if (!found) {
        return fail(found.error());
    }
    if (found->isImage) {
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" is a cached image and cannot be run. Clone it first and run the "
                           "clone.")
                        .arg(name));
    }
    const QString directory = found->directory;
    (void)waitForChange(library, directory);
    const Result<DirectoryLock> global = library.globalLock();
    if (!global) {
        return fail(global.error());
    }
    FileDescriptor folder(posix::openFolderForPath(QFile::encodeName(directory).constData()));
    if (!folder.isValid()) {
        return fail(
            Error::fromErrno(Tr::tr("Cannot open the folder \"%1\".").arg(directory), errno));
    }
    Result<ConfigFile> config = ConfigFile::tryLock(directory + QLatin1String("/config.json"));
    if (!config) {
        // A directory without the file is told with all that is missing.
        const bool broken =
            config.error().kind == Error::Kind::NotFound && found->state == MachineState::Broken;
        return broken ? fail(Error::Kind::Integrity,
                             Tr::tr("\"%1\" cannot be run. %2").arg(name, found->brokenReason))
                      : fail(config.error());
    }
    Result<RuntimeDirectory> runtime = RuntimeDirectory::locate(library.home(), directory);
    if (!runtime) {
        return fail(runtime.error());
    }
    Result<DirectoryLock> alive = runtime->claim();
    if (!alive) {
        return fail(alive.error());
    }

    QStringList remarks;
    const Result<bool> recovered = config->recover();
    if (!recovered) {
        return fail(recovered.error());
    }
    if (*recovered) {
        remarks << Tr::tr("config.json was half written by an earlier change and was restored.");
    }
    const Result<bool> restored = finishRestore(*config, directory);
    if (!restored) {
        return fail(restored.error());
    }
    if (*restored) {
        remarks << Tr::tr("Going back to a snapshot was cut off and has been brought to its end.");
    }
    SnapshotFolder::collect(directory);
    const bool changesWait = needsSnapshotFirst(directory);
    if (!changesWait) {
        const Result<QStringList> dropped = applyPending(*config, directory);
        remarks << (dropped ? *dropped : QStringList{dropped.error().message});
    }
    const Result<MachineConfig> content = readConfig(*config);
    if (!content) {
        return fail(content.error());
    }
    Result<std::optional<MachineInfo>> twin = findAddressTwin(library, *content, directory);
    if (!twin) {
        return fail(twin.error());
    }
    // A saved state fits only the address it was saved with.
    if (*twin && (saved == SavedState::Discarded || !MachineReader::isSuspended(directory))) {
        const Result<QString> separated = separateAddress(*config, *content, **twin);
        if (!separated) {
            return fail(separated.error());
        }
        remarks << *separated;
        twin->reset();
    }

    Result<MachineInfo> machine = readHeldMachine(library, name);
    if (!machine) {
        return fail(machine.error());
    }
    return MachineHold{std::move(*config),
                       std::move(*runtime),
                       std::move(*alive),
                       std::move(*machine),
                       std::move(remarks),
                       *std::move(twin),
                       std::move(folder),
                       changesWait};
}

Result<MachineInfo> readHeldMachine(const Library& library, const QString& name) {
    Result<MachineInfo> machine = library.find(name);
    if (!machine) {
        return machine;
    }
    // The lock is ours, so "running" says nothing.
    if (machine->brokenReason.isEmpty()) {
        machine->state = MachineReader::isSuspended(machine->directory) ? MachineState::Suspended
                                                                        : MachineState::Stopped;
    } else {
        machine->state = MachineState::Broken;
    }
    return machine;
}

QString MachineHold::folderPath() const {
    const QByteArray path = posix::pathThrough(folder.get());
    return path.isEmpty() ? machine.directory : QFile::decodeName(path);
}

bool MachineHold::mustKeepFirst() const {
    return needsSnapshotFirst(folderPath());
}

QStringList MachineHold::applyWaitingChanges(const JobContext& context) {
    if (mustKeepFirst()) {
        const Result<> kept = keepBeforeRisk(
            config, folderPath(), Tr::tr("Before a change of the settings"), context);
        if (!kept && kept.error().kind == Error::Kind::Cancelled) {
            return {Tr::tr("The changes that wait were not made, because the snapshot before them "
                           "was cancelled. They are made at the next start.")};
        }
        if (!kept) {
            return {Tr::tr("The changes that wait were not made, because no snapshot could be "
                           "taken before them. %1")
                        .arg(withRealPaths(kept.error().message))};
        }
    }
    Result<QStringList> dropped = applyPending(config, folderPath());
    if (!dropped) {
        return {withRealPaths(dropped.error().message)};
    }
    if (std::exchange(changesWait, false)) {
        reread();
    }
    return *dropped;
}

void MachineHold::reread() {
    if (const Result<MachineConfig> now = readConfig(config)) {
        machine.config = *now;
    }
    if (const auto disk = fileSize(folderPath() + QLatin1String("/disk.img"))) {
        machine.diskSize = disk->logical;
    }
}

Result<QString>
checkTwin(const MachineInfo& machine, const MachineInfo& twin, NetworkMode network) {
    const QString address =
        machine.config ? machine.config->macAddress.toText() : QStringLiteral("?");
    if (network != NetworkMode::Bridged) {
        return Tr::tr("The running machine \"%1\" has the same MAC address, %2. This machine keeps "
                      "it, because its saved state fits no other. The two do not meet: this one "
                      "has a network of its own.")
            .arg(twin.name, address);
    }
    return fail(
        Error::Kind::Unsupported,
        Tr::tr("The running machine \"%1\" has the same MAC address, %2, and a network cannot have "
               "it twice. The address of \"%3\" cannot be changed, because its saved state fits no "
               "other. Shut \"%1\" down first, or throw the saved state away with "
               "--discard-state.")
            .arg(twin.name, address, machine.name));
}

} // namespace vitrine
