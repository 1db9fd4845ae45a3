// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/softnet_session.h"

#include "core/softnet/softnet_launch.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>

namespace vitrine::vz {
namespace {

Result<> enlarge(int socket) {
    // An int and its size: with anything longer the system refuses.
    const std::array<std::pair<int, int>, 2> sizes{{
        {SO_SNDBUF, SoftnetSession::sendBuffer},
        {SO_RCVBUF, SoftnetSession::receiveBuffer},
    }};
    for (const auto& [option, bytes] : sizes)
        if (::setsockopt(socket, SOL_SOCKET, option, &bytes, sizeof(int)) != 0)
            return fail(Error::fromErrno(
                Tr::tr("The machine's network cannot be made: its buffers are refused."), errno));
    return {};
}

} // namespace

Result<std::unique_ptr<SoftnetSession>> SoftnetSession::make(const SoftnetProgram& program,
                                                             const MacAddress& macAddress,
                                                             const NetworkOptions& options,
                                                             const QString& logFile,
                                                             SoftnetSupervisor::Pace pace) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
        return fail(Error::fromErrno(Tr::tr("The machine's network cannot be made."), errno));
    FileDescriptor machineEnd(ends[0]);
    FileDescriptor childEnd(ends[1]);
    for (const int end : ends) {
        // macOS has no flag for it at birth.
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
        if (const auto enlarged = enlarge(end); !enlarged)
            return fail(enlarged.error());
    }
    auto setup = planSoftnet(program, macAddress, options, std::move(childEnd));
    if (!setup)
        return fail(setup.error());
    setup->logFile = logFile;
    setup->pace = pace;
    return std::unique_ptr<SoftnetSession>(
        new SoftnetSession(std::move(machineEnd), std::move(*setup)));
}

SoftnetSession::SoftnetSession(FileDescriptor machineEnd, SoftnetSupervisor::Setup setup)
    : m_machineEnd(std::move(machineEnd))
    , m_supervisor(std::make_unique<SoftnetSupervisor>(std::move(setup))) {
    connect(m_supervisor.get(), &SoftnetSupervisor::gaveUp, this, &SoftnetSession::lost);
    connect(m_supervisor.get(), &SoftnetSupervisor::stopped, this, &SoftnetSession::stopped);
}

SoftnetSession::~SoftnetSession() = default;

Result<> SoftnetSession::start() {
    return m_supervisor->start();
}

void SoftnetSession::stop() {
    m_supervisor->stop();
}

} // namespace vitrine::vz
