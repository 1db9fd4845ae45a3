// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/control_server.h"
#include "core/hypervisor/machine_client.h"
#include "core/library/machine_info.h"
#include "core/library/runtime_directory.h"
#include "core/machine/run_options.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>

namespace vitrine::vz {

// Answers the requests of vitrine.sock (core/hypervisor/machine_client.h) for a machine of this
// process and tells subscribers what changes. What Apple's framework cannot do is not among the
// methods of `hello`, is listed there as "unavailable" with its reason, and is answered with that.
// Main thread; what touches the disk is done on another.
class ControlRequests final : public QObject {
    Q_OBJECT
public:
    // How verbs are carried out. Those that are refused are reported (failed()).
    struct Verbs {
        std::function<void()> shutDown;
        std::function<void()> forceOff;
        std::function<void()> pause;
        std::function<void()> resume;
        std::function<void()> suspend;
    };
    // `folder`: of the machine, for the files beside config.json.
    ControlRequests(MachineInfo machine,
                    QString folder,
                    RuntimeDirectory runtime,
                    Verbs verbs,
                    QObject* parent = nullptr);

    Result<> listen();
    // For others who answer requests; before listen().
    [[nodiscard]] ControlServer& server() { return m_server; }
    void setUnavailable(const QString& method, const QString& reason); // likewise

    void update(const std::function<void(MachineStatus&)>& edit); // told soon
    // Verbs that wait for this state succeed.
    void setState(MachineState state);
    // What a verb asked for has failed: answers it. False when none waits.
    bool verbFailed(const Error& error);
    // From the start of the guest on. `terminal`: of the serial line, may be empty.
    void setRun(const RunOptions& options, const QString& terminal);
    void setViewer(const QString& url); // of the guest's own screen sharing
    void tellEvent(const QString& kind, const QString& text, const QDateTime& time);
    void close(); // tells the last status, then closes

private:
    using Respond = ControlServer::Respond;
    struct Waiting {
        MachineState state;
        Respond respond;
    };
    void answerState();
    void answerVerbs();
    void answerChange();
    void answerUnavailable();
    void verb(const char* method, MachineState wanted, std::function<void()> carryOut);
    void readPending();
    void tellSoon();
    void tellStatus();

    MachineInfo m_machine;
    QString m_folder;
    RuntimeDirectory m_runtime;
    Verbs m_verbs;
    ControlServer m_server;
    QJsonObject m_unavailable; // method to reason
    MachineStatus m_status;
    MachineStatus m_told;
    QTimer m_timer; // several changes at once are told once
    QList<Waiting> m_waiting;
    std::optional<RunOptions> m_options; // once there is a run
    QString m_terminal;
    QString m_viewer; // vnc://…
};

} // namespace vitrine::vz
