// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/hypervisor/hypervisor.h"
#include "vz/host/machine_holder.h"

#include <QByteArray>
#include <QJsonObject>
#include <QProcess>
#include <QSocketNotifier>

#include <memory>

namespace vitrine::vz {

// A `vitrinectl hold NAME` has the lock on config.json, so that everybody who stops the machine by
// its holder's process id ends that and not the window; this process has `alive`. Protocol: top of
// cli/hold_command.cpp. The process is told by the end of its socket that this has gone.
class HoldProcess final : public MachineHolder {
    Q_OBJECT
public:
    // `vitrinectl`: path of the program.
    HoldProcess(const Hypervisor::RunRequest& request,
                QString vitrinectl,
                QObject* parent = nullptr);
    ~HoldProcess() override;
    void take(Taken done) override;
    void release(Released done) override;
    [[nodiscard]] qint64 processId() const { return m_process ? m_process->processId() : 0; }

private:
    [[nodiscard]] Result<> start();
    void read();
    void handle(const QJsonObject& line);
    void held(const QJsonObject& line);
    void gone();
    void endedUnheld(); // nothing, once it was taken
    void answer(const Result<>& taken);

    Library m_library;
    QString m_name;
    QString m_program;
    bool m_discardsState;
    FileDescriptor m_socket;
    std::unique_ptr<QSocketNotifier> m_notifier;
    QProcess* m_process = nullptr; // outlives this until it has ended
    std::shared_ptr<DirectoryLock> m_alive;
    QByteArray m_buffer;
    Taken m_taken;       // until it is answered
    Released m_released; // likewise
};

} // namespace vitrine::vz
