// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "qemu/sharing/share_transport.h"

#include <QString>

#include <functional>

namespace vitrine {
class GuestAgent;
}

namespace vitrine::qemu {

class GuestSsh;

// Mounts and unmounts shares in a Linux guest through its agent, or over ssh while that was chosen,
// as root with /bin/sh. Main thread; every reply comes exactly once. Tags and places are those of
// core/sharing: they need no quoting.
class GuestMounts final {
public:
    using Done = std::function<void(Result<>)>;

    GuestMounts(GuestAgent* agent, GuestSsh* ssh)
        : m_agent(agent)
        , m_ssh(ssh) {}

    void setOverSsh(bool overSsh) { m_overSsh = overSsh; }
    // There is a way in; whether somebody answers is another matter.
    [[nodiscard]] bool isReachable() const;

    // Waits up to 5 s for the device to be seen. Already mounted there: succeeds.
    void mount(const QString& tag, const QString& place, ShareTransport::Kind kind, Done done);
    // Busy names the processes that use it. Not mounted: succeeds.
    void unmount(const QString& place, Done done);
    // Busy as unmount() would be now, without doing it.
    void checkUnused(const QString& place, Done done);
    // Reads a probe in the guest as `user`, whom it must have let in, and compares: `folder` is the
    // folder of this computer. Leaves no trace there, not even a new time of change.
    void probe(const QString& folder, const QString& place, const GuestUser& user, Done done);
    // Who logs in there: the first ordinary user. Without one: root.
    void findUser(std::function<void(Result<GuestUser>)> reply);

    // For people, to do it by hand in the guest.
    [[nodiscard]] static QString
    mountLine(const QString& tag, const QString& place, ShareTransport::Kind kind);

private:
    void runUnmount(const QString& place, const QString& look, Done done);
    void shell(const QString& script,
               const QStringList& arguments,
               int timeoutMilliseconds,
               std::function<void(Result<QString>)> reply);

    GuestAgent* m_agent; // not owned, outlives this
    GuestSsh* m_ssh;     // as well
    bool m_overSsh = false;
};

} // namespace vitrine::qemu
