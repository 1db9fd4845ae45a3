// SPDX-License-Identifier: Apache-2.0
// The built program with this test as its machine. All of it runs in a network namespace that has
// nothing but the loopback interface, so that no frame can leave.
#include "softnet/frames.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <random>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vitrine::softnet {
namespace {

using namespace frames;
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

const Ipv4 guest = ip("10.0.2.15");
const Ipv4 gateway = ip("10.0.2.2");

const bool asRoot = ::geteuid() == 0;

// For the whole program, before the first child.
class PrivateNetwork final : public testing::Environment {
public:
    void SetUp() override {
        ASSERT_EQ(::unshare(CLONE_NEWNET | (asRoot ? 0 : CLONE_NEWUSER)), 0)
            << std::strerror(errno);
        const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        ifreq request{};
        std::strcpy(request.ifr_name, "lo");
        request.ifr_flags = IFF_UP | IFF_RUNNING;
        ASSERT_EQ(::ioctl(any, SIOCSIFFLAGS, &request), 0) << std::strerror(errno);
        ::close(any);
    }
};
const auto* const network = testing::AddGlobalTestEnvironment(new PrivateNetwork);

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

// A service of the host that listens on 127.0.0.1 only.
class Service final {
public:
    explicit Service(int type)
        : m_socket(::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
        sockaddr_in address = loopback(0);
        socklen_t length = sizeof address;
        EXPECT_EQ(::bind(m_socket, reinterpret_cast<sockaddr*>(&address), length), 0);
        EXPECT_EQ(::getsockname(m_socket, reinterpret_cast<sockaddr*>(&address), &length), 0);
        port = ntohs(address.sin_port);
        if (type == SOCK_STREAM) {
            EXPECT_EQ(::listen(m_socket, 8), 0);
        }
    }
    ~Service() { ::close(m_socket); }
    [[nodiscard]] bool wasReached() const {
        pollfd wait{m_socket, POLLIN, 0};
        return ::poll(&wait, 1, 0) > 0;
    }
    std::uint16_t port = 0;

private:
    int m_socket;
};

class SoftnetProgramTest : public testing::Test {
protected:
    void start(std::vector<std::string> options = {}, int type = SOCK_SEQPACKET) {
        int ends[2];
        ASSERT_EQ(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends), 0);
        m_wire = ends[0];
        options.insert(options.begin(), {"--vm-fd", "0", "--vm-mac-address", vm.text()});
        if (asRoot) {
            options.insert(options.end(), {"--user", "nobody"});
        }
        m_child = spawn(options, ends[1]);
        ::close(ends[1]);
        m_ended = false;
    }
    // Standard input is `input`; standard error goes to a pipe that said() reads.
    pid_t spawn(const std::vector<std::string>& options, int input) {
        int output[2];
        EXPECT_EQ(::pipe2(output, O_CLOEXEC), 0);
        std::vector<char*> arguments = {const_cast<char*>("vitrine-softnet")};
        for (const std::string& option : options) {
            arguments.push_back(const_cast<char*>(option.c_str()));
        }
        arguments.push_back(nullptr);
        const pid_t child = ::fork();
        if (child == 0) {
            ::dup2(input, 0);
            ::dup2(output[1], 2);
            ::execv(VITRINE_BIN_DIR "/vitrine-softnet", arguments.data());
            ::_exit(127);
        }
        ::close(output[1]);
        m_errors = output[0];
        return child;
    }
    std::string said() {
        std::string text;
        char buffer[512];
        for (ssize_t count = 0; (count = ::read(m_errors, buffer, sizeof buffer)) > 0;) {
            text.append(buffer, static_cast<std::size_t>(count));
        }
        return text;
    }
    // The exit code; a signal's number plus 1000; -1 if it did not end in time.
    int ended() {
        const auto deadline = Clock::now() + seconds(30);
        int status = 0;
        while (::waitpid(m_child, &status, WNOHANG) == 0) {
            if (Clock::now() > deadline) {
                return -1;
            }
            ::poll(nullptr, 0, 5);
        }
        m_ended = true;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }
    int runOnce(std::vector<std::string> options) {
        m_child = spawn(options, 0);
        return ended();
    }
    void TearDown() override {
        if (m_wire >= 0) {
            ::close(m_wire);
        }
        if (!m_ended) {
            EXPECT_EQ(ended(), 0) << said();
        }
        if (m_errors >= 0) {
            ::close(m_errors);
        }
    }

