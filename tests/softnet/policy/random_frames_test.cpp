// SPDX-License-Identifier: Apache-2.0
#include "softnet/filter_trial.h"
#include "softnet/frames.h"

#include <gtest/gtest.h>

#include <random>

namespace vitrine::softnet {
namespace {

// Frames that are nearly right, which is where parsers go wrong. The same ones in every run.
class FrameSource final {
public:
    explicit FrameSource(std::uint32_t seed)
        : m_random(seed) {}

    std::uint32_t below(std::uint32_t limit) {
        return static_cast<std::uint32_t>(m_random() % limit);
    }
    Ipv4 address() {
        static constexpr Ipv4 liked[] = {Ipv4::of(10, 0, 2, 15),
                                         Ipv4::of(10, 0, 2, 2),
                                         Ipv4::of(10, 0, 2, 3),
                                         Ipv4::of(10, 0, 2, 99),
                                         Ipv4::of(127, 0, 0, 1),
                                         Ipv4::of(0, 0, 0, 0),
                                         Ipv4::of(8, 8, 8, 8),
                                         Ipv4::of(9, 9, 9, 9),
                                         Ipv4::of(10, 1, 1, 1),
                                         Ipv4::of(192, 168, 1, 1),
                                         Ipv4::of(224, 0, 0, 251),
                                         Ipv4::broadcast()};
        return below(8) == 0 ? Ipv4{static_cast<std::uint32_t>(m_random())}
                             : liked[below(std::size(liked))];
    }
    unsigned port() {
        static constexpr unsigned liked[] = {0, 22, 53, 67, 68, 80, 4000, 4001};
        return liked[below(std::size(liked))];
    }
    frames::Frame next(bool fromGuest) {
        const Ipv4 guest = Ipv4::of(10, 0, 2, 15);
        const bool honest = below(8) != 0;
        const Ipv4 source = fromGuest ? (honest ? guest : address()) : address();
        const Ipv4 destination = fromGuest ? address() : guest;
        frames::Frame frame = make(source, destination);
        if (below(50) == 0) {
            static constexpr std::uint8_t types[][2] = {{0x86, 0xdd}, {0x81, 0}, {0x88, 0xf8}};
            std::copy_n(types[below(std::size(types))], 2, frame.begin() + 12);
        }
        if (below(3) == 0) {
            damage(frame);
        }
        return frame;
    }

private:
    frames::Frame make(Ipv4 source, Ipv4 destination) {
        switch (below(8)) {
        case 0:
            return frames::arp(
                {.operation = 1 + below(3), .sender = source, .target = destination});
        case 1:
            return frames::dhcp({.type = static_cast<std::uint8_t>(1 + below(9)),
                                 .broadcastFlag = below(2) == 0,
                                 .client = below(2) == 0 ? source : Ipv4{}},
                                below(2) == 0 ? source : Ipv4{},
                                below(2) == 0 ? destination : Ipv4::broadcast());
        case 2:
            return frames::echo(source, destination, below(2) == 0, below(4));
        case 3:
        case 4:
            return frames::udp(source, port(), destination, port());
        case 5:
            return frames::ipv4({.source = source,
                                 .destination = destination,
                                 .protocol = below(20),
                                 .fragment = below(3) == 0 ? below(0x10000) : 0U},
                                frames::tcpPayload(port(), port()));
        default:
            return frames::tcp(source,
                               port(),
                               destination,
                               port(),
                               static_cast<std::uint8_t>(below(3) == 0 ? below(64) : frames::ack));
        }
    }
    void damage(frames::Frame& frame) {
        switch (below(4)) {
        case 0:
            frame.resize(below(static_cast<std::uint32_t>(frame.size() + 1)));
            break;
        case 1:
            frame.resize(frame.size() + below(1500));
            break;
        default:
            for (std::uint32_t i = 1 + below(4); i > 0 && !frame.empty(); --i) {
                const auto near = std::min<std::size_t>(frame.size(), 64);
                frame[below(static_cast<std::uint32_t>(near))] =
                    static_cast<std::uint8_t>(m_random());
            }
        }
    }

    std::mt19937 m_random;
};

TEST(RandomFramesTest, AHundredThousandHostileFramesNeverGetWhereTheyMustNot) {
    FilterTrial trial;
    FrameSource source(20260901);
    for (int i = 0; i < 100'000; ++i) {
        if (source.below(500) == 0) {
            trial.setPolicy(source.below(2 * FilterTrial::policyCount));
        }
        trial.pass(Time{source.below(source.below(100) == 0 ? 60'000 : 20)});
        const bool fromGuest = source.below(3) != 0;
        const frames::Frame frame = source.next(fromGuest);
        // In memory of exactly its size, so that a sanitizer sees a read past the end.
        const std::vector<std::uint8_t> exact(frame.begin(), frame.end());
        const std::string wrong = fromGuest ? trial.fromGuest(exact) : trial.toGuest(exact);
        ASSERT_EQ(wrong, "") << "frame " << i;
    }
    // The run was worth something only if it came by everywhere.
    for (std::size_t reason = 0; reason < reasonCount; ++reason) {
        if (static_cast<Reason>(reason) != Reason::NatProfile &&
            static_cast<Reason>(reason) != Reason::HostOnly) {
            EXPECT_GT(trial.count(static_cast<Reason>(reason)), 0U)
                << reasonName(static_cast<Reason>(reason));
        }
    }
}

} // namespace
} // namespace vitrine::softnet
