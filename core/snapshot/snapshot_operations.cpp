// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/snapshot_operations.h"

#include "core/disk/directory_tree.h"
#include "core/disk/disk_space.h"
#include "core/disk/file_copy.h"
#include "core/disk/small_file.h"
#include "core/library/interrupted_restore.h"
#include "core/library/machine_operations.h"
#include "core/library/machine_reader.h"
#include "core/library/saved_state.h"
#include "core/machine/sidecar.h"
#include "core/snapshot/automatic_snapshot.h"
#include "core/snapshot/exclusive_size.h"
#include "core/snapshot/snapshot_draft.h"
#include "core/snapshot/uncovered_disks.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

const QString automaticKey = QStringLiteral("automatic");

QString folderOf(const QString& machineDirectory, const QString& id) {
    return machineDirectory + QStringLiteral("/snapshots/") + id;
}

QString descriptionOf(const QString& folder) {
    return folder + QStringLiteral("/snapshot.json");
}

std::optional<Snapshot> describedIn(const QString& folder) {
    const auto text = readSmallFile(descriptionOf(folder));
    return text ? Snapshot::fromJson(QJsonDocument::fromJson(*text).object()) : std::nullopt;
}

// vitrine.json and the folders, brought together.
SnapshotTree merged(const QString& machineDirectory, const QJsonObject& listed) {
    SnapshotTree tree = SnapshotTree::fromJson(listed);
    const QList<Snapshot> known = tree.all();
    for (const Snapshot& snapshot : known)
        if (!QFileInfo::exists(descriptionOf(folderOf(machineDirectory, snapshot.id))))
            tree.remove(snapshot.id);
    const QStringList folders = QDir(machineDirectory + QStringLiteral("/snapshots"))
                                    .entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString& name : folders) {
        if (!isSnapshotId(name) || tree.find(name))
            continue;
        const auto found = describedIn(folderOf(machineDirectory, name));
        if (found && found->id == name)
            tree.adopt(*found);
    }
    return tree;
}

Result<> writeList(const QString& machineDirectory) {
    return Sidecar::update(machineDirectory, [&machineDirectory](Sidecar& sidecar) {
        sidecar.snapshots = merged(machineDirectory, sidecar.snapshots).toJson(sidecar.snapshots);
    });
}

Result<> checkSpace(const QString& what, const QString& folder, ByteCount needed) {
    const auto space = volumeSpace(folder);
    if (needed.bytes() == 0 || !space || space->available >= needed)
        return {};
    return fail(Error::Kind::DiskFull,
                Tr::tr("%1 It needs %2, because the file system cannot share blocks, and only %3 "
                       "are free. Free some space and try again.")
                    .arg(what, needed.toText(), space->available.toText()));
}

ByteCount allocatedOf(const QString& folder, const QStringList& names) {
    quint64 sum = 0;
    for (const QString& name : names)
        if (const auto size = fileSize(folder + QLatin1Char('/') + name))
            sum += size->allocated.bytes();
    return ByteCount::fromBytes(sum);
}

Result<ConfigFile> lockFor(const Library& library,
                           const QString& directory,
                           ConfigFile::Mode mode,
                           const JobContext& context) {
    auto lock = lockStopped(library, directory, mode, [&context] { return context.cancelled(); });
    if (!lock && lock.error().kind == Error::Kind::AlreadyRunning)
        return fail(Error::Kind::AlreadyRunning,
                    Tr::tr("\"%1\" is running. Shut it down or suspend it first.")
                        .arg(QFileInfo(directory).fileName()),
                    lock.error().message);
    return lock;
}

