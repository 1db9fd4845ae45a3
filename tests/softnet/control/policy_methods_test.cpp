// SPDX-License-Identifier: Apache-2.0
// Every statement of Softnet's own control channel.
#include "softnet/control/control_support.h"

namespace vitrine::softnet {
namespace {

using namespace frames;

class PolicyMethodsTest : public ControlTest {
protected:
    static std::string policyText(const std::string& allow,
                                  const std::string& block,
                                  const std::string& revision,
                                  int rules) {
        return "{\"allow\":" + allow + ",\"block\":" + block + ",\"desiredRevision\":" + revision +
               ",\"ruleCount\":" + std::to_string(rules) + ",\"bridgeIsolation\":true}";
    }
    std::string get() { return result("softnet.policy.get"); }
    bool passes(const std::string& address) {
        return filter->wouldPass(Side::Guest, protocol::tcp, ip(address), 80).passes();
    }
};

TEST_F(PolicyMethodsTest, TheRulesOfTheCommandLineHaveNoRevision) {
    Policy policy;
    policy.block.push_back(*Target::parse("10.1.2.3/8"));
    ASSERT_TRUE(filter->setPolicy(policy, now));
    const std::string expected = policyText("[]", R"(["10.0.0.0/8"])", "null", 1);
    EXPECT_EQ(get(), expected);
    EXPECT_EQ(result("softnet.policy.get", "[]"), expected);
    EXPECT_EQ(outcome(ask(R"({"jsonrpc":"2.0","id":1,"method":"softnet.policy.get"})")), expected);
    EXPECT_EQ(result("softnet.policy.get", R"({"a":1})"), "error -32602");
    EXPECT_EQ(result("softnet.policy.get", "[1]"), "error -32602");
}

TEST_F(PolicyMethodsTest, ListsAreNormalisedSortedAndWithoutDuplicates) {
    EXPECT_EQ(set(R"(["@host","9.9.9.9/24","10.0.0.5/8","9.9.9.0/24"])",
                  R"(["out   8.8.8.8/32","in 8.8.8.8/32:53-53","8.8.8.8/32:1-9"])",
                  "r1"),
              policyText(R"(["10.0.0.0/8","9.9.9.0/24","@host"])",
                         R"(["8.8.8.8/32:1-9","in 8.8.8.8/32:53","out 8.8.8.8/32"])",
                         R"("r1")",
                         6));
    EXPECT_NE(get().find(R"("desiredRevision":"r1")"), std::string::npos);
}

TEST_F(PolicyMethodsTest, NewRulesHoldFromTheNextFrameOn) {
    EXPECT_TRUE(passes("8.8.8.8"));
    EXPECT_FALSE(passes("10.1.1.1"));
    set(R"(["10.0.0.0/8"])", R"(["8.8.8.8/32"])", "r1");
    EXPECT_FALSE(passes("8.8.8.8"));
    EXPECT_TRUE(passes("10.1.1.1"));
    set("[]", "[]", "r2");
    EXPECT_TRUE(passes("8.8.8.8"));
    EXPECT_FALSE(passes("10.1.1.1"));
}

TEST_F(PolicyMethodsTest, AnOpenConnectionThatNewRulesForbidStopsAndMayGoOnLater) {
    const Frame request = tcp(guestAddress, 4000, ip("8.8.8.8"), 80, ack);
    const Frame answer = tcp(ip("8.8.8.8"), 80, guestAddress, 4000, ack);
    ASSERT_TRUE(filter->fromGuest(tcp(guestAddress, 4000, ip("8.8.8.8"), 80), now).passes());
    ASSERT_TRUE(filter->toGuest(answer, now).passes());
    set("[]", R"(["8.8.8.8/32:80"])", "r1");
    EXPECT_EQ(filter->fromGuest(request, now).reason, Reason::FlowRevoked);
    EXPECT_EQ(filter->toGuest(answer, now).reason, Reason::FlowRevoked);
    set("[]", "[]", "r2");
    EXPECT_TRUE(filter->fromGuest(request, now).passes());
    EXPECT_TRUE(filter->toGuest(answer, now).passes());
}

TEST_F(PolicyMethodsTest, ARevisionIsUsedForOnePolicyOnly) {
    const std::string first = set(R"(["10.0.0.0/8"])", "[]", "r1");
    EXPECT_EQ(set(R"(["10.0.0.1/8"])", "[]", "r1"), first) << "the same rules once more";
    EXPECT_EQ(set("[]", "[]", "r1"), "error -32001") << "other rules";
    EXPECT_TRUE(passes("10.1.1.1"));
    set("[]", "[]", "r2");
    EXPECT_EQ(set(R"(["10.0.0.0/8"])", "[]", "r1"), "error -32001") << "superseded";
    EXPECT_FALSE(passes("10.1.1.1"));
    EXPECT_EQ(set("[]", "[]", "r2"), policyText("[]", "[]", R"("r2")", 0));
}

TEST_F(PolicyMethodsTest, ARevisionHasOneTo256Bytes) {
    EXPECT_EQ(set("[]", "[]", ""), "error -32602");
    EXPECT_EQ(set("[]", "[]", std::string(257, 'r')), "error -32602");
    EXPECT_TRUE(set("[]", "[]", std::string(256, 'r')).starts_with("{"));
    EXPECT_EQ(result("softnet.policy.set", R"({"allow":[],"block":[]})"), "error -32602");
    EXPECT_EQ(result("softnet.policy.set", R"({"allow":[],"block":[],"desiredRevision":1})"),
              "error -32602");
}

TEST_F(PolicyMethodsTest, WhatIsRefusedChangesNothing) {
    const std::string before = set(R"(["10.0.0.0/8"])", "[]", "r1");
    std::string many = "[";
    for (int i = 0; i < 4097; ++i) {
        many += (i > 0 ? ",\"1." : "\"1.") + std::to_string(i / 256) + "." +
                std::to_string(i % 256) + ".0/24\"";
    }
    many += "]";
    EXPECT_EQ(set(many, "[]", "r2"), "error -32602");
    EXPECT_EQ(set(R"(["9.0.0.0/8","2001:db8::/32"])", "[]", "r3"), "error -32602");
    EXPECT_EQ(set("[]", R"(["from 9.0.0.0/8"])", "r4"), "error -32602");
    EXPECT_EQ(set("[]", R"(["9.0.0.0/8:0"])", "r5"), "error -32602");
    EXPECT_EQ(set("[]", R"(["in\t9.0.0.0/8"])", "r5"), "error -32602");
    EXPECT_EQ(set("[1]", "[]", "r6"), "error -32602");
    EXPECT_EQ(set("{}", "[]", "r7"), "error -32602");
    EXPECT_EQ(
        result("softnet.policy.set", R"({"allow":[],"block":[],"desiredRevision":"r","a":1})"),
        "error -32602");
    EXPECT_EQ(
        result("softnet.policy.set", R"({"allow":[],"allow":[],"block":[],"desiredRevision":"r"})"),
        "error -32602");
    EXPECT_EQ(result("softnet.policy.set", R"([[],[],"r"])"), "error -32602");
    EXPECT_EQ(get(), before);
    EXPECT_TRUE(set("[]", "[]", "r2").starts_with("{")) << "a refused revision is not used up";
}

TEST_F(PolicyMethodsTest, FourThousandAndNinetySixRulesAreTaken) {
    std::string many = "[";
    for (int i = 0; i < 4096; ++i) {
        many += (i > 0 ? ",\"1." : "\"1.") + std::to_string(i / 256) + "." +
                std::to_string(i % 256) + ".0/24\"";
    }
    many += "]";
    EXPECT_NE(set("[]", many, "r").find("\"ruleCount\":4096"), std::string::npos);
    EXPECT_FALSE(passes("1.15.255.9"));
}

TEST_F(PolicyMethodsTest, IsolationIsNotARuleAndStaysWhateverIsAllowed) {
    EXPECT_EQ(set(R"(["0.0.0.0/0"])", "[]", "r1"),
              policyText(R"(["0.0.0.0/0"])", "[]", R"("r1")", 1));
    EXPECT_FALSE(passes("127.0.0.1"));
    EXPECT_FALSE(passes("10.0.2.2")) << "the gateway is the host's loopback";
    set(R"(["0.0.0.0/0","@host"])", "[]", "r2");
    EXPECT_TRUE(passes("10.0.2.2"));
    EXPECT_FALSE(passes("127.0.0.1"));
}

} // namespace
} // namespace vitrine::softnet
