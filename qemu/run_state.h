// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"

#include <QJsonObject>
#include <QList>
#include <QMap>
#include <QString>

#include <optional>

namespace vitrine::qemu {

// How a machine's run ended. QEMU's exit code says nothing (it is 0 for a power-off, a kill request
// and a panic alike); only the reason in the SHUTDOWN event does, and its absence is a crash
// (QEMU's qapi/run-state.json, ShutdownCause; seen in 7.2).
enum class Ending {
    ShutDown,    // the guest powered off
    ForcedOff,   // we told QEMU to quit
    EndedByHost, // a signal from outside, or a fault that QEMU reports itself
    Panicked,
    Restarted, // a guest that restarts where a restart is an end
    Suspended, // its state is on the disk
    Crashed    // QEMU was killed or fell over
};

// One thing that happened, for the events of Overview.
struct Happening {
    QString kind; // stable word: "panic", "disk-full", "restarted", …
    QString text; // translated
    friend bool operator==(const Happening&, const Happening&) = default;
};

// What QEMU's events and our requests add up to. Pure: no I/O, no clock. Text of errors comes from
// QEMU and is kept short.
class RunState final {
public:
    // By the node that QEMU's events name; other disks are images on this computer.
    void setNetworkDisks(const QMap<QString, QString>& addresses) { m_networkDisks = addresses; }
    // From query-status, once QMP answers.
    void begin(const QString& qemuStatus);
    // An event of QMP. What is worth telling waits in takeHappenings().
    void handle(const QString& event, const QJsonObject& data);
    void shutdownRequested();
    void shutdownIgnored(); // neither the agent nor the power button helped
    void forceOffRequested();
    [[nodiscard]] bool isAnswering() const { return m_answering; }
    void setSuspending(bool suspending); // its state is being written
    void suspended();                    // and is safe; QEMU is about to be ended
    void setAnswering(bool answers);     // false: QEMU has not answered for a while
    // `silent`: its agent has stopped answering; `answers`: it does (neither when it has ended).
    void setGuestSilent(bool silent, bool answers);
    void setDiskMissing(
        const QString& path);        // the image was removed under the guest; empty: it is there
    void processEnded(int bySignal); // QEMU is gone and QMP has nothing more to say

    [[nodiscard]] MachineState state() const;
    [[nodiscard]] QString note() const; // translated; empty when all is well
    [[nodiscard]] bool isPanicked() const { return m_panicked; }
    [[nodiscard]] bool isPaused() const { return m_stopped; }
    [[nodiscard]] bool isShuttingDown() const { return m_shuttingDown; }
    [[nodiscard]] bool isSuspending() const { return m_suspending; }
    [[nodiscard]] bool isForcingOff() const { return m_forcingOff; }
    [[nodiscard]] std::optional<Ending> ending() const { return m_ending; }
    [[nodiscard]] QList<Happening> takeHappenings();

private:
    void happened(const char* kind, const QString& text);
    void diskError(const QJsonObject& data);
    void ended(const QString& reason);

    bool m_started = false;
    bool m_stopped = false;
    bool m_shuttingDown = false;
    bool m_shutdownIgnored = false;
    bool m_forcingOff = false;
    bool m_suspending = false;
    bool m_suspended = false;
    bool m_panicked = false;
    bool m_answering = true;
    bool m_guestSilent = false;
    bool m_silenceTold = false; // and that it is over not yet
    QMap<QString, QString> m_networkDisks;
    QString m_diskError;
    QString m_missingDisk;
    std::optional<Ending> m_announced; // by SHUTDOWN; QEMU is about to exit
    std::optional<Ending> m_ending;
    QList<Happening> m_happenings;
};

} // namespace vitrine::qemu