Result<Snapshot> createLocked(const ConfigFile& config,
                              const SnapshotFolder& folder,
                              const SnapshotRequest& request,
                              const JobContext& context) {
    const QString& directory = folder.machineDirectory();
    const QString name = QFileInfo(QFileInfo(directory).canonicalFilePath()).fileName();
    if (auto fits = checkSpace(Tr::tr("A snapshot of \"%1\" does not fit on the disk of this "
                                      "computer.")
                                   .arg(name),
                               folder.path(),
                               snapshotCost(directory));
        !fits)
        return fail(fits.error());
    const auto text = config.read();
    if (!text)
        return fail(text.error());
    if (auto listed = writeList(directory); !listed)
        return fail(listed.error());
    auto draft = SnapshotDraft::begin(folder);
    if (!draft)
        return fail(draft.error());
    Snapshot snapshot;
    snapshot.name = request.name.simplified();
    snapshot.automatic = request.automatic;
    snapshot.withMemory = MachineReader::isSuspended(directory);
    snapshot.otherDisks = uncoveredDisksOf(directory);
    if (snapshot.name.isEmpty())
        if (const auto tree = readSnapshots(directory))
            snapshot.name = freeSnapshotName(*tree);
    if (auto copied = draft->copyDiskPart(context); !copied)
        return fail(copied.error());
    if (auto placed = draft->placeDisk(); !placed)
        return fail(placed.error());
    if (auto copied = draft->copyOthers(snapshot.withMemory, context); !copied)
        return fail(copied.error());
    if (auto renewed = renewFingerprint(directory, draft->path()); !renewed)
        return fail(renewed.error());
    return draft->commit(snapshot, *text);
}

// Everything of the snapshot, beside the machine.
Result<>
stage(const QString& source, const QString& target, bool withMemory, const JobContext& context) {
    if (::mkdir(QFile::encodeName(target).constData(), 0700) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot create \"%1\".").arg(target), errno));
    QStringList names = stateFileNames(source);
    if (!withMemory)
        names.removeIf([](const QString& name) {
            return name.startsWith(QLatin1String(savedStateName)) ||
                   name == QLatin1String("state.vzvmsave");
        });
    names << QStringLiteral("config.json") << QStringLiteral("snapshot.json");
    for (const QString& name : std::as_const(names)) {
        JobContext own = context;
        if (name != QLatin1String("disk.img"))
            own.report = [](const Progress&) {};
        const auto copied =
            copyDisk(source + QLatin1Char('/') + name, target + QLatin1Char('/') + name, own);
        if (!copied)
            return fail(copied.error());
    }
    if (withMemory)
        if (auto renewed = renewFingerprint(source, target); !renewed)
            return renewed;
    return syncDirectory(target);
}

Result<> restoreLocked(ConfigFile& config,
                       const SnapshotFolder& folder,
                       const RestoreRequest& request,
                       const JobContext& context) {
    const QString& directory = folder.machineDirectory();
    const QString source = folder.pathOf(request.id);
    const QString staged = restoreStagePath(directory);
    const ByteCount needed = canReflink(source + QStringLiteral("/disk.img"), folder.path())
                                 ? ByteCount()
                                 : allocatedOf(source, stateFileNames(source));
    if (auto fits = checkSpace(Tr::tr("The snapshot cannot be restored."), directory, needed);
        !fits)
        return fits;
    auto done = stage(source, staged, !request.withoutMemory, context);
    if (done && context.cancelled())
        done = fail(Error::cancelled());
    if (!done) {
        removeTree(staged);
        return done;
    }
    snapshotStepReached("staged");
    const QString ready = restoreReadyPath(directory);
    if (::rename(QFile::encodeName(staged).constData(), QFile::encodeName(ready).constData()) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot rename \"%1\".").arg(staged), errno));
    if (auto synced = syncDirectory(folder.path()); !synced)
        return synced;
    snapshotStepReached("ready");
    const auto finished = finishRestore(config, directory);
    return finished ? Result<>() : fail(finished.error());
}

Result<MachineInfo> machineOf(const Library& library, const MachineName& name) {
    auto machine = library.machine(name);
    if (machine && machine->state == MachineState::Broken && machine->config == std::nullopt &&
        !QFileInfo::exists(machine->directory + QStringLiteral("/config.json")))
        return fail(Error::Kind::Integrity, machine->brokenReason);
    return machine;
}

