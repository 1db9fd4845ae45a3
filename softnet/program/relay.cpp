// SPDX-License-Identifier: Apache-2.0
#include "softnet/program/relay.h"

#include "softnet/answers/arp_responder.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <sys/resource.h>

namespace vitrine::softnet {

namespace {

// Rounds of VmSocket::batch frames before libslirp's sockets have their turn.
constexpr int rounds = 8;
constexpr std::size_t mostForStack = 16;

// libslirp 4.7 can be made to crash by the fragments that it puts together, so it gets none.
bool isFragment(Bytes frame) {
    const auto ethernet = EthernetFrame::parse(frame);
    const auto ip = ethernet && ethernet->type == ethertype::ipv4
                        ? Ipv4Packet::parse(ethernet->payload)
                        : std::nullopt;
    return ip && ip->isFragment();
}

// Whether a rule can open the gateway, which libslirp has to know when it is made.
bool namesHost(const Policy& policy, const Network& network) {
    return std::any_of(policy.allow.begin(), policy.allow.end(), [&network](const Target& target) {
        return !target.prefix || (target.prefix->contains(network.gateway) &&
                                  target.prefix->length >= network.subnet.length);
    });
}

} // namespace

Relay::Relay(VmSocket socket, Filter filter, DhcpServer dhcp)
    : m_socket(std::move(socket))
    , m_filter(std::move(filter))
    , m_dhcp(dhcp) {}

Checked<std::unique_ptr<Relay>> Relay::create(const Options& options,
                                              VmSocket socket,
                                              std::vector<Ipv4> hostAddresses,
                                              std::uint64_t seed) {
    Network network;
    network.guestMac = options.guestMac;
    network.hostAddresses = std::move(hostAddresses);
    Filter filter(network, options.profile(), seed);
    if (const auto set = filter.setPolicy(options.policy, now()); !set) {
        return tl::unexpected(set.error());
    }
    const DhcpServer dhcp(network, aliasMac(network.gateway), {options.leaseSeconds, 1500});
    std::unique_ptr<Relay> relay(new Relay(std::move(socket), std::move(filter), dhcp));
    auto stack = SlirpStack::create(network,
                                    namesHost(options.policy, network),
                                    [self = relay.get()](Bytes frame) { self->toGuest(frame); });
    if (!stack) {
        return tl::unexpected(stack.error());
    }
    relay->m_stack = std::move(*stack);
    return relay;
}

void Relay::exposePorts(const std::vector<Exposure>& exposures) {
    for (const Exposure& exposure : exposures) {
        if (const auto exposed = m_stack->expose(exposure); !exposed) {
            std::fprintf(stderr, "vitrine-softnet: %s\n", exposed.error().message.c_str());
        }
    }
}

Time Relay::now() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return std::chrono::duration_cast<Time>(std::chrono::seconds(time.tv_sec) +
                                            std::chrono::nanoseconds(time.tv_nsec));
}

void Relay::fromGuest(Bytes frame) {
    const Verdict verdict = m_filter.fromGuest(frame, now());
    if (!verdict.passes()) {
        return;
    }
    std::optional<Frame> answer;
    if (verdict.reason == Reason::Dhcp) {
        answer = m_dhcp.answer(frame);
    } else if (verdict.reason == Reason::Arp) {
        answer = answerGuestArp(m_filter.network(), frame);
    } else if (!isFragment(frame)) {
        m_stack->input(frame);
    }
    if (answer) {
        m_socket.send(*answer);
    }
}

void Relay::toGuest(Bytes frame) {
    const Verdict verdict = m_filter.toGuest(frame, now());
    if (!verdict.passes()) {
        return;
    }
    if (verdict.reason != Reason::Arp) {
        m_socket.send(frame);
        return;
    }
    auto answer = answerHostArp(m_filter.network(), frame);
    if (answer && m_forStack.size() < mostForStack) {
        m_forStack.push_back(std::move(*answer));
    }
}

// Inside its own call libslirp must not be entered again.
void Relay::answerSlirp() {
    const std::vector<Frame> answers = std::exchange(m_forStack, {});
    for (const Frame& frame : answers) {
        m_stack->input(frame);
    }
}

void Relay::run(int stopDescriptor) {
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    std::vector<::pollfd> waits;
    while (m_socket.isOpen()) {
        waits.assign({{m_socket.descriptor(), POLLIN, 0}, {stopDescriptor, POLLIN, 0}});
        std::uint32_t milliseconds = 60'000;
        m_stack->prepare(waits, milliseconds);
        const int ready = ::poll(waits.data(), waits.size(), static_cast<int>(milliseconds));
        if (waits[1].revents != 0) {
            return;
        }
        bool more = true;
        for (int round = 0; more && round < rounds && m_socket.isOpen(); ++round) {
            more = m_socket.receive([this](Bytes frame) { fromGuest(frame); }) == VmSocket::batch;
        }
        answerSlirp();
        m_stack->process(waits, ready < 0);
        answerSlirp();
        if (waits.size() + 64 > files.rlim_cur) {
            // Without descriptors an exposed port stays readable for ever; let connections end.
            const timespec pause{0, 5'000'000};
            ::nanosleep(&pause, nullptr);
        }
    }
}

} // namespace vitrine::softnet
