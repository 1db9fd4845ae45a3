// SPDX-License-Identifier: Apache-2.0
#pragma once

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
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// The built program with the test as its machine. All of it runs in a network namespace that has
// nothing but the loopback interface, so that no frame can leave. Included once in each test
// program.
namespace vitrine::softnet {

using namespace frames;
using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

inline const Ipv4 guest = ip("10.0.2.15");
inline const Ipv4 gateway = ip("10.0.2.2");

inline const bool asRoot = ::geteuid() == 0;

// KiB that stay in memory; the address sanitizer keeps freed memory for a while.
#ifdef VITRINE_SANITIZED
inline constexpr int mostMemory = 80 * 1024;
#else
inline constexpr int mostMemory = 20 * 1024;
#endif

// For the whole test program, before the first child.
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
inline const auto* const network = testing::AddGlobalTestEnvironment(new PrivateNetwork);

inline sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

// A service of the host that listens on 127.0.0.1 only.
class Service final {
public:
    explicit Service(int type, std::uint16_t at = 0)
        : m_socket(::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
        sockaddr_in address = loopback(at);
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
    // A connection or a datagram that has to come.
    [[nodiscard]] int accept() const {
        waitUntilReached();
        return ::accept4(m_socket, nullptr, nullptr, SOCK_CLOEXEC);
    }
    void receive(sockaddr_in& from) const {
        waitUntilReached();
        char buffer[2048];
        socklen_t length = sizeof from;
        EXPECT_GE(
            ::recvfrom(
                m_socket, buffer, sizeof buffer, 0, reinterpret_cast<sockaddr*>(&from), &length),
            0);
    }
    void answer(const sockaddr_in& to, Bytes data) const {
        EXPECT_EQ(::sendto(m_socket,
                           data.data(),
                           data.size(),
                           0,
                           reinterpret_cast<const sockaddr*>(&to),
                           sizeof to),
                  static_cast<ssize_t>(data.size()));
    }
    std::uint16_t port = 0;

private:
    void waitUntilReached() const {
        pollfd wait{m_socket, POLLIN, 0};
        EXPECT_GT(::poll(&wait, 1, 30'000), 0) << "nothing came";
    }

    int m_socket;
};

class SoftnetProgram : public testing::Test {
protected:
    // As a supervisor does: the machine's socket is descriptor 0, the control channel 1.
    void startWithControl(std::vector<std::string> options = {}) {
        int ends[2];
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        m_control = ends[0];
        m_childControl = ends[1];
        options.insert(options.end(), {"--control-fd", "1"});
        start(options);
        ::close(std::exchange(m_childControl, -1));
    }
    void start(std::vector<std::string> options = {}, int type = SOCK_SEQPACKET) {
        int ends[2];
        ASSERT_EQ(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends), 0);
        m_wire = ends[0];
        for (const Frame& frame : m_early) {
            send(frame);
        }
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
            if (m_childControl >= 0) {
                ::dup2(m_childControl, 1);
            }
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
        if (m_control >= 0) {
            ::close(m_control);
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
    // Answers come in order: what was sent before and got none by now gets none. Other frames that
    // come meanwhile are shown to `see`.
    void settle(const std::function<void(Bytes)>& see = {}) {
        const unsigned identifier = ++m_echoes;
        send(echoRequest(identifier));
        ASSERT_TRUE(receive([&](Bytes frame) {
            if (see) {
                see(frame);
            }
            return frame.size() >= 42 && frame[23] == 1 && frame[34] == 0 &&
                   be16(frame, 38) == identifier;
        })) << "no answer to an echo";
    }
    static Frame echoRequest(unsigned identifier) {
        Frame message = {8, 0, 0, 0};
        put16(message, identifier);
        put16(message, 1);
        const std::uint16_t sum = checksum(message);
        message[2] = static_cast<std::uint8_t>(sum >> 8);
        message[3] = static_cast<std::uint8_t>(sum & 0xff);
        return whole(ipv4({guest, gateway, 1}, message));
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
        // An echo is answered at once, a connection after a turn of the loop: ask a few times.
        for (int turn = 0; turn < 8 && !accepted; ++turn) {
            settle([&](Bytes frame) {
                if (frame.size() >= 54 && frame[23] == 6 && be16(frame, 34) == port &&
                    (frame[47] & 0x12) == 0x12) {
                    accepted = true;
                }
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
    int m_control = -1; // the client's end
    int m_childControl = -1;
    int m_errors = -1;
    pid_t m_child = -1;
    bool m_ended = true;
    unsigned m_echoes = 0;
    std::vector<Frame> m_early; // what the guest sends before the program is there
};

} // namespace vitrine::softnet
