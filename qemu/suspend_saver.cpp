// SPDX-License-Identifier: Apache-2.0
#include "qemu/suspend_saver.h"

#include "core/disk/disk_space.h"
#include "core/job/in_worker.h"
#include "qemu/suspend_steps.h"

#include <QFile>
#include <QJsonArray>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace vitrine::qemu {

namespace {

constexpr int pollPeriod = 25;      // ms; small guests are saved in 100 ms
constexpr int drainTimeout = 60000; // ms; outstanding writes are finished first
constexpr const char* descriptorName = "vitrine-state";

QStringList textsOf(const QJsonValue& list) {
    QStringList texts;
    for (const QJsonValue& item : list.toArray())
        texts << item.toString().left(500);
    return texts;
}

} // namespace

Error cannotBeSaved(const QStringList& reasons) {
    const QString all = reasons.join(QLatin1Char(' '));
    QString why;
    if (all.contains(QLatin1String("vhost-user-fs")) || all.contains(QLatin1String("VirtFS")))
        why = SuspendSaver::tr("Folders are shared with it. Remove the shares first.");
    else if (all.contains(QLatin1String("vdagent")))
        why = SuspendSaver::tr("Its clipboard is shared in a way that cannot be saved. Switch the "
                               "clipboard off, then start the machine again.");
    else
        why = SuspendSaver::tr("QEMU says: %1").arg(all);
    return {Error::Kind::Unsupported,
            SuspendSaver::tr("The state of this machine cannot be saved now. %1").arg(why),
            all};
}

SuspendSaver::SuspendSaver(QmpClient* qmp, QObject* parent)
    : QObject(parent)
    , m_qmp(qmp) {
    m_poll.setSingleShot(true);
    connect(&m_poll, &QTimer::timeout, this, &SuspendSaver::poll);
}

SuspendSaver::~SuspendSaver() = default;

void SuspendSaver::check(const Done& done) {
    m_qmp->execute(QStringLiteral("query-migrate"), {}, [done](const Result<QJsonValue>& answer) {
        if (!answer) {
            done(fail(answer.error()));
            return;
        }
        const QStringList reasons =
            textsOf(answer->toObject().value(QLatin1String("blocked-reasons")));
        done(reasons.isEmpty() ? Result<>{} : fail(cannotBeSaved(reasons)));
    });
}

void SuspendSaver::ask(const char* command,
                       const QJsonObject& arguments,
                       std::function<void(const QJsonValue&)> then,
                       int timeout) {
    m_qmp->execute(
        QLatin1String(command),
        arguments,
        [this, then = std::move(then)](const Result<QJsonValue>& answer) {
            if (!m_done)
                return;
            if (!answer)
                finish(fail(answer.error()));
            else
                then(*answer);
        },
        timeout);
}

void SuspendSaver::save(const QString& path, Done done) {
    if (m_done) {
        done(fail(Error::Kind::Busy,
                  tr("The state of the machine is being saved already. Wait until that is done.")));
        return;
    }
    m_done = std::move(done);
    m_path = path;
    m_wasRunning = m_stopped = m_cancelled = false;
    m_written = m_total = 0;
    stepReached("asked");
    check([this](const Result<>& possible) {
        if (!m_done)
            return;
        if (!possible) {
            finish(possible);
            return;
        }
        stepReached("checked");
        const QByteArray name = QFile::encodeName(m_path);
        ::unlink(name.constData());
        m_file = FileDescriptor(
            ::open(name.constData(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!m_file.isValid()) {
            finish(fail(Error::fromErrno(tr("Cannot write \"%1\".").arg(m_path), errno)));
            return;
        }
        stopGuest();
    });
}

void SuspendSaver::stopGuest() {
    ask("query-status", {}, [this](const QJsonValue& status) {
        m_wasRunning = status.toObject().value(QLatin1String("running")).toBool();
        // As fast as the disk: nobody works in the guest meanwhile.
        ask("migrate-set-parameters",
            {{QStringLiteral("max-bandwidth"), 10000000000LL}},
            [this](const QJsonValue&) {
                m_stopped = true;
                ask(
                    "stop",
                    {},
                    [this](const QJsonValue&) {
                        stepReached("stopped");
                        sendDescriptor();
                    },
                    drainTimeout);
            });
    });
}

void SuspendSaver::sendDescriptor() {
    m_qmp->executeWithDescriptor(
        QStringLiteral("getfd"),
        {{QStringLiteral("fdname"), QLatin1String(descriptorName)}},
        m_file.get(),
        [this](const Result<QJsonValue>& answer) {
            if (!m_done)
                return;
            if (!answer) {
                finish(fail(answer.error()));
                return;
            }
            stepReached("descriptor sent");
            ask("migrate",
                {{QStringLiteral("uri"), QLatin1String("fd:") + QLatin1String(descriptorName)}},
                [this](const QJsonValue&) {
                    stepReached("saving");
                    m_poll.start(pollPeriod);
                });
        });
}

void SuspendSaver::poll() {
    ask("query-migrate", {}, [this](const QJsonValue& answer) {
        const QJsonObject object = answer.toObject();
        const QString status = object.value(QLatin1String("status")).toString();
        const QJsonObject ram = object.value(QLatin1String("ram")).toObject();
        m_total = static_cast<quint64>(ram.value(QLatin1String("total")).toInteger());
        struct stat info {};
        if (::fstat(m_file.get(), &info) == 0)
            m_written = static_cast<quint64>(info.st_size);
        Q_EMIT progressed();
        if (status == QLatin1String("completed")) {
            stepReached("saved");
            synchronize();
        } else if (status == QLatin1String("cancelled") || m_cancelled) {
            finish(fail(Error::cancelled()));
        } else if (status == QLatin1String("failed")) {
            // QEMU does not tell the reason of a failed write.
            const auto space = volumeSpace(m_path.section(QLatin1Char('/'), 0, -2));
            const bool full = space && space->available.bytes() < (8ULL << 20);
            finish(fail(full ? Error::Kind::DiskFull : Error::Kind::Internal,
                        full ? tr("The state of the machine does not fit on the disk of this "
                                  "computer. Free some space and try again; the guest goes on.")
                             : tr("The state of the machine could not be saved; the guest goes on. "
                                  "QEMU says: %1")
                                   .arg(object.value(QLatin1String("error-desc"))
                                            .toString(tr("nothing"))
                                            .left(500))));
        } else {
            m_poll.start(pollPeriod);
        }
    });
}

void SuspendSaver::synchronize() {
    inWorker(
        this,
        [fd = m_file.get(), path = m_path] { return syncFile(fd, path); },
        [this](const Result<>& synced) {
            if (!m_done)
                return;
            if (synced)
                stepReached("synced");
            finish(synced && m_cancelled ? Result<>(fail(Error::cancelled())) : synced);
        });
}

void SuspendSaver::cancel() {
    if (m_done) {
        m_cancelled = true;
        m_qmp->execute(QStringLiteral("migrate_cancel"));
    }
}

void SuspendSaver::finish(Result<> result) {
    m_poll.stop();
    m_file.reset();
    const Done done = std::exchange(m_done, nullptr);
    if (result) {
        done(std::move(result));
        return;
    }
    ::unlink(QFile::encodeName(m_path).constData());
    if (!m_stopped || !m_wasRunning) {
        done(std::move(result));
        return;
    }
    m_qmp->execute(QStringLiteral("cont"),
                   {},
                   [done, result = std::move(result)](const Result<QJsonValue>&) { done(result); });
}

} // namespace vitrine::qemu
