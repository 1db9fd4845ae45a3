// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "core/result/result.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <optional>

namespace vitrine {

// Runs machines inside the window's process, for a backend whose screens cannot leave it (contract
// 1, macOS). Such a machine answers on the socket of its runtime directory like one with a process
// of its own, so that MachineClient, `vitrinectl` and other windows need not know the difference.
// Window's thread, nothing waits. Machines that run when this goes are ended.
class MachineHost : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    using Started = std::function<void(const Result<>&)>;

    // `started` is called once from the event loop: when the guest runs, or with the reason why it
    // does not. The end of a machine that was started is told by ended().
    virtual void start(const Hypervisor::RunRequest& request, Started started) = 0;
    // Of whoever started it, as the signals of a machine's process: Interrupt is SIGINT, which
    // shuts down, and forces off when the time of the request is over; again: off at once. While it
    // starts each but Suspend ends the start. Nothing for a machine that is not hosted.
    enum class Wish { Interrupt, Suspend, ShutDown };
    virtual void wish(const QString& name, Wish wish) = 0;
    [[nodiscard]] virtual QStringList machines() const = 0; // names of those hosted now

Q_SIGNALS:
    void machinesChanged();
    // What a machine's process says, from its start on. `kind` as in machine_client.h, or "note":
    // what there is to say of how it is run.
    void told(const QString& name, const QString& kind, const QString& text);
    void viewerOpened(const QString& name, const QString& path);     // terminal of its serial line
    void declined(const QString& name, const vitrine::Error& error); // what wish() asked for
    // `error` is why it failed; none when it was shut down, forced off or suspended.
    void ended(const QString& name, const std::optional<vitrine::Error>& error);
};

} // namespace vitrine