// Still there, and protected while the folder is held.
Result<> mustExist(const SnapshotFolder& folder, const QString& id) {
    if (isSnapshotId(id) && describedIn(folder.pathOf(id)))
        return {};
    return fail(Error::Kind::NotFound,
                Tr::tr("There is no snapshot \"%1\" any more. Look at the list again.").arg(id));
}

} // namespace

Result<SnapshotTree> readSnapshots(const QString& machineDirectory) {
    const auto sidecar = Sidecar::read(machineDirectory);
    if (!sidecar)
        return fail(sidecar.error());
    return merged(machineDirectory, sidecar->snapshots);
}

SnapshotSize snapshotSize(const QString& machineDirectory, const QString& id) {
    const QString folder = folderOf(machineDirectory, id);
    quint64 exclusive = 0;
    const QStringList names = QDir(folder).entryList(QDir::Files);
    for (const QString& name : names)
        if (const auto size = exclusiveSize(folder + QLatin1Char('/') + name))
            exclusive += size->bytes();
    return {ByteCount::fromBytes(exclusive), allocatedOf(folder, names)};
}

ByteCount snapshotCost(const QString& machineDirectory) {
    if (canReflink(machineDirectory + QStringLiteral("/disk.img"), machineDirectory))
        return {};
    return allocatedOf(machineDirectory, stateFileNames(machineDirectory));
}

QString freeSnapshotName(const SnapshotTree& tree) {
    for (qsizetype number = tree.all().size() + 1;; ++number) {
        const QString name = Tr::tr("Snapshot %1").arg(number);
        const auto& all = tree.all();
        if (std::none_of(all.begin(), all.end(), [&name](const Snapshot& snapshot) {
                return snapshot.name == name;
            }))
            return name;
    }
}

Result<Snapshot> createSnapshot(const Library& library,
                                const MachineName& machine,
                                const SnapshotRequest& request,
                                const JobContext& context) {
    const auto info = machineOf(library, machine);
    if (!info)
        return fail(info.error());
    const auto lock = lockFor(library, info->directory, ConfigFile::Mode::Shared, context);
    if (!lock)
        return fail(lock.error());
    // Another machine may write to the disk as one of its own.
    if (DirectoryLock::isHeld(info->directory + QStringLiteral("/disk.img")))
        return fail(
            Error::Kind::Busy,
            Tr::tr("No snapshot of \"%1\" can be taken: another machine runs with its disk. "
                   "Shut that machine down first.")
                .arg(info->name));
    const auto folder = SnapshotFolder::open(info->directory);
    if (!folder)
        return fail(folder.error());
    return createLocked(*lock, *folder, request, context);
}

Result<> keepBeforeRisk(const ConfigFile& held,
                        const QString& machineDirectory,
                        const QString& name,
                        const JobContext& context) {
    const auto sidecar = Sidecar::read(machineDirectory);
    if (!sidecar || !takesAutomaticSnapshots(sidecar->snapshots))
        return {};
    const auto folder = SnapshotFolder::open(machineDirectory);
    if (!folder)
        return fail(folder.error());
    const auto kept = createLocked(held, *folder, {name, true}, context);
    return kept ? Result<>() : fail(kept.error());
}

