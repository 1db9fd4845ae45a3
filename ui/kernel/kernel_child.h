// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>
#include <QProcess>
#include <QStringList>

#include <optional>

class QTimer;

namespace vitrine::ui {

// How a run ended, as vitrinectl tells it.
struct KernelResult {
    enum class State { Passed, Failed, NotRun, Stopped };
    State state = State::NotRun;
    int exitCode = -1;  // of the command; -1: there is none
    double seconds = 0; // from the start to the end
    QString share;      // "virtiofs" or "9p"; may be empty
    QString reason;     // why there is no exit code: whole sentences
};

// One `vitrinectl kernel …` at a time, which ends when this does. Window thread only; nothing here
// waits.
class KernelChild final : public QObject {
    Q_OBJECT
public:
    explicit KernelChild(QObject* parent = nullptr);
    ~KernelChild() override;

    // The arguments behind "kernel". Nothing happens while one runs.
    void run(const QStringList& arguments);
    // `kernel run --format json`: standard output is kept for answer() instead of being passed on.
    void ask(const QStringList& arguments);
    // Asks it to end, and kills it if it has not after ten seconds.
    void stop();
    [[nodiscard]] bool isRunning() const { return m_running; }
    [[nodiscard]] double seconds() const; // since the start
    // Of ask(): standard output, and standard error without the program's name.
    [[nodiscard]] const QByteArray& answer() const { return m_answer; }
    [[nodiscard]] QString complaint() const;

Q_SIGNALS:
    void output(const QByteArray& bytes);
    void errors(const QByteArray& bytes);
    void finished(const vitrine::ui::KernelResult& result);

private:
    void start(const QStringList& arguments, bool keep);
    void ended();
    void failedToStart();
    [[nodiscard]] QJsonObject report();
    void closeReport();

    QProcess m_process;
    QTimer* m_patience;
    QElapsedTimer m_clock;
    QByteArray m_answer;
    QByteArray m_complaint; // the last part of standard error
    int m_reportRead = -1;  // a pipe that the report comes through
    int m_reportWrite = -1;
    bool m_running = false;
    bool m_keep = false;
    bool m_stopped = false;
};

} // namespace vitrine::ui
