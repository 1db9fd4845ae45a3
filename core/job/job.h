// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QList>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace vitrine {

// One part of long work, such as a layer of an image.
struct ProgressItem {
    enum class State { Waiting, Running, Done, AlreadyHere, Failed };
    QString label;     // plain text, e.g. "sha256:41ab0e"
    quint64 done = 0;  // bytes
    quint64 total = 0; // bytes
    State state = State::Waiting;
    QString note;              // translated: "Fetching", "Checked and written", "Retrying in 4 s"
    double bytesPerSecond = 0; // 0 when unknown

    friend bool operator==(const ProgressItem&, const ProgressItem&) = default;
};

// A snapshot of how far long work has come.
struct Progress {
    quint64 done = 0;             // bytes
    std::optional<quint64> total; // bytes; nullopt when not known yet
    QString step;                 // translated, what happens now
    QList<ProgressItem> items;    // empty for work without parts
};

// Handed to the work; may be copied and used from any thread the work starts.
struct JobContext {
    std::stop_token stop;
    std::function<void(Progress)> report = [](const Progress&) {};
    std::function<void(QString)> log = [](const QString&) {
    }; // one untranslated line, no time stamp

    [[nodiscard]] bool cancelled() const { return stop.stop_requested(); }
};

// The record of long work. Lives on the thread that made it; the work runs straight through on a
// thread of its own. The record stays when the work is over. Destroying it cancels the work and
// does not wait: work must own what it uses (values, shared pointers). See waitForAbandoned().
class Job final : public QObject {
    Q_OBJECT
public:
    enum class State { Queued, Running, Succeeded, Cancelled, Failed };
    Q_ENUM(State)
    using Work = std::function<Result<>(JobContext)>;

    // `kind` is a stable word for models ("pull", "clone"); `title` and `subtitle` are shown.
    Job(QString kind, QString title, QString subtitle, Work work, QObject* parent = nullptr);
    ~Job() override;

    void start();  // from Queued; a second call does nothing
    void cancel(); // returns at once; finished() follows
    // Starts the same work again after Failed or Cancelled. The log is kept.
    void retry();

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool isFinished() const { return m_state >= State::Succeeded; }
    [[nodiscard]] const QString& kind() const { return m_kind; }
    [[nodiscard]] const QString& title() const { return m_title; }
    [[nodiscard]] const QString& subtitle() const { return m_subtitle; }
    [[nodiscard]] const Progress& progress() const { return m_progress; }
    [[nodiscard]] const Error& error() const { return m_error; } // meaningful in Failed
    [[nodiscard]] const QStringList& logLines() const {
        return m_log;
    } // with time stamps, newest last, at most 5,000
    [[nodiscard]] double bytesPerSecond() const {
        return m_bytesPerSecond;
    } // smoothed over about 3 s
    [[nodiscard]] std::optional<qint64> secondsLeft() const;
    [[nodiscard]] QDateTime startedAt() const { return m_startedAt; }
    [[nodiscard]] QDateTime finishedAt() const { return m_finishedAt; }

    // Waits until the work of every destroyed record has ended; false when the time (milliseconds)
    // is over first. Call it before the program ends, so that cancelled work can put its files in
    // order. Any thread.
    static bool waitForAbandoned(int timeoutMilliseconds);

Q_SIGNALS:
    void stateChanged();
    void progressed(); // at most ten times a second
    void logged(const QString& line);
    void finished(); // from every path, once a run

private:
    struct Shared;
    void run();
    void drain();
    void setState(State state);
    void updateSpeed(bool force);

    QString m_kind;
    QString m_title;
    QString m_subtitle;
    Work m_work;
    std::shared_ptr<Shared> m_shared;
    std::jthread m_thread;
    QTimer m_timer;
    State m_state = State::Queued;
    Progress m_progress;
    Error m_error;
    QStringList m_log;
    double m_bytesPerSecond = 0;
    quint64 m_lastDone = 0;
    QElapsedTimer m_lastSample;
    QDateTime m_startedAt;
    QDateTime m_finishedAt;
};

} // namespace vitrine
