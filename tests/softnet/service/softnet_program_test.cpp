// SPDX-License-Identifier: Apache-2.0
#include "softnet/service/softnet_program.h"
#include "tests/support/send_signal.h"

#include <sys/prctl.h>

namespace vitrine::softnet {
namespace {

using SoftnetProgramTest = SoftnetProgram;

TEST_F(SoftnetProgramTest, TheMachineGetsItsAddressAndItsNeighbours) {
    for (const int type : {SOCK_SEQPACKET, SOCK_DGRAM}) {
        start({}, type);
        send(whole(dhcp({})));
        const auto offer =
            receive([](Bytes frame) { return frame.size() > 282 && frame[23] == 17; });
        ASSERT_TRUE(offer);
        EXPECT_EQ(be32(*offer, 14 + 28 + 16), guest.value);
        send(arp({.sender = guest, .target = gateway}));
        EXPECT_TRUE(receive([](Bytes frame) { return frame[13] == 6 && frame[21] == 2; }));
        settle();
        ASSERT_EQ(vitrine::test::sendSignal(m_child, SIGINT), 0);
        EXPECT_EQ(ended(), 0);
        ::close(m_wire);
        ::close(m_errors);
        m_wire = m_errors = -1;
    }
}

// Close to the limit of descriptors every turn of the loop waits 5 ms; nothing else may.
TEST_F(SoftnetProgramTest, AnswersDoNotWaitForTheBrakeOnDescriptors) {
    start({});
    auto quickest = Clock::duration::max();
    for (int i = 0; i < 100; ++i) {
        const auto began = Clock::now();
        send(arp({.sender = guest, .target = gateway}));
        ASSERT_TRUE(receive([](Bytes frame) { return frame[13] == 6 && frame[21] == 2; }));
        quickest = std::min(quickest, i == 0 ? quickest : Clock::now() - began);
    }
    EXPECT_LT(quickest, std::chrono::milliseconds(3));
}

TEST_F(SoftnetProgramTest, TheHostsLoopbackIsOutOfReachWhateverIsAllowed) {
    const Service web(SOCK_STREAM);
    const Service names(SOCK_DGRAM);
    for (const std::vector<std::string>& rules :
         std::vector<std::vector<std::string>>{{},
                                               {"--allow", "0.0.0.0/0"},
                                               {"--allow", "127.0.0.0/8,0.0.0.0/8"},
                                               {"--profile", "nat"}}) {
        start(rules);
        for (const Ipv4 to : {ip("127.0.0.1"), ip("0.0.0.0"), gateway, ip("10.0.2.99")}) {
            EXPECT_FALSE(connects(to, web.port)) << to.text();
            send(whole(udp(guest, 4000, to, names.port, Frame(4))));
        }
        send(whole(udp(guest, 68, Ipv4::broadcast(), names.port, Frame(4))));
        settle();
        EXPECT_FALSE(web.wasReached());
        EXPECT_FALSE(names.wasReached());
        ::close(std::exchange(m_wire, -1));
        EXPECT_EQ(ended(), 0);
        ::close(std::exchange(m_errors, -1));
    }
}

TEST_F(SoftnetProgramTest, AllowingTheHostOpensTheGatewayAndNothingElse) {
    const Service web(SOCK_STREAM);
    start({"--allow", "@host"});
    EXPECT_FALSE(connects(ip("127.0.0.1"), web.port));
    EXPECT_FALSE(web.wasReached());
    EXPECT_TRUE(connects(gateway, web.port));
    EXPECT_TRUE(web.wasReached());
}

TEST_F(SoftnetProgramTest, AnExposedPortLeadsToTheMachine) {
    std::uint16_t port = 0;
    {
        const Service reserved(SOCK_STREAM);
        port = reserved.port;
    }
    start({"--expose", "127.0.0.1:" + std::to_string(port) + ":22"});
    settle();
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    EXPECT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const auto syns = receive([](Bytes frame) {
        return frame.size() >= 54 && frame[13] == 0 && frame[23] == 6 && be16(frame, 36) == 22 &&
               (frame[47] & 0x12) == 0x02;
    });
    ASSERT_TRUE(syns);
    EXPECT_EQ(be32(*syns, 26), gateway.value);
    EXPECT_EQ(macAt(*syns, 0), vm) << "libslirp was told where the machine is";
    ::close(client);
}

TEST_F(SoftnetProgramTest, APortThatIsTakenIsToldAndLeftOut) {
    const Service taken(SOCK_STREAM);
    start({"--expose", "127.0.0.1:" + std::to_string(taken.port) + ":22"});
    settle();
    ::close(std::exchange(m_wire, -1));
    EXPECT_EQ(ended(), 0);
    EXPECT_NE(said().find("cannot expose 127.0.0.1:" + std::to_string(taken.port) + ":22"),
              std::string::npos);
}

TEST_F(SoftnetProgramTest, ItHasNoPrivilegesLeft) {
    start();
    settle();
    EXPECT_EQ(status("NoNewPrivs"), "1");
    EXPECT_EQ(status("Seccomp"), "2");
    EXPECT_EQ(status("CapEff"), "0000000000000000");
    EXPECT_EQ(status("CapPrm"), "0000000000000000");
    if (asRoot) {
        EXPECT_TRUE(status("Uid").starts_with("65534\t65534\t65534\t65534")) << status("Uid");
        EXPECT_EQ(status("Groups").find_first_not_of(" "), std::string::npos);
    }
}

TEST_F(SoftnetProgramTest, RootMustSayWhomToBecome_NeedsRoot) {
    if (!asRoot) {
        GTEST_SKIP() << "only root is refused";
    }
    EXPECT_EQ(runOnce({"--vm-fd", "0", "--vm-mac-address", vm.text()}), 1);
    EXPECT_NE(said().find("--user"), std::string::npos);
    EXPECT_EQ(runOnce({"--vm-fd", "0", "--vm-mac-address", vm.text(), "--user", "root"}), 1);
    EXPECT_EQ(runOnce({"--vm-fd", "0", "--vm-mac-address", vm.text(), "--user", "no-such-user"}),
              1);
}

TEST_F(SoftnetProgramTest, ItEndsWithTheMachine) {
    start();
    settle();
    ::close(std::exchange(m_wire, -1));
    EXPECT_EQ(ended(), 0);
}

TEST_F(SoftnetProgramTest, AHungOneEndsWithItsParent) {
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    int ends[2];
    int told[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    ASSERT_EQ(::pipe2(told, O_CLOEXEC), 0);
    std::vector<std::string> options = {"--vm-fd", "0", "--vm-mac-address", vm.text()};
    if (asRoot) {
        options.insert(options.end(), {"--user", "nobody"});
    }
    const pid_t parent = ::fork();
    if (parent == 0) {
        const pid_t child = spawn(options, ends[1]);
        const bool written = ::write(told[1], &child, sizeof child) == sizeof child;
        ::pause();
        ::_exit(written ? 0 : 1);
    }
    ASSERT_EQ(::read(told[0], &m_child, sizeof m_child), static_cast<ssize_t>(sizeof m_child));
    m_wire = ends[0];
    m_ended = false;
    settle();
    ASSERT_EQ(vitrine::test::sendSignal(m_child, SIGSTOP), 0);
    ASSERT_EQ(vitrine::test::sendSignal(parent, SIGKILL), 0);
    ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
    EXPECT_EQ(ended(), 1000 + SIGKILL);
    for (const int end : {ends[1], told[0], told[1]}) {
        ::close(end);
    }
}

TEST_F(SoftnetProgramTest, ExitCodesAreSoftnets) {
    EXPECT_EQ(runOnce({"--help"}), 0);
    EXPECT_EQ(runOnce({"--version"}), 0);
    EXPECT_EQ(runOnce({"--sudo-escalation-probing", "--vm-fd=0", "--vm-mac-address=" + vm.text()}),
              0);
    EXPECT_EQ(runOnce({}), 2);
    EXPECT_EQ(runOnce({"--vm-fd", "0", "--vm-mac-address", vm.text(), "--allow", ""}), 2);
    EXPECT_EQ(runOnce({"--vm-fd=99", "--vm-mac-address", vm.text(), "--user", "nobody"}), 1);
    EXPECT_NE(said().find("--vm-fd"), std::string::npos);
}

} // namespace
} // namespace vitrine::softnet
