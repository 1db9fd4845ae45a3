// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/machine/network_options.h"
#include "core/result/result.h"
#include "core/softnet/softnet_program.h"
#include "core/softnet/softnet_supervisor.h"
#include "core/value/mac_address.h"

#include <QObject>

#include <memory>

namespace vitrine::vz {

// The network of one machine made by the Softnet that is installed: a connected pair of datagram
// sockets, one end for the framework, the other the program's standard input, and the program kept
// running by a SoftnetSupervisor. On the main thread.
class SoftnetSession final : public QObject {
    Q_OBJECT
public:
    static constexpr int sendBuffer = 1 << 20; // bytes, of both ends
    static constexpr int receiveBuffer = 4
                                         << 20; // Apple asks for at least twice, better four times

    // Makes the sockets; the program is started by start(). Errors as of planSoftnet().
    [[nodiscard]] static Result<std::unique_ptr<SoftnetSession>>
    make(const SoftnetProgram& program,
         const MacAddress& macAddress,
         const NetworkOptions& options,
         const QString& logFile,
         SoftnetSupervisor::Pace pace = {});
    ~SoftnetSession() override;

    // The machine's end, for SocketAttachment. Owned by this, open as long as it lives, so that the
    // network goes on when the program is started again.
    [[nodiscard]] int machineSocket() const { return m_machineEnd.get(); }
    Result<> start();
    void stop(); // SIGINT, later SIGKILL; stopped() follows
    [[nodiscard]] SoftnetSupervisor* supervisor() const { return m_supervisor.get(); }

Q_SIGNALS:
    void lost(const vitrine::Error& error); // it does not come back: Lifecycle::networkGone()
    void stopped();

private:
    SoftnetSession(FileDescriptor machineEnd, SoftnetSupervisor::Setup setup);
    FileDescriptor m_machineEnd;
    std::unique_ptr<SoftnetSupervisor> m_supervisor;
};

} // namespace vitrine::vz