Result<> restoreSnapshot(const Library& library,
                         const MachineName& machine,
                         const RestoreRequest& request,
                         const JobContext& context) {
    const auto info = machineOf(library, machine);
    if (!info)
        return fail(info.error());
    auto lock = lockFor(library, info->directory, ConfigFile::Mode::Exclusive, context);
    if (!lock)
        return fail(lock.error());
    const auto folder = SnapshotFolder::open(info->directory);
    if (!folder)
        return fail(folder.error());
    if (auto there = mustExist(*folder, request.id); !there)
        return there;
    if (MachineReader::isSuspended(info->directory) && !request.discardState &&
        !request.saveCurrent)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" is suspended, and going back to a snapshot throws its saved "
                           "state away. Save what it has now as a snapshot first "
                           "(--save-current), or say that it may go (--discard-state).")
                        .arg(info->name));
    if (!request.withoutMemory)
        if (auto fits = checkMemoryFits(folder->pathOf(request.id), info->directory); !fits)
            return fits;
    if (auto listed = writeList(info->directory); !listed)
        return listed;
    const bool save = request.saveCurrent || [&] {
        const auto sidecar = Sidecar::read(info->directory);
        return sidecar && takesAutomaticSnapshots(sidecar->snapshots);
    }();
    if (save) {
        const auto target = describedIn(folder->pathOf(request.id));
        const auto saved = createLocked(
            *lock,
            *folder,
            {Tr::tr("Before going back to %1").arg(target ? target->name : request.id), true},
            context);
        if (!saved)
            return fail(saved.error());
    }
    const auto target = describedIn(folder->pathOf(request.id));
    if (auto restored = restoreLocked(*lock, *folder, request, context); !restored)
        return restored;
    // It has gone back, whether that can be noted or not.
    (void)Sidecar::addEvent(info->directory,
                            QStringLiteral("restored"),
                            Tr::tr("The machine went back to the snapshot \"%1\".")
                                .arg(target ? target->name : request.id),
                            QDateTime::currentDateTime());
    return {};
}

Result<> branchSnapshot(const Library& library,
                        const MachineName& machine,
                        const QString& id,
                        const MachineName& target,
                        const JobContext& context) {
    const auto info = machineOf(library, machine);
    if (!info)
        return fail(info.error());
    // Keeps the machine from being deleted, renamed or changed meanwhile; one that runs, here
    // (Busy) or elsewhere, keeps itself.
    const auto lock = lockFor(library, info->directory, ConfigFile::Mode::Shared, context);
    if (!lock && lock.error().kind != Error::Kind::AlreadyRunning &&
        lock.error().kind != Error::Kind::Busy)
        return fail(lock.error());
    const auto folder = SnapshotFolder::open(info->directory);
    if (!folder)
        return fail(folder.error());
    if (auto there = mustExist(*folder, id); !there)
        return there;
    return cloneFolder(library, folder->pathOf(id), info->directory, target, context);
}

Result<> deleteSnapshot(const Library& library, const MachineName& machine, const QString& id) {
    const auto info = machineOf(library, machine);
    if (!info)
        return fail(info.error());
    const auto folder = SnapshotFolder::open(info->directory);
    if (!folder)
        return fail(folder.error());
    if (auto there = mustExist(*folder, id); !there)
        return there;
    if (auto listed = writeList(info->directory); !listed)
        return listed;
    const QString path = folder->pathOf(id);
    if (::unlink(QFile::encodeName(descriptionOf(path)).constData()) != 0)
        return fail(
            Error::fromErrno(Tr::tr("Cannot delete the snapshot in \"%1\".").arg(path), errno));
    if (auto synced = syncDirectory(path); !synced)
        return synced;
    snapshotStepReached("undescribed");
    if (auto listed = writeList(info->directory); !listed)
        return listed;
    snapshotStepReached("unlisted");
    if (auto removed = removeTree(path); !removed)
        return removed;
    snapshotStepReached("removed");
    return {};
}

bool takesAutomaticSnapshots(const QJsonObject& snapshots) {
    return snapshots.value(automaticKey).toBool();
}

Result<> setAutomaticSnapshots(const QString& machineDirectory, bool automatic) {
    return Sidecar::update(machineDirectory, [automatic](Sidecar& sidecar) {
        if (automatic)
            sidecar.snapshots.insert(automaticKey, true);
        else
            sidecar.snapshots.remove(automaticKey);
    });
}

} // namespace vitrine
