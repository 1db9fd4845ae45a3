// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

namespace vitrine::test {

// Every request of vitrine.sock (core/hypervisor/machine_client.h). Each backend answers each of
// them or tells in `hello` why it cannot: one that is new to a backend is decided for the others.
inline QStringList protocolMethods() {
    QStringList all;
    for (const char* method : {"agent.exec",
                               "agent.interfaces",
                               "agent.state",
                               "change",
                               "clipboard.enable",
                               "clipboard.get",
                               "clipboard.offer",
                               "disk.grow",
                               "disk.list",
                               "display.info",
                               "forceOff",
                               "forward.add",
                               "forward.list",
                               "forward.remove",
                               "hello",
                               "log",
                               "net.destinations",
                               "net.expose.add",
                               "net.expose.remove",
                               "net.learn",
                               "net.policy.edit",
                               "net.policy.set",
                               "net.stats",
                               "net.status",
                               "net.test",
                               "pause",
                               "resume",
                               "run.options",
                               "screenshot",
                               "serial.info",
                               "share.add",
                               "share.change",
                               "share.list",
                               "share.mount",
                               "share.remove",
                               "shutdown",
                               "snapshot.cancel",
                               "snapshot.create",
                               "snapshot.progress",
                               "status",
                               "subscribe",
                               "suspend",
                               "viewers"})
        all << QLatin1String(method);
    return all;
}

} // namespace vitrine::test
