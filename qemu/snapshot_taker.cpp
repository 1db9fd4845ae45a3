// SPDX-License-Identifier: Apache-2.0
#include "qemu/snapshot_taker.h"

#include "core/disk/disk_space.h"
#include "core/disk/file_copy.h"
#include "core/job/in_worker.h"
#include "core/library/saved_state.h"
#include "core/snapshot/snapshot_operations.h"
#include "qemu/suspend_steps.h"

#include <QFile>
#include <QTimer>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace vitrine::qemu {

namespace {

constexpr int freezeTimeout = 10000; // ms; a guest that writes a lot flushes first
constexpr int stopTimeout = 60000;   // ms
constexpr int thawTimeout = 30000;   // ms; it may still be busy with the freezing
constexpr int thawAttempts = 3;
constexpr int thawPause = 1000; // ms between them

struct Prepared {
    std::shared_ptr<SnapshotDraft> draft;
    bool sharesBlocks = false;
};

// Disks that the guest writes and that no snapshot has.
QStringList otherDisks(const LaunchPlan& plan) {
    QStringList paths;
    for (const PlannedDisk& disk : plan.disks)
        if (!disk.options.readOnly && disk.kind != ExtraDisk::Kind::CachedImage)
            paths << disk.path;
    return paths;
}

// An empty file as large as the disk.
Result<> makePart(const QString& path, const QString& disk) {
    const FileDescriptor part(::open(QFile::encodeName(path).constData(),
                                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                     0600));
    const auto size = fileSize(disk);
    if (!size)
        return fail(size.error());
    if (!part.isValid() || ::ftruncate(part.get(), static_cast<off_t>(size->logical.bytes())) != 0)
        return fail(Error::fromErrno(SnapshotTaker::tr("Cannot create \"%1\".").arg(path), errno));
    return {};
}

Result<Prepared> prepareFolder(const QString& machineDirectory) {
    auto folder = SnapshotFolder::open(machineDirectory);
    if (!folder)
        return fail(folder.error());
    auto draft = SnapshotDraft::begin(*folder);
    if (!draft)
        return fail(draft.error());
    Prepared prepared;
    prepared.draft = std::make_shared<SnapshotDraft>(*std::move(draft));
    const QString disk = machineDirectory + QStringLiteral("/disk.img");
    prepared.sharesBlocks = canReflink(disk, prepared.draft->path());
    if (!prepared.sharesBlocks) {
        const auto space = volumeSpace(machineDirectory);
        const ByteCount cost = snapshotCost(machineDirectory);
        if (space && space->available < cost)
            return fail(
                Error::Kind::DiskFull,
                SnapshotTaker::tr("The snapshot does not fit on the disk of this computer. It "
                                  "needs %1, because the file system cannot share blocks, and only "
                                  "%2 are free. Free some space and try again.")
                    .arg(cost.toText(), space->available.toText()));
        if (auto made = makePart(prepared.draft->diskPart(), disk); !made)
            return fail(made.error());
    }
    return prepared;
}

Result<> syncPath(const QString& path) {
    const FileDescriptor file(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file.isValid())
        return fail(Error::fromErrno(SnapshotTaker::tr("Cannot open \"%1\".").arg(path), errno));
    return syncFile(file.get(), path);
}

} // namespace

SnapshotTaker::SnapshotTaker(MachineSession* session,
                             QString machineDirectory,
                             Describe describe,
                             QObject* parent)
    : QObject(parent)
    , m_session(session)
    , m_machineDirectory(std::move(machineDirectory))
    , m_describe(std::move(describe)) {}

SnapshotTaker::~SnapshotTaker() = default;

void SnapshotTaker::step(const QString& text) {
    m_progress.step = text;
}

Progress SnapshotTaker::progress() const {
    Progress progress = m_progress;
    if (m_session->saver().isUnderWay()) {
        progress.done = m_session->saver().written();
    } else if (m_mirror) {
        progress.done = m_mirror->copied();
        if (m_mirror->total() > 0)
            progress.total = m_mirror->total();
    }
    return progress;
}

bool SnapshotTaker::passed(const Result<>& step) {
    if (step && !m_cancelled)
        return true;
    finish(fail(step ? Error::cancelled() : step.error()));
    return false;
}

void SnapshotTaker::take(const Request& request, Done done) {
    if (m_done) {
        done(fail(Error::Kind::Busy,
                  tr("A snapshot of this machine is being taken already. Wait until it is done.")));
        return;
    }
    if (Result<> possible = m_session->hold(request.memory); !possible) {
        done(fail(possible.error()));
        return;
    }
    m_request = request;
    m_done = std::move(done);
    m_otherDisks = otherDisks(m_session->plan());
    m_cancelled = m_frozen = m_frozeAll = m_detached = m_stopped = false;
    m_progress = {};
    step(tr("Preparing"));
    if (!m_request.memory) {
        prepare();
        return;
    }
    if (!m_otherDisks.isEmpty()) {
        refuseMemory({Error::Kind::Unsupported,
                      tr("The guest also writes to the disk \"%1\", which is no part of "
                         "snapshots: it would not fit the memory when you go back. Use that disk "
                         "read-only to keep memory too.")
                          .arg(m_otherDisks.constFirst()),
                      {}});
        return;
    }
    // Before gigabytes are copied, not after it.
    m_session->saver().check([this](const Result<>& possible) {
        const bool shares = m_session->shares().isAnyPlugged();
        if (!possible && !shares)
            refuseMemory(possible.error());
        else if (!shares && passed(possible))
            prepare();
        else if (shares) // they are taken off for the moment it takes
            m_session->shares().checkDetachable([this](const Result<>& free) {
                if (!free)
                    refuseMemory(free.error());
                else if (passed(free))
                    prepare();
            });
    });
}

