// SPDX-License-Identifier: Apache-2.0
#include "qemu/run_state.h"

#include "core/result/error.h"

#include <utility>

namespace vitrine::qemu {

namespace {

constexpr qsizetype maximumHappenings = 100; // that nobody has taken yet

QString shortText(const QJsonObject& data, const char* key) {
    return data.value(QLatin1String(key)).toString().left(200);
}

Ending endingOf(const QString& reason) {
    if (reason == QLatin1String("guest-shutdown")) {
        return Ending::ShutDown;
    }
    if (reason == QLatin1String("host-qmp-quit") || reason == QLatin1String("host-ui")) {
        return Ending::ForcedOff;
    }
    if (reason == QLatin1String("guest-panic")) {
        return Ending::Panicked;
    }
    if (reason == QLatin1String("guest-reset") || reason == QLatin1String("subsystem-reset") ||
        reason == QLatin1String("host-qmp-system-reset")) {
        return Ending::Restarted;
    }
    return Ending::EndedByHost; // "host-signal", "host-error", and what later versions add
}

} // namespace

void RunState::begin(const QString& qemuStatus) {
    m_started = true;
    m_stopped = qemuStatus != QLatin1String("running");
    if (qemuStatus == QLatin1String("guest-panicked")) {
        m_panicked = true;
    }
}

void RunState::handle(const QString& event, const QJsonObject& data) {
    if (event == QLatin1String("STOP")) {
        m_stopped = true;
    } else if (event == QLatin1String("RESUME")) {
        m_stopped = false;
        m_diskError.clear();
    } else if (event == QLatin1String("RESET")) {
        m_panicked = false;
        m_shutdownIgnored = false;
        m_silenceTold = false;
        if (shortText(data, "reason") != QLatin1String("host-qmp-system-reset")) {
            happened("restarted", Tr::tr("The guest has restarted."));
        }
    } else if (event == QLatin1String("SHUTDOWN")) {
        m_announced = endingOf(shortText(data, "reason"));
    } else if (event == QLatin1String("GUEST_PANICKED")) {
        m_panicked = true;
        happened("panic",
                 Tr::tr("The guest has crashed: its kernel reports a panic. Its screen and serial "
                        "log may say why."));
    } else if (event == QLatin1String("BLOCK_IO_ERROR")) {
        diskError(data);
    }
}

void RunState::diskError(const QJsonObject& data) {
    const QString reason = shortText(data, "reason");
    const bool stops = shortText(data, "action") == QLatin1String("stop");
    const bool reading = shortText(data, "operation") == QLatin1String("read");
    const QString address = m_networkDisks.value(shortText(data, "node-name"));
    if (data.value(QLatin1String("nospace")).toBool()) {
        m_diskError =
            address.isEmpty()
                ? Tr::tr("The disk of this computer is full, so the guest is paused; nothing is "
                         "lost. Free some space, then resume the machine.")
                : Tr::tr("The server of the network disk \"%1\" has no space left, so the guest "
                         "is paused; nothing is lost. Free some space there, then resume the "
                         "machine.")
                      .arg(address);
        happened("disk-full", m_diskError);
        return;
    }
    if (!address.isEmpty() && !stops) {
        const QString what =
            reading
                ? Tr::tr("Reading the network disk \"%1\" failed (%2).").arg(address, reason)
                : Tr::tr("Writing to the network disk \"%1\" failed (%2).").arg(address, reason);
        happened("disk-error",
                 what + QLatin1Char(' ') +
                     Tr::tr("The guest was told. Check the disk's server: when it answers again "
                            "the disk works again, but a file system on it may have to be mounted "
                            "anew."));
        return;
    }
    const QString what = reading ? Tr::tr("Reading a disk image failed (%1).").arg(reason)
                                 : Tr::tr("Writing to a disk image failed (%1).").arg(reason);
    if (stops) {
        m_diskError = what + QLatin1Char(' ') +
                      Tr::tr("The guest is paused. Repair the cause, then resume the machine.");
        happened("disk-error", m_diskError);
    } else {
        happened("disk-error",
                 what + QLatin1Char(' ') +
                     Tr::tr("The guest was told. Check the disk of this computer."));
    }
}

void RunState::shutdownRequested() {
    m_shuttingDown = true;
    m_shutdownIgnored = false;
}

void RunState::shutdownIgnored() {
    if (!m_shuttingDown || m_announced) {
        return;
    }
    m_shuttingDown = false;
    m_shutdownIgnored = true;
    happened("shutdown-ignored", note());
}

void RunState::forceOffRequested() {
    m_forcingOff = true;
}

void RunState::setSuspending(bool suspending) {
    m_suspending = suspending;
}

void RunState::suspended() {
    m_suspended = true;
}

void RunState::setAnswering(bool answers) {
    if (m_answering != answers) {
        m_answering = answers;
        happened(answers ? "answers-again" : "hangs",
                 answers
                     ? Tr::tr("QEMU answers again.")
                     : Tr::tr("QEMU does not answer. The machine hangs or this computer is very "
                              "busy."));
    }
}

void RunState::setGuestSilent(bool silent, bool answers) {
    if (silent && !m_guestSilent) {
        m_silenceTold = true;
        happened("guest-silent", Tr::tr("The guest has stopped answering."));
    } else if (answers && m_silenceTold) {
        m_silenceTold = false;
        happened("guest-answers", Tr::tr("The guest answers again."));
    }
    m_guestSilent = silent;
}

void RunState::setDiskMissing(const QString& path) {
    if (m_missingDisk != path) {
        m_missingDisk = path;
        if (!path.isEmpty()) {
            happened("disk-missing", note());
        }
    }
}

void RunState::processEnded(int bySignal) {
    if (m_ending) {
        return;
    }
    if (m_suspended) {
        m_ending = Ending::Suspended;
    } else if (m_forcingOff) {
        m_ending = m_announced == Ending::ShutDown ? Ending::ShutDown : Ending::ForcedOff;
    } else {
        m_ending = m_announced.value_or(Ending::Crashed);
    }
    switch (*m_ending) {
    case Ending::ShutDown:
        happened("stopped", Tr::tr("The guest has shut down."));
        break;
    case Ending::ForcedOff:
        happened("forced-off", Tr::tr("The machine was forced off."));
        break;
    case Ending::EndedByHost:
        happened("ended", Tr::tr("QEMU was ended by another program or the system."));
        break;
    case Ending::Panicked:
        happened("stopped", Tr::tr("The machine ended because the guest's kernel crashed."));
        break;
    case Ending::Restarted:
        happened("stopped", Tr::tr("The guest restarted, which ends this machine."));
        break;
    case Ending::Suspended:
        happened("suspended",
                 Tr::tr("The machine was suspended. It goes on where it was at next start."));
        break;
    case Ending::Crashed:
        happened("crashed",
                 bySignal == 0
                     ? Tr::tr("QEMU ended without a word, so the guest was not shut down. Its log "
                              "may say why.")
                     : Tr::tr("QEMU was killed or crashed (signal %1), so the guest was not shut "
                              "down. Its log may say why.")
                           .arg(bySignal));
        break;
    }
}

MachineState RunState::state() const {
    if (m_ending) {
        return MachineState::Stopped;
    }
    if (!m_started) {
        return MachineState::Starting;
    }
    if (m_suspending && !m_forcingOff) {
        return MachineState::Suspending;
    }
    if (m_stopped && !m_announced) {
        return MachineState::Paused;
    }
    if (m_shuttingDown || m_announced || m_forcingOff) {
        return MachineState::ShuttingDown;
    }
    return MachineState::Running;
}

QString RunState::note() const {
    if (!m_answering) {
        return Tr::tr(
            "QEMU does not answer. Wait, or force the machine off; what the guest has not "
            "written is then lost.");
    }
    if (!m_diskError.isEmpty()) {
        return m_diskError;
    }
    if (m_panicked) {
        return Tr::tr("The guest's kernel has crashed. Look at its screen, then restart it with "
                      "Resume or force the machine off.");
    }
    if (!m_missingDisk.isEmpty()) {
        return Tr::tr("The disk image \"%1\" was removed while the guest uses it. What is on it "
                      "vanishes when the machine ends: save what you need from inside the guest.")
            .arg(m_missingDisk);
    }
    if (m_guestSilent && !m_stopped) {
        return Tr::tr("The guest has not answered for a minute. It hangs or is very busy. Look at "
                      "its screen; if it stays so, force the machine off.");
    }
    if (m_shutdownIgnored) {
        return Tr::tr(
            "The guest was asked to shut down and has not done so. It may be busy or wait "
            "for an answer on its screen. Ask again, or force the machine off; what the "
            "guest has not written is then lost.");
    }
    return {};
}

QList<Happening> RunState::takeHappenings() {
    return std::exchange(m_happenings, {});
}

void RunState::happened(const char* kind, const QString& text) {
    if (m_happenings.size() < maximumHappenings) {
        m_happenings.append({QLatin1String(kind), text});
    }
}

} // namespace vitrine::qemu
