// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_client.h"
#include "core/softnet/softnet_learning.h"
#include "core/softnet/softnet_program.h"
#include "core/softnet/softnet_supervisor.h"

#include "tests/support/event_wait.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>

#include <array>
#include <gtest/gtest.h>
#include <sys/socket.h>

using namespace vitrine;
using vitrine::test::waitUntil;

namespace {

class SoftnetClientTest : public testing::Test {
protected:
    void SetUp() override {
        std::array<int, 2> ends{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
        m_machine = FileDescriptor(ends[0]);
        SoftnetSupervisor::Setup setup;
        setup.socket = FileDescriptor(ends[1]);
        setup.program = QStringLiteral(VITRINE_SOFTNET_STAND_IN);
        m_supervisor = std::make_unique<SoftnetSupervisor>(std::move(setup));
        ASSERT_TRUE(m_supervisor->start());
        ASSERT_TRUE(waitUntil([this] { return m_supervisor->isReady(); }));
    }
    [[nodiscard]] SoftnetClient& client() const { return *m_supervisor->client(); }
    SoftnetClient::Reply keep() {
        return [this](const Result<QJsonObject>& answer) { answers.append(answer); };
    }
    [[nodiscard]] Error::Kind errorOf(qsizetype index) const {
        return answers.at(index) ? Error::Kind::Cancelled : answers.at(index).error().kind;
    }

    FileDescriptor m_machine;
    std::unique_ptr<SoftnetSupervisor> m_supervisor;
    QList<Result<QJsonObject>> answers;
};

} // namespace

TEST_F(SoftnetClientTest, SetsAllRulesOrNone) {
    const SoftnetPolicy good{{QStringLiteral("10.0.0.0/8")}, {QStringLiteral("in 0.0.0.0/0")}};
    client().setPolicy(good, keep());
    client().setPolicy({{QStringLiteral("11.0.0.0/8"), QStringLiteral("bad")}, {}}, keep());
    client().call(QStringLiteral("softnet.policy.get"), {}, keep());
    ASSERT_TRUE(waitUntil([this] { return answers.size() == 3; }));
    EXPECT_EQ(errorOf(1), Error::Kind::InvalidInput);
    EXPECT_TRUE(answers.at(1).error().message.contains(QStringLiteral("bad target")));
    ASSERT_TRUE(answers.at(2));
    EXPECT_EQ(SoftnetPolicy::fromJson(*answers.at(2)), good);
}

TEST_F(SoftnetClientTest, TellsWhatAnOlderProgramCannotDo) {
    client().call(QStringLiteral("vitrine.unknown"), {}, keep());
    ASSERT_TRUE(waitUntil([this] { return answers.size() == 1; }));
    EXPECT_EQ(errorOf(0), Error::Kind::Unsupported);
}

TEST_F(SoftnetClientTest, WaitsForAnAnswerNoLongerThanTold) {
    client().call(QStringLiteral("test.silent"), {}, keep(), 50);
    ASSERT_TRUE(waitUntil([this] { return answers.size() == 1; }));
    EXPECT_EQ(errorOf(0), Error::Kind::Timeout);
    client().call(QStringLiteral("softnet.policy.get"), {}, keep());
    ASSERT_TRUE(waitUntil([this] { return answers.size() == 2; }));
    EXPECT_TRUE(answers.at(1));
}

TEST_F(SoftnetClientTest, RefusesTooManyQuestionsAtOnce) {
    for (int i = 0; i <= SoftnetClient::mostQuestions; ++i)
        client().call(QStringLiteral("test.silent"), {}, keep(), 60000);
    ASSERT_TRUE(waitUntil([this] { return answers.size() == 1; }));
    EXPECT_EQ(errorOf(0), Error::Kind::Busy);
}

TEST_F(SoftnetClientTest, PassesOnWhatTheHelperTellsUnasked) {
    QStringList told;
    QObject::connect(m_supervisor.get(),
                     &SoftnetSupervisor::notified,
                     m_supervisor.get(),
                     [&](const QString& method) { told.append(method); });
    client().call(QStringLiteral("test.notify"), {}, keep());
    ASSERT_TRUE(waitUntil([&] { return !told.isEmpty(); }));
    EXPECT_EQ(told, QStringList{QStringLiteral("vitrine.event")});
}

TEST_F(SoftnetClientTest, DropsAHelperThatSendsALineWithoutEnd) {
    client().call(QStringLiteral("test.flood"), {}, keep());
    ASSERT_TRUE(waitUntil([this] { return answers.size() == 1; }));
    EXPECT_EQ(errorOf(0), Error::Kind::NotRunning);
    EXPECT_FALSE(client().isOpen());
}

TEST(SoftnetValuesTest, TakeNoMoreThanTheyShould) {
    const auto list = softnetDestinationsFromJson(
        {{QStringLiteral("destinations"),
          QJsonArray{QJsonObject{{QStringLiteral("address"), QStringLiteral("10.8.0.12")},
                                 {QStringLiteral("port"), 70000},
                                 {QStringLiteral("protocol"), QStringLiteral("TCP")},
                                 {QStringLiteral("name"), QString(5000, QLatin1Char('n'))},
                                 {QStringLiteral("verdict"), QStringLiteral("block")},
                                 {QStringLiteral("reason"), QStringLiteral("not-global")}},
                     QJsonValue(3)}}});
    ASSERT_EQ(list.size(), 2);
    EXPECT_EQ(list.first().port, 65535);
    EXPECT_EQ(list.first().protocol, QStringLiteral("tcp"));
    EXPECT_EQ(list.first().name.size(), 255);
    EXPECT_FALSE(list.first().allowed);
    EXPECT_EQ(SoftnetDestination::fromJson(list.first().toJson()), list.first());
    EXPECT_EQ(softnetReasonText(QStringLiteral("not-global"), {}),
              QStringLiteral("Private address, no rule"));
    EXPECT_EQ(softnetReasonText(QStringLiteral("rule-block"), QStringLiteral("10.0.0.0/8")),
              QStringLiteral("Rule 10.0.0.0/8"));
}

TEST(SoftnetProgramTest, FindsTheFirstOneAndWhatItCanDoAndWhatItLacks) {
    QTemporaryDir empty;
    QTemporaryDir folder;
    QTemporaryDir links;
    const QString program = folder.filePath(QStringLiteral("softnet"));
    ASSERT_TRUE(QFile::copy(QStringLiteral(VITRINE_SOFTNET_STAND_IN), program));
    ASSERT_TRUE(QFile::link(program, links.filePath(QStringLiteral("softnet"))));
    const auto found = findSoftnet({empty.path(), links.path()});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->path, program);
    EXPECT_TRUE(found->hasControl);
    EXPECT_FALSE(found->hasVersion);
    EXPECT_FALSE(found->isRaised);
    EXPECT_EQ(found->remedy(),
              QStringLiteral("sudo chown root '%1' && sudo chmod u+s '%1'").arg(program));
    const auto missing = findSoftnet({empty.path()});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, Error::Kind::NotFound);
    EXPECT_TRUE(missing.error().message.contains(QStringLiteral("brew install")));
}

