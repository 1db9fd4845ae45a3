// SPDX-License-Identifier: Apache-2.0
#include "qemu/snapshot_mirror.h"

#include "qemu/launch_plan.h"

#include <QJsonArray>

#include <utility>

namespace vitrine::qemu {

namespace {

constexpr int pollPeriod = 50; // ms

QString jobId() {
    return QStringLiteral("vitrine-snapshot");
}
QString nodeName() {
    return QStringLiteral("snapshot-target");
}

Error failed(const QString& words) {
    return {Error::Kind::Internal,
            SnapshotMirror::tr("The disk could not be copied. QEMU says: %1").arg(words),
            {}};
}

} // namespace

SnapshotMirror::SnapshotMirror(QmpClient* qmp, QObject* parent)
    : QObject(parent)
    , m_qmp(qmp) {
    m_poll.setSingleShot(true);
    connect(&m_poll, &QTimer::timeout, this, &SnapshotMirror::poll);
    connect(
        qmp, &QmpClient::eventArrived, this, [this](const QString& name, const QJsonObject& data) {
            if (name == QLatin1String("BLOCK_JOB_COMPLETED") &&
                data.value(QLatin1String("device")).toString() == jobId())
                m_problem = data.value(QLatin1String("error")).toString().left(500);
        });
}

void SnapshotMirror::begin(const QString& path, Done ready) {
    m_ready = std::move(ready);
    m_starting = true;
    const QJsonObject file{{QStringLiteral("driver"), QStringLiteral("file")},
                           {QStringLiteral("filename"), path},
                           {QStringLiteral("discard"), QStringLiteral("unmap")}};
    const QJsonObject node{{QStringLiteral("driver"), QStringLiteral("raw")},
                           {QStringLiteral("node-name"), nodeName()},
                           {QStringLiteral("discard"), QStringLiteral("unmap")},
                           {QStringLiteral("detect-zeroes"), QStringLiteral("unmap")},
                           {QStringLiteral("file"), file}};
    m_qmp->execute(QStringLiteral("blockdev-add"), node, [this](const Result<QJsonValue>& answer) {
        m_nodeAdded = answer.has_value();
        if (wasAbandoned())
            return;
        if (answer) {
            start();
            return;
        }
        m_starting = false;
        std::exchange(m_ready, nullptr)(fail(answer.error()));
    });
}

void SnapshotMirror::start() {
    m_qmp->execute(QStringLiteral("blockdev-mirror"),
                   {{QStringLiteral("job-id"), jobId()},
                    {QStringLiteral("device"), QLatin1String(rootDiskNode)},
                    {QStringLiteral("target"), nodeName()},
                    {QStringLiteral("sync"), QStringLiteral("full")},
                    // A copy that cannot be written ends; the guest does not notice.
                    {QStringLiteral("on-target-error"), QStringLiteral("report")}},
                   [this](const Result<QJsonValue>& answer) {
                       m_starting = false;
                       m_running = answer.has_value();
                       if (m_running)
                           m_poll.start(pollPeriod);
                       if (!wasAbandoned() && !answer)
                           std::exchange(m_ready, nullptr)(fail(answer.error()));
                   });
}

bool SnapshotMirror::wasAbandoned() {
    if (!m_abandoned)
        return false;
    m_starting = false;
    abandon(std::exchange(m_abandoned, nullptr));
    return true;
}

void SnapshotMirror::poll() {
    m_qmp->execute(
        QStringLiteral("query-block-jobs"), {}, [this](const Result<QJsonValue>& answer) {
            if (!answer) {
                m_running = false;
                if (const Done waiting =
                        m_done ? std::exchange(m_done, nullptr) : std::exchange(m_ready, nullptr))
                    waiting(fail(answer.error()));
                return;
            }
            for (const QJsonValue& item : answer->toArray()) {
                const QJsonObject job = item.toObject();
                if (job.value(QLatin1String("device")).toString() != jobId())
                    continue;
                m_copied = static_cast<quint64>(job.value(QLatin1String("offset")).toInteger());
                m_total = static_cast<quint64>(job.value(QLatin1String("len")).toInteger());
                if (m_ready && job.value(QLatin1String("ready")).toBool())
                    std::exchange(m_ready, nullptr)({});
                m_poll.start(pollPeriod);
                return;
            }
            ended();
        });
}

// The job is no longer there.
void SnapshotMirror::ended() {
    m_running = false;
    const bool wanted = m_completing;
    const Done waiting = m_done ? std::exchange(m_done, nullptr) : std::exchange(m_ready, nullptr);
    const Result<> result = wanted && m_problem.isEmpty()
                                ? Result<>()
                                : fail(failed(m_problem.isEmpty() ? tr("nothing") : m_problem));
    abandon([waiting, result] {
        if (waiting)
            waiting(result);
    });
}

void SnapshotMirror::complete(Done done) {
    if (!m_running) {
        done(fail(failed(m_problem)));
        return;
    }
    m_completing = true;
    m_done = std::move(done);
    m_qmp->execute(QStringLiteral("block-job-cancel"),
                   {{QStringLiteral("device"), jobId()}},
                   [this](const Result<QJsonValue>& answer) {
                       if (!answer && m_done)
                           std::exchange(m_done, nullptr)(fail(answer.error()));
                   });
}

void SnapshotMirror::abandon(std::function<void()> then) {
    m_ready = m_done = nullptr;
    if (m_starting) {
        m_abandoned = std::move(then);
        return;
    }
    if (m_running) {
        // It may have ended by itself, which poll() finds as well.
        m_done = [then](const Result<>&) { then(); };
        m_qmp->execute(QStringLiteral("block-job-cancel"),
                       {{QStringLiteral("device"), jobId()}, {QStringLiteral("force"), true}});
        return;
    }
    m_poll.stop();
    if (!std::exchange(m_nodeAdded, false)) {
        then();
        return;
    }
    m_qmp->execute(QStringLiteral("blockdev-del"),
                   {{QStringLiteral("node-name"), nodeName()}},
                   [then](const Result<QJsonValue>&) { then(); });
}

} // namespace vitrine::qemu
