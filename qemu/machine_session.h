// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/guest_agent.h"
#include "core/hypervisor/machine_client.h"
#include "core/result/result.h"
#include "core/run/serial_hub.h"
#include "qemu/address_finder.h"
#include "qemu/child_process.h"
#include "qemu/clipboard_port.h"
#include "qemu/launch_plan.h"
#include "qemu/port_forwards.h"
#include "qemu/qmp_client.h"
#include "qemu/root_ports.h"
#include "qemu/run_state.h"
#include "qemu/screen_capture.h"
#include "qemu/sharing/share_manager.h"
#include "qemu/shutdown_sequence.h"
#include "qemu/softnet/softnet_network.h"
#include "qemu/suspend_clock.h"
#include "qemu/suspend_loader.h"
#include "qemu/suspend_saver.h"
#include "qemu/watched_disks.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace vitrine::qemu {

// One run of QEMU, from its start to its end: what it does, what is asked of it and what is known
// of the guest. Holds no lock of the machine and writes nothing into its directory. Main thread.
class MachineSession final : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(Result<>)>;

    struct Setup {
        LaunchPlan plan;
        RunOptions options;         // that the plan was made of
        QString runtimePath;        // QEMU's working directory; its sockets are made there
        QString socketFolder;       // the same folder by a path short enough for a socket's name
        QList<int> inherited;       // descriptors QEMU keeps: the lock `alive`
        struct Softnet {            // only with plan.usesSoftnet()
            FileDescriptor machine; // QEMU's end of the wire
            FileDescriptor helper;
        } softnet;
        QList<ShareSpec> shares;               // of folders; archives were unpacked
        QStringList libraries;                 // folders a guest must not write to
        QStringList ownFolders;                // of `shares`: in a library, and yet writable
        QHash<QString, QString> leftOutShares; // of `shares`: path and why it is not there
        QString hostKeys;                      // folder of the machine's known_hosts, for ssh
        QJsonObject deviceSlots;               // what RootPorts remembers
        // Where a saved state goes and comes from; the files are the caller's business.
        QString statePath;
        // On another thread, with what options() is then.
        std::function<Result<>(const QString& version, const RunOptions& options)> commitState;
        int restoreFrom = -1; // descriptor of a state to go on from; QEMU inherits it
        SuspendLoader::Hooks restoring;
        // Of a state saved into another folder, for snapshots.
        std::function<Result<>(
            const QString& folder, const QString& version, const RunOptions& options)>
            describeState;
    };

    explicit MachineSession(Setup setup, QObject* parent = nullptr);
    ~MachineSession() override;

    // Starts QEMU. An error when it cannot be executed; everything later comes by ended().
    Result<> start();

    // All of these may be called in any state and twice; the answer comes when QEMU has obeyed.
    void shutDown(const Done& done); // accepted, not ended; a crashed guest is switched off
    void forceOff();                 // QEMU is asked to quit, after 3 s killed
    void pause(const Done& done);
    void resume(const Done& done); // a crashed guest is restarted
    // The answer comes when the state is safe; QEMU ends then. After an error the guest goes on.
    void suspend(const Done& done);

    [[nodiscard]] MachineStatus status() const;
    [[nodiscard]] bool isStarted() const { return m_started; } // QMP has answered
    [[nodiscard]] GuestAgent& agent() { return m_agent; }
    [[nodiscard]] bool agentSeen() const { return m_address.agentSeen(); }
    [[nodiscard]] PortForwards& forwards() { return m_forwards; }
    [[nodiscard]] ShareManager& shares() { return m_shares; }
    // Its firewall. Null without Softnet, also when plain NAT runs on the same program.
    [[nodiscard]] SoftnetNetwork* softnet() const {
        return m_setup.plan.network == NetworkMode::Softnet ? m_softnet.get() : nullptr;
    }
    [[nodiscard]] RootPorts& ports() { return m_ports; }
    [[nodiscard]] ScreenCapture& screen() { return m_screen; }
    // For the machine's events.
    void remark(const QString& text) { Q_EMIT happened(QStringLiteral("remark"), text); }
    [[nodiscard]] SerialHub& serial() { return m_serial; }
    [[nodiscard]] ClipboardPort& clipboard() { return m_clipboard; }
    [[nodiscard]] QmpClient& qmp() { return m_qmp; }
    [[nodiscard]] const LaunchPlan& plan() const { return m_setup.plan; }
    [[nodiscard]] SuspendSaver& saver() { return m_saver; }
    [[nodiscard]] const Setup& setup() const { return m_setup; }
    // Of this run as they are by now: shares, forwards, the firewall's rules and ports and the
    // clipboard's switch change.
    [[nodiscard]] RunOptions options() const;
    [[nodiscard]] bool isStopped() const {
        return m_state.isPaused();
    } // its processors stand still

    // While a snapshot is taken nobody else stops the guest or lets it go on. Refused when it is
    // not up or is being suspended, or with memory, when that cannot be saved.
    [[nodiscard]] Result<> hold(bool withMemory);
    void release();

    // After ended(): how, and the error when QEMU never started.
    [[nodiscard]] std::optional<Ending> ending() const { return m_state.ending(); }
    [[nodiscard]] const std::optional<Error>& startError() const { return m_startError; }

Q_SIGNALS:
    void statusChanged();
    void started(); // QMP answers and the machine runs
    void happened(const QString& kind, const QString& text);
    void ended(); // once; QEMU is gone

private:
    void onReady();
    void goOnFromState();
    void begin();
    void saveState(bool wasRunning, const Done& done);
    void stateCommitted(const Result<>& committed, bool wasRunning, const Done& done);
    void onEvent(const QString& name, const QJsonObject& data);
    void onAgentPort(bool open);
    void makeSoftnet();
    void addForwards();
    void checkHealth();
    void checkFiles();
    void endIfOver();
    void changed(); // tells what happened and the new status
    [[nodiscard]] Result<> refuseUnlessStarted() const;
    [[nodiscard]] Result<> refuseSuspend() const;
    [[nodiscard]] Result<> refuseSaving() const; // of the state, for whatever use

    Setup m_setup;
    ChildProcess m_child;
    QmpClient m_qmp;
    GuestAgent m_agent;
    std::unique_ptr<SoftnetNetwork> m_softnet;
    PortForwards m_forwards;
    RootPorts m_ports;
    ShareManager m_shares;
    ScreenCapture m_screen;
    SerialHub m_serial;
    ClipboardPort m_clipboard;
    ShutdownSequence m_shutdown;
    AddressFinder m_address;
    SuspendSaver m_saver;
    SuspendClock m_clock;
    std::unique_ptr<SuspendLoader> m_loader;
    RunState m_state;
    QTimer m_health;
    QTimer m_killTimer;
    WatchedDisks m_watchedDisks;
    QDateTime m_startedAt;
    quint16 m_sshPort = 0;
    bool m_started = false;
    bool m_begun = false;      // start() succeeded
    bool m_loadFailed = false; // m_startError says why a saved state was not gone on with
    bool m_childGone = false;
    bool m_qmpGone = false;
    bool m_over = false;
    bool m_healthUnderWay = false;
    bool m_held = false;
    std::optional<Error> m_startError;
};

} // namespace vitrine::qemu
