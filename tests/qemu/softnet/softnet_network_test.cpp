// SPDX-License-Identifier: Apache-2.0
// The network of a machine against a stand-in for the helper.
#include "qemu/softnet/softnet_network.h"

#include "qemu/port_forwards.h"
#include "qemu/qmp_client.h"
#include "qemu/softnet/softnet_host.h"
#include "tests/support/event_wait.h"

#include <QJsonArray>
#include <QTemporaryDir>

#include <csignal>
#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::qemu;
using vitrine::test::waitUntil;

namespace {

QString s(const char* text) {
    return QString::fromLatin1(text);
}

class SoftnetNetworkTest : public testing::Test {
protected:
    void start(NetworkOptions options = {}) {
        auto wire = openSoftnetWire();
        ASSERT_TRUE(wire);
        m_machine = std::move(wire->machine);
        SoftnetNetwork::Setup setup{s(VITRINE_SOFTNET_STAND_IN),
                                    *MacAddress::fromText(u"7e:11:22:33:44:55"),
                                    std::move(options),
                                    m_folder.filePath(s("log")),
                                    std::move(wire->helper)};
        setup.pace.first = 1;
        network = std::make_unique<SoftnetNetwork>(std::move(setup));
        QObject::connect(network.get(),
                         &SoftnetNetwork::happened,
                         network.get(),
                         [this](const QString& kind, const QString& text) {
                             kinds.append(kind);
                             texts.append(text);
                         });
        ASSERT_TRUE(network->start());
        ASSERT_TRUE(waitUntil([this] { return network->supervisor().isReady(); }));
    }
    template <class Call>
    Result<> wait(Call&& call) {
        std::optional<Result<>> done;
        call([&done](const Result<>& result) { done = result; });
        EXPECT_TRUE(waitUntil([&done] { return done.has_value(); }));
        return done.value_or(fail(Error::cancelled()));
    }
    Result<> setPolicy(const SoftnetPolicy& policy) {
        return wait([&](const auto& done) { network->setPolicy(policy, done); });
    }
    QJsonObject ask(const char* method) {
        std::optional<QJsonObject> answer;
        network->ask(QLatin1String(method), {}, [&](const Result<QJsonObject>& result) {
            answer = result ? *result : QJsonObject();
        });
        EXPECT_TRUE(waitUntil([&] { return answer.has_value(); }));
        return answer.value_or(QJsonObject());
    }
    SoftnetPolicy inForce() { return SoftnetPolicy::fromJson(ask("softnet.policy.get")); }
    QStringList open() {
        QStringList specs;
        for (const QJsonValue& spec : ask("vitrine.expose.get").value(s("exposures")).toArray())
            specs.append(spec.toString());
        return specs;
    }
    void killHelper() {
        ::kill(static_cast<pid_t>(network->supervisor().processId()), SIGKILL);
        ASSERT_TRUE(waitUntil([this] { return kinds.contains(s("network-restarted")); }));
    }

    QTemporaryDir m_folder;
    FileDescriptor m_machine;
    std::unique_ptr<SoftnetNetwork> network;
    QStringList kinds;
    QStringList texts;
};

} // namespace

TEST_F(SoftnetNetworkTest, RulesAndPortsSurviveTheHelper) {
    NetworkOptions options;
    options.expose = s("2222:22");
    start(options);
    ASSERT_TRUE(setPolicy({{s("10.0.0.0/8")}, {s("10.1.0.0/16")}}));
    std::optional<Result<PortForward>> forward;
    network->forward({0, 80}, [&](const Result<PortForward>& result) { forward = result; });
    ASSERT_TRUE(waitUntil([&] { return forward.has_value(); }));
    ASSERT_TRUE(*forward);
    EXPECT_GT((*forward)->hostPort, 0);
    const QStringList before{s("2222:22"), s("127.0.0.1:%1:80").arg((*forward)->hostPort)};
    EXPECT_EQ(open(), before);
    killHelper();
    EXPECT_EQ(kinds, (QStringList{s("network-ended"), s("network-restarted")}));
    EXPECT_EQ(open(), before);
    const QJsonArray words = ask("test.arguments").value(s("words")).toArray();
    EXPECT_TRUE(words.contains(s("--allow=10.0.0.0/8")));
    EXPECT_TRUE(words.contains(s("--block=10.1.0.0/16")));
    EXPECT_TRUE(words.contains(s("--vm-mac-address=7e:11:22:33:44:55")));
}

