// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/guest_agent.h"
#include "vz/plan/machine.h"

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>

namespace vitrine::vz {

// Programs that are run in a guest through Tart's agent, each over a connection of its own, as the
// user whose agent it is. Main thread; every reply comes exactly once, from the event loop or, with
// NotRunning, when this goes.
class GuestCommands final : public QObject {
    Q_OBJECT
public:
    static constexpr int most = 32;                      // at once; more are Busy
    static constexpr qsizetype longestOutput = 16 << 20; // bytes kept of each stream

    using Reply = std::function<void(const Result<GuestAgent::ExecResult>&)>;
    // `machine` outlives this.
    explicit GuestCommands(Machine* machine, QObject* parent = nullptr);
    ~GuestCommands() override;

    // As GuestAgent::run(), but what has not ended at the time limit is ended, and a process that a
    // signal ended has the exit code 255. `path` is looked up in the agent's PATH.
    void run(const QString& path,
             const QStringList& arguments,
             const QByteArray& input,
             int timeoutMilliseconds,
             Reply reply);

private:
    class Call;
    Machine* m_machine;
    QList<Call*> m_calls; // under way; children
};

} // namespace vitrine::vz
