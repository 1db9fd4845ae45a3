// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "core/snapshot/snapshot_draft.h"
#include "qemu/machine_session.h"
#include "qemu/snapshot_mirror.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace vitrine::qemu {

// Takes a snapshot of a running machine (contract 2, "Snapshots"). Where files can share blocks the
// guest stands still for the moment that takes; elsewhere QEMU copies the disk beside the running
// guest and it stands still for the rest. With memory, also while that is written. Without, the
// guest's agent is asked to bring its file systems in order. Its steps (qemu/suspend_steps.h):
// mirroring, ready, frozen, mirror done, and those of core/snapshot/snapshot_draft.h. One at a
// time; main thread of the machine's process, which holds the machine's lock.
class SnapshotTaker final : public QObject {
    Q_OBJECT
public:
    struct Request {
        QString name; // empty: one is made up
        bool memory = true;
        bool automatic = false;
    };
    using Done = std::function<void(Result<Snapshot>)>;
    // Writes the fingerprint of the state in a folder that has copies of the machine's files.
    using Describe = std::function<Result<>(
        const QString& folder, const QString& version, const RunOptions& options)>;

    SnapshotTaker(MachineSession* session,
                  QString machineDirectory,
                  Describe describe,
                  QObject* parent = nullptr);
    ~SnapshotTaker() override;

    void take(const Request& request, Done done);
    void cancel();
    [[nodiscard]] Progress progress() const;

private:
    void prepare();
    void standStill();                             // sharing blocks: freeze or stop
    void syncMirror();                             // the mirror has all but the last writes
    void mirrored();                               // and they are few: freeze or stop
    void detachShares(std::function<void()> then); // no shared folder survives in saved memory
    void freeze(std::function<void()> then);
    void saveMemory(std::function<void()> then);
    void stop(std::function<void()> then);
    void copyDiskNow(); // sharing blocks, on a thread of its own
    void letGoOn();     // the guest; the copy is complete, but perhaps not on the disk yet
    void settle(const RunOptions& options); // makes it last; `options`: those of that moment
    void goOn(std::function<void()> then);
    void thaw(int attempt, const std::function<void()>& then);
    void commit();
    void finish(Result<Snapshot> result);
    void refuseMemory(const Error& reason);
    // Goes on, or ends with the error; also when the snapshot was cancelled.
    [[nodiscard]] bool passed(const Result<>& step);
    void step(const QString& text);

    MachineSession* m_session;
    QString m_machineDirectory;
    Describe m_describe;
    Request m_request;
    Done m_done;
    std::shared_ptr<SnapshotDraft> m_draft;
    QByteArray m_config;
    QStringList m_otherDisks;
    std::unique_ptr<SnapshotMirror> m_mirror;
    Progress m_progress;
    bool m_cancelled = false;
    bool m_frozen = false;   // asked for; it is undone in any case
    bool m_frozeAll = false; // and the guest did
    bool m_detached = false; // the shares; they come back in any case
    bool m_stopped = false;  // by this, so that this lets it go on
    bool m_reattaching = false;
    std::vector<std::function<void()>> m_whenReattached;
};

} // namespace vitrine::qemu
