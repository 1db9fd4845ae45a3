// SPDX-License-Identifier: Apache-2.0
#include "softnet/program/slirp_stack.h"

#include <arpa/inet.h>
#include <cerrno>
#include <ctime>
#include <libslirp.h>

namespace vitrine::softnet {

namespace {

in_addr inAddress(Ipv4 address) {
    return {htonl(address.value)};
}

// Since the first question: libslirp keeps milliseconds in 32 bits, which come round after 49 days,
// and then sees no datagram's age for a while.
std::int64_t nanoseconds(void* /*stack*/) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    static const std::int64_t begun = now.tv_sec;
    return std::int64_t{1'000'000'000} * (now.tv_sec - begun + 1) + now.tv_nsec;
}

ssize_t sendPacket(const void* frame, std::size_t size, void* deliver) {
    (*static_cast<SlirpStack::Deliver*>(deliver))({static_cast<const std::uint8_t*>(frame), size});
    return static_cast<ssize_t>(size);
}

// The only timer announces IPv6, which is off.
int noTimer = 0;
void* newTimer(SlirpTimerCb /*call*/, void* /*argument*/, void* /*stack*/) {
    return &noTimer;
}

const SlirpCb callbacks = [] {
    SlirpCb result{};
    result.send_packet = sendPacket;
    result.guest_error = [](const char* /*message*/, void* /*stack*/) {};
    result.clock_get_ns = nanoseconds;
    result.timer_new = newTimer;
    result.timer_free = [](void* /*timer*/, void* /*stack*/) {};
    result.timer_mod = [](void* /*timer*/, std::int64_t /*at*/, void* /*stack*/) {};
    result.register_poll_fd = [](int /*descriptor*/, void* /*stack*/) {};
    result.unregister_poll_fd = [](int /*descriptor*/, void* /*stack*/) {};
    result.notify = [](void* /*stack*/) {};
    return result;
}();

int addWait(int descriptor, int events, void* waits) {
    auto& list = *static_cast<std::vector<::pollfd>*>(waits);
    int wanted = 0;
    wanted |= (events & SLIRP_POLL_IN) != 0 ? POLLIN : 0;
    wanted |= (events & SLIRP_POLL_OUT) != 0 ? POLLOUT : 0;
    wanted |= (events & SLIRP_POLL_PRI) != 0 ? POLLPRI : 0;
    list.push_back({descriptor, static_cast<short>(wanted), 0});
    return static_cast<int>(list.size()) - 1;
}

int happened(int index, void* waits) {
    const int events =
        (*static_cast<std::vector<::pollfd>*>(waits))[static_cast<std::size_t>(index)].revents;
    int result = 0;
    result |= (events & POLLIN) != 0 ? SLIRP_POLL_IN : 0;
    result |= (events & POLLOUT) != 0 ? SLIRP_POLL_OUT : 0;
    result |= (events & POLLPRI) != 0 ? SLIRP_POLL_PRI : 0;
    result |= (events & (POLLERR | POLLNVAL)) != 0 ? SLIRP_POLL_ERR : 0;
    result |= (events & POLLHUP) != 0 ? SLIRP_POLL_HUP : 0;
    return result;
}

} // namespace

SlirpStack::SlirpStack(Ipv4 guest, Deliver deliver)
    : m_guest(guest)
    , m_deliver(std::move(deliver)) {}

Checked<std::unique_ptr<SlirpStack>>
SlirpStack::create(const Network& network, std::uint16_t mtu, bool hostLoopback, Deliver deliver) {
    std::unique_ptr<SlirpStack> stack(new SlirpStack(network.guest, std::move(deliver)));
    SlirpConfig config{};
    config.version = 4;
    config.in_enabled = true;
    config.vnetwork = inAddress(network.subnet.first());
    config.vnetmask = {htonl(network.subnet.mask())};
    config.vhost = inAddress(network.gateway);
    config.vnameserver = inAddress(network.dns);
    config.vdhcp_start = inAddress(network.guest);
    config.if_mtu = mtu;
    config.if_mru = mtu;
    config.disable_host_loopback = !hostLoopback;
    config.disable_dhcp = true;
    stack->m_slirp = ::slirp_new(&config, &callbacks, &stack->m_deliver);
    if (stack->m_slirp == nullptr) {
        return refuse("libslirp cannot be set up");
    }
    return stack;
}

SlirpStack::~SlirpStack() {
    if (m_slirp != nullptr) {
        ::slirp_cleanup(m_slirp);
    }
}

void SlirpStack::input(Bytes frame) {
    ::slirp_input(m_slirp, frame.data(), static_cast<int>(frame.size()));
}

int SlirpStack::expose(const Exposure& exposure) {
    errno = 0;
    const int added = ::slirp_add_hostfwd(m_slirp,
                                          0,
                                          inAddress(exposure.address),
                                          exposure.external,
                                          inAddress(m_guest),
                                          exposure.internal);
    return added == 0 ? 0 : (errno != 0 ? errno : EINVAL);
}

int SlirpStack::conceal(const Exposure& exposure) {
    const int removed =
        ::slirp_remove_hostfwd(m_slirp, 0, inAddress(exposure.address), exposure.external);
    return removed == 0 ? 0 : ENOENT;
}

void SlirpStack::prepare(std::vector<::pollfd>& waits, std::uint32_t& milliseconds) {
    ::slirp_pollfds_fill(m_slirp, &milliseconds, addWait, &waits);
}

void SlirpStack::process(std::vector<::pollfd>& waits, bool failed) {
    ::slirp_pollfds_poll(m_slirp, failed ? 1 : 0, happened, &waits);
}

} // namespace vitrine::softnet
