// SPDX-License-Identifier: Apache-2.0
#include "softnet/program/relay.h"

#include "softnet/answers/arp_responder.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

namespace vitrine::softnet {

namespace {

// Rounds of VmSocket::batch frames before libslirp's sockets have their turn again.
constexpr int rounds = 8;
constexpr std::size_t mostForStack = 16;
// In a row, in which something was ready and no frame came by.
constexpr int mostIdleTurns = 64;

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

Relay::Relay(Parts parts, Filter filter, DhcpServer dhcp)
    : m_socket(std::move(parts.socket))
    , m_control(parts.control)
    , m_addresses(std::move(parts.hostAddresses))
    , m_filter(std::move(filter))
    , m_dhcp(dhcp)
    , m_ledger(parts.seed, now())
    , m_service(m_filter, m_ledger, *this)
    , m_channel(m_service)
    , m_memory(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}

Relay::~Relay() {
    if (m_memory >= 0) {
        ::close(m_memory);
    }
}

Checked<std::unique_ptr<Relay>> Relay::create(const Options& options, Parts parts) {
    Network network;
    network.guestMac = options.guestMac;
    network.hostAddresses = parts.hostAddresses.list();
    Filter filter(network, options.profile(), parts.seed);
    if (const auto set = filter.setPolicy(options.policy.normalised(), now()); !set) {
        return tl::unexpected(set.error());
    }
    const DhcpServer dhcp(network, aliasMac(network.gateway), {options.leaseSeconds, options.mtu});
    // Rules that come later may open the gateway.
    const bool hostLoopback = parts.control.has_value() || namesHost(options.policy, network);
    std::unique_ptr<Relay> relay(new Relay(std::move(parts), std::move(filter), dhcp));
    auto stack =
        SlirpStack::create(network, options.mtu, hostLoopback, [self = relay.get()](Bytes frame) {
            self->toGuest(frame);
        });
    if (!stack) {
        return tl::unexpected(stack.error());
    }
    relay->m_stack = std::move(*stack);
    relay->m_stack->input(announceGuest(network));
    relay->m_exposures.emplace(*relay->m_stack);
    return relay;
}

void Relay::exposePorts(const std::vector<Exposure>& exposures) {
    for (const Exposure& exposure : exposures) {
        if (const auto exposed = m_exposures->add(exposure); !exposed) {
            std::fprintf(stderr, "vitrine-softnet: %s\n", exposed.error().message.c_str());
        }
    }
}

const std::vector<Exposure>& Relay::exposures() const {
    return m_exposures->list();
}

Checked<void> Relay::expose(const Exposure& exposure) {
    return m_exposures->add(exposure);
}

Checked<void> Relay::conceal(const Exposure& exposure) {
    return m_exposures->remove(exposure);
}

std::uint64_t Relay::residentKiB() const {
    char text[128] = {};
    unsigned long long total = 0;
    unsigned long long resident = 0;
    if (::lseek(m_memory, 0, SEEK_SET) != 0 || ::read(m_memory, text, sizeof text - 1) <= 0 ||
        std::sscanf(text, "%llu %llu", &total, &resident) != 2) {
        return 0;
    }
    return resident * static_cast<unsigned long long>(::getpagesize()) / 1024;
}

std::uint64_t Relay::lostToGuest() const {
    return m_socket.lost();
}

Time Relay::now() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return std::chrono::duration_cast<Time>(std::chrono::seconds(time.tv_sec) +
                                            std::chrono::nanoseconds(time.tv_nsec));
}

void Relay::note(Side sender, const Verdict& verdict, Bytes frame, Time now) {
    const auto noted = m_ledger.note(sender, verdict, frame, now);
    if (noted.isNews) {
        m_channel.tell(*noted.destination, now);
    }
}

void Relay::fromGuest(Bytes frame) {
    const Time time = now();
    m_moved = true;
    Verdict verdict = m_filter.fromGuest(frame, time);
    if (verdict.passes() && isFragment(frame)) {
        verdict.reason = Reason::Fragment;
        verdict.rule = -1;
    }
    note(Side::Guest, verdict, frame, time);
    if (!verdict.passes()) {
        return;
    }
    std::optional<Frame> answer;
    if (verdict.reason == Reason::Dhcp) {
        answer = m_dhcp.answer(frame);
    } else if (verdict.reason == Reason::Arp) {
        answer = answerGuestArp(m_filter.network(), frame);
    } else {
        m_stack->input(frame);
    }
    if (answer) {
        m_socket.send(*answer);
    }
}

void Relay::toGuest(Bytes frame) {
    const Time time = now();
    m_moved = true;
    const Verdict verdict = m_filter.toGuest(frame, time);
    if (verdict.reason == Reason::Arp) {
        auto answer = answerHostArp(m_filter.network(), frame);
        if (answer && m_forStack.size() < mostForStack) {
            m_forStack.push_back(std::move(*answer));
        }
        return;
    }
    note(Side::Other, verdict, frame, time);
    if (verdict.passes()) {
        m_socket.send(frame);
    }
}

// Inside its own call libslirp must not be entered again.
void Relay::answerSlirp() {
    const std::vector<Frame> answers = std::exchange(m_forStack, {});
    for (const Frame& frame : answers) {
        m_stack->input(frame);
    }
}

void Relay::followAddresses() {
    if (const auto set = m_filter.setHostAddresses(m_addresses.list(), now()); !set) {
        std::fprintf(stderr, "vitrine-softnet: %s\n", set.error().message.c_str());
    }
    m_ledger.judgeAgain(m_filter);
}

void Relay::run(int stopDescriptor, std::size_t mostFiles) {
    std::vector<::pollfd> waits;
    int idleTurns = 0;
    while (m_socket.isOpen()) {
        waits.assign({{m_socket.descriptor(), POLLIN, 0},
                      {stopDescriptor, POLLIN, 0},
                      {m_addresses.descriptor(), POLLIN, 0},
                      {-1, 0, 0}});
        std::uint32_t milliseconds = m_channel.wantsTick() || m_addresses.isBehind() ? 500 : 60'000;
        if (m_control) {
            waits[3] = m_control->wait(m_channel);
        }
        m_stack->prepare(waits, milliseconds);
        const int ready = ::poll(waits.data(), waits.size(), static_cast<int>(milliseconds));
        if (waits[1].revents != 0) {
            return;
        }
        if ((waits[2].revents != 0 || m_addresses.isBehind()) && m_addresses.refresh()) {
            followAddresses();
        }
        if (m_control) {
            m_control->serve(waits[3], m_channel, now());
        }
        // libslirp first: it takes the time in there, and gives what the guest sends next a life
        // that is counted from then.
        m_stack->process(waits, ready < 0);
        answerSlirp();
        m_socket.flush();
        bool more = true;
        for (int round = 0; more && round < rounds && m_socket.isOpen(); ++round) {
            more = m_socket.receive([this](Bytes frame) { fromGuest(frame); }) == VmSocket::batch;
            answerSlirp();
            m_socket.flush();
        }
        idleTurns = ready > 0 && waits[3].revents == 0 && !std::exchange(m_moved, false)
                        ? idleTurns + 1
                        : 0;
        if (waits.size() + 64 > mostFiles || idleTurns > mostIdleTurns) {
            // Without descriptors an exposed port stays readable for ever; let connections end. Not
            // every descriptor is waited for, so turns in which nothing comes of it count too.
            const timespec pause{0, 5'000'000};
            ::nanosleep(&pause, nullptr);
        }
    }
}

} // namespace vitrine::softnet
