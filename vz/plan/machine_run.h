// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"
#include "vz/plan/lifecycle.h"
#include "vz/plan/machine.h"
#include "vz/plan/saved_state.h"
#include "vz/plan/share_set.h"
#include "vz/plan/softnet_session.h"

#include <QList>
#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace vitrine::vz {

// One run of one machine: carries out what Lifecycle decides, on the machine, on the files of its
// saved state (on threads of their own, the caller's never waits), on its network. For the holder
// of the machine's lock, on the main thread.
class MachineRun final : public QObject {
    Q_OBJECT
public:
    struct Setup {
        QString name;
        QString directory; // of the machine, as long as it runs
        MachinePlan plan;
        ShareSet shares;
        HostCaps host;
        RunOptions options; // of this run and stored ones, for a saved state's fingerprint
        RunOptions stored;
        bool startsAfresh = false; // throw a saved state away that does not fit
        // Start as if none was there; whatever is there is thrown away once the guest runs.
        bool ignoresState = false;
        int forceOffAfter = 30000; // ms after interrupt()
        int patience = 30000;      // ms until a guest that does not shut down is reported
        int savingLook = 500;      // ms between two looks at how far the saving has come
        // Names for the sentence about the limit of macOS machines. Called on another thread.
        std::function<QStringList()> runningMacMachines;
    };
    // `machine` is made of the plan and has not been started; `network` is null without Softnet.
    MachineRun(Setup setup,
               std::unique_ptr<Machine> machine,
               std::unique_ptr<SoftnetSession> network,
               QObject* parent = nullptr);
    ~MachineRun() override;

    void start(); // once
    void shutDown();
    void interrupt(); // as SIGINT: shut down, later or again force off
    void forceOff();
    void pause();
    void resume();
    void suspend();
    [[nodiscard]] MachineState state() const;
    [[nodiscard]] bool isFinished() const { return m_finished; }
    [[nodiscard]] Machine* machine() const { return m_machine.get(); }

    // Folders while it runs; the caller has checked them (share_safety.h). NotRunning before it
    // does.
    [[nodiscard]] const ShareSet& shares() const { return m_setup.shares; }
    Result<> addShare(const ShareSpec& share);
    Result<> removeShare(const ShareSpec& share);
    Result<> setShareReadOnly(const ShareSpec& share, bool readOnly);

Q_SIGNALS:
    void stateChanged(vitrine::MachineState state);
    void reported(const vitrine::Error& error); // it goes on
    void servicesWanted();                      // it runs for the first time: VNC, control.sock
    void displayReconfigured();
    // Bytes of the state that are on the disk, while it is saved: the framework tells no progress.
    void saving(quint64 written);
    // The last one. `error` is why it failed, with exit code 1. Delete this only later.
    void finished(int exitCode, const std::optional<vitrine::Error>& error);

private:
    class Events;
    void begin(const FoundState& found);
    void add(const Actions& actions);
    void pump();
    [[nodiscard]] bool carryOut(const Action& action); // false: the next one waits for pump()
    void doFiles(std::function<Result<>()> work, std::function<void(std::optional<Error>)> then);
    void finish(int exitCode, std::optional<Error> error);
    void wish(Actions (Lifecycle::*what)());
    [[nodiscard]] Machine::Completion answer(Operation operation);
    void answered(Operation operation, const std::optional<VzFailure>& failure);
    void lookAtSaving();
    Result<> change(const std::function<Result<ShareChange>(ShareSet&)>& edit);
    [[nodiscard]] QString path(const char* name) const;

    Setup m_setup;
    std::unique_ptr<Events> m_events;
    std::unique_ptr<Machine> m_machine;
    std::unique_ptr<SoftnetSession> m_network;
    std::optional<Lifecycle> m_life; // once it is known what there is to go on from
    FoundState m_found;
    QList<Action> m_queue;
    QTimer m_timer;
    QTimer m_savingTimer; // runs while the state is saved
    bool m_looking = false;
    bool m_started = false;
    bool m_pumping = false;
    bool m_waiting = false; // for files or the network
    bool m_networkStopping = false;
    bool m_cancelled = false;
    bool m_finished = false;
};

} // namespace vitrine::vz
