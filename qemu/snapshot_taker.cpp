// SPDX-License-Identifier: Apache-2.0
#include "qemu/snapshot_taker.h"

#include "core/disk/disk_space.h"
#include "core/disk/file_copy.h"
#include "core/library/saved_state.h"
#include "core/snapshot/snapshot_operations.h"
#include "qemu/worker.h"

#include <QFile>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace vitrine::qemu {

namespace {

constexpr int freezeTimeout = 10000; // ms; a guest that writes a lot flushes first
constexpr int stopTimeout = 60000;   // ms

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
    m_way = Way::Undecided;
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
    if (m_mirror)
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
                m_way = Way::ShareBlocks;
                standStill();
                return;
            }
            m_way = Way::Mirror;
            step(tr("Copying the disk"));
            m_mirror = std::make_unique<SnapshotMirror>(&m_session->qmp());
            m_mirror->begin(m_draft->diskPart(), [this](const Result<>& ready) {
                if (passed(ready))
                    mirrored();
            });
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
            saveMemory([this] { copyFiles(); });
        });
        return;
    }
    freeze([this] {
        m_stopped = !m_session->isStopped();
        m_session->qmp().execute(
            QStringLiteral("stop"),
            {},
            [this](const Result<QJsonValue>& stopped) {
                if (passed(stopped ? Result<>() : fail(stopped.error())))
                    copyFiles();
            },
            stopTimeout);
    });
}

void SnapshotTaker::mirrored() {
    step(tr("Copying the last writes"));
    const auto complete = [this] {
        m_mirror->complete([this](const Result<>& done) {
            if (passed(done))
                saveMemory([this] { copyFiles(); });
        });
    };
    if (!m_request.memory) {
        freeze(complete);
        return;
    }
    // Memory and disk have to be of one moment.
    detachShares([this, complete] {
        m_stopped = !m_session->isStopped();
        m_session->qmp().execute(
            QStringLiteral("stop"),
            {},
            [this, complete](const Result<QJsonValue>& stopped) {
                if (passed(stopped ? Result<>() : fail(stopped.error())))
                    complete();
            },
            stopTimeout);
    });
}

void SnapshotTaker::copyFiles() {
    step(tr("Copying the disk"));
    inWorker(
        this,
        [draft = m_draft,
         shares = m_way == Way::ShareBlocks,
         memory = m_request.memory,
         describe = m_describe,
         version = m_session->qmp().version(),
         options = m_session->options()]() -> Result<> {
            if (shares) {
                if (auto copied = draft->copyDiskPart({}); !copied)
                    return copied;
            }
            if (auto copied = draft->copyOthers(false, {}); !copied)
                return copied;
            if (!shares)
                if (auto synced = syncPath(draft->diskPart()); !synced)
                    return synced;
            if (auto placed = draft->placeDisk(); !placed)
                return placed;
            return memory ? describe(draft->path(), version, options) : Result<>();
        },
        [this](const Result<>& copied) {
            if (passed(copied))
                goOn([this] { commit(); });
        });
}

// Also after an error: nothing may leave the guest frozen or stopped.
void SnapshotTaker::goOn(std::function<void()> then) {
    const auto thaw = [this, then = std::move(then)] {
        if (std::exchange(m_detached, false))
            m_session->shares().reattachAll([](const Result<>&) {});
        if (!std::exchange(m_frozen, false)) {
            then();
            return;
        }
        m_session->agent().execute(QStringLiteral("guest-fsfreeze-thaw"),
                                   {},
                                   freezeTimeout,
                                   [then](const Result<QJsonValue>&) { then(); });
    };
    if (!std::exchange(m_stopped, false)) {
        thaw();
        return;
    }
    m_session->qmp().execute(
        QStringLiteral("cont"), {}, [thaw](const Result<QJsonValue>&) { thaw(); });
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
                [done, result](bool) { done(result); });
        });
    };
    if (m_mirror)
        m_mirror->abandon(end);
    else
        end();
}

} // namespace vitrine::qemu
