// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/answers/dhcp_server.h"
#include "softnet/program/slirp_stack.h"
#include "softnet/program/vm_socket.h"

namespace vitrine::softnet {

// Carries frames between the machine and libslirp through the filter, on the thread that calls
// run().
class Relay final {
public:
    // Takes the socket over. Refuses what the rules or libslirp refuse. A port that cannot be
    // exposed is told on stderr and left out, as Softnet does.
    [[nodiscard]] static Checked<std::unique_ptr<Relay>> create(const Options& options,
                                                                VmSocket socket,
                                                                std::vector<Ipv4> hostAddresses,
                                                                std::uint64_t seed);

    void exposePorts(const std::vector<Exposure>& exposures);
    // Until the machine is gone or `stopDescriptor` becomes readable.
    void run(int stopDescriptor);

private:
    Relay(VmSocket socket, Filter filter, DhcpServer dhcp);
    void fromGuest(Bytes frame);
    void toGuest(Bytes frame);
    void answerSlirp();
    [[nodiscard]] static Time now();

    VmSocket m_socket;
    Filter m_filter;
    DhcpServer m_dhcp;
    std::unique_ptr<SlirpStack> m_stack;
    std::vector<Frame> m_forStack; // answers to libslirp's own questions, given after it returned
};

} // namespace vitrine::softnet
