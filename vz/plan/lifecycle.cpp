// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/lifecycle.h"

#include <utility>

namespace vitrine::vz {

namespace {

using Kind = Action::Kind;

constexpr int mostReattachments = 20; // in one run: guests drop their card while they boot
constexpr int grace = 1000;           // ms for the reason of a machine that is no longer there

Action simple(Kind kind) {
    Action action;
    action.kind = kind;
    return action;
}

Action report(const Error& error) {
    Action action = simple(Kind::Report);
    action.error = error;
    return action;
}

Action timer(int milliseconds) {
    Action action = simple(Kind::ArmTimer);
    action.milliseconds = milliseconds;
    return action;
}

} // namespace

Lifecycle::Lifecycle(Setup setup)
    : m_setup(std::move(setup)) {
    m_context.machine = m_setup.machine;
}

void Lifecycle::tell(Actions& actions, MachineState state) {
    if (state == m_state)
        return;
    m_state = state;
    Action action = simple(Kind::TellState);
    action.state = state;
    actions << action;
}

Error Lifecycle::errorOf(Operation operation, const VzFailure& failure) const {
    return toError(operation, failure, m_context);
}

Actions Lifecycle::begin() {
    if (m_phase != Phase::New)
        return {};
    Actions actions{simple(Kind::DeletePartial)};
    tell(actions, MachineState::Starting);
    if (m_setup.hasSoftnet)
        actions << simple(Kind::StartNetwork);
    if (!m_setup.hasSavedState)
        return start(std::move(actions));
    m_phase = Phase::Restoring;
    actions << simple(Kind::Restore);
    return actions;
}

Actions Lifecycle::start(Actions before) {
    m_phase = Phase::Starting;
    Action action = simple(Kind::Start);
    action.recovery = m_setup.recovery;
    before << action;
    return before;
}

// The guest runs, and nothing is under way.
Actions Lifecycle::running(Actions before) {
    m_phase = Phase::Running;
    if (m_offWanted)
        return stop(std::move(before));
    tell(before, MachineState::Running);
    if (!std::exchange(m_servicesOpen, true))
        before << simple(Kind::OpenServices);
    if (m_shutDownWanted)
        return requestStop(std::move(before));
    return before;
}

Actions Lifecycle::paused(Actions before) {
    m_phase = Phase::Paused;
    if (m_offWanted)
        return stop(std::move(before));
    tell(before, MachineState::Paused);
    if (m_shutDownWanted) {
        m_phase = Phase::Resuming;
        before << simple(Kind::Resume);
    }
    return before;
}

Actions Lifecycle::stop(Actions before) {
    m_phase = Phase::Stopping;
    tell(before, MachineState::ShuttingDown);
    before << simple(Kind::Stop);
    return before;
}

Actions Lifecycle::requestStop(Actions before) {
    m_shutDownWanted = false;
    tell(before, MachineState::ShuttingDown);
    before << simple(Kind::RequestStop);
    if (!m_interrupted) // its timer runs
        before << timer(m_setup.patience);
    return before;
}

Actions Lifecycle::finish(Actions before, std::optional<Error> error) {
    m_phase = Phase::Finished;
    before << simple(Kind::CancelTimer);
    if (m_setup.hasSoftnet)
        before << simple(Kind::StopNetwork);
    tell(before, m_saved ? MachineState::Suspended : MachineState::Stopped);
    Action action = simple(Kind::Finish);
    action.exitCode = error ? 1 : 0;
    action.error = std::move(error);
    before << action;
    return before;
}

// --- what the framework says

Actions Lifecycle::completed(Operation operation, const std::optional<VzFailure>& failure) {
    if (m_phase == Phase::Finished)
        return {};
    switch (operation) {
    case Operation::Start:
        if (m_phase != Phase::Starting)
            return {};
        return failure ? finish({}, errorOf(operation, *failure)) : running({});
    case Operation::Restore:
        return m_phase == Phase::Restoring ? restored(failure) : Actions{};
    case Operation::Pause:
        return pauseEnded(failure);
    case Operation::Resume:
        return resumeEnded(failure);
    case Operation::Save:
        if (m_phase != Phase::Saving)
            return {};
        if (failure)
            return saveFailed(errorOf(operation, *failure));
        m_phase = Phase::Publishing;
        return {simple(Kind::PublishState)};
    case Operation::RequestStop: {
        if (!failure || m_phase != Phase::Running)
            return {};
        Actions actions{report(errorOf(operation, *failure))};
        if (!m_interrupted)
            actions << simple(Kind::CancelTimer);
        tell(actions, MachineState::Running);
        return actions;
    }
    case Operation::Stop:
        return stopEnded(failure);
    default:
        return failure ? Actions{report(errorOf(operation, *failure))} : Actions{};
    }
}

Actions Lifecycle::restored(const std::optional<VzFailure>& failure) {
    if (!failure) {
        m_phase = Phase::Marking;
        return {simple(Kind::MarkStateUsed)};
    }
    const Error error = errorOf(Operation::Restore, *failure);
    // Only what the state itself is to blame for: the limit of machines is not.
    if (!m_setup.startsAfresh || !failure->is(VzRestore) || m_offWanted)
        return finish({}, error);
    return start({report(error), simple(Kind::DeleteState)});
}

Actions Lifecycle::stateMarkedUsed(const std::optional<Error>& error) {
    if (m_phase != Phase::Marking)
        return {};
    if (error) {
        // Resumed, it would write to its disks, and the next start would take the old state.
        m_failure = error;
        return stop({});
    }
    if (m_offWanted)
        return stop({});
    m_phase = Phase::GoingOn;
    return {simple(Kind::Resume)};
}

Actions Lifecycle::pauseEnded(const std::optional<VzFailure>& failure) {
    if (m_phase == Phase::Pausing) {
        if (!failure)
            return paused({});
        return running({report(errorOf(Operation::Pause, *failure))});
    }
    if (m_phase != Phase::PausingToSave)
        return {};
    if (failure)
        return running({report(errorOf(Operation::Save, *failure))});
    if (m_offWanted)
        return stop({});
    return save({});
}

Actions Lifecycle::resumeEnded(const std::optional<VzFailure>& failure) {
    if (m_phase == Phase::GoingOn) {
        if (!failure)
            return running({simple(Kind::DeleteState)});
        m_failure = errorOf(Operation::Resume, *failure);
        return stop({});
    }
    if (m_phase != Phase::Resuming)
        return {};
    if (!failure)
        return running({});
    m_shutDownWanted = false;
    return paused({report(errorOf(Operation::Resume, *failure))});
}

Actions Lifecycle::save(Actions before) {
    m_phase = Phase::Saving;
    tell(before, MachineState::Suspending);
    before << simple(Kind::Save);
    return before;
}

Actions Lifecycle::saveFailed(const Error& error) {
    Actions actions{simple(Kind::DeletePartial), report(error)};
    if (m_wasPaused || m_offWanted)
        return paused(std::move(actions));
    m_phase = Phase::Resuming;
    actions << simple(Kind::Resume);
    return actions;
}

Actions Lifecycle::statePublished(const std::optional<Error>& error) {
    if (m_phase != Phase::Publishing)
        return {};
    if (error)
        return saveFailed(*error);
    m_saved = true;
    m_phase = Phase::StoppingSaved;
    return {simple(Kind::Stop)};
}

Actions Lifecycle::fingerprintRenewed(const std::optional<Error>& error) {
    if (m_phase != Phase::Renewing)
        return {};
    return finish(error ? Actions{report(*error)} : Actions{});
}

Actions Lifecycle::stopEnded(const std::optional<VzFailure>& failure) {
    if (m_phase == Phase::StoppingSaved) {
        // Paused for good: going on would make the saved state useless.
        Actions actions;
        if (failure)
            actions << report(errorOf(Operation::Stop, *failure));
        m_phase = Phase::Renewing;
        actions << simple(Kind::RenewFingerprint);
        return actions;
    }
    if (m_phase != Phase::Stopping)
        return {};
    if (!failure || m_failure)
        return finish({}, m_failure);
    m_offWanted = false;
    m_phase = Phase::Running;
    Actions actions{report(errorOf(Operation::Stop, *failure))};
    tell(actions, MachineState::Running);
    return actions;
}

Actions Lifecycle::ended(std::optional<Error> error) {
    switch (m_phase) {
    case Phase::Finished:
    case Phase::Stopping:      // what was asked for is answered by its completion
    case Phase::StoppingSaved: // likewise
    case Phase::Renewing:
        return {};
    case Phase::PausingToSave:
    case Phase::Saving:
    case Phase::Publishing:
        return finish({simple(Kind::DeletePartial)}, std::move(error));
    default:
        return finish({}, std::move(error));
    }
}

Actions Lifecycle::guestStopped() {
    return ended({});
}

Actions Lifecycle::stoppedWithError(const VzFailure& failure) {
    return ended(errorOf(Operation::Run, failure));
}

Actions Lifecycle::stateChanged(VmState state) {
    const bool gone = state == VmState::Stopped || state == VmState::Error;
    // With an operation under way its completion tells.
    if (!gone || m_vanished || (m_phase != Phase::Running && m_phase != Phase::Paused))
        return {};
    m_vanished = true;
    if (state == VmState::Error)
        m_failure = errorOf(Operation::Run, {});
    return {timer(grace)};
}

Actions Lifecycle::networkDropped(int card, const VzFailure& failure) {
    if (m_phase == Phase::Finished)
        return {};
    if (m_reattachments < mostReattachments) {
        ++m_reattachments;
        Action action = simple(Kind::Reattach);
        action.card = card;
        return {action};
    }
    if (std::exchange(m_networkReported, true))
        return {};
    Error error = errorOf(Operation::Run, failure);
    error.kind = Error::Kind::Network;
    error.message = Tr::tr("\"%1\" lost its network and does not get it back. Restart it to give "
                           "it a network again.")
                        .arg(m_setup.machine);
    return {report(error)};
}

Actions Lifecycle::networkGone(const Error& error) {
    if (m_phase == Phase::Finished || std::exchange(m_networkReported, true))
        return {};
    return {report(error)};
}

Actions Lifecycle::timerExpired() {
    if (m_phase == Phase::Finished)
        return {};
    if (m_vanished)
        return finish({}, m_failure);
    if (m_interrupted)
        return forceOff();
    if (m_state != MachineState::ShuttingDown || m_phase != Phase::Running)
        return {};
    Actions actions{report({Error::Kind::Timeout,
                            Tr::tr("The guest of \"%1\" has not shut down. It may be asking a "
                                   "question on its screen. Answer that, or force it off.")
                                .arg(m_setup.machine),
                            {}})};
    tell(actions, MachineState::Running);
    return actions;
}

// --- what people want

Actions Lifecycle::shutDown() {
    switch (m_phase) {
    case Phase::New:
        return finish({});
    case Phase::Running:
        return requestStop({});
    case Phase::Paused:
        m_shutDownWanted = true;
        m_phase = Phase::Resuming;
        return {simple(Kind::Resume)};
    case Phase::Stopping:
    case Phase::StoppingSaved:
    case Phase::Renewing:
    case Phase::Finished:
        return {};
    default:
        m_shutDownWanted = true;
        return {};
    }
}

Actions Lifecycle::interrupt() {
    if (m_phase == Phase::New || m_phase == Phase::Finished)
        return shutDown();
    if (std::exchange(m_interrupted, true) || m_setup.forceOffAfter <= 0)
        return forceOff();
    Actions actions{timer(m_setup.forceOffAfter)};
    return actions + shutDown();
}

Actions Lifecycle::forceOff() {
    switch (m_phase) {
    case Phase::New:
        return finish({});
    case Phase::Running:
    case Phase::Paused:
        return stop({});
    case Phase::Stopping:
    case Phase::StoppingSaved:
        // Asked again: what does not answer goes with its owner.
        return finish({},
                      Error{Error::Kind::Timeout,
                            Tr::tr("\"%1\" did not answer when it was forced off. It was given "
                                   "up.")
                                .arg(m_setup.machine),
                            {}});
    case Phase::Renewing: // it is over in a moment
    case Phase::Finished:
        return {};
    default:
        // The framework refuses to stop a machine in between; asked again it is tried at once.
        return std::exchange(m_offWanted, true) ? stop({}) : Actions{};
    }
}

Actions Lifecycle::pause() {
    if (m_phase != Phase::Running || m_state != MachineState::Running)
        return m_phase == Phase::Finished
                   ? Actions{}
                   : Actions{report({Error::Kind::Busy,
                                     Tr::tr("\"%1\" cannot be paused now: it is doing something "
                                            "else.")
                                         .arg(m_setup.machine),
                                     {}})};
    m_phase = Phase::Pausing;
    return {simple(Kind::Pause)};
}

Actions Lifecycle::resume() {
    if (m_phase != Phase::Paused)
        return {};
    m_phase = Phase::Resuming;
    return {simple(Kind::Resume)};
}

QString whyNotSavable(const QString& machine) {
    return Tr::tr(
               "\"%1\" cannot be suspended, as it has devices that cannot be saved. Shut it down "
               "and start it with --suspendable.")
        .arg(machine);
}

Actions Lifecycle::suspend() {
    if (m_phase == Phase::Finished)
        return {};
    if (!m_setup.savable)
        return {report({Error::Kind::Unsupported, whyNotSavable(m_setup.machine), {}})};
    const bool isFree =
        (m_phase == Phase::Running && m_state == MachineState::Running) || m_phase == Phase::Paused;
    if (!isFree)
        return {report({Error::Kind::Busy,
                        Tr::tr("\"%1\" cannot be suspended now: it is doing something else. Try "
                               "again in a moment.")
                            .arg(m_setup.machine),
                        {}})};
    m_wasPaused = m_phase == Phase::Paused;
    if (m_wasPaused)
        return save({});
    m_phase = Phase::PausingToSave;
    Actions actions;
    tell(actions, MachineState::Suspending);
    actions << simple(Kind::Pause);
    return actions;
}

} // namespace vitrine::vz
