// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/options.h"

#include <functional>
#include <memory>
#include <poll.h>

struct Slirp;

namespace vitrine::softnet {

// libslirp: TCP, UDP and ICMP of the guest as sockets of this process. One loop, one thread. It
// opens files when it is made, so it is made before the sandbox.
class SlirpStack final {
public:
    // Called for every frame toward the guest, from inside input() and poll().
    using Deliver = std::function<void(Bytes)>;

    // `hostLoopback`: whether the gateway may lead to the host's 127.0.0.1 at all.
    [[nodiscard]] static Checked<std::unique_ptr<SlirpStack>>
    create(const Network& network, std::uint16_t mtu, bool hostLoopback, Deliver deliver);
    SlirpStack(const SlirpStack&) = delete;
    SlirpStack& operator=(const SlirpStack&) = delete;
    ~SlirpStack();

    void input(Bytes frame);
    // 0 or the error number.
    [[nodiscard]] int expose(const Exposure& exposure);
    [[nodiscard]] int conceal(const Exposure& exposure);

    // Around one poll(): adds what it waits for, and may shorten the time (milliseconds); then
    // looks at the answers, which must stay where prepare() put them.
    void prepare(std::vector<::pollfd>& waits, std::uint32_t& milliseconds);
    void process(std::vector<::pollfd>& waits, bool failed);

private:
    SlirpStack(Ipv4 guest, Deliver deliver);

    Ipv4 m_guest;
    Deliver m_deliver;
    ::Slirp* m_slirp = nullptr;
};

} // namespace vitrine::softnet
