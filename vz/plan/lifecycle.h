// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/result/error.h"
#include "vz/plan/vz_errors.h"

#include <QList>
#include <QString>

#include <optional>

namespace vitrine::vz {

// VZVirtualMachineState, with its numbers.
enum class VmState {
    Stopped = 0,
    Running = 1,
    Paused = 2,
    Error = 3,
    Starting = 4,
    Pausing = 5,
    Resuming = 6,
    Stopping = 7,
    Saving = 8,
    Restoring = 9
};

// What the owner of a machine has to do next. Everything about the machine itself is asynchronous
// and answered by Lifecycle::completed() with the same operation.
struct Action {
    enum class Kind {
        Start,            // `recovery`
        Restore,          // from `state.vzvmsave`
        Resume,           //
        Pause,            //
        Save,             // to `state.vzvmsave.part`
        PublishState,     // fsync, fingerprint, rename to `state.vzvmsave`: statePublished()
        RenewFingerprint, // the stopped machine has left its files as they are:
                          // fingerprintRenewed()
        MarkStateUsed,    // rename `state.vzvmsave` to `.used`, fsync: stateMarkedUsed()
        DeleteState,      // `state.vzvmsave`, `.used` and the fingerprint
        DeletePartial,    // `state.vzvmsave.part`
        RequestStop,      // the power button; answered at once by completed()
        Stop,             // pulls the plug
        StartNetwork,     // Softnet's program, before start and resume
        StopNetwork,      //
        Reattach,         // the attachment of `card` anew
        OpenServices,     // the guest runs for the first time: VNC, then control.sock
        ArmTimer,         // `milliseconds`, replaces the one that runs; timerExpired()
        CancelTimer,      //
        TellState,        // `state`: what people see
        Report,           // `error`: an event of the machine, it goes on
        Finish            // `exitCode`, and `error` if it is a failure; nothing comes after it
    };
    Kind kind = Kind::Start;
    bool recovery = false;
    int milliseconds = 0;
    int card = 0;
    MachineState state = MachineState::Stopped;
    std::optional<vitrine::Error> error{};
    int exitCode = 0;
};
using Actions = QList<Action>;

// Why a machine whose plan is not savable cannot be suspended; translated.
[[nodiscard]] QString whyNotSavable(const QString& machine);

// One run of one machine, from start to end, as a pure state machine: events in, actions out in
// their order. No clock, no file, no framework. Its owner calls it on one thread and carries the
// actions out before the next event.
class Lifecycle final {
public:
    struct Setup {
        QString machine;            // name, for sentences
        bool hasSavedState = false; // `state.vzvmsave` is there
        bool savable = false;       // the plan's devices can be saved
        bool startsAfresh = false;  // a state that cannot be restored is thrown away
        bool recovery = false;
        bool hasSoftnet = false;
        int forceOffAfter = 30000; // ms after a shut down was asked for by a signal; 0: at once
        int patience = 30000;      // ms until a guest that ignores the power button is reported
    };
    explicit Lifecycle(Setup setup);

    // Once, with the machine made and its configuration valid.
    [[nodiscard]] Actions begin();

    // Of the framework.
    [[nodiscard]] Actions stateChanged(VmState state);
    [[nodiscard]] Actions completed(Operation operation,
                                    const std::optional<VzFailure>& failure = {});
    // Of files.
    [[nodiscard]] Actions statePublished(const std::optional<vitrine::Error>& error = {});
    [[nodiscard]] Actions fingerprintRenewed(const std::optional<vitrine::Error>& error = {});
    [[nodiscard]] Actions stateMarkedUsed(const std::optional<vitrine::Error>& error = {});
    [[nodiscard]] Actions guestStopped();
    [[nodiscard]] Actions stoppedWithError(const VzFailure& failure);
    [[nodiscard]] Actions networkDropped(int card, const VzFailure& failure); // again and again
    [[nodiscard]] Actions networkGone(const vitrine::Error& error); // Softnet does not come back
    [[nodiscard]] Actions timerExpired();

    // What people and signals want. Refused ones are a Report.
    [[nodiscard]] Actions shutDown(); // the power button: SIGUSR2, the window
    [[nodiscard]] Actions
    interrupt(); // SIGINT: shut down, then off after `forceOffAfter`; again: off
    [[nodiscard]] Actions forceOff();
    [[nodiscard]] Actions pause();
    [[nodiscard]] Actions resume();
    [[nodiscard]] Actions suspend(); // SIGUSR1

    [[nodiscard]] MachineState state() const { return m_state; } // what people see
    [[nodiscard]] bool isFinished() const { return m_phase == Phase::Finished; }
    // For sentences about the limit of macOS machines, read when it is hit.
    void setRunningMacMachines(const QStringList& names) { m_context.runningMacMachines = names; }

private:
    enum class Phase {
        New,
        Restoring,
        Marking, // the saved state is renamed
        GoingOn, // resumed from a saved state
        Starting,
        Running,
        Pausing,
        Paused,
        Resuming,
        PausingToSave,
        Saving,
        Publishing,
        StoppingSaved,
        Renewing,
        Stopping,
        Finished
    };
    [[nodiscard]] Actions start(Actions before);
    [[nodiscard]] Actions running(Actions before);
    [[nodiscard]] Actions paused(Actions before);
    [[nodiscard]] Actions save(Actions before);
    [[nodiscard]] Actions stop(Actions before);
    [[nodiscard]] Actions requestStop(Actions before);
    [[nodiscard]] Actions saveFailed(const vitrine::Error& error);
    [[nodiscard]] Actions finish(Actions before, std::optional<vitrine::Error> error = {});
    [[nodiscard]] Actions restored(const std::optional<VzFailure>& failure);
    [[nodiscard]] Actions pauseEnded(const std::optional<VzFailure>& failure);
    [[nodiscard]] Actions resumeEnded(const std::optional<VzFailure>& failure);
    [[nodiscard]] Actions stopEnded(const std::optional<VzFailure>& failure);
    [[nodiscard]] Actions ended(std::optional<vitrine::Error> error);
    [[nodiscard]] vitrine::Error errorOf(Operation operation, const VzFailure& failure) const;
    void tell(Actions& actions, MachineState state);

    Setup m_setup;
    FailureContext m_context;
    Phase m_phase = Phase::New;
    MachineState m_state = MachineState::Stopped;
    std::optional<vitrine::Error> m_failure{}; // why it is being stopped
    bool m_servicesOpen = false;
    bool m_wasPaused = false;      // before it was suspended: a failure goes back there
    bool m_saved = false;          // the state is published
    bool m_offWanted = false;      // force off as soon as the operation under way allows
    bool m_shutDownWanted = false; // likewise the power button
    bool m_interrupted = false;
    bool m_vanished = false; // it stopped and nobody has said why yet
    bool m_networkReported = false;
    int m_reattachments = 0;
};

} // namespace vitrine::vz
