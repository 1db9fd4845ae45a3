// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/snapshot_draft.h"

#include "core/disk/directory_tree.h"
#include "core/disk/disk_space.h"
#include "core/disk/file_copy.h"
#include "core/disk/small_file.h"
#include "core/library/interrupted_restore.h"
#include "core/library/saved_state.h"
#include "core/machine/sidecar.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>

namespace vitrine {

namespace {

constexpr const char* descriptionName = "snapshot.json";

std::function<void(const char*)>& observer() {
    static std::function<void(const char*)> function;
    return function;
}

QString folderOf(const QString& machineDirectory) {
    return machineDirectory + QStringLiteral("/snapshots");
}

Error busy() {
    return Error{Error::Kind::Busy,
                 Tr::tr("Other work on the snapshots of this machine is under way. Wait until it "
                        "is done and try again."),
                 {}};
}

// By the holder of the folder's lock.
void collectLocked(const QString& folder) {
    const QStringList entries = QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString& name : entries) {
        const QString path = folder + QLatin1Char('/') + name;
        const bool half = isSnapshotId(name) && !QFileInfo::exists(path + QLatin1Char('/') +
                                                                   QLatin1String(descriptionName));
        if (half || name == QLatin1String("restore.part"))
            removeTree(path);
    }
}

} // namespace

void setSnapshotObserver(std::function<void(const char*)> function) {
    observer() = std::move(function);
}

void snapshotStepReached(const char* step) {
    if (observer())
        observer()(step);
}

Result<SnapshotFolder> SnapshotFolder::open(const QString& machineDirectory) {
    const QString folder = folderOf(machineDirectory);
    if (auto made = makeDirectories(folder, 0700); !made)
        return fail(made.error());
    struct stat info {};
    if (::lstat(QFile::encodeName(folder).constData(), &info) != 0 || !S_ISDIR(info.st_mode))
        return fail(Error::Kind::Integrity,
                    Tr::tr("\"%1\" is not a folder. Move it away and try again.").arg(folder));
    auto lock = DirectoryLock::tryLock(folder);
    if (!lock)
        return fail(lock.error().kind == Error::Kind::Busy ? busy() : lock.error());
    collectLocked(folder);
    return SnapshotFolder(machineDirectory, *std::move(lock));
}

void SnapshotFolder::collect(const QString& machineDirectory) {
    const QString folder = folderOf(machineDirectory);
    if (!QFileInfo::exists(folder))
        return;
    if (const auto lock = DirectoryLock::tryLock(folder))
        collectLocked(folder);
}

Result<SnapshotDraft> SnapshotDraft::begin(SnapshotFolder folder) {
    QString id;
    do {
        id = newSnapshotId(QDateTime::currentDateTime());
    } while (QFileInfo::exists(folder.pathOf(id)));
    if (::mkdir(QFile::encodeName(folder.pathOf(id)).constData(), 0700) != 0)
        return fail(
            Error::fromErrno(Tr::tr("Cannot create \"%1\".").arg(folder.pathOf(id)), errno));
    snapshotStepReached("folder made");
    return SnapshotDraft(std::move(folder), std::move(id));
}

SnapshotDraft::SnapshotDraft(SnapshotDraft&& other) noexcept
    : m_folder(std::move(other.m_folder))
    , m_id(std::exchange(other.m_id, {}))
    , m_committed(other.m_committed) {}

SnapshotDraft::~SnapshotDraft() {
    if (!m_id.isEmpty() && !m_committed)
        removeTree(path());
}

Result<> SnapshotDraft::copyDiskPart(const JobContext& context) const {
    const auto copied =
        copyDisk(machineDirectory() + QStringLiteral("/disk.img"), diskPart(), context);
    if (!copied)
        return fail(copied.error());
    snapshotStepReached("disk copied");
    return {};
}

Result<> SnapshotDraft::placeDisk() const {
    const QString target = path() + QStringLiteral("/disk.img");
    if (::rename(QFile::encodeName(diskPart()).constData(),
                 QFile::encodeName(target).constData()) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot rename \"%1\".").arg(diskPart()), errno));
    snapshotStepReached("disk placed");
    return {};
}

Result<> SnapshotDraft::copyOthers(bool withState, const JobContext& context) const {
    const QStringList names = stateFileNames(machineDirectory());
    for (const QString& name : names) {
        if (name == QLatin1String("disk.img") ||
            (!withState && name.startsWith(QLatin1String("state."))))
            continue;
        JobContext quiet = context; // small beside the disk, and another total
        if (!name.startsWith(QLatin1String("state.")))
            quiet.report = [](const Progress&) {};
        const auto copied = copyDisk(
            machineDirectory() + QLatin1Char('/') + name, path() + QLatin1Char('/') + name, quiet);
        if (!copied)
            return fail(copied.error());
    }
    snapshotStepReached("others copied");
    return {};
}

Result<Snapshot> SnapshotDraft::commit(Snapshot snapshot, const QByteArray& config) {
    if (auto written = replaceFile(path() + QStringLiteral("/config.json"), config); !written)
        return fail(written.error());
    snapshotStepReached("config written");
    snapshot.id = m_id;
    snapshot.created = QDateTime::currentDateTimeUtc();
    const auto sidecar = Sidecar::read(machineDirectory());
    if (!sidecar)
        return fail(sidecar.error());
    snapshot.parent = SnapshotTree::fromJson(sidecar->snapshots).current();
    if (auto synced = syncDirectory(path()); !synced)
        return fail(synced.error());
    if (auto described =
            replaceFile(path() + QLatin1Char('/') + QLatin1String(descriptionName),
                        QJsonDocument(snapshot.toJson()).toJson(QJsonDocument::Indented));
        !described)
        return fail(described.error());
    if (auto synced = syncDirectory(m_folder.path()); !synced)
        return fail(synced.error());
    m_committed = true;
    snapshotStepReached("described");
    const auto listed = Sidecar::update(machineDirectory(), [&snapshot](Sidecar& now) {
        SnapshotTree tree = SnapshotTree::fromJson(now.snapshots);
        tree.add(snapshot);
        now.snapshots = tree.toJson(now.snapshots);
    });
    if (!listed)
        return fail(listed.error());
    snapshotStepReached("listed");
    return snapshot;
}

} // namespace vitrine
