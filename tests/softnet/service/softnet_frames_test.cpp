// SPDX-License-Identifier: Apache-2.0
// Frames that are wrong in every way, against the built program. VITRINE_SOFTNET_FRAMES says how
// many (100,000).
#include "softnet/service/softnet_program.h"

#include <cstdlib>
#include <random>

namespace vitrine::softnet {
namespace {

using SoftnetFramesTest = SoftnetProgram;

TEST_F(SoftnetFramesTest, HostileFramesNeitherKillItNorMakeItGrow) {
    const char* const wanted = std::getenv("VITRINE_SOFTNET_FRAMES");
    const int total = wanted != nullptr ? std::atoi(wanted) : 100'000;
    start({"--allow", "0.0.0.0/0"});
    settle();
    std::mt19937 random(20260901);
    const auto below = [&random](std::uint32_t limit) {
        return static_cast<std::uint32_t>(random() % limit);
    };
    // To addresses that nothing answers here, and at times to the gateway.
    const auto flood = [&](int frames) {
        for (int i = 0; i < frames; ++i) {
            const Ipv4 to = below(4) == 0 ? gateway : Ipv4{static_cast<std::uint32_t>(random())};
            Frame frame;
            switch (below(5)) {
            case 0:
                frame = udp(guest, below(65536), to, below(65536), Frame(below(64)));
                break;
            case 1:
                frame = echo(guest, to, below(2) == 0, below(9));
                break;
            case 2:
                frame = dhcp({.type = static_cast<std::uint8_t>(below(10))});
                break;
            case 3:
                frame = ipv4({guest, to, below(256)}, Frame(below(100)));
                break;
            default:
                frame = tcp(
                    guest, below(65536), to, below(65536), static_cast<std::uint8_t>(below(64)));
            }
            for (std::uint32_t flips = below(4); flips > 0; --flips) {
                frame[below(static_cast<std::uint32_t>(std::min<std::size_t>(frame.size(), 60)))] =
                    static_cast<std::uint8_t>(random());
            }
            if (below(10) == 0) {
                frame.resize(1 + below(static_cast<std::uint32_t>(frame.size())));
            }
            if (below(3) != 0 && frame.size() > 34 && frame[12] == 8 && frame[13] == 0) {
                frame[24] = frame[25] = 0;
                const std::uint16_t sum = checksum(Bytes(frame).subspan(14, 20));
                frame[24] = static_cast<std::uint8_t>(sum >> 8);
                frame[25] = static_cast<std::uint8_t>(sum & 0xff);
            }
            ASSERT_EQ(::send(m_wire, frame.data(), frame.size(), MSG_NOSIGNAL),
                      static_cast<ssize_t>(frame.size()))
                << std::strerror(errno) << " at frame " << i;
            Frame answer(2048);
            while (::recv(m_wire, answer.data(), answer.size(), MSG_DONTWAIT) > 0) {
            }
        }
        settle();
    };
    flood(total / 2);
    const long before = std::atol(status("VmRSS").c_str());
    flood(total / 2);
    const long after = std::atol(status("VmRSS").c_str());
    EXPECT_GT(before, 0);
    EXPECT_LE(after, mostMemory) << "kB";
    EXPECT_LE(after - before, 4096) << "kB more than after the first half";
}

} // namespace
} // namespace vitrine::softnet
