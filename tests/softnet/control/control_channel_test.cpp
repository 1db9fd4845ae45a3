// SPDX-License-Identifier: Apache-2.0
#include "softnet/control/control_support.h"

#include <random>

namespace vitrine::softnet {
namespace {

using namespace frames;

class ControlChannelTest : public ControlTest {
protected:
    static std::string get(const std::string& id) {
        return JsonObject()
            .add("jsonrpc", "2.0")
            .addJson("id", id)
            .add("method", "softnet.policy.get")
            .text();
    }
    // "CODE ID" of a line with an error, else "ok ID".
    static std::string brief(const std::string& line) {
        const auto json = Json::parse(line);
        if (!json || json->find("id") == nullptr) {
            return line;
        }
        const Json& id = *json->find("id");
        const std::string name = id.kind == Json::Kind::Null ? "null" : id.text;
        const Json* const error = json->find("error");
        return (error != nullptr ? error->find("code")->text : "ok") + " " + name;
    }
};

TEST_F(ControlChannelTest, AnIdIsAShortTextOrAWholeNumber) {
    EXPECT_EQ(brief(ask(get("0"))), "ok 0");
    EXPECT_EQ(brief(ask(get("18446744073709551615"))), "ok 18446744073709551615");
    EXPECT_EQ(brief(ask(get("\"a\\n\""))), "ok a\n");
    EXPECT_EQ(brief(ask(get("\"\""))), "ok ");
    EXPECT_EQ(brief(ask(get(jsonText(std::string(256, 'i'))))),
              std::string("ok ").append(256, 'i'));
    for (const char* id :
         {"-1", "1.0", "1e2", "null", "true", "[]", "{}", "18446744073709551616"}) {
        EXPECT_EQ(brief(ask(get(id))), "-32600 null") << id;
    }
    EXPECT_EQ(brief(ask(get(jsonText(std::string(257, 'i'))))), "-32600 null");
    EXPECT_EQ(brief(ask(R"({"jsonrpc":"2.0","method":"softnet.policy.get"})")), "-32600 null");
}

TEST_F(ControlChannelTest, TheEnvelopeHasItsFieldsOnceAndNoOthers) {
    EXPECT_EQ(brief(ask(R"({"jsonrpc":"2.0","id":1,"method":"softnet.policy.get","x":1})")),
              "-32600 1");
    EXPECT_EQ(brief(ask(R"({"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"a"})")), "-32600 1");
    EXPECT_EQ(brief(ask(R"({"jsonrpc":"2.0","id":1,"id":1,"method":"a"})")), "-32600 null");
    EXPECT_EQ(brief(ask(R"({"jsonrpc":"1.0","id":1,"method":"a"})")), "-32600 1");
    EXPECT_EQ(brief(ask(R"({"jsonrpc":2.0,"id":1,"method":"a"})")), "-32600 1");
    EXPECT_EQ(brief(ask(R"({"id":1,"method":"a"})")), "-32600 1");
    EXPECT_EQ(brief(ask(R"({"jsonrpc":"2.0","id":1})")), "-32600 1");
    EXPECT_EQ(brief(ask(R"({"jsonrpc":"2.0","id":1,"method":7})")), "-32600 1");
    EXPECT_EQ(brief(ask(R"({"jsonrpc":"2.0","id":1,"method":"a","params":1})")), "-32600 1");
    EXPECT_EQ(brief(ask(R"([{"jsonrpc":"2.0","id":1,"method":"a"}])")), "-32600 null")
        << "no batches";
    EXPECT_EQ(brief(ask(R"({"jsonrpc":"2.0","id":1,"method":"softnet.policy"})")), "-32601 1");
    EXPECT_EQ(brief(ask("{")), "-32700 null");
    EXPECT_EQ(brief(ask("")), "-32700 null");
    EXPECT_EQ(brief(ask("\xff")), "-32700 null");
}

TEST_F(ControlChannelTest, ARequestHoldsWhenItsLineEnds) {
    const std::string whole =
        R"({"jsonrpc":"2.0","id":1,"method":"softnet.policy.set","params":{"allow":[],"block":["8.0.0.0/8"],"desiredRevision":"r"}})";
    for (const char byte : whole) {
        channel->receive(std::string_view(&byte, 1), now);
    }
    EXPECT_EQ(sent(), "");
    EXPECT_EQ(filter->rules().policy().ruleCount(), 0U);
    channel->receive("\n" + get("2") + "\r\n" + get("3"), now);
    const std::string answers = sent();
    EXPECT_EQ(std::count(answers.begin(), answers.end(), '\n'), 2);
    EXPECT_EQ(filter->rules().policy().ruleCount(), 1U);
}

TEST_F(ControlChannelTest, ALineOverOneMebibyteIsThrownAway) {
    const std::string blanks(ControlChannel::mostLineBytes, ' ');
    channel->receive(blanks, now);
    EXPECT_EQ(sent(), "");
    channel->receive(" ", now);
    EXPECT_EQ(brief(sent()), "-32700 null");
    channel->receive(blanks, now);
    channel->receive(get("1"), now);
    EXPECT_EQ(sent(), "") << "still the same line";
    channel->receive("\n" + get("2") + "\n", now);
    EXPECT_EQ(brief(sent()), "ok 2");
    const std::string request = get("3");
    channel->receive(blanks.substr(request.size()) + request + "\n", now);
    EXPECT_EQ(brief(sent()), "ok 3") << "exactly 1 MiB";
}

TEST_F(ControlChannelTest, AClientThatDoesNotReadIsLetGoAndItsLastUpdateIsNotMade) {
    std::string many = "[";
    for (int i = 0; i < 4096; ++i) {
        many += (i > 0 ? ",\"1." : "\"1.") + std::to_string(i / 256) + "." +
                std::to_string(i % 256) + ".0/24\"";
    }
    many += "]";
    set("[]", many, "first");
    while (channel->pending().size() + 60'000 < ControlChannel::mostPendingBytes) {
        channel->receive(get("1") + "\n", now);
        ASSERT_TRUE(channel->isOpen());
    }
    channel->receive(
        R"({"jsonrpc":"2.0","id":1,"method":"softnet.policy.set","params":{"block":[],"allow":)" +
            many + R"(,"desiredRevision":"second"}})" + "\n",
        now);
    EXPECT_FALSE(channel->isOpen());
    EXPECT_TRUE(channel->pending().empty());
    EXPECT_EQ(filter->rules().policy().block.size(), 4096U);
    channel->receive(get("1") + "\n", now);
    EXPECT_TRUE(channel->pending().empty());
}

TEST_F(ControlChannelTest, EventsComeToThoseWhoAskedForThem) {
    guestSends(tcp(guestAddress, 1, ip("8.8.8.8"), 80));
    EXPECT_EQ(sent(), "");
    EXPECT_EQ(result("vitrine.events.subscribe", "[1]"), "error -32602");
    EXPECT_EQ(result("vitrine.events.subscribe"), "{}");
    guestSends(tcp(guestAddress, 1, ip("10.1.1.1"), 443));
    const auto event = Json::parse(sent());
    ASSERT_TRUE(event);
    EXPECT_EQ(event->find("method")->text, "vitrine.event");
    EXPECT_EQ(event->find("id"), nullptr);
    const Json& parameters = *event->find("params");
    EXPECT_EQ(parameters.find("kind")->text, "blocked");
    EXPECT_EQ(parameters.find("address")->text, "10.1.1.1");
    EXPECT_EQ(parameters.find("port")->text, "443");
    EXPECT_EQ(parameters.find("reason")->text, "not-global");
    guestSends(tcp(guestAddress, 1, ip("9.9.9.9"), 443));
    EXPECT_NE(sent().find("\"kind\":\"allowed\""), std::string::npos);
    guestSends(tcp(guestAddress, 1, ip("9.9.9.9"), 443));
    guestSends(tcp(guestAddress, 1, ip("10.1.1.1"), 443));
    EXPECT_EQ(sent(), "") << "nothing new within a second";
    now += Time{1000};
    guestSends(tcp(guestAddress, 1, ip("10.1.1.1"), 443));
    EXPECT_NE(sent().find("\"packets\":3"), std::string::npos);
}

TEST_F(ControlChannelTest, ChangesByAnybodyAreEventsToo) {
    call("vitrine.events.subscribe");
    channel->receive(
        R"({"jsonrpc":"2.0","id":7,"method":"vitrine.expose.add","params":{"spec":"80:8080"}})"
        "\n",
        now);
    const std::string failed = sent();
    EXPECT_NE(failed.find(R"("kind":"expose","spec":"80:8080","state":"failed")"),
              std::string::npos)
        << failed;
    channel->receive(
        R"({"jsonrpc":"2.0","id":1,"method":"softnet.policy.set","params":{"allow":[],"block":[],"desiredRevision":"r"}})"
        "\n",
        now);
    const std::string answers = sent();
    EXPECT_NE(answers.find(R"("kind":"policy","desiredRevision":"r","ruleCount":0)"),
              std::string::npos)
        << answers;
}

TEST_F(ControlChannelTest, TooManyEventsAreCountedInstead) {
    call("vitrine.events.subscribe");
    for (unsigned i = 0; i < 1000; ++i) {
        guestSends(
            tcp(guestAddress,
                1,
                Ipv4::of(11, 0, static_cast<std::uint8_t>(i / 256), static_cast<std::uint8_t>(i)),
                80));
    }
    const std::string lines = sent();
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), ControlChannel::eventBurst);
    EXPECT_TRUE(channel->wantsTick());
    channel->tick(now);
    EXPECT_EQ(sent(), "");
    now += Time{500};
    channel->tick(now);
    EXPECT_NE(sent().find(R"("kind":"leftOut","leftOut":900})"), std::string::npos);
    EXPECT_FALSE(channel->wantsTick());
}

TEST_F(ControlChannelTest, AClientThatDoesNotReadLosesEventsNotTheChannel) {
    call("vitrine.events.subscribe");
    for (unsigned i = 0; i < 200'000 && !channel->wantsTick(); ++i) {
        now += Time{20};
        guestSends(tcp(guestAddress,
                       1,
                       Ipv4::of(11,
                                static_cast<std::uint8_t>(i >> 16),
                                static_cast<std::uint8_t>(i >> 8),
                                static_cast<std::uint8_t>(i)),
                       80));
    }
    EXPECT_TRUE(channel->wantsTick());
    EXPECT_LE(channel->pending().size(), ControlChannel::mostPendingForEvents + 1024);
    EXPECT_TRUE(channel->isOpen());
}

TEST_F(ControlChannelTest, EveryLineGetsOneAnswerHoweverWrongItIs) {
    static constexpr const char* requests[] = {
        R"({"jsonrpc":"2.0","id":1,"method":"softnet.policy.set","params":{"allow":["in 1.0.0.0/8:1-2"],"block":["@host"],"desiredRevision":"r"}})",
        R"({"jsonrpc":"2.0","id":"a\u00e9","method":"vitrine.test","params":{"direction":"out","address":"1.1.1.1","port":1,"protocol":"tcp"}})",
        R"({"jsonrpc":"2.0","id":1,"method":"vitrine.expose.add","params":{"spec":"127.0.0.1:1:2"}})",
        R"({"jsonrpc":"2.0","id":1,"method":"vitrine.destinations.get","params":{"since":0}})"};
    std::mt19937 random(11);
    for (int i = 0; i < 40'000; ++i) {
        std::string line = requests[random() % std::size(requests)];
        for (unsigned changes = random() % 5; changes > 0; --changes) {
            const std::size_t at = random() % line.size();
            switch (random() % 3) {
            case 0:
                line[at] = static_cast<char>(random());
                break;
            case 1:
                line.erase(at, 1 + random() % 8);
                break;
            default:
                line.insert(at, line.substr(random() % line.size(), random() % 16));
            }
            line += line.empty() ? " " : "";
        }
        std::replace(line.begin(), line.end(), '\n', ' ');
        const std::string answer = ask(line);
        ASSERT_EQ(std::count(answer.begin(), answer.end(), '\n'), 1) << line;
        ASSERT_TRUE(Json::parse(answer)) << line << "\n" << answer;
        exposed.clear();
    }
    EXPECT_TRUE(channel->isOpen());
}

} // namespace
} // namespace vitrine::softnet
