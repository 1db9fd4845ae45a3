// SPDX-License-Identifier: Apache-2.0
#include "core/job/job.h"

#include <QTime>

#include <chrono>
#include <condition_variable>

namespace vitrine {

namespace {
constexpr int maximumLogLines = 5000;

// How much work runs in this program, with and without a record.
struct RunningWork {
    std::mutex mutex;
    std::condition_variable ended;
    int count = 0;

    static RunningWork& instance() {
        static auto* work =
            new RunningWork; // never destroyed: abandoned threads may outlive main()
        return *work;
    }
    void began() {
        const std::scoped_lock lock(mutex);
        ++count;
    }
    void hasEnded() {
        const std::scoped_lock lock(mutex);
        --count;
        ended.notify_all();
    }
};

} // namespace

// What the work's threads write and the record's thread reads.
struct Job::Shared {
    std::mutex mutex;
    Job* owner = nullptr; // null once the record is gone
    std::optional<Progress> progress;
    QStringList log;
    std::optional<Result<>> outcome;
};

Job::Job(QString kind, QString title, QString subtitle, Work work, QObject* parent)
    : QObject(parent)
    , m_kind(std::move(kind))
    , m_title(std::move(title))
    , m_subtitle(std::move(subtitle))
    , m_work(std::move(work)) {
    m_timer.setObjectName(QStringLiteral("Job::drain"));
    m_timer.setInterval(100);
    connect(&m_timer, &QTimer::timeout, this, &Job::drain);
}

Job::~Job() {
    if (m_shared) {
        const std::scoped_lock lock(m_shared->mutex);
        m_shared->owner = nullptr;
    }
    if (m_thread.joinable()) {
        m_thread.request_stop();
        m_thread.detach();
    }
}

bool Job::waitForAbandoned(int timeoutMilliseconds) {
    RunningWork& work = RunningWork::instance();
    std::unique_lock lock(work.mutex);
    return work.ended.wait_for(
        lock, std::chrono::milliseconds(timeoutMilliseconds), [&work] { return work.count == 0; });
}

void Job::start() {
    if (m_state == State::Queued)
        run();
}

void Job::retry() {
    if (m_state == State::Failed || m_state == State::Cancelled)
        run();
}

void Job::run() {
    if (m_thread.joinable())
        m_thread.join();
    auto shared = std::make_shared<Shared>();
    shared->owner = this;
    m_shared = shared;
    m_error = {};
    m_progress = {};
    m_bytesPerSecond = 0;
    m_lastDone = 0;
    m_lastSample.invalidate();
    m_startedAt = QDateTime::currentDateTime();
    m_finishedAt = {};
    setState(State::Running);
    m_timer.start();
    RunningWork::instance().began();
    m_thread = std::jthread([shared, work = m_work](const std::stop_token& stop) mutable {
        JobContext context;
        context.stop = stop;
        context.report = [shared](Progress progress) {
            const std::scoped_lock lock(shared->mutex);
            shared->progress = std::move(progress);
        };
        context.log = [shared](const QString& line) {
            const QString stamped = QTime::currentTime().toString(QStringLiteral("HH:mm:ss")) +
                                    QLatin1String("  ") + line;
            const std::scoped_lock lock(shared->mutex);
            shared->log.append(stamped);
        };
        Result<> outcome = work(context);
        work = nullptr;
        {
            const std::scoped_lock lock(shared->mutex);
            shared->outcome = std::move(outcome);
            // The record cannot go while the mutex is held: its destructor takes it first.
            if (shared->owner)
                QMetaObject::invokeMethod(shared->owner, &Job::drain, Qt::QueuedConnection);
        }
        RunningWork::instance().hasEnded();
    });
}

void Job::cancel() {
    if (m_state == State::Queued) {
        m_finishedAt = QDateTime::currentDateTime();
        setState(State::Cancelled);
        Q_EMIT finished();
    } else if (m_state == State::Running) {
        m_thread.request_stop();
    }
}

void Job::drain() {
    if (!m_shared || m_state != State::Running)
        return;
    std::optional<Progress> progress;
    QStringList lines;
    std::optional<Result<>> outcome;
    {
        const std::scoped_lock lock(m_shared->mutex);
        progress.swap(m_shared->progress);
        lines.swap(m_shared->log);
        outcome.swap(m_shared->outcome);
    }
    for (const QString& line : std::as_const(lines)) {
        m_log.append(line);
        Q_EMIT logged(line);
    }
    if (m_log.size() > maximumLogLines)
        m_log.remove(0, m_log.size() - maximumLogLines);
    if (progress)
        m_progress = *std::move(progress);
    updateSpeed(outcome.has_value());
    if (progress || outcome)
        Q_EMIT progressed();
    if (!outcome)
        return;
    m_timer.stop();
    m_finishedAt = QDateTime::currentDateTime();
    if (outcome->has_value()) {
        setState(State::Succeeded);
    } else {
        m_error = outcome->error();
        setState(m_error.isCancelled() ? State::Cancelled : State::Failed);
    }
    Q_EMIT finished();
}

void Job::updateSpeed(bool force) {
    if (!m_lastSample.isValid()) {
        m_lastSample.start();
        m_lastDone = m_progress.done;
        return;
    }
    const qint64 elapsed = m_lastSample.elapsed();
    if (elapsed < 500 && !force)
        return;
    if (elapsed < 1)
        return;
    const double now = m_progress.done >= m_lastDone
                           ? static_cast<double>(m_progress.done - m_lastDone) * 1000.0 /
                                 static_cast<double>(elapsed)
                           : 0.0;
    m_bytesPerSecond = m_bytesPerSecond <= 0 ? now : m_bytesPerSecond * 0.8 + now * 0.2;
    m_lastDone = m_progress.done;
    m_lastSample.restart();
}

std::optional<qint64> Job::secondsLeft() const {
    if (m_state != State::Running || !m_progress.total || m_bytesPerSecond < 1 ||
        *m_progress.total < m_progress.done)
        return std::nullopt;
    return static_cast<qint64>(static_cast<double>(*m_progress.total - m_progress.done) /
                               m_bytesPerSecond) +
           1;
}

void Job::setState(State state) {
    m_state = state;
    Q_EMIT stateChanged();
}

} // namespace vitrine
