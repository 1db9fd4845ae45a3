// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/library/runtime_directory.h"
#include "core/result/result.h"

#include <QJsonObject>
#include <QJsonValue>
#include <QObject>

#include <functional>
#include <memory>

namespace vitrine {

// What a machine's process tells of itself ("status" and the notification of the same name).
struct MachineStatus {
    MachineState state = MachineState::Starting;
    qint64 processId = 0;
    QDateTime startedAt;
    QString accelerator;     // "KVM", "TCG"
    QString acceleratorNote; // translated; empty when there is nothing to say
    QString note;    // translated; e.g. "emulated, slow", "The disk of this computer is full."
    QString address; // the guest's own, empty when unknown
    QString addressSource;  // "agent", "lease"
    QString leaseAddress;   // what the NAT knows, and what the agent told last: each empty when
    QString agentAddress;   // unknown
    quint16 sshPort = 0;    // on 127.0.0.1; 0 when there is none
    QString sshUser;        // as whom ssh logs in where nobody is named; empty: unknown
    QString network;        // networkWord() of it; empty: unknown
    bool reachable = false; // this computer reaches the guest's own address
    bool agentAnswers = false;
    int width = 0; // of the display, pixels; 0 unknown
    int height = 0;
    QString lastError;      // translated; why the last action or the start failed
    bool responding = true; // QEMU answers its machine's process
    QString clipboard;      // "off", "waiting" (for an agent in the guest), "ready"; empty: unknown
    QString suspendRefusal; // translated: why this run cannot be suspended; empty when it can
    QList<PendingChange> pending;

    // Where the guest's ssh answers: the forward on 127.0.0.1, else port 22 of the guest's own
    // address where this computer reaches that. Port 0: nowhere yet.
    struct SshAddress {
        QString host;
        quint16 port = 0;
        [[nodiscard]] bool isKnown() const { return port != 0; }
    };
    [[nodiscard]] SshAddress sshAddress() const;

    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static MachineStatus fromJson(const QJsonObject& object);
    friend bool operator==(const MachineStatus&, const MachineStatus&) = default;
};

// Protocol of vitrine.sock (contract 1): newline JSON-RPC 2.0, lines <= 1 MiB, peer uid checked on
// both sides. Errors carry the kind of Error (control_message.h). Verbs succeed again when what
// they ask for is so already. Requests and what they answer:
//   hello            {protocol, program, methods, machine, pid, unavailable: {method: reason} of
//                    those that this backend cannot have; asked for, they answer Unsupported}
//   status           MachineStatus; subscribe the same, and notifications from then on
//   shutdown         {} at once; agent, then ACPI, then the event "shutdown-ignored"
//   forceOff, pause, resume   {}
//   suspend          {} when the state is safe on the disk; the machine's process ends then
//   screenshot       {path, width, height}: a PNG file, replaced by the next (at most 2 a second)
//   forward.add      {guestPort, hostPort = 0 for any} -> {guestPort, hostPort}
//   forward.remove   {hostPort}; forward.list -> {forwards: [{guestPort, hostPort}]}
//   disk.list        {disks: [{node, file, size, readOnly, direct, noFlush}]} as QEMU has them now
//   disk.grow        {size, partition = true} -> {size, partition: "grown", "nothing", "not" or "",
//                    text}: the root disk; then its last partition through the guest's agent. A
//                    machine that takes automatic snapshots takes one before, of the disk
//   share.list       ShareList (core/sharing)
//   share.add        {path, name, readOnly = true, tag, keep = true} -> ShareStatus
//   share.remove     {tag, name, force}; share.change {tag, name, readOnly, newName} -> {}
//   share.mount      {tag, user}: once more; where no agent answers over ssh as that user -> {}
//   viewers          {vnc: {url, port, password}, serial: path}, each only when there is one
//   snapshot.create  {name, memory, automatic} -> Snapshot when it is taken (core/snapshot)
//   snapshot.progress {done, total, step} of the one under way; snapshot.cancel {}
//   change           machine_changes.h -> the changes that wait now (contract 2)
//   run.options      {started, now}: the run options of this run (core/machine), at its start and
//   now agent.exec       machine_exec.h; agent.interfaces -> {interfaces: [{name, mac, addresses}]}
//   agent.state      {wait = 0: ms for one that is slow} -> {opened: an agent holds its port in the
//                    guest, seen: one has answered in this run, answers: it does now}
//   display.info     {socket, width, height}; log -> {path, text: its end}
//   serial.info      {socket: serial_client.h, log: file of all output, pty: may be empty}
//   clipboard.offer  {text: base64, offset, size}: parts of text copied here, in order -> {}
//   clipboard.get    {offset} -> {text: base64 of a part, size, serial}: what the guest copied
//   clipboard.enable {enabled, keep}: from now on; with keep also in vitrine.json -> {}
// Notifications: clipboard {serial}: the guest has copied text; status (a whole MachineStatus) and
// event {kind, text (translated), time}. Kinds: started, paused, resumed, suspended,
// suspend-failed, shutdown-requested, shutdown-ignored, stopped, forced-off, ended, crashed,
// start-failed, restarted, panic, disk-full, disk-error, disk-missing, hangs, answers-again,
// guest-silent, guest-answers, forward-failed, remark.
namespace control {
inline constexpr int protocolVersion = 1;
inline constexpr int maximumLine = 1 << 20;
} // namespace control

// The window's or command line's end. Reconnects by itself while the machine's lock is held (a
// machine outlives the window, and its process may be started again). Lives on one thread; nothing
// blocks.
class MachineClient final : public QObject {
    Q_OBJECT
public:
    using Reply = std::function<void(Result<QJsonValue>)>;

    MachineClient(QString libraryHome, QString machineDirectory, QObject* parent = nullptr);
    ~MachineClient() override;

    void attach(); // starts trying; connects only when the lock is held
    void detach();
    [[nodiscard]] bool isConnected() const; // hello was answered
    [[nodiscard]] const MachineStatus& status() const;
    [[nodiscard]] const QJsonObject& hello() const; // protocol, program version, methods
    [[nodiscard]] bool supports(const QString& method) const;
    [[nodiscard]] QString displaySocket() const;
    [[nodiscard]] QString consoleSocket() const; // of the serial line, serial_client.h
    [[nodiscard]] QString logFile() const;

    // Default limit 10 s. Timeout when the process hangs; the row shows it, nothing else waits.
    void call(const QString& method,
              const QJsonObject& parameters,
              Reply reply,
              int timeoutMilliseconds = 10000);

    // Blocking variants for the command line.
    bool waitForConnected(int timeoutMilliseconds);
    Result<QJsonValue>
    callAndWait(const QString& method, const QJsonObject& parameters, int timeoutMilliseconds);

Q_SIGNALS:
    void connectedChanged();
    void statusChanged();
    void eventHappened(const QString& kind, const QString& text, const QDateTime& time);
    void guestCopied(qint64 serial);

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

} // namespace vitrine
