// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_lock.h"
#include "core/job/job.h"
#include "core/result/result.h"
#include "core/snapshot/snapshot_tree.h"

#include <functional>
#include <memory>

namespace vitrine {

// snapshots/ of a machine: one piece of work on it at a time (flock on the folder). Making and
// taking the lock also collects what was cut off: a folder without its snapshot.json is no
// snapshot. Copies are the same hold. Any thread.
class SnapshotFolder final {
public:
    // Busy when other work on the snapshots of this machine is under way.
    [[nodiscard]] static Result<SnapshotFolder> open(const QString& machineDirectory);
    // For the start of a machine: only collects, and not while there is other work.
    static void collect(const QString& machineDirectory);

    [[nodiscard]] const QString& machineDirectory() const { return m_machineDirectory; }
    [[nodiscard]] QString path() const { return m_machineDirectory + QStringLiteral("/snapshots"); }
    [[nodiscard]] QString pathOf(const QString& id) const { return path() + QLatin1Char('/') + id; }

private:
    SnapshotFolder(QString machineDirectory, DirectoryLock lock)
        : m_machineDirectory(std::move(machineDirectory))
        , m_lock(std::make_shared<DirectoryLock>(std::move(lock))) {}
    QString m_machineDirectory;
    std::shared_ptr<DirectoryLock> m_lock; // of every copy
};

// A snapshot being made. It exists from commit() on; until then its folder is rubbish, which this
// removes when it goes.
class SnapshotDraft final {
public:
    // Makes the folder. The machine's lock is held by the caller: what is copied stands still.
    [[nodiscard]] static Result<SnapshotDraft> begin(SnapshotFolder folder);
    ~SnapshotDraft();
    SnapshotDraft(SnapshotDraft&& other) noexcept;
    SnapshotDraft& operator=(SnapshotDraft&&) = delete;

    [[nodiscard]] const QString& id() const { return m_id; }
    [[nodiscard]] QString path() const { return m_folder.pathOf(m_id); }
    [[nodiscard]] const QString& machineDirectory() const { return m_folder.machineDirectory(); }
    [[nodiscard]] QString diskPart() const { return path() + QStringLiteral("/disk.img.part"); }

    // disk.img to disk.img.part, synced; blocks are shared where the file system can.
    Result<> copyDiskPart(const JobContext& context) const;
    Result<> placeDisk() const; // the part is complete: gives it its name
    // Firmware variables and, if wanted, a saved state with its fingerprint.
    Result<> copyOthers(bool withState, const JobContext& context) const;
    // Writes config.json and the description, and lists the snapshot in vitrine.json.
    Result<Snapshot> commit(Snapshot snapshot, const QByteArray& config);

private:
    SnapshotDraft(SnapshotFolder folder, QString id)
        : m_folder(std::move(folder))
        , m_id(std::move(id)) {}
    SnapshotFolder m_folder;
    QString m_id; // empty: nothing to remove
    bool m_committed = false;
};

// Called at each step of work on snapshots, for tests that kill a process half-way:
// "folder made", "disk copied", "disk placed", "others copied", "config written", "described",
// "listed"; "staged", "ready" and the steps of core/library/interrupted_restore.h; "undescribed",
// "unlisted", "removed". Set before; any thread.
void setSnapshotObserver(std::function<void(const char* step)> observer);
void snapshotStepReached(const char* step);

} // namespace vitrine
