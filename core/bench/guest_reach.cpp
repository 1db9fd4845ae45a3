// SPDX-License-Identifier: Apache-2.0
#include "core/bench/guest_reach.h"

#include "core/hypervisor/ssh_process.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QTimer>

namespace vitrine::bench {

namespace {

constexpr int lookPeriod = 100;  // ms
constexpr int sshPeriod = 3000;  // ms between two tries
constexpr int tryLimit = 20'000; // ms of one

void waitForEvents() {
    QEventLoop loop;
    QTimer::singleShot(lookPeriod, &loop, &QEventLoop::quit);
    loop.exec();
}

// What ssh asks for the password.
Result<QString> makeAskPass(const QString& folder) {
    QFile file(folder + QStringLiteral("/askpass"));
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) ||
        file.write("#!/bin/sh\necho admin\n") < 0 || !file.flush())
        return fail(Error::Kind::Permission,
                    Tr::tr("Cannot write \"%1\": %2.").arg(file.fileName(), file.errorString()));
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return file.fileName();
}

class Search final {
public:
    Search(const GuestDoor& door, const std::stop_token& stop)
        : m_door(door)
        , m_stop(stop) {
        m_clock.start();
    }

    Result<std::unique_ptr<GuestShell>> run() {
        for (;;) {
            if (m_stop.stop_requested())
                return fail(Error::cancelled());
            if (!m_door.isUp())
                return fail(Error::Kind::NotRunning,
                            Tr::tr("The machine ended before its guest could be reached."));
            auto shell = m_door.client->status().agentAnswers ? byAgent() : bySsh();
            if (shell)
                return shell;
            if (shell.error().isCancelled())
                return shell;
            if (shell.error().kind != Error::Kind::Busy)
                m_last = shell.error().message;
            if (m_clock.hasExpired(m_door.patience))
                return fail(Error::Kind::Timeout,
                            Tr::tr("The guest could not be reached within %1 minutes: no agent "
                                   "answers (Debian: qemu-guest-agent), and ssh does not get in "
                                   "as admin. %2")
                                .arg(m_door.patience / 60'000)
                                .arg(m_last));
            waitForEvents();
        }
    }

private:
    Result<std::unique_ptr<GuestShell>> byAgent() { return tried(agentShell(*m_door.client)); }
    Result<std::unique_ptr<GuestShell>> bySsh() {
        const auto address = m_door.client->status().sshAddress();
        const bool isSoon = m_tried.isValid() && !m_tried.hasExpired(sshPeriod);
        if (!address.isKnown() || isSoon || !m_clock.hasExpired(m_door.agentPatience))
            return fail(Error::Kind::Busy, {});
        const auto askPass = makeAskPass(m_door.folder);
        if (!askPass)
            return fail(askPass.error());
        SshTarget target;
        target.host = address.host;
        target.port = address.port;
        target.user = rememberedGuestUser(m_door.machineDirectory);
        m_tried.start();
        return tried(sshShell(target, m_door.machineDirectory, *askPass));
    }
    Result<std::unique_ptr<GuestShell>> tried(std::unique_ptr<GuestShell> shell) {
        const auto output = shell->run(QStringLiteral("exit 0"), {}, m_stop, tryLimit);
        if (!output)
            return fail(output.error());
        return shell;
    }

    const GuestDoor& m_door;
    const std::stop_token& m_stop;
    QElapsedTimer m_clock;
    QElapsedTimer m_tried; // ssh, for the last time
    QString m_last;        // why
};

} // namespace

Result<std::unique_ptr<GuestShell>> reachGuest(const GuestDoor& door, const std::stop_token& stop) {
    return Search(door, stop).run();
}

} // namespace vitrine::bench
