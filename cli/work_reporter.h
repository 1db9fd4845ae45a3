// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.h"
#include "cli/interruption.h"
#include "core/job/job.h"

#include <QElapsedTimer>

#include <functional>
#include <mutex>

namespace vitrine::cli {

// How the line of a terminal or a log reads: "34 %  1.2 GB of 3.4 GB  120 MB/s  0:12 left
// Fetching". Speed 0 means not known.
[[nodiscard]] QString progressText(const Progress& progress, double bytesPerSecond);

// Carries long work of a command: progress to standard error (one line that is rewritten on a
// terminal, plain lines at most every two seconds elsewhere and where CI is set) or JSON lines to
// standard output, and a signal as the request to stop.
class WorkReporter final {
public:
    explicit WorkReporter(ProgressFormat format);
    ~WorkReporter(); // ends a rewritten line

    // May be used from any thread while this lives.
    [[nodiscard]] JobContext context();

private:
    void report(const Progress& progress);
    void log(const QString& line);
    void showText();
    void endLine();

    Interruption m_interruption;
    ProgressFormat m_format;
    bool m_rewrites;
    std::mutex m_mutex;
    QElapsedTimer m_clock;
    qint64 m_shownAt = -1; // ms of m_clock
    QString m_shown;
    qint64 m_sampledAt = 0;
    quint64 m_sampledDone = 0;
    bool m_sampled = false;
    double m_speed = 0; // bytes per second
    int m_lineWidth = 0;
};

} // namespace vitrine::cli
