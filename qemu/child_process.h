// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/result/result.h"

#include <QList>
#include <QObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>

namespace vitrine::qemu {

// A child of the machine's process that must not outlive it (contract 1): killed by the kernel when
// this process dies, in a process group of its own (a Ctrl-C in the foreground does not reach it),
// umask 077, deaf to SIGTERM, SIGHUP and SIGINT (those are for the machine's
// process, which ends it in order), no secrets in its environment, no descriptors but those named.
// What it writes to stderr goes to the log file (0600, at most 1 MiB kept); stdin and stdout are
// /dev/null.
//
// Use it from the main thread only: the kernel ties the death signal to the thread that forked.
// Destroying it kills the child and waits for its end.
class ChildProcess final : public QObject {
    Q_OBJECT
public:
    struct Request {
        QString program; // absolute
        QStringList arguments;
        QString workingDirectory;
        QString logFile;      // appended to
        QList<int> inherited; // descriptors of this process, same number in the child
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    };

    explicit ChildProcess(QObject* parent = nullptr);
    ~ChildProcess() override;

    // Once. Fails when the program cannot be executed.
    Result<> start(const Request& request);
    [[nodiscard]] bool isRunning() const;
    [[nodiscard]] qint64 processId() const; // 0 when it does not run
    void kill();                            // SIGKILL; finished() follows

    // The last lines it wrote to stderr, oldest first; at most 20.
    [[nodiscard]] const QStringList& lastLines() const { return m_lastLines; }
    // After finished(): the signal that ended it, 0 when it exited by itself.
    [[nodiscard]] int endedBySignal() const;
    [[nodiscard]] int exitCode() const;

Q_SIGNALS:
    void finished();

private:
    void readErrors();
    void keepLine(const QByteArray& line);
    void writeLog(const QByteArray& bytes);

    QProcess m_process;
    FileDescriptor m_log;
    qint64 m_logged = 0;
    QByteArray m_partialLine;
    QStringList m_lastLines;
};

} // namespace vitrine::qemu
