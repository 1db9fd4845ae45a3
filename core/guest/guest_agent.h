// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QHostAddress>
#include <QJsonObject>
#include <QJsonValue>
#include <QList>
#include <QLocalSocket>
#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>

namespace vitrine {

// Client of qemu-guest-agent over its chardev socket: newline JSON, guest-sync-delimited on each
// connect, lines at most 64 MiB, one command at a time (others queue), every command with a time
// limit. Text from the guest is untrusted. Lives on one thread; everything is asynchronous.
class GuestAgent final : public QObject {
    Q_OBJECT
public:
    using Reply = std::function<void(Result<QJsonValue>)>;

    explicit GuestAgent(QString socketPath, QObject* parent = nullptr);
    ~GuestAgent() override;

    // Connects when needed. Timeout (kind) when nothing answers: no agent runs in the guest.
    void execute(const QString& command,
                 const QJsonObject& arguments,
                 int timeoutMilliseconds,
                 Reply reply);

    struct ExecResult {
        int exitCode = 0;
        QByteArray standardOutput;
        QByteArray standardError;
        bool truncated = false; // the agent's 16 MiB limit
    };
    // guest-exec and polling of guest-exec-status.
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

    // Told by the backend from VSERPORT_CHANGE; without it the first command finds out.
    void setGuestOpened(bool open);
    [[nodiscard]] bool guestOpened() const;

Q_SIGNALS:
    void guestOpenedChanged();

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

} // namespace vitrine
