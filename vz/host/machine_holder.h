// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/library/runtime_directory.h"
#include "core/result/result.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <optional>

namespace vitrine::vz {

// Who holds the two locks of a machine for a run (contract 2): this process, or with a window a
// `vitrinectl hold`. Both are let go when this goes. Main thread; answers come from the event loop
// and not after this is gone.
class MachineHolder : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    using Taken = std::function<void(const Result<>&)>;
    using Released = std::function<void(const QStringList& remarks)>;
    enum class Wish { Interrupt, Suspend, ShutDown }; // as SIGINT, SIGUSR1, SIGUSR2
    Q_ENUM(Wish)

    // Once. Everything that is done under the locks before a start is done then. NotFound,
    // AlreadyRunning (both exit code 2), Busy, or what is wrong with the machine.
    virtual void take(Taken done) = 0;
    // The last act of a run: changes that waited for its end. Remarks are translated.
    virtual void release(Released done) = 0;

    // After take().
    [[nodiscard]] const MachineInfo& machine() const { return *m_machine; }
    [[nodiscard]] const RuntimeDirectory& runtime() const { return *m_runtime; }
    [[nodiscard]] const QStringList& remarks() const { return m_remarks; } // of take()
    // The running machine with the same MAC address, where it could not be replaced.
    [[nodiscard]] const std::optional<MachineInfo>& twin() const { return m_twin; }
    // To the machine's directory, for the files beside config.json.
    [[nodiscard]] const QString& folder() const { return m_folder; }

Q_SIGNALS:
    void wished(vitrine::vz::MachineHolder::Wish wish);
    void lost(); // the lock is gone: the machine has to be shut down

protected:
    std::optional<MachineInfo> m_machine;
    std::optional<RuntimeDirectory> m_runtime;
    QStringList m_remarks;
    std::optional<MachineInfo> m_twin;
    QString m_folder;
};

} // namespace vitrine::vz
