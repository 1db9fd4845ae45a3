// SPDX-License-Identifier: Apache-2.0
// The control channel of the built program, with real connections behind it.
#include "softnet/control/json.h"
#include "softnet/service/softnet_program.h"

namespace vitrine::softnet {
namespace {

class SoftnetControlTest : public SoftnetProgram {
protected:
    void say(std::string_view text) {
        while (!text.empty()) {
            const ssize_t count = ::send(m_control, text.data(), text.size(), MSG_NOSIGNAL);
            ASSERT_GT(count, 0) << std::strerror(errno);
            text.remove_prefix(static_cast<std::size_t>(count));
        }
    }
    // The next line; empty at the end.
    std::string hear() {
        const auto deadline = Clock::now() + seconds(30);
        while (Clock::now() < deadline) {
            if (const std::size_t end = m_heard.find('\n'); end != std::string::npos) {
                std::string line = m_heard.substr(0, end);
                m_heard.erase(0, end + 1);
                return line;
            }
            pollfd wait{m_control, POLLIN, 0};
            if (::poll(&wait, 1, 1000) <= 0) {
                continue;
            }
            char buffer[65536];
            const ssize_t count = ::recv(m_control, buffer, sizeof buffer, 0);
            if (count <= 0) {
                return {};
            }
            m_heard.append(buffer, static_cast<std::size_t>(count));
        }
        return "nothing in time";
    }
    static std::string request(std::string_view method, std::string_view parameters = "{}") {
        return JsonObject()
                   .add("jsonrpc", "2.0")
                   .add("id", 1)
                   .add("method", method)
                   .addJson("params", parameters)
                   .text() +
               "\n";
    }
    // What it answers: "result" or "error". Events before it are kept apart.
    Json call(std::string_view method, std::string_view parameters = "{}") {
        say(request(method, parameters));
        while (true) {
            const auto line = Json::parse(hear());
            if (!line) {
                ADD_FAILURE() << "no answer to " << method;
                return {};
            }
            if (line->find("method") != nullptr) {
                m_events.push_back(*line->find("params"));
                continue;
            }
            const Json* const result = line->find("result");
            return result != nullptr ? *result : *line->find("error");
        }
    }
    void setPolicy(std::string_view allow, std::string_view block) {
        const std::string parameters = JsonObject()
                                           .addJson("allow", allow)
                                           .addJson("block", block)
                                           .add("desiredRevision", std::to_string(++m_revision))
                                           .text();
        ASSERT_NE(call("softnet.policy.set", parameters).find("ruleCount"), nullptr);
    }
    Json expose(std::string_view method, const std::string& spec) {
        return call(method, JsonObject().add("spec", spec).text());
    }
    static std::uint16_t freePort() { return Service(SOCK_STREAM).port; }
    // Whether a program of the host is let in there.
    static bool letsIn(std::uint16_t port) {
        const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_in address = loopback(port);
        const bool connected =
            ::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        ::close(client);
        return connected;
    }

    std::string m_heard;
    std::vector<Json> m_events;
    unsigned m_revision = 0;
};

// One connection of the guest, by hand.
struct GuestConnection {
    std::uint16_t port = 0;
    std::uint16_t to = 0;
    std::uint32_t sent = 0;     // the next byte of ours
    std::uint32_t received = 0; // the next one of theirs