TEST(SoftnetDestinationsTest, AnswersAreAskedForToTheEndAndPutTogether) {
    const auto answer = [](int sequence, bool more, std::initializer_list<int> ports, int packets) {
        QJsonArray list;
        for (const int port : ports)
            list.append(QJsonObject{{QStringLiteral("address"), QStringLiteral("9.9.9.9")},
                                    {QStringLiteral("port"), port},
                                    {QStringLiteral("protocol"), QStringLiteral("tcp")},
                                    {QStringLiteral("packets"), packets}});
        return QJsonObject{{QStringLiteral("sequence"), sequence},
                           {QStringLiteral("more"), more},
                           {QStringLiteral("destinations"), list}};
    };
    SoftnetDestinations seen;
    EXPECT_TRUE(seen.take(answer(2, true, {80, 443}, 1)));
    EXPECT_EQ(seen.sequence(), 2);
    EXPECT_FALSE(seen.take(answer(4, false, {22, 80}, 5)));
    ASSERT_EQ(seen.list().size(), 3);
    EXPECT_EQ(seen.list().at(0).port, 80);
    EXPECT_EQ(seen.list().at(0).packets, 5) << "it changed meanwhile";
    EXPECT_EQ(seen.list().at(2).port, 22);
}

TEST(SoftnetLearningTest, ProposesNoMoreThanWhatWasSeen) {
    const auto seen = [](const char* address, int port, const char* protocol, bool in = false) {
        SoftnetDestination one;
        one.address = QLatin1String(address);
        one.port = port;
        one.protocol = QLatin1String(protocol);
        one.incoming = in;
        one.allowed = true;
        return one;
    };
    QList<SoftnetDestination> list{seen("203.0.113.91", 443, "tcp"),
                                   seen("10.0.2.3", 53, "udp"),
                                   seen("10.0.2.3", 53, "tcp"),
                                   seen("203.0.113.91", 80, "tcp"),
                                   seen("192.0.2.1", 0, "icmp"),
                                   seen("10.9.9.9", 22, "tcp", true),
                                   seen("255.255.255.255", 67, "udp"),
                                   seen("no address", 1, "tcp")};
    for (int port = 1; port < 20; ++port)
        list.append(seen("9.9.9.9", port, "tcp"));
    EXPECT_EQ(proposeRules(list),
              (SoftnetPolicy{{QStringLiteral("out 9.9.9.9/32"),
                              QStringLiteral("out 10.0.2.3/32:53"),
                              QStringLiteral("out 192.0.2.1/32"),
                              QStringLiteral("out 203.0.113.91/32:80"),
                              QStringLiteral("out 203.0.113.91/32:443")},
                             {QStringLiteral("out 0.0.0.0/0")}}));
    // A guest that knocks on every door of this computer is offered none of them.
    for (const char* address : {"10.0.2.2", "10.0.2.3"}) {
        list.append(seen(address, 0, "icmp"));
        for (int port = 1; port < 60; ++port) {
            list.append(seen(address, port, "tcp"));
            list.append(seen(address, port, "udp"));
            list.last().allowed = false;
            list.last().reason = QStringLiteral("host-loopback");
        }
    }
    list.append(seen("127.0.0.1", 5432, "tcp"));
    list.last().allowed = false;
    list.last().reason = QStringLiteral("host-loopback");
    EXPECT_EQ(proposeRules(list).allow.filter(QStringLiteral("out 10.0.2.")),
              QStringList{QStringLiteral("out 10.0.2.3/32:53")});
    EXPECT_FALSE(proposeRules(list).allow.contains(QStringLiteral("out 127.0.0.1/32:5432")));
    list.append(seen("192.0.2.2", 18099, "tcp"));
    list.last().isHost = true;
    list.append(seen("192.0.2.77", 443, "tcp"));
    list.last().isLearned = false;
    EXPECT_TRUE(proposeRules(list).allow.filter(QStringLiteral("192.0.2.2")).isEmpty())
        << "this computer's own address";
    EXPECT_TRUE(proposeRules(list).allow.filter(QStringLiteral("192.0.2.77")).isEmpty())
        << "seen before learning began";
    EXPECT_EQ(proposeRules({}), (SoftnetPolicy{{}, {QStringLiteral("out 0.0.0.0/0")}}));
}