    void send(const Frame& frame) {
        ASSERT_EQ(::send(m_wire, frame.data(), frame.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(frame.size()))
            << std::strerror(errno);
    }
    // The next frame that fits, all others thrown away.
    std::optional<Frame> receive(const std::function<bool(Bytes)>& fits) {
        const auto deadline = Clock::now() + seconds(30);
        while (Clock::now() < deadline) {
            pollfd wait{m_wire, POLLIN, 0};
            if (::poll(&wait, 1, 1000) <= 0) {
                continue;
            }
            Frame frame(2048);
            const ssize_t count = ::recv(m_wire, frame.data(), frame.size(), 0);
            if (count <= 0) {
                return std::nullopt;
            }
            frame.resize(static_cast<std::size_t>(count));
            if (fits(frame)) {
                return frame;
            }
        }
        return std::nullopt;
    }
    // Answers come in order: what was sent before and got none by now gets none.
    void settle() {
        const unsigned identifier = ++m_echoes;
        Frame message = {8, 0, 0, 0};
        put16(message, identifier);
        put16(message, 1);
        const std::uint16_t sum = checksum(message);
        message[2] = static_cast<std::uint8_t>(sum >> 8);
        message[3] = static_cast<std::uint8_t>(sum & 0xff);
        send(whole(ipv4({guest, gateway, 1}, message)));
        ASSERT_TRUE(receive([&](Bytes frame) {
            return frame.size() >= 42 && frame[23] == 1 && frame[34] == 0 &&
                   be16(frame, 38) == identifier;
        })) << "no answer to an echo";
    }
    static std::uint16_t checksum(Bytes bytes, std::uint32_t sum = 0) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            sum += i % 2 == 0 ? std::uint32_t{bytes[i]} << 8 : bytes[i];
        }
        while (sum > 0xffff) {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        return static_cast<std::uint16_t>(~sum & 0xffff);
    }
    // With its header's check sum and that of TCP, which libslirp looks at.
    static Frame whole(Frame frame) {
        const auto put = [&frame](std::size_t at, std::uint16_t value) {
            frame[at] = static_cast<std::uint8_t>(value >> 8);
            frame[at + 1] = static_cast<std::uint8_t>(value & 0xff);
        };
        put(24, checksum(Bytes(frame).subspan(14, 20)));
        if (frame[23] == 6) {
            Frame pseudo(frame.begin() + 26, frame.begin() + 34);
            put16(pseudo, 6);
            put16(pseudo, static_cast<unsigned>(frame.size() - 34));
            append(pseudo, Bytes(frame).subspan(34));
            put(50, checksum(pseudo));
        }
        return frame;
    }
    // Whether a connection to there is accepted.
    bool connects(Ipv4 to, std::uint16_t port) {
        send(whole(tcp(guest, 40000, to, port)));
        bool accepted = false;
        const unsigned identifier = ++m_echoes;
        Frame message = {8, 0, 0, 0};
        put16(message, identifier);
        put16(message, 1);
        const std::uint16_t sum = checksum(message);
        message[2] = static_cast<std::uint8_t>(sum >> 8);
        message[3] = static_cast<std::uint8_t>(sum & 0xff);
        // An echo is answered at once, a connection after a turn of the loop: ask a few times.
        for (int turn = 0; turn < 20 && !accepted; ++turn) {
            send(whole(ipv4({guest, gateway, 1}, message)));
            receive([&](Bytes frame) {
                if (frame.size() >= 54 && frame[23] == 6 && be16(frame, 34) == port &&
                    (frame[47] & 0x12) == 0x12) {
                    accepted = true;
                }
                return frame.size() >= 42 && frame[23] == 1 && frame[34] == 0;
            });
        }
        return accepted;
    }
    std::string status(const std::string& key) const {
        std::ifstream file("/proc/" + std::to_string(m_child) + "/status");
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with(key + ":")) {
                const std::size_t begin = line.find_first_not_of(" \t", key.size() + 1);
                return begin == std::string::npos ? "" : line.substr(begin);
            }
        }
        return {};
    }

    int m_wire = -1;
    int m_errors = -1;
    pid_t m_child = -1;
    bool m_ended = true;
    unsigned m_echoes = 0;
};

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
        ASSERT_EQ(::kill(m_child, SIGINT), 0);
        EXPECT_EQ(ended(), 0);
        ::close(m_wire);
        ::close(m_errors);
        m_wire = m_errors = -1;
    }
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

TEST_F(SoftnetProgramTest, RootMustSayWhomToBecome) {
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

TEST_F(SoftnetProgramTest, AHundredThousandHostileFramesNeitherKillItNorMakeItGrow) {
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
    flood(50'000);
    const long before = std::atol(status("VmRSS").c_str());
    flood(50'000);
    const long after = std::atol(status("VmRSS").c_str());
    EXPECT_GT(before, 0);
    EXPECT_LE(after, 32 * 1024) << "kB";
    EXPECT_LE(after - before, 4096) << "kB more than after the first half";
}

} // namespace
} // namespace vitrine::softnet
