// SPDX-License-Identifier: Apache-2.0
#include "softnet/control/control_support.h"

namespace vitrine::softnet {
namespace {

using namespace frames;

class VitrineMethodsTest : public ControlTest {
protected:
    std::string test(const std::string& direction,
                     const std::string& address,
                     int port,
                     const std::string& protocol) {
        return result("vitrine.test",
                      R"({"direction":")" + direction + R"(","address":")" + address +
                          R"(","port":)" + std::to_string(port) + R"(,"protocol":")" + protocol +
                          "\"}");
    }
};

TEST_F(VitrineMethodsTest, StatisticsCountBothWaysAndWhatWasDropped) {
    now += Time{250};
    guestSends(tcp(guestAddress, 4000, ip("8.8.8.8"), 80));
    guestSends(tcp(guestAddress, 4000, ip("10.1.1.1"), 80));
    guestSends(tcp(ip("1.2.3.4"), 4000, ip("8.8.8.8"), 80));
    for (int i = 0; i < 3; ++i) {
        guestGets(tcp(ip("8.8.8.8"), 80, guestAddress, 4000, syn | ack));
    }
    EXPECT_EQ(
        result("vitrine.stats.get"),
        R"({"uptimeMs":250,"toHost":{"frames":1,"bytes":54,"dropped":2,"reasons":{"src-ip":1,"not-global":1}},)"
        R"("toGuest":{"frames":1,"bytes":162,"dropped":2,"reasons":{"socket-full":2}},"flows":1,"guestPackets":1,"residentKiB":12345})");
    EXPECT_EQ(result("vitrine.stats.get", R"({"a":1})"), "error -32602");
}

TEST_F(VitrineMethodsTest, DestinationsAreToldOnceAndWhenTheyChange) {
    set("[]", R"(["9.9.9.0/24"])", "r");
    now += Time{100};
    guestSends(tcp(guestAddress, 4000, ip("8.8.8.8"), 80));
    guestSends(udp(guestAddress, 4000, ip("9.9.9.9"), 53));
    const std::string blocked =
        R"({"address":"9.9.9.9","port":53,"protocol":"udp","direction":"out","name":"","bytesOut":0,"bytesIn":0,)"
        R"("packets":1,"verdict":"block","rule":"9.9.9.0/24","reason":"rule-block","lastMs":100})";
    EXPECT_EQ(
        result("vitrine.destinations.get"),
        R"({"sequence":2,"newest":2,"destinations":[{"address":"8.8.8.8","port":80,"protocol":"tcp","direction":"out","name":"",)"
        R"("bytesOut":54,"bytesIn":0,"packets":1,"verdict":"allow","rule":"","reason":"global","lastMs":100},)" +
            blocked + R"(],"more":false})");
    EXPECT_EQ(result("vitrine.destinations.get", R"({"since":1})"),
              R"({"sequence":2,"newest":2,"destinations":[)" + blocked + R"(],"more":false})");
    EXPECT_EQ(result("vitrine.destinations.get", R"({"since":2})"),
              R"({"sequence":2,"newest":2,"destinations":[],"more":false})");
    EXPECT_EQ(result("vitrine.destinations.get", R"({"since":-1})"), "error -32602");
    EXPECT_EQ(result("vitrine.destinations.get", R"({"since":"2"})"), "error -32602");
    set("[]", "[]", "r2");
    const std::string after = result("vitrine.destinations.get", R"({"since":2})");
    EXPECT_NE(after.find(R"("address":"9.9.9.9")"), std::string::npos) << after;
    EXPECT_NE(after.find(R"("verdict":"block","rule":"9.9.9.0/24","reason":"rule-block",)"
                         R"("lastMs":100,"now":{"verdict":"allow","rule":"","reason":"global"}})"),
              std::string::npos)
        << "what happened stays: " << after;
    EXPECT_EQ(after.find("8.8.8.8"), std::string::npos) << "the rules changed nothing for it";
}

TEST_F(VitrineMethodsTest, ALongListComesInPieces) {
    for (unsigned i = 0; i < 4096; ++i) {
        guestSends(
            tcp(guestAddress,
                1,
                Ipv4::of(11, 0, static_cast<std::uint8_t>(i / 256), static_cast<std::uint8_t>(i)),
                80));
    }
    std::uint64_t since = 0;
    std::size_t seen = 0;
    for (bool more = true; more;) {
        const std::string text =
            result("vitrine.destinations.get", "{\"since\":" + std::to_string(since) + "}");
        ASSERT_LE(text.size(), ControlService::mostListBytes + 2048);
        const auto json = Json::parse(text);
        ASSERT_TRUE(json);
        seen += json->find("destinations")->items.size();
        more = json->find("more")->truth;
        EXPECT_EQ(*json->find("newest")->whole(), ledger.destinations().sequence());
        since = *json->find("sequence")->whole();
    }
    EXPECT_EQ(seen, 4096U);
    EXPECT_EQ(since, ledger.destinations().sequence());
}

TEST_F(VitrineMethodsTest, AListIsAsShortAsAsked) {
    for (unsigned i = 0; i < 10; ++i) {
        guestSends(tcp(guestAddress, 1, Ipv4::of(11, 0, 0, static_cast<std::uint8_t>(i)), 80));
    }
    const auto first = Json::parse(result("vitrine.destinations.get", R"({"most":4})"));
    ASSERT_TRUE(first);
    EXPECT_EQ(first->find("destinations")->items.size(), 4U);
    EXPECT_TRUE(first->find("more")->truth);
    const std::string since = std::to_string(*first->find("sequence")->whole());
    const auto rest =
        Json::parse(result("vitrine.destinations.get", R"({"most":6,"since":)" + since + "}"));
    ASSERT_TRUE(rest);
    EXPECT_EQ(rest->find("destinations")->items.size(), 6U);
    EXPECT_FALSE(rest->find("more")->truth);
    EXPECT_EQ(result("vitrine.destinations.get", R"({"most":0})"), "error -32602");
}

TEST_F(VitrineMethodsTest, WhatIsExposedCanBeAskedAndChanged) {
    EXPECT_EQ(result("vitrine.expose.get"), R"({"exposed":[]})");
    EXPECT_EQ(result("vitrine.expose.add", R"({"spec":"2222:22"})"), R"({"exposed":["2222:22"]})");
    EXPECT_EQ(result("vitrine.expose.add", R"({"spec":"127.0.0.1:8080:80"})"),
              R"({"exposed":["2222:22","127.0.0.1:8080:80"]})");
    EXPECT_EQ(result("vitrine.expose.remove", R"({"spec":"2222:22"})"),
              R"({"exposed":["127.0.0.1:8080:80"]})");
    EXPECT_EQ(result("vitrine.expose.remove", R"({"spec":"2222:22"})"), "error -32004");
    EXPECT_EQ(result("vitrine.expose.add", R"({"spec":"22"})"), "error -32602");
    EXPECT_EQ(result("vitrine.expose.add", R"({"spec":"70000:22"})"), "error -32602");
    EXPECT_EQ(result("vitrine.expose.add"), "error -32602");
    EXPECT_EQ(result("vitrine.expose.get", R"({"spec":"2222:22"})"), "error -32602");
    const std::string conflict = call("vitrine.expose.add", R"({"spec":"80:80"})");
    EXPECT_EQ(outcome(conflict), "error -32003");
    EXPECT_NE(conflict.find("port 80"), std::string::npos);
    EXPECT_NE(conflict.find("another program"), std::string::npos);
}

TEST_F(VitrineMethodsTest, ATestNamesTheRuleThatDecides) {
    set(R"(["in 10.0.0.0/8","out 1.0.0.0/8:443"])", R"(["1.0.0.0/8","out 2.0.0.0/8"])", "r");
    EXPECT_EQ(test("out", "1.1.1.1", 443, "tcp"),
              R"({"verdict":"allow","rule":"out 1.0.0.0/8:443","reason":"rule-allow"})");
    EXPECT_EQ(test("out", "1.1.1.1", 80, "udp"),
              R"({"verdict":"block","rule":"1.0.0.0/8","reason":"rule-block"})");
    EXPECT_EQ(test("in", "10.2.3.4", 22, "tcp"),
              R"({"verdict":"allow","rule":"in 10.0.0.0/8","reason":"rule-allow"})");
    EXPECT_EQ(test("in", "2.2.2.2", 22, "tcp"),
              R"({"verdict":"allow","rule":"","reason":"incoming"})");
    EXPECT_EQ(test("out", "2.2.2.2", 0, "icmp"),
              R"({"verdict":"block","rule":"out 2.0.0.0/8","reason":"rule-block"})");
    EXPECT_EQ(test("out", "8.8.8.8", 0, "other"),
              R"({"verdict":"allow","rule":"","reason":"global"})");
    EXPECT_EQ(test("out", "127.0.0.1", 80, "tcp"),
              R"({"verdict":"block","rule":"","reason":"host-loopback"})");
    EXPECT_EQ(test("up", "8.8.8.8", 80, "tcp"), "error -32602");
    EXPECT_EQ(test("out", "8.8.8", 80, "tcp"), "error -32602");
    EXPECT_EQ(test("out", "8.8.8.8", 0, "tcp"), "error -32602");
    EXPECT_EQ(test("out", "8.8.8.8", 65536, "udp"), "error -32602");
    EXPECT_EQ(test("out", "8.8.8.8", 80, "sctp"), "error -32602");
    EXPECT_EQ(
        result("vitrine.test", R"({"direction":"out","address":"8.8.8.8","protocol":"icmp"})"),
        R"({"verdict":"allow","rule":"","reason":"global"})");
    EXPECT_EQ(ledger.destinations().size(), 0U) << "asking leaves no trace";
}

TEST_F(VitrineMethodsTest, LearningLetsAllPassButTheServicesOfTheComputer) {
    ASSERT_TRUE(filter->setHostAddresses({ip("192.0.2.2")}, now));
    set(R"(["192.0.2.2/32:80"])", R"(["0.0.0.0/0"])", "r");
    EXPECT_EQ(result("vitrine.learn.set", R"({"enabled":1})"), "error -32602");
    EXPECT_EQ(result("vitrine.learn.set", R"({"enabled":true})"), R"({"learning":true})");
    const std::string learning = R"({"verdict":"allow","rule":"","reason":"learning"})";
    EXPECT_EQ(test("out", "10.1.1.1", 22, "tcp"), learning);
    EXPECT_EQ(test("out", "8.8.8.8", 0, "icmp"), learning);
    EXPECT_EQ(test("out", "10.0.2.3", 53, "udp"),
              R"({"verdict":"allow","rule":"","reason":"host-service"})");
    for (const char* own : {"192.0.2.2", "10.0.2.2", "10.0.2.3", "127.0.0.1"}) {
        EXPECT_NE(test("out", own, 18099, "tcp").find("block"), std::string::npos) << own;
    }
    EXPECT_EQ(test("out", "192.0.2.2", 80, "tcp"),
              R"({"verdict":"allow","rule":"192.0.2.2/32:80","reason":"rule-allow"})");
    ASSERT_TRUE(filter->setHostAddresses({ip("192.0.2.2"), ip("10.1.1.1")}, now));
    EXPECT_NE(test("out", "10.1.1.1", 22, "tcp").find("block"), std::string::npos)
        << "an address that came later";
    set("[]", "[]", "r2");
    EXPECT_EQ(test("out", "10.2.2.2", 22, "tcp"), learning) << "new rules do not end it";
    EXPECT_EQ(test("out", "192.0.2.2", 18099, "tcp"),
              R"({"verdict":"block","rule":"","reason":"host-loopback"})");
    EXPECT_EQ(result("vitrine.learn.set", R"({"enabled":false})"), R"({"learning":false})");
    EXPECT_NE(test("out", "10.2.2.2", 22, "tcp").find("not-global"), std::string::npos);
}

TEST_F(VitrineMethodsTest, OnlyWhatPassedWhileLearningIsMarkedAsLearned) {
    ASSERT_TRUE(filter->setHostAddresses({ip("192.0.2.2")}, now));
    guestSends(tcp(guestAddress, 4000, ip("8.8.8.8"), 80));
    guestSends(tcp(guestAddress, 4000, ip("10.1.1.1"), 80));
    EXPECT_EQ(result("vitrine.learn.set", R"({"enabled":true})"), R"({"learning":true})");
    guestSends(tcp(guestAddress, 4000, ip("10.2.2.2"), 80));
    guestSends(tcp(guestAddress, 4000, ip("192.0.2.2"), 80));
    const std::string list = result("vitrine.destinations.get");
    const auto learned = [&list](const std::string& address) {
        const auto at = list.find("\"address\":\"" + address);
        return list.substr(at, list.find("}", at) - at).find(R"("learned":true)") !=
               std::string::npos;
    };
    EXPECT_FALSE(learned("8.8.8.8")) << list;
    EXPECT_FALSE(learned("10.1.1.1"));
    EXPECT_TRUE(learned("10.2.2.2"));
    EXPECT_FALSE(learned("192.0.2.2"));
    EXPECT_NE(list.find(R"("host":true)"), std::string::npos);
}

TEST_F(VitrineMethodsTest, WhatHappenedStaysSaidWhenTheRulesChange) {
    set(R"(["10.1.1.1/32:80"])", "[]", "r");
    guestSends(tcp(guestAddress, 4000, ip("10.1.1.1"), 80));
    set("[]", R"(["10.0.0.0/8"])", "r2");
    set("[]", R"(["10.0.0.0/8","1.0.0.0/8"])", "r3");
    const std::string kept = R"("verdict":"allow","rule":"10.1.1.1/32:80","reason":"rule-allow",)"
                             R"("lastMs":0,"now":{"verdict":"block","rule":"10.0.0.0/8",)"
                             R"("reason":"rule-block"}})";
    std::string list = result("vitrine.destinations.get");
    EXPECT_NE(list.find(kept), std::string::npos) << list;
    guestSends(tcp(guestAddress, 4001, ip("10.1.1.1"), 80));
    list = result("vitrine.destinations.get");
    EXPECT_NE(list.find(R"("verdict":"block","rule":"10.0.0.0/8","reason":"rule-block",)"
                        R"("lastMs":0})"),
              std::string::npos)
        << "it happened again: " << list;
}

} // namespace
} // namespace vitrine::softnet
