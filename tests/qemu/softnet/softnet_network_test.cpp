// SPDX-License-Identifier: Apache-2.0
// The network of a machine against a stand-in for the helper.
#include "qemu/softnet/softnet_network.h"

#include "qemu/port_forwards.h"
#include "qemu/qmp_client.h"
#include "qemu/softnet/softnet_host.h"
#include "tests/support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QFile>
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
    void start(NetworkOptions options = {}, bool plainNat = false) {
        auto wire = openSoftnetWire();
        ASSERT_TRUE(wire);
        m_machine = std::move(wire->machine);
        SoftnetNetwork::Setup setup{s(VITRINE_SOFTNET_STAND_IN),
                                    *MacAddress::fromText(u"7e:11:22:33:44:55"),
                                    std::move(options),
                                    m_folder.filePath(s("log")),
                                    std::move(wire->helper),
                                    plainNat};
        setup.pace.first = 1;
        setup.pace.longest = 20;
        network = std::make_unique<SoftnetNetwork>(std::move(setup));
        QObject::connect(network.get(),
                         &SoftnetNetwork::happened,
                         network.get(),
                         [this](const QString& kind, const QString& text) {
                             kinds.append(kind);
                             texts.append(text);
                         });
        ASSERT_TRUE(network->start());
        if (expectsReady) {
            ASSERT_TRUE(waitUntil([this] { return network->supervisor().isReady(); }));
        }
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
    bool learns() { return ask("test.learning").value(s("learning")).toBool(); }
    QStringList open() {
        QStringList specs;
        for (const QJsonValue& spec : ask("vitrine.expose.get").value(s("exposures")).toArray())
            specs.append(spec.toString());
        return specs;
    }
    void killHelper() {
        vitrine::test::sendSignal(static_cast<pid_t>(network->supervisor().processId()), SIGKILL);
        ASSERT_TRUE(waitUntil([this] { return kinds.contains(s("network-restarted")); }));
    }

    QTemporaryDir m_folder;
    FileDescriptor m_machine;
    std::unique_ptr<SoftnetNetwork> network;
    QStringList kinds;
    QStringList texts;
    bool expectsReady = true;
};

} // namespace

TEST(SoftnetHostTest, RootThatIsAloneInItsNamespaceIsRefusedBeforeTheStart) {
    const QByteArray all = "         0          0 4294967295\n";
    EXPECT_EQ(whyNoOtherUser(all, "allow\n", 65534), QString());
    EXPECT_EQ(whyNoOtherUser("0 1000 1\n1 100000 65536\n", "allow\n", 65534), QString());
    for (const auto& [map, groups] : {std::pair<QByteArray, QByteArray>{"0 1000 1\n", "deny\n"},
                                      {"0 1000 1\n1 100000 1000\n", "allow\n"},
                                      {all, "deny\n"},
                                      {"", "allow\n"}})
        EXPECT_TRUE(whyNoOtherUser(map, groups, 65534).contains(s("ordinary user"))) << map.data();
}

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
    EXPECT_EQ(network->learnedSince(), 57) << "the list was cut at 41";
    EXPECT_TRUE(learns());
    EXPECT_EQ(inForce(), (SoftnetPolicy{{}, {s("10.0.0.0/8")}})) << "what they open of the host";
    EXPECT_EQ(network->policy(), (SoftnetPolicy{{}, {s("10.0.0.0/8")}}));
    ASSERT_TRUE(learn(false));
    EXPECT_FALSE(learns());
    EXPECT_EQ(inForce(), (SoftnetPolicy{{}, {s("10.0.0.0/8")}}));
}

TEST_F(SoftnetNetworkTest, LearningGoesOnWhenRulesAndPortsChange) {
    start();
    ASSERT_TRUE(wait([&](const auto& done) { network->setLearning(true, done); }));
    ASSERT_TRUE(setPolicy({{}, {s("out 0.0.0.0/0")}}));
    NetworkEdit edit;
    edit.removeBlock = {s("out 0.0.0.0/0")};
    edit.addAllow = {s("10.0.0.0/8")};
    ASSERT_TRUE(wait([&](const auto& done) { network->editPolicy(edit, done); }));
    ASSERT_TRUE(wait([&](const auto& done) { network->expose(s("2222:22"), done); }));
    EXPECT_TRUE(network->isLearning());
    EXPECT_EQ(network->learnedSince(), 57) << "nothing that was seen is lost";
    EXPECT_TRUE(learns());
    EXPECT_EQ(inForce(), (SoftnetPolicy{{s("10.0.0.0/8")}, {}}));
}

