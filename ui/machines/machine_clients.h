// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "core/hypervisor/machine_client.h"
#include "core/hypervisor/machine_launcher.h"
#include "core/library/library_model.h"
#include "ui/machines/start_failure.h"

#include <QDateTime>
#include <QHash>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace vitrine {
class MachineHost;
}

namespace vitrine::ui {

class ProcessWatch;

enum class StartMode { Ordinary, Recovery }; // Recovery: of macOS guests, Feature::Recovery

// The running machines of a library: one MachineClient for each machine whose lock is held. Starts
// machines, sends verbs, overlays what the machines say into the LibraryModel. Everything is
// asynchronous; lives on the window's thread. With a host machines are started in this process,
// which ends them with it; else each in a process of its own.
class MachineClients final : public QObject {
    Q_OBJECT
public:
    explicit MachineClients(LibraryModel* library, QObject* parent = nullptr);
    // `host` may be null and is not owned.
    MachineClients(LibraryModel* library, MachineHost* host, QObject* parent = nullptr);
    ~MachineClients() override;

    // nullptr while nothing holds the machine's lock. May change with clientChanged().
    [[nodiscard]] MachineClient* client(const QString& name) const;
    // What the machine says of itself; nullptr while it is not connected.
    [[nodiscard]] const MachineStatus* status(const QString& name) const;
    [[nodiscard]] bool isStarting(const QString& name) const;
    // What the last start from here wrote before the machine had a log; empty without one.
    [[nodiscard]] QString startOutput(const QString& name) const { return m_outputs.value(name); }
    // Machines that run or start now and that this program may work, sorted.
    [[nodiscard]] QStringList runningNames() const;

    // Those that this process hosts or starts and that end with it, sorted.
    [[nodiscard]] QStringList hostedNames() const;

    void start(const QString& name, StartMode mode = StartMode::Ordinary);
    // The same with options for this run, where this process hosts machines; Unsupported elsewhere.
    // `started` is called once: at once when it is refused, AlreadyRunning without a word to the
    // person at the window.
    void start(const Hypervisor::RunRequest& request, std::function<void(const Result<>&)> started);
    void suspend(const QString& name); // its process ends when the state is safe
    void pause(const QString& name);
    void resume(const QString& name);
    void shutDown(const QString& name);
    void forceOff(const QString& name);
    // Any request; the reply comes on the window's thread. NotRunning when there is no client.
    void call(const QString& name,
              const QString& method,
              const QJsonObject& parameters,
              MachineClient::Reply reply);
    // How long a guest may take to react to a shut down before shutDownIgnored() is told. 30 s.
    void setShutDownPatience(int milliseconds) { m_patience = milliseconds; }
    // How long a machine's process may take to obey forceOff() before it is killed. 5 s.
    void setForceOffPatience(int milliseconds) { m_forceOffPatience = milliseconds; }
    // How long the holder of a lock may take to answer before it counts as another program. 3 s.
    void setAnswerPatience(int milliseconds) { m_answerPatience = milliseconds; }
    // How often a machine's process is asked for a sign of life, and how long it may take. 5 s.
    void setPulse(int milliseconds) { m_pulse.start(milliseconds); }

Q_SIGNALS:
    void clientChanged(const QString& name); // appeared or went
    void statusChanged(const QString& name);
    void hostedChanged(); // hostedNames()
    void eventHappened(const QString& name,
                       const QString& kind,
                       const QString& text,
                       const QDateTime& time);
    void startFailed(const QString& name, const vitrine::ui::StartFailure& failure);
    void actionFailed(const QString& name, const vitrine::Error& error);
    void shutDownIgnored(const QString& name);
    // The machine's process is gone; `lastError` says why when it was not asked for.
    void ended(const QString& name, const QString& lastError);

private:
    struct Entry {
        std::unique_ptr<MachineClient> client;
        QString directory;
        bool wasConnected = false;
        QString lastError;
        std::unique_ptr<QTimer> shutDownLimit;
        // Runs out when the holder of the lock does not answer on our socket: another program.
        std::unique_ptr<QTimer> answerLimit;
        bool elsewhere = false;
        bool silent = false;  // its process has not answered for a while
        bool pulsing = false; // a sign of life is waited for
        // From start() until the machine runs or its process ends.
        bool launching = false;
        bool hosted = false; // started in this process, whose host tells its end
        std::unique_ptr<ProcessWatch> process;
        QString outputFile;
        QDateTime launchedAt;
        [[nodiscard]] bool isStarting() const { return launching || process != nullptr; }
    };
    void followLibrary();
    void follow(const MachineInfo& info);
    Entry& entryFor(const QString& name, const QString& directory);
    void beginStart(const MachineInfo& info);
    void remove(const QString& name);
    void connectionChanged(const QString& name);
    void clientSpoke(const QString& name);
    void launched(const QString& name, const Result<LaunchedMachine>& machine);
    void launchedProcessEnded(const QString& name);
    void startHosted(const QString& name, StartMode mode);
    void startHosted(const Hypervisor::RunRequest& request,
                     std::function<void(const Result<>&)> started);
    void hostedStarted(const QString& name, const Result<>& result);
    void hostedEnded(const QString& name, const std::optional<Error>& error);
    void tellFailure(const QString& name, const QString& said);
    void simpleCall(const QString& name, const QString& method);
    void killProcess(const QString& name);
    void overlay(const QString& name);
    void waitForAnswer(const QString& name);
    void feelPulses();
    void setSilent(const QString& name, bool silent);

    LibraryModel* m_library;
    MachineHost* m_host;
    std::map<QString, Entry> m_entries;
    QHash<QString, QString> m_outputs; // by machine, see startOutput()
    QTimer m_follow{this};
    QTimer m_pulse{this};
    int m_patience = 30000;
    int m_forceOffPatience = 5000;
    int m_answerPatience = 3000;
};

} // namespace vitrine::ui