    [[nodiscard]] Frame segment(std::uint8_t flags, std::string_view data = {}) const {
        Frame bytes;
        put16(bytes, port);
        put16(bytes, to);
        put32(bytes, sent);
        put32(bytes, received);
        bytes.push_back(5 << 4);
        bytes.push_back(flags);
        put16(bytes, 65535);
        put32(bytes, 0);
        for (const char c : data) {
            bytes.push_back(static_cast<std::uint8_t>(c));
        }
        return ipv4({guest, gateway, 6}, bytes);
    }
};

TEST_F(SoftnetControlTest, ATransferStopsWhenARuleForbidsItAndGoesOnWhenItMayAgain) {
    Service web(SOCK_STREAM);
    startWithControl({"--allow", "@host"});
    GuestConnection connection{40000, web.port, 100, 0};
    send(whole(connection.segment(syn)));
    const auto accepted = receive([&](Bytes frame) {
        return frame.size() >= 54 && frame[23] == 6 && (frame[47] & 0x12) == 0x12;
    });
    ASSERT_TRUE(accepted);
    connection.sent += 1;
    connection.received = be32(*accepted, 38) + 1;
    send(whole(connection.segment(ack)));
    const int host = web.accept();
    ASSERT_GE(host, 0);
    const auto hostGets = [&](std::string_view data) {
        send(whole(connection.segment(ack | 0x08, data)));
        settle();
        settle();
        char buffer[64] = {};
        const ssize_t count = ::recv(host, buffer, sizeof buffer, MSG_DONTWAIT);
        return std::string(buffer, count > 0 ? static_cast<std::size_t>(count) : 0);
    };
    EXPECT_EQ(hostGets("one"), "one");
    connection.sent += 3;

    setPolicy("[]", "[]");
    EXPECT_EQ(hostGets("two"), "") << "forbidden toward the host";
    ASSERT_EQ(::send(host, "answer", 6, 0), 6);
    unsigned segments = 0;
    for (int turn = 0; turn < 8; ++turn) {
        settle([&](Bytes frame) { segments += frame.size() > 54 && frame[23] == 6 ? 1 : 0; });
    }
    EXPECT_EQ(segments, 0U) << "forbidden toward the guest";
    const Json list = call("vitrine.destinations.get");
    bool told = false;
    for (const Json& destination : list.find("destinations")->items) {
        told = told || (destination.find("port")->text == std::to_string(web.port) &&
                        destination.find("verdict")->text == "block");
    }
    EXPECT_TRUE(told);

    setPolicy(R"(["out @host:)" + std::to_string(web.port) + "\"]", "[]");
    EXPECT_EQ(hostGets("two"), "two");
    connection.sent += 3;
    EXPECT_TRUE(receive([](Bytes frame) { // libslirp sends it again
        return frame.size() >= 60 && frame[23] == 6 &&
               std::equal(frame.begin() + 54, frame.begin() + 60, "answer");
    }));
    ::close(host);
}

TEST_F(SoftnetControlTest, TheHostsLoopbackStaysShutWhateverRulesComeLater) {
    const Service web(SOCK_STREAM);
    startWithControl();
    for (const char* allow : {R"(["0.0.0.0/0"])",
                              R"(["127.0.0.0/8","0.0.0.0/8"])",
                              R"(["out 0.0.0.0/0","in 0.0.0.0/0"])"}) {
        setPolicy(allow, "[]");
        for (const Ipv4 to : {ip("127.0.0.1"), ip("0.0.0.0"), gateway}) {
            EXPECT_FALSE(connects(to, web.port)) << allow << " " << to.text();
        }
    }
    EXPECT_FALSE(web.wasReached());
    setPolicy(R"(["@host"])", "[]");
    EXPECT_FALSE(connects(ip("127.0.0.1"), web.port));
    EXPECT_TRUE(connects(gateway, web.port));
}

TEST_F(SoftnetControlTest, PortsAreExposedAndTakenBackWhileItRuns) {
    startWithControl();
    settle();
    const std::uint16_t port = freePort();
    const std::string spec = "127.0.0.1:" + std::to_string(port) + ":22";
    EXPECT_FALSE(letsIn(port));
    EXPECT_EQ(expose("vitrine.expose.add", spec).find("exposed")->items.at(0).text, spec);
    EXPECT_TRUE(letsIn(port));
    EXPECT_TRUE(receive([](Bytes frame) {
        return frame.size() >= 54 && frame[23] == 6 && be16(frame, 36) == 22 &&
               (frame[47] & 0x12) == 0x02;
    })) << "the guest is asked";
    EXPECT_NE(expose("vitrine.expose.add", spec).find("exposed"), nullptr) << "the same again";
    const Json conflict = expose("vitrine.expose.add", "127.0.0.1:" + std::to_string(port) + ":80");
    EXPECT_EQ(conflict.find("code")->text, "-32003");
    EXPECT_NE(conflict.find("message")->text.find("machine's port 22"), std::string::npos);
    EXPECT_TRUE(expose("vitrine.expose.remove", spec).find("exposed")->items.empty());
    EXPECT_FALSE(letsIn(port));
    EXPECT_EQ(expose("vitrine.expose.remove", spec).find("code")->text, "-32004");
    const std::string everywhere = std::to_string(port) + ":22";
    EXPECT_EQ(expose("vitrine.expose.add", everywhere).find("exposed")->items.at(0).text,
              everywhere);
    EXPECT_TRUE(letsIn(port));
}

TEST_F(SoftnetControlTest, APortThatCannotBeExposedIsNamedWithTheReason) {
    const Service taken(SOCK_STREAM);
    startWithControl();
    const std::string port = std::to_string(taken.port);
    const auto message = [this](const std::string& spec, const char* code = "-32003") {
        const Json error = expose("vitrine.expose.add", spec);
        EXPECT_EQ(error.find("code") != nullptr ? error.find("code")->text : "none", code);
        return error.find("message") != nullptr ? error.find("message")->text : std::string();
    };
    EXPECT_NE(message("127.0.0.1:" + port + ":22")
                  .find("port " + port + " of 127.0.0.1: another program"),
              std::string::npos);
    EXPECT_NE(
        message(port + ":22").find("port " + port + " of all addresses of this computer: another"),
        std::string::npos);
    EXPECT_NE(message("192.0.2.1:4000:22", "-32006").find("no address of this computer"),
              std::string::npos);
    EXPECT_NE(message("0:22", "-32006").find("port 0"), std::string::npos);
    if (asRoot) { // who becomes nobody; in a user namespace of its own it may open them
        EXPECT_NE(message("127.0.0.1:80:22", "-32005").find("ordinary user"), std::string::npos);
    }
    EXPECT_TRUE(call("vitrine.expose.get").find("exposed")->items.empty());
    settle();
}

TEST_F(SoftnetControlTest, WhatPassedAndWhatDidNotIsToldWithNames) {
    const Service names(SOCK_DGRAM, 53);
    m_early = {whole(udp(guest, 4000, gateway, 53, Frame(12)))};
    startWithControl({"--allow", "@host", "--block", "9.9.9.0/24"});
    EXPECT_TRUE(call("vitrine.events.subscribe").items.empty());
    sockaddr_in from{};
    names.receive(from);
    Frame answer = {0, 0, 0x81, 0x80, 0,    1,  0, 1, 0, 0, 0, 0, 1, 'a', 4, 't', 'e', 's', 't', 0,
                    0, 1, 0,    1,    0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9,   0, 4,   9,   9,   9,   9};
    names.answer(from, answer);
    ASSERT_TRUE(receive([](Bytes frame) { return frame.size() > 42 && frame[23] == 17; }))
        << "the first answer of all must not be lost";
    send(whole(tcp(guest, 4000, ip("9.9.9.9"), 443)));
    send(whole(tcp(ip("10.0.2.16"), 4000, ip("8.8.8.8"), 443)));
    send(ethernet(0x86dd, Frame(40)));
    settle();
    const Json list = call("vitrine.destinations.get");
    const Json* blocked = nullptr;
    for (const Json& destination : list.find("destinations")->items) {
        if (destination.find("address")->text == "9.9.9.9") {
            blocked = &destination;
        }
    }
    ASSERT_NE(blocked, nullptr);
    EXPECT_EQ(blocked->find("name")->text, "a.test");
    EXPECT_EQ(blocked->find("rule")->text, "9.9.9.0/24");
    EXPECT_EQ(blocked->find("verdict")->text, "block");
    const Json stats = call("vitrine.stats.get");
    const Json& reasons = *stats.find("toHost")->find("reasons");
    ASSERT_NE(reasons.find("src-ip"), nullptr);
    EXPECT_EQ(reasons.find("ethertype-ipv6")->text, "1");
    EXPECT_EQ(reasons.find("rule-block")->text, "1");
    const auto resident = stats.find("residentKiB")->whole();
    ASSERT_TRUE(resident);
    EXPECT_GT(*resident, 1024U);
    EXPECT_LE(*resident, std::uint64_t{mostMemory}) << "KiB";
    RecordProperty("residentKiB", std::to_string(*resident));
    bool event = false;
    for (const Json& parameters : m_events) {
        event = event || (parameters.find("kind")->text == "blocked" &&
                          parameters.find("name")->text == "a.test");
    }
    EXPECT_TRUE(event);
}

TEST_F(SoftnetControlTest, AnAddressThatTheComputerGetsLaterIsTheHostToo) {
    startWithControl();
    const auto reason = [this] {
        const Json answer =
            call("vitrine.test",
                 R"({"direction":"out","address":"8.8.4.4","port":80,"protocol":"tcp"})");
        return answer.find("reason")->text;
    };
    const auto becomes = [&](const std::string& expected) {
        const auto deadline = Clock::now() + seconds(30);
        while (reason() != expected) {
            if (Clock::now() > deadline) {
                return false;
            }
        }
        return true;
    };
    const auto setAddress = [](const char* text) {
        const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        ifreq request{};
        std::strcpy(request.ifr_name, "lo:1");
        sockaddr_in address = loopback(0);
        address.sin_addr.s_addr = htonl(ip(text).value);
        std::memcpy(&request.ifr_addr, &address, sizeof address);
        const int result = ::ioctl(any, SIOCSIFADDR, &request);
        ::close(any);
        return result;
    };
    EXPECT_EQ(reason(), "global");
    ASSERT_EQ(setAddress("8.8.4.4"), 0) << std::strerror(errno);
    EXPECT_TRUE(becomes("host-loopback"));
    ASSERT_EQ(setAddress("0.0.0.0"), 0) << std::strerror(errno);
    EXPECT_TRUE(becomes("global"));
    setPolicy("[]", R"(["8.8.4.4/32"])");
    ASSERT_NE(call("vitrine.learn.set", R"({"enabled":true})").find("learning"), nullptr);
    EXPECT_EQ(reason(), "learning");
    ASSERT_EQ(setAddress("8.8.4.4"), 0) << std::strerror(errno);
    EXPECT_TRUE(becomes("rule-block")) << "the host is not opened by learning";
    setPolicy("[]", "[]");
    EXPECT_EQ(reason(), "host-loopback");
    ASSERT_EQ(setAddress("0.0.0.0"), 0) << std::strerror(errno);
    EXPECT_TRUE(becomes("global"));
    settle();
}

TEST_F(SoftnetControlTest, TheEndOfTheClientChangesNothing) {
    startWithControl();
    setPolicy(R"(["@host"])", "[]");
    say(request("softnet.policy.get"));
    ASSERT_EQ(::shutdown(m_control, SHUT_WR), 0);
    EXPECT_NE(hear().find("\"ruleCount\":1"), std::string::npos) << "it still gets its answer";
    EXPECT_EQ(hear(), "");
    const Service web(SOCK_STREAM);
    EXPECT_TRUE(connects(gateway, web.port));
    ::close(std::exchange(m_control, -1));
    settle();
}

TEST_F(SoftnetControlTest, AClientThatDoesNotReadIsLetGoWhileTheMachineGoesOn) {
    startWithControl();
    std::string many = "[";
    for (int i = 0; i < 4096; ++i) {
        many += i > 0 ? "," : "";
        many += jsonText(Prefix{{0x01000000U + static_cast<std::uint32_t>(i) * 256}, 24}.text());
    }
    many += "]";
    setPolicy("[]", many);
    std::string requests;
    for (int i = 0; i < 100; ++i) {
        requests += request("softnet.policy.get");
    }
    say(requests);
    std::size_t total = 0;
    pollfd wait{m_control, POLLRDHUP, 0};
    ASSERT_GT(::poll(&wait, 1, 30'000), 0);
    while (!hear().empty()) {
        ++total;
    }
    EXPECT_LT(total, 100U);
    EXPECT_FALSE(connects(gateway, 9));
}

TEST_F(SoftnetControlTest, TheChannelIsAConnectedStreamSocketOfThisComputer) {
    const auto ends = [this](int descriptor) {
        m_childControl = descriptor;
        m_wire = -1;
        int wires[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, wires), 0);
        std::vector<std::string> options = {
            "--vm-fd", "0", "--vm-mac-address", vm.text(), "--control-fd", "1"};
        if (asRoot) {
            options.insert(options.end(), {"--user", "nobody"});
        }
        m_child = spawn(options, wires[0]);
        const int code = ended();
        const std::string text = said();
        ::close(std::exchange(m_errors, -1));
        ::close(wires[0]);
        ::close(wires[1]);
        ::close(descriptor);
        m_childControl = -1;
        EXPECT_NE(text.find("--control-fd"), std::string::npos) << text;
        return code;
    };
    EXPECT_EQ(ends(::open("/dev/null", O_RDWR | O_CLOEXEC)), 1);
    EXPECT_EQ(ends(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), 1);
    EXPECT_EQ(ends(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)), 1);
    EXPECT_EQ(ends(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), 1);
}

} // namespace
} // namespace vitrine::softnet
