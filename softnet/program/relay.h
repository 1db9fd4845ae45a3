// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/answers/dhcp_server.h"
#include "softnet/program/control_socket.h"
#include "softnet/program/exposures.h"
#include "softnet/program/host_addresses.h"
#include "softnet/program/vm_socket.h"

namespace vitrine::softnet {

// Carries frames between the machine and libslirp through the filter, and serves the control
// channel, on the thread that calls run().
class Relay final : public ControlHost {
public:
    struct Parts {
        VmSocket socket;
        std::optional<ControlSocket> control;
        HostAddresses hostAddresses;
        std::uint64_t seed = 0;
    };
    // Refuses what the rules or libslirp refuse. Opens files: made before the sandbox.
    [[nodiscard]] static Checked<std::unique_ptr<Relay>> create(const Options& options,
                                                                Parts parts);
    ~Relay() override;

    // A port that cannot be exposed is told on stderr and left out, as Softnet does.
    void exposePorts(const std::vector<Exposure>& exposures);
    // Until the machine is gone or `stopDescriptor` becomes readable. `mostFiles`: how many
    // descriptors may be open; close to it the loop slows down.
    void run(int stopDescriptor, std::size_t mostFiles);

    [[nodiscard]] const std::vector<Exposure>& exposures() const override;
    [[nodiscard]] Checked<void> expose(const Exposure& exposure) override;
    [[nodiscard]] Checked<void> conceal(const Exposure& exposure) override;
    [[nodiscard]] std::uint64_t residentKiB() const override;
    [[nodiscard]] std::uint64_t lostToGuest() const override;

private:
    Relay(Parts parts, Filter filter, DhcpServer dhcp);
    void fromGuest(Bytes frame);
    void toGuest(Bytes frame);
    void note(Side sender, const Verdict& verdict, Bytes frame, Time now);
    void answerSlirp();
    void followAddresses();
    [[nodiscard]] static Time now();

    VmSocket m_socket;
    std::optional<ControlSocket> m_control;
    HostAddresses m_addresses;
    Filter m_filter;
    DhcpServer m_dhcp;
    Ledger m_ledger;
    ControlService m_service;
    ControlChannel m_channel;
    std::unique_ptr<SlirpStack> m_stack;
    std::optional<Exposures> m_exposures;
    std::vector<Frame> m_forStack; // answers to libslirp's own questions, given after it returned
    bool m_moved = false;          // a frame came by since this was asked for last
    int m_memory = -1;             // /proc/self/statm
};

} // namespace vitrine::softnet