TEST_F(SoftnetNetworkTest, ARuleThatCannotBeReadChangesNothing) {
    NetworkOptions options;
    options.block = s("10.0.0.0/8");
    start(options);
    const auto refused = setPolicy({{s("11.0.0.0/8"), s("north")}, {}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::InvalidInput);
    EXPECT_TRUE(refused.error().message.contains(s("\"north\"")));
    EXPECT_EQ(network->policy(), (SoftnetPolicy{{}, {s("10.0.0.0/8")}}));
}

TEST_F(SoftnetNetworkTest, LearningLetsAllPassAndEndsWithTheRulesThatHeld) {
    NetworkOptions options;
    options.block = s("10.0.0.0/8");
    start(options);
    const auto learn = [this](bool on) {
        return wait([&](const auto& done) { network->setLearning(on, done); });
    };
    ASSERT_TRUE(learn(true));
    EXPECT_TRUE(network->isLearning());
    EXPECT_EQ(network->learnedSince(), 41);
    EXPECT_EQ(inForce(), (SoftnetPolicy{{s("0.0.0.0/0")}, {}}));
    EXPECT_EQ(network->policy(), (SoftnetPolicy{{}, {s("10.0.0.0/8")}}));
    ASSERT_TRUE(learn(false));
    EXPECT_EQ(inForce(), (SoftnetPolicy{{}, {s("10.0.0.0/8")}}));
    ASSERT_TRUE(learn(true));
    ASSERT_TRUE(setPolicy({{}, {s("out 0.0.0.0/0")}}));
    EXPECT_FALSE(network->isLearning());
    EXPECT_EQ(inForce(), (SoftnetPolicy{{}, {s("out 0.0.0.0/0")}}));
}

TEST_F(SoftnetNetworkTest, APortThatIsTakenIsToldAndTheOthersAreOpen) {
    NetworkOptions options;
    options.expose = s("8080:80,2222:22");
    start(options);
    ASSERT_TRUE(waitUntil([this] { return !kinds.isEmpty(); }));
    EXPECT_EQ(kinds, QStringList{s("forward-failed")});
    EXPECT_TRUE(texts.first().contains(s("Port 8080"))) << qPrintable(texts.first());
    EXPECT_EQ(open(), QStringList{s("2222:22")});
    ASSERT_EQ(network->exposures().size(), 2);
    EXPECT_FALSE(network->exposures().first().problem.isEmpty());
    const auto change = [this](auto method, const char* spec) {
        return wait([&](const auto& done) { (network.get()->*method)(s(spec), done); });
    };
    EXPECT_TRUE(change(&SoftnetNetwork::conceal, "8080:80"));
    EXPECT_TRUE(change(&SoftnetNetwork::expose, "127.0.0.1:8443:443"));
    EXPECT_TRUE(change(&SoftnetNetwork::conceal, "2222:22"));
    EXPECT_EQ(change(&SoftnetNetwork::conceal, "2222:22").error().kind, Error::Kind::NotFound);
    EXPECT_EQ(change(&SoftnetNetwork::expose, "22").error().kind, Error::Kind::InvalidInput);
    EXPECT_EQ(open(), QStringList{s("127.0.0.1:8443:443")});
}

TEST_F(SoftnetNetworkTest, ForwardsOfTheMachineLeadThroughIt) {
    start();
    QmpClient qmp;
    PortForwards forwards(&qmp);
    forwards.setNetwork(network.get());
    std::optional<Result<PortForward>> added;
    forwards.add({2200, 22}, [&](const Result<PortForward>& result) { added = result; });
    ASSERT_TRUE(waitUntil([&] { return added.has_value(); }));
    EXPECT_EQ(**added, (PortForward{2200, 22}));
    EXPECT_EQ(open(), QStringList{s("127.0.0.1:2200:22")});
    EXPECT_TRUE(wait([&](const auto& done) { forwards.remove(2200, done); }));
    EXPECT_TRUE(open().isEmpty());
    EXPECT_TRUE(forwards.list().isEmpty());
    EXPECT_EQ(wait([&](const auto& done) { forwards.remove(2200, done); }).error().kind,
              Error::Kind::NotFound);
}
