// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QHostAddress>
#include <QJsonObject>
#include <QJsonValue>
#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <memory>

namespace vitrine {

// Client of qemu-guest-agent over its chardev socket: newline JSON, guest-sync-delimited on each
// connect, lines at most 64 MiB, one command at a time (others queue), every command with a time
// limit that counts from the call. A command is sent only after the agent has answered the sync, so
// that an agent that starts late never runs a command we have given up. Text from the guest is
// untrusted. Lives on one thread; everything is asynchronous; every reply comes exactly once unless
// this object is destroyed first.
class GuestAgent final : public QObject {
    Q_OBJECT
public:
    using Reply = std::function<void(Result<QJsonValue>)>;

    // A path of at most 107 bytes: the socket of a chardev that this object alone uses.
    explicit GuestAgent(QString socketPath, QObject* parent = nullptr);
    ~GuestAgent() override;

    // Connects when needed. Timeout (kind) when nothing answers: no agent runs in the guest.
    // Unsupported when the agent does not know the command or has it switched off.
    void execute(const QString& command,
                 const QJsonObject& arguments,
                 int timeoutMilliseconds,
                 Reply reply);

    struct ExecResult {
        int exitCode = 0; // 128 + signal for a process that a signal ended
        QByteArray standardOutput;
        QByteArray standardError;
        bool truncated = false; // the agent's 16 MiB limit
    };
    // guest-exec and polling of guest-exec-status. A process that is still running at the time
    // limit goes on in the guest. Timeout (kind) too when the guest says nothing for the silence
    // limit: an agent that lives tells every half a second that the process runs.
    void run(const QString& path,
             const QStringList& arguments,
             const QByteArray& input,
             int timeoutMilliseconds,
             std::function<void(Result<ExecResult>)> reply);

    struct Interface {
        QString name;
        QString mac;
        QList<QHostAddress> addresses;
    };
    void interfaces(int timeoutMilliseconds, std::function<void(Result<QList<Interface>>)> reply);

    // Told by the backend from VSERPORT_CHANGE; without it the first command finds out. Closing
    // fails the command under way, because its answer will not come any more.
    void setGuestOpened(bool open);
    [[nodiscard]] bool guestOpened() const;
    // A paused guest says nothing: that time is no silence.
    void setPaused(bool paused);
    void setSilenceLimit(int milliseconds); // of run(): 5 minutes unless told otherwise

Q_SIGNALS:
    void guestOpenedChanged();

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

} // namespace vitrine