TEST_F(SoftnetNetworkTest, LearningBeginsAgainWithANewHelperAndSaysSo) {
    start();
    ASSERT_TRUE(wait([&](const auto& done) { network->setLearning(true, done); }));
    killHelper();
    EXPECT_TRUE(network->isLearning());
    EXPECT_EQ(network->learnedSince(), 0) << "the new one counts from there";
    EXPECT_TRUE(learns());
    EXPECT_TRUE(texts.last().contains(s("learning begins again"))) << qPrintable(texts.last());
}

TEST_F(SoftnetNetworkTest, EditsOfSeveralAtOnceAreAllMade) {
    start();
    int done = 0;
    const auto change = [&](const char* allow, const char* remove) {
        NetworkEdit edit;
        edit.addAllow = {s(allow)};
        edit.removeAllow = {s(remove)};
        network->editPolicy(edit, [&done](const Result<>& made) { done += made ? 1 : 0; });
    };
    change("10.0.0.0/8", "@host");
    change("11.0.0.0/8", "@host");
    change("12.0.0.0/8", "10.0.0.0/8");
    ASSERT_TRUE(waitUntil([&] { return done == 3; }));
    EXPECT_EQ(network->policy(), (SoftnetPolicy{{s("11.0.0.0/8"), s("12.0.0.0/8")}, {}}));
    EXPECT_EQ(inForce(), network->policy());
}

TEST_F(SoftnetNetworkTest, RulesThatOnlyTogetherAreTooManyAreRefused) {
    start();
    SoftnetPolicy many;
    for (int i = 0; i < 3000; ++i) {
        many.allow.append(s("10.%1.%2.0/24").arg(i / 250).arg(i % 250));
        many.block.append(s("11.%1.%2.0/24").arg(i / 250).arg(i % 250));
    }
    const auto refused = setPolicy(many);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::InvalidInput);
    EXPECT_TRUE(refused.error().message.contains(s("6000"))) << qPrintable(refused.error().message);
    many = {};
    for (int i = 0; i < 4096; ++i)
        many.allow.append(
            s("out 192.168.%1.%2/32:60000-65535").arg(100 + i / 100).arg(100 + i % 100));
    const auto tooLong = setPolicy(many);
    ASSERT_FALSE(tooLong) << "would not fit into the command line of the next start";
    EXPECT_EQ(tooLong.error().kind, Error::Kind::InvalidInput);
}

TEST_F(SoftnetNetworkTest, RulesThatNoHelperStartsWithAreTakenBack) {
    start();
    ASSERT_TRUE(setPolicy({{s("10.0.0.0/8")}, {}}));
    std::optional<Result<>> set; // while nobody is there to refuse it
    QObject::connect(
        network.get(), &SoftnetNetwork::happened, network.get(), [&](const QString& kind) {
            if (kind == s("network-ended") && !set)
                network->setPolicy({{s("10.66.0.0/16")}, {}},
                                   [&set](const Result<>& result) { set = result; });
        });
    vitrine::test::sendSignal(static_cast<pid_t>(network->supervisor().processId()), SIGKILL);
    ASSERT_TRUE(waitUntil([this] { return kinds.contains(s("network-restarted")); }));
    ASSERT_TRUE(set && *set);
    EXPECT_TRUE(kinds.contains(s("network-rules-refused")));
    EXPECT_EQ(network->policy(), (SoftnetPolicy{{s("10.0.0.0/8")}, {}}));
    const QJsonArray words = ask("test.arguments").value(s("words")).toArray();
    EXPECT_TRUE(words.contains(s("--allow=10.0.0.0/8")));
}

TEST_F(SoftnetNetworkTest, ANetworkThatIsGivenUpTakesNoRules) {
    NetworkOptions options;
    options.allow = s("10.66.0.0/16"); // never comes up
    expectsReady = false;
    start(options);
    ASSERT_TRUE(waitUntil([this] { return kinds.contains(s("network-failed")); }));
    const auto set = setPolicy({{s("10.0.0.0/8")}, {}});
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().kind, Error::Kind::NotRunning);
}

TEST_F(SoftnetNetworkTest, MorePortsThanQuestionsAtOnceAreAllOpenedAtTheStart) {
    NetworkOptions options;
    QStringList specs;
    for (int port = 20000; port < 20150; ++port)
        specs.append(s("%1:22").arg(port));
    options.expose = specs.join(QLatin1Char(','));
    start(options);
    EXPECT_TRUE(waitUntil([&] { return open().size() == specs.size(); }));
    EXPECT_TRUE(kinds.isEmpty()) << qPrintable(texts.join(QLatin1Char('\n')));
}

TEST_F(SoftnetNetworkTest, EachCauseHasItsOwnText) {
    NetworkOptions options;
    options.expose = s("8080:80,80:80");
    start(options);
    ASSERT_TRUE(waitUntil([this] { return kinds.size() == 2; }));
    EXPECT_TRUE(texts.first().contains(s("another program"))) << qPrintable(texts.first());
    EXPECT_TRUE(texts.last().contains(s("below 1024"))) << qPrintable(texts.last());
    EXPECT_FALSE(texts.last().contains(s("another program"))) << qPrintable(texts.last());
}

