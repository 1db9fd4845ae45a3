// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/result/result.h"
#include "core/softnet/softnet_client.h"

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

#include <memory>

namespace vitrine {

// Keeps the program that is a machine's network (vitrine-softnet here, Softnet on a Mac) running
// for as long as the machine does. The child gets the machine's socket as descriptor 0 and, if it
// understands that, a control channel as descriptor 1; both are the places Tart uses. When it ends
// by itself it is started again on the same socket, with the rules that were set last, so that the
// guest's network goes on. One that leaves two questions in a row without an answer is killed. It
// is in a process group of its own, without secrets in its environment, and does not outlive this
// process: it reads the end of both sockets, and on Linux the kernel ends it. Use it from the main
// thread only.
class SoftnetSupervisor final : public QObject {
    Q_OBJECT
public:
    struct Pace {
        int first = 50;       // ms until it is started again after it ended
        int longest = 10000;  // ms; doubled from one end to the next up to this
        int healthy = 10000;  // ms of life after which an end counts as the first again
        int patience = 2000;  // ms after SIGINT until it is killed
        int attempts = 12;    // ends in a row without a healthy life: then no more
        int greeting = 10000; // ms for the first answer on the control channel
        int watch = 10000;    // ms between two questions whether it still answers, and for each
    };
    struct Setup {
        QString program;       // absolute
        QStringList arguments; // without descriptors and rules
        FileDescriptor socket; // the child's end; kept for restarts
        QString logFile;       // its stderr is appended; 0600. Empty: none
        bool hasControl = true;
        SoftnetPolicy policy;
        Pace pace = {};
    };

    explicit SoftnetSupervisor(Setup setup, QObject* parent = nullptr);
    ~SoftnetSupervisor() override; // kills the child and waits for its end

    // Once. An error when the program cannot be executed.
    Result<> start();
    // SIGINT, after `patience` SIGKILL; stopped() follows, also when it does not run.
    void stop();
    // What the next start is given; does not change the running one.
    void setPolicy(const SoftnetPolicy& policy) { m_setup.policy = policy; }

    [[nodiscard]] SoftnetClient* client() const { return m_client.get(); } // null between two runs
    [[nodiscard]] bool isReady() const { return m_ready; }
    [[nodiscard]] qint64 processId() const { return m_process ? m_process->processId() : 0; }
    [[nodiscard]] int restarts() const { return m_restarts; }
    // What it wrote to stderr last, and how it ended last time: shown when it does not come back.
    [[nodiscard]] const QString& lastLine() const { return m_lastLine; }
    [[nodiscard]] int exitCode() const { return m_exitCode; }
    [[nodiscard]] int endedBySignal() const { return m_signal; }

Q_SIGNALS:
    void ready();                         // it answers; without control: it was started
    void ended(const QString& how);       // by itself, translated; it is started again
    void gaveUp(const vitrine::Error& e); // it is not started again
    void notified(const QString& method, const QJsonObject& parameters);
    void stopped();

private:
    Result<> launch();
    void greet();
    void watch();
    void onFinished();
    void readErrors();
    [[nodiscard]] bool machineIsGone() const;
    [[nodiscard]] QString howItEnded() const;

    Setup m_setup;
    std::unique_ptr<QProcess> m_process;
    std::unique_ptr<SoftnetClient> m_client;
    FileDescriptor m_log;
    qint64 m_logged = 0;
    QByteArray m_partialLine;
    QTimer m_again;
    QTimer m_kill;
    QTimer m_watch;
    int m_silences = 0; // questions in a row that it did not answer
    QElapsedTimer m_life;
    QString m_lastLine;
    int m_restarts = 0;
    int m_failures = 0; // in a row
    int m_exitCode = 0;
    int m_signal = 0;
    bool m_ready = false;
    bool m_stopping = false;
};

} // namespace vitrine