void SnapshotTaker::refuseMemory(const Error& reason) {
    finish(fail(reason.kind, tr("%1 A snapshot without memory is possible.").arg(reason.message)));
}

void SnapshotTaker::cancel() {
    if (!m_done)
        return;
    m_cancelled = true;
    m_session->saver().cancel();
    // Everything else is brief, and its end finds out.
    if (m_mirror && m_mirror->isCopying())
        m_mirror->abandon([this] { finish(fail(Error::cancelled())); });
}

void SnapshotTaker::prepare() {
    // Through the descriptor that holds the lock, which is this process's.
    const auto config = ConfigFile::read(m_machineDirectory + QStringLiteral("/config.json"));
    if (!config) {
        finish(fail(config.error()));
        return;
    }
    m_config = *config;
    inWorker(
        this,
        [directory = m_machineDirectory] { return prepareFolder(directory); },
        [this](Result<Prepared> prepared) {
            if (!prepared) {
                finish(fail(prepared.error()));
                return;
            }
            m_draft = std::move(prepared->draft);
            if (!passed({}))
                return;
            if (prepared->sharesBlocks) {
                standStill();
                return;
            }
            step(tr("Copying the disk"));
            m_mirror = std::make_unique<SnapshotMirror>(&m_session->qmp());
            m_mirror->begin(m_draft->diskPart(), [this](const Result<>& ready) {
                if (passed(ready))
                    syncMirror();
            });
            stepReached("mirroring");
        });
}

void SnapshotTaker::detachShares(std::function<void()> then) {
    if (!m_request.memory || !m_session->shares().isAnyPlugged()) {
        then();
        return;
    }
    step(tr("Unmounting the shared folders"));
    m_session->shares().detachAll([this, then = std::move(then)](const Result<>& detached) {
        m_detached = detached.has_value();
        if (passed(detached))
            then();
    });
}

void SnapshotTaker::freeze(std::function<void()> then) {
    if (m_request.memory || m_session->isStopped() || !m_session->agent().guestOpened()) {
        then();
        return;
    }
    m_frozen = true;
    m_session->agent().execute(QStringLiteral("guest-fsfreeze-freeze"),
                               {},
                               freezeTimeout,
                               [this, then = std::move(then)](const Result<QJsonValue>& frozen) {
                                   m_frozeAll = frozen && frozen->toInteger() > 0;
                                   stepReached("frozen");
                                   then();
                               });
}

void SnapshotTaker::saveMemory(std::function<void()> then) {
    if (!m_request.memory) {
        then();
        return;
    }
    step(tr("Writing the memory"));
    m_session->saver().save(m_draft->path() + QLatin1Char('/') + QLatin1String(savedStateName),
                            [this, then = std::move(then)](const Result<>& saved) {
                                if (passed(saved))
                                    then();
                            });
}

void SnapshotTaker::standStill() {
    if (m_request.memory) {
        detachShares([this] {
            // Saving the memory stops the guest by itself and would not know that it ran.
            m_stopped = !m_session->isStopped();
            saveMemory([this] { copyDiskNow(); });
        });
        return;
    }
    freeze([this] { stop([this] { copyDiskNow(); }); });
}

void SnapshotTaker::stop(std::function<void()> then) {
    m_stopped = !m_session->isStopped();
    m_session->qmp().execute(
        QStringLiteral("stop"),
        {},
        [this, then = std::move(then)](const Result<QJsonValue>& stopped) {
            if (passed(stopped ? Result<>() : fail(stopped.error())))
                then();
        },
        stopTimeout);
}

void SnapshotTaker::copyDiskNow() {
    step(tr("Copying the disk"));
    inWorker(
        this,
        [draft = m_draft]() -> Result<> {
            if (auto copied = draft->copyDiskPart({}); !copied)
                return copied;
            return draft->copyOthers(false, {});
        },
        [this](const Result<>& copied) {
            if (passed(copied))
                letGoOn();
        });
}

// Nearly all of the copy goes to the disk while the guest still works.
void SnapshotTaker::syncMirror() {
    stepReached("ready");
    inWorker(
        this,
        [draft = m_draft, memory = m_request.memory]() -> Result<> {
            if (auto synced = syncPath(draft->diskPart()); !synced)
                return synced;
            return memory ? Result<>() : draft->copyOthers(false, {});
        },
        [this](const Result<>& synced) {
            if (passed(synced))
                mirrored();
        });
}