TEST_F(SoftnetNetworkTest, ForwardsThatAreTakenMeanwhileMoveOrAreTold) {
    const QTemporaryDir taken;
    qputenv("VITRINE_STAND_IN_TAKEN", taken.path().toLocal8Bit());
    start();
    QmpClient qmp;
    PortForwards forwards(&qmp);
    forwards.setNetwork(network.get());
    std::optional<Result<PortForward>> automatic;
    std::optional<Result<PortForward>> chosen;
    forwards.add({0, 80}, [&](const Result<PortForward>& result) { automatic = result; });
    forwards.add({2200, 22}, [&](const Result<PortForward>& result) { chosen = result; });
    ASSERT_TRUE(waitUntil([&] { return automatic && chosen; }));
    ASSERT_TRUE(*automatic && *chosen);
    for (const int port : {int{(*automatic)->hostPort}, 2200}) {
        QFile file(taken.filePath(QString::number(port)));
        ASSERT_TRUE(file.open(QFile::WriteOnly));
    }
    killHelper();
    ASSERT_TRUE(waitUntil([this] {
        return kinds.contains(s("forward-moved")) && kinds.contains(s("forward-failed"));
    }));
    qunsetenv("VITRINE_STAND_IN_TAKEN");
    ASSERT_EQ(forwards.list().size(), 2);
    EXPECT_FALSE(forwards.list().contains(**automatic));
    const auto moved = std::find_if(forwards.list().cbegin(),
                                    forwards.list().cend(),
                                    [](const PortForward& one) { return one.guestPort == 80; });
    ASSERT_NE(moved, forwards.list().cend());
    EXPECT_EQ(open(), QStringList{s("127.0.0.1:%1:80").arg(moved->hostPort)});
    EXPECT_TRUE(wait([&](const auto& done) { forwards.remove(2200, done); }))
        << "what is not there is removed";
    EXPECT_EQ(forwards.list().size(), 1);
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

TEST_F(SoftnetNetworkTest, PlainNatHasForwardsAndNoRules) {
    NetworkOptions stored; // for when Softnet is chosen again
    stored.allow = s("10.0.0.0/8");
    stored.expose = s("2222:22");
    start(stored, true);
    const QJsonArray words = ask("test.arguments").value(s("words")).toArray();
    EXPECT_TRUE(words.contains(s("--profile=nat")));
    EXPECT_FALSE(words.contains(s("--allow=10.0.0.0/8")));
    EXPECT_TRUE(open().isEmpty());
    EXPECT_TRUE(network->exposures().isEmpty());
}

TEST_F(SoftnetNetworkTest, AForwardThatIsWishedWhileTheHelperIsAwayComesWithIt) {
    start();
    std::optional<Result<PortForward>> early;
    std::optional<Result<PortForward>> late;
    vitrine::test::sendSignal(static_cast<pid_t>(network->supervisor().processId()), SIGKILL);
    // Before its end is noticed, and after.
    network->forward({0, 22}, [&](const Result<PortForward>& result) { early = result; });
    ASSERT_TRUE(waitUntil([this] { return network->supervisor().client() == nullptr; }));
    network->forward({2200, 80}, [&](const Result<PortForward>& result) { late = result; });
    ASSERT_TRUE(waitUntil([&] { return early.has_value() && late.has_value(); }));
    ASSERT_TRUE(*early) << qPrintable(early->error().message);
    ASSERT_TRUE(*late) << qPrintable(late->error().message);
    QStringList expected{s("127.0.0.1:%1:22").arg((*early)->hostPort), s("127.0.0.1:2200:80")};
    QStringList opened = open();
    opened.sort();
    expected.sort();
    EXPECT_EQ(opened, expected);
    // The same port again is not a success.
    std::optional<Result<PortForward>> again;
    network->forward({2200, 80}, [&](const Result<PortForward>& result) { again = result; });
    ASSERT_TRUE(waitUntil([&] { return again.has_value(); }));
    EXPECT_EQ(again->error().kind, Error::Kind::AlreadyExists);
}

TEST_F(SoftnetNetworkTest, AForwardDoesNotWaitForAHelperThatStaysAway) {
    start();
    network->stop();
    ASSERT_TRUE(waitUntil([this] { return network->supervisor().client() == nullptr; }));
    std::optional<Result<PortForward>> forward;
    network->forward({0, 22}, [&](const Result<PortForward>& result) { forward = result; });
    ASSERT_TRUE(waitUntil([&] { return forward.has_value(); }));
    EXPECT_EQ(forward->error().kind, Error::Kind::NotRunning);
}
