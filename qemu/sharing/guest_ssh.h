// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/guest_agent.h"
#include "core/guest/ssh_arguments.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>

namespace vitrine::qemu {

// Programs in a guest without an agent, as root: over ssh with the user's keys, and sudo there
// unless root logs in. Never asks for anything. Main thread; nothing blocks; what still runs when
// this goes is ended and gets no reply.
class GuestSsh final : public QObject {
    Q_OBJECT
public:
    // `address` has host and port; asked at each run, because they come and go.
    GuestSsh(std::function<SshTarget()> address, QString machineDirectory);

    void setUser(const QString& user) { m_user = user; }
    // As GuestAgent::run(). Unsupported when nobody gets in; Timeout.
    void run(const QString& program,
             const QStringList& arguments,
             int timeoutMilliseconds,
             std::function<void(Result<GuestAgent::ExecResult>)> reply);

private:
    std::function<SshTarget()> m_address;
    QString m_directory;
    QString m_user;
};

} // namespace vitrine::qemu
