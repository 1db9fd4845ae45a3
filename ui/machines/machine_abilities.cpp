// SPDX-License-Identifier: Apache-2.0
#include "ui/machines/machine_abilities.h"

#include "core/value/plain_text.h"

namespace vitrine::ui {

namespace {

Ability can() {
    return {true, {}};
}

Ability cannot(const QString& reason) {
    return {false, reason};
}

QString notRunning(const MachineInfo& info) {
    return Tr::tr("\"%1\" is not running.").arg(plainText(info.name));
}

Ability onlyWhen(bool possible, const QString& reason) {
    return possible ? can() : cannot(reason);
}

// Why this guest cannot run on this host; empty when it can or when it is not known yet.
QString cannotRunHere(const MachineInfo& info, const HypervisorInfo* host) {
    if (host == nullptr || !info.config) {
        return {};
    }
    const auto reasonOf = [host](Feature feature) {
        const FeatureStatus status = host->status(feature);
        return status.available ? QString() : status.reason;
    };
    if (info.config->system == GuestSystem::Darwin) {
        return reasonOf(Feature::DarwinGuests);
    }
    if (const QString linux_ = reasonOf(Feature::LinuxGuests); !linux_.isEmpty()) {
        return linux_;
    }
    return reasonOf(info.config->architecture == Architecture::Arm64 ? Feature::Arm64Guests
                                                                     : Feature::Amd64Guests);
}

MachineAbilities abilitiesOfImage(const MachineInfo& info) {
    const Ability image = cannot(
        Tr::tr("\"%1\" is an image. Make a machine from it first.").arg(plainText(info.name)));
    MachineAbilities can_;
    can_.start = can_.startRecovery = can_.pause = can_.resume = can_.shutDown = can_.forceOff =
        image;
    can_.suspend = can_.discardState = image;
    can_.rename = can_.openTerminal = can_.console = can_.settings = image;
    can_.clone = onlyWhen(info.state != MachineState::Broken, info.brokenReason);
    can_.remove = can();
    return can_;
}

Ability ofStart(const MachineInfo& info, const HypervisorInfo* host) {
    if (const QString why = cannotRunHere(info, host); !why.isEmpty()) {
        return cannot(why);
    }
    switch (info.state) {
    case MachineState::Stopped:
    case MachineState::Suspended:
        return can();
    case MachineState::Starting:
        return cannot(Tr::tr("\"%1\" is starting.").arg(plainText(info.name)));
    case MachineState::Paused:
        return cannot(Tr::tr("\"%1\" is paused. Resume it.").arg(plainText(info.name)));
    default:
        return cannot(Tr::tr("\"%1\" is already running.").arg(plainText(info.name)));
    }
}

Ability ofRecovery(const MachineInfo& info, const HypervisorInfo* host) {
    if (info.config && info.config->system != GuestSystem::Darwin) {
        return cannot(Tr::tr("Only machines that run macOS have a recovery."));
    }
    if (host != nullptr && !host->has(Feature::Recovery)) {
        return cannot(host->status(Feature::Recovery).reason);
    }
    if (info.state == MachineState::Suspended) {
        return cannot(Tr::tr("\"%1\" is suspended. Discard its saved state first, or resume it.")
                          .arg(plainText(info.name)));
    }
    return ofStart(info, host);
}

Ability ofSuspend(const MachineInfo& info,
                  const MachineStatus* status,
                  const QString& idle,
                  const HypervisorInfo* host) {
    if (host != nullptr && !host->has(Feature::Suspend)) {
        return cannot(host->status(Feature::Suspend).reason);
    }
    if (info.state == MachineState::Suspended) {
        return cannot(Tr::tr("\"%1\" is already suspended.").arg(info.name));
    }
    if (info.state == MachineState::Suspending) {
        return cannot(Tr::tr("\"%1\" is being suspended.").arg(info.name));
    }
    if (info.state == MachineState::ShuttingDown) {
        return cannot(Tr::tr("\"%1\" is shutting down.").arg(info.name));
    }
    if (status != nullptr && !status->suspendRefusal.isEmpty()) {
        return cannot(status->suspendRefusal);
    }
    const bool up = info.state == MachineState::Running || info.state == MachineState::Paused;
    return onlyWhen(up && status != nullptr, idle);
}

} // namespace

MachineAbilities
abilitiesOf(const MachineInfo& info, const MachineStatus* status, const HypervisorInfo* host) {
    if (info.isImage) {
        return abilitiesOfImage(info);
    }
    MachineAbilities verbs;
    if (info.state == MachineState::Broken) {
        const Ability broken = cannot(info.brokenReason);
        verbs.start = verbs.startRecovery = verbs.pause = verbs.resume = broken;
        verbs.shutDown = verbs.forceOff = broken;
        verbs.clone = verbs.rename = verbs.openTerminal = verbs.console = verbs.settings = broken;
        verbs.suspend = verbs.discardState = broken;
        verbs.remove = can();
        return verbs;
    }
    if (info.state == MachineState::RunningElsewhere) {
        const Ability elsewhere = cannot(
            info.holderPid > 0 ? Tr::tr("Another program runs \"%1\" (process %2). Stop it there.")
                                     .arg(plainText(info.name))
                                     .arg(info.holderPid)
                               : Tr::tr("Another computer or container runs \"%1\". Stop it there.")
                                     .arg(plainText(info.name)));
        verbs.start = verbs.startRecovery = verbs.pause = verbs.resume = elsewhere;
        verbs.shutDown = verbs.forceOff = elsewhere;
        verbs.clone = verbs.rename = verbs.remove = elsewhere;
        verbs.openTerminal = verbs.console = verbs.settings = elsewhere;
        verbs.suspend = verbs.discardState = elsewhere;
        return verbs;
    }

    const MachineState state = info.state;
    const bool connected = status != nullptr;
    const bool stopped = state == MachineState::Stopped || state == MachineState::Suspended;
    const bool running = state == MachineState::Running;
    const QString deaf =
        Tr::tr("The process of \"%1\" does not answer. Wait a moment.").arg(plainText(info.name));
    const QString idle = stopped ? notRunning(info) : deaf;
    const QString inUse = Tr::tr("\"%1\" is in use. Shut it down first.").arg(plainText(info.name));

    verbs.start = ofStart(info, host);
    verbs.startRecovery = ofRecovery(info, host);
    verbs.pause = onlyWhen(running && connected,
                           state == MachineState::Paused
                               ? Tr::tr("\"%1\" is already paused.").arg(plainText(info.name))
                               : idle);
    verbs.resume = onlyWhen(state == MachineState::Paused && connected,
                            Tr::tr("\"%1\" is not paused.").arg(plainText(info.name)));
    verbs.suspend = ofSuspend(info, status, idle, host);
    verbs.discardState = onlyWhen(state == MachineState::Suspended,
                                  Tr::tr("\"%1\" has no saved state.").arg(plainText(info.name)));
    verbs.shutDown = onlyWhen(
        running && connected,
        state == MachineState::Paused
            ? Tr::tr("\"%1\" is paused. Resume it, then shut it down.").arg(plainText(info.name))
        : state == MachineState::ShuttingDown
            ? Tr::tr("\"%1\" is already shutting down.").arg(plainText(info.name))
            : idle);
    verbs.forceOff = onlyWhen(!stopped && connected, idle);
    verbs.clone = onlyWhen(stopped, inUse);
    verbs.rename = onlyWhen(stopped, inUse);
    verbs.remove = onlyWhen(stopped, inUse);
    verbs.openTerminal = !connected ? cannot(idle)
                         : !status->sshAddress().isKnown()
                             ? cannot(Tr::tr("No address leads to the guest's ssh yet."))
                             : onlyWhen(running, idle);
    verbs.console = can();
    verbs.settings = can();
    return verbs;
}

} // namespace vitrine::ui
