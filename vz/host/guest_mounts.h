// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "vz/host/guest_commands.h"

#include <QString>
#include <QStringList>

#include <functional>

namespace vitrine::vz {

// Mounts and unmounts the devices of shared folders in a guest through Tart's agent. In Linux that
// needs root: where the agent is another user's, sudo without a password. Main thread; every reply
// comes exactly once.
class GuestMounts final {
public:
    using Done = std::function<void(const Result<>&)>;
    // `commands` outlives this.
    GuestMounts(GuestCommands* commands, bool isMac)
        : m_commands(commands)
        , m_isMac(isMac) {}

    // Already mounted there: succeeds. Unsupported with the guest's reason when it cannot.
    void mount(const QString& tag, const QString& place, Done done);
    // Busy names the processes that use it. Not mounted: succeeds.
    void unmount(const QString& place, Done done);

private:
    void shell(const char* script,
               const QStringList& arguments,
               int timeoutMilliseconds,
               std::function<void(const Result<GuestAgent::ExecResult>&)> reply);
    GuestCommands* m_commands;
    bool m_isMac;
};

} // namespace vitrine::vz