void SnapshotTaker::mirrored() {
    step(tr("Copying the last writes"));
    const auto complete = [this](std::function<void()> then) {
        m_mirror->complete([this, then = std::move(then)](const Result<>& done) {
            stepReached("mirror done");
            if (passed(done))
                then();
        });
    };
    if (!m_request.memory) {
        freeze([this, complete] { complete([this] { letGoOn(); }); });
        return;
    }
    // Memory, disk and firmware variables have to be of one moment.
    detachShares([this, complete] {
        stop([this, complete] {
            complete([this] {
                saveMemory([this] {
                    inWorker(
                        this,
                        [draft = m_draft] { return draft->copyOthers(false, {}); },
                        [this](const Result<>& copied) {
                            if (passed(copied))
                                letGoOn();
                        });
                });
            });
        });
    });
}

// What was copied is that of one moment. The guest does not wait until it is on the disk.
void SnapshotTaker::letGoOn() {
    const RunOptions options = m_session->options();
    goOn([this, options] { settle(options); });
}

void SnapshotTaker::settle(const RunOptions& options) {
    step(tr("Writing the copy to the disk"));
    inWorker(
        this,
        [draft = m_draft,
         memory = m_request.memory,
         describe = m_describe,
         version = m_session->qmp().version(),
         options]() -> Result<> {
            if (auto synced = syncPath(draft->diskPart()); !synced)
                return synced;
            if (auto placed = draft->placeDisk(); !placed)
                return placed;
            return memory ? describe(draft->path(), version, options) : Result<>();
        },
        [this](const Result<>& settled) {
            if (passed(settled))
                commit();
        });
}

// Also after an error: nothing may leave the guest frozen or stopped.
void SnapshotTaker::goOn(std::function<void()> then) {
    const auto afterwards = [this, then = std::move(then)] {
        if (std::exchange(m_detached, false)) {
            m_reattaching = true;
            m_session->shares().reattachAll([this](const Result<>&) {
                m_reattaching = false;
                for (const auto& waiting : std::exchange(m_whenReattached, {}))
                    waiting();
            });
        }
        if (std::exchange(m_frozen, false))
            thaw(1, then);
        else
            then();
    };
    if (!std::exchange(m_stopped, false)) {
        afterwards();
        return;
    }
    m_session->qmp().execute(
        QStringLiteral("cont"), {}, [afterwards](const Result<QJsonValue>&) { afterwards(); });
}

void SnapshotTaker::thaw(int attempt, const std::function<void()>& then) {
    m_session->agent().execute(
        QStringLiteral("guest-fsfreeze-thaw"),
        {},
        thawTimeout,
        [this, attempt, then](const Result<QJsonValue>& thawed) {
            if (thawed) {
                then();
            } else if (attempt < thawAttempts && m_session->agent().guestOpened()) {
                QTimer::singleShot(
                    thawPause, this, [this, attempt, then] { thaw(attempt + 1, then); });
            } else {
                m_session->remark(
                    tr("The guest's file systems may still be frozen after a snapshot: its agent "
                       "did not thaw them. %1 If programs in the guest hang, run \"fsfreeze "
                       "--unfreeze /\" in it or restart it.")
                        .arg(thawed.error().message));
                then();
            }
        });
}

void SnapshotTaker::commit() {
    step(tr("Writing the description"));
    Snapshot snapshot;
    snapshot.name = m_request.name.simplified();
    snapshot.withMemory = m_request.memory;
    snapshot.crashConsistent = !m_request.memory && !m_frozeAll;
    snapshot.automatic = m_request.automatic;
    snapshot.otherDisks = m_otherDisks;
    inWorker(
        this,
        [draft = std::exchange(m_draft, nullptr), snapshot, config = m_config]() mutable {
            if (snapshot.name.isEmpty())
                if (const auto tree = readSnapshots(draft->machineDirectory()))
                    snapshot.name = freeSnapshotName(*tree);
            Result<Snapshot> result = draft->commit(snapshot, config);
            draft.reset();
            return result;
        },
        [this](const Result<Snapshot>& result) { finish(result); });
}

void SnapshotTaker::finish(Result<Snapshot> result) {
    if (!m_done)
        return;
    const Done done = std::exchange(m_done, nullptr);
    const auto end = [this, done, result = std::move(result)] {
        goOn([this, done, result] {
            m_mirror.reset();
            m_session->release();
            // Removing a large half-made copy takes a while.
            inWorker(
                this,
                [draft = std::exchange(m_draft, nullptr)]() mutable {
                    draft.reset();
                    return true;
                },
                [this, done, result](bool) {
                    // Who is told that it is done finds the shared folders again.
                    if (!m_reattaching) {
                        done(result);
                        return;
                    }
                    step(tr("Mounting the shared folders again"));
                    m_whenReattached.push_back([done, result] { done(result); });
                });
        });
    };
    if (m_mirror)
        m_mirror->abandon(end);
    else
        end();
}

} // namespace vitrine::qemu
