// SPDX-License-Identifier: Apache-2.0
#include "qemu/address_finder.h"

#include "tests/support/event_wait.h"
#include "tests/support/fake_guest_agent.h"
#include "tests/support/fake_qmp_server.h"

#include <QJsonArray>
#include <QTcpServer>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::qemu;
using vitrine::test::FakeGuestAgent;
using vitrine::test::FakeQmpServer;
using vitrine::test::waitUntil;

namespace {

class AddressFinderTest : public testing::Test {
protected:
    AddressFinderTest()
        : server(folder.filePath(QStringLiteral("qmp")))
        , fakeAgent(folder.filePath(QStringLiteral("agent")))
        , agent(folder.filePath(QStringLiteral("agent")))
        , finder(&client, &agent, *MacAddress::fromText(QStringLiteral("02:00:00:00:00:07"))) {
        finder.setPace({20, 40, 200, 60000});
        agent.setGuestOpened(false);
        client.open(folder.filePath(QStringLiteral("qmp")), 5000);
        EXPECT_TRUE(waitUntil([this] { return client.isReady(); }));
    }
    void answerInterfaces(const QString& address) {
        fakeAgent.answers[QStringLiteral("guest-network-get-interfaces")] =
            [address](const QJsonObject&) {
                const QJsonArray addresses{QJsonObject{{QStringLiteral("ip-address"), address}}};
                return FakeGuestAgent::value(QJsonArray{QJsonObject{
                    {QStringLiteral("name"), QStringLiteral("eth0")},
                    {QStringLiteral("hardware-address"), QStringLiteral("02:00:00:00:00:07")},
                    {QStringLiteral("ip-addresses"), addresses}}});
            };
    }

    QTemporaryDir folder;
    FakeQmpServer server;
    FakeGuestAgent fakeAgent;
    QmpClient client;
    GuestAgent agent;
    AddressFinder finder;
};

} // namespace

TEST_F(AddressFinderTest, AsksTheAgent) {
    answerInterfaces(QStringLiteral("192.0.2.9"));
    finder.start();
    agent.setGuestOpened(true);
    ASSERT_TRUE(waitUntil([this] { return !finder.address().isEmpty(); }));
    EXPECT_EQ(finder.address(), QStringLiteral("192.0.2.9"));
    EXPECT_EQ(finder.source(), QStringLiteral("agent"));
    EXPECT_TRUE(finder.agentAnswers());
    // A new address is found in time.
    answerInterfaces(QStringLiteral("192.0.2.10"));
    EXPECT_TRUE(waitUntil([this] { return finder.address() == QStringLiteral("192.0.2.10"); }));
}

TEST_F(AddressFinderTest, KnowsTheLeaseFromConnectionsOfTheGuest) {
    server.monitor = [](const QString&) {
        return QStringLiteral("  TCP[ESTABLISHED] 90 10.0.2.15 45678 192.0.2.7 443 0 0\r\n");
    };
    finder.start();
    ASSERT_TRUE(waitUntil([this] { return !finder.address().isEmpty(); }));
    EXPECT_EQ(finder.address(), QStringLiteral("10.0.2.15"));
    EXPECT_EQ(finder.source(), QStringLiteral("lease"));
    EXPECT_FALSE(finder.agentAnswers());
}

TEST_F(AddressFinderTest, AsksTheHelperForPacketsOfThisRunOfTheGuest) {
    qint64 packets = 0;
    int asked = 0;
    finder.setCountPackets([&](const std::function<void(qint64)>& reply) {
        ++asked;
        reply(packets);
    });
    finder.start();
    ASSERT_TRUE(waitUntil([&] { return asked > 2; }));
    EXPECT_TRUE(finder.address().isEmpty());
    packets = 7;
    ASSERT_TRUE(waitUntil([this] { return !finder.address().isEmpty(); }));
    EXPECT_EQ(finder.address(), QStringLiteral("10.0.2.15"));
    EXPECT_TRUE(server.monitorLines.isEmpty());
    // Those of before its restart tell nothing, nor does a helper that was started again.
    finder.forget();
    asked = 0;
    ASSERT_TRUE(waitUntil([&] { return asked > 2; }));
    packets = 1;
    asked = 0;
    ASSERT_TRUE(waitUntil([&] { return asked > 2; }));
    EXPECT_TRUE(finder.address().isEmpty());
    packets = 2;
    EXPECT_TRUE(waitUntil([this] { return !finder.address().isEmpty(); }));
}

TEST_F(AddressFinderTest, KnocksThroughTheForwardAndBelievesOnlyAnAnswer) {
    QTcpServer behind;
    ASSERT_TRUE(behind.listen(QHostAddress::LocalHost));
    QTcpSocket* guest = nullptr;
    int knocks = 0;
    QObject::connect(&behind, &QTcpServer::newConnection, &behind, [&] {
        guest = behind.nextPendingConnection();
        ++knocks;
    });
    finder.setSshPort(behind.serverPort());
    finder.start();
    // Accepted, but no guest answers: the NAT does that by itself.
    ASSERT_TRUE(waitUntil([&] { return knocks == 2; }));
    EXPECT_TRUE(finder.address().isEmpty());
    guest->write("SSH-2.0-dropbear\r\n");
    ASSERT_TRUE(waitUntil([this] { return !finder.address().isEmpty(); }));
    EXPECT_EQ(finder.source(), QStringLiteral("lease"));
}

TEST_F(AddressFinderTest, ARefusalOfTheGuestIsAnAnswerToo) {
    QTcpServer behind;
    ASSERT_TRUE(behind.listen(QHostAddress::LocalHost));
    QObject::connect(&behind, &QTcpServer::newConnection, &behind, [&] {
        behind.nextPendingConnection()->abort();
    });
    finder.setSshPort(behind.serverPort());
    finder.start();
    EXPECT_TRUE(waitUntil([this] { return !finder.address().isEmpty(); }));
}

TEST_F(AddressFinderTest, NoticesThatTheAgentEndsOrHangs) {
    answerInterfaces(QStringLiteral("192.0.2.9"));
    finder.start();
    agent.setGuestOpened(true);
    ASSERT_TRUE(waitUntil([this] { return finder.agentAnswers(); }));
    fakeAgent.answers[QStringLiteral("guest-network-get-interfaces")] = [](const QJsonObject&) {
        return std::nullopt;
    };
    EXPECT_TRUE(waitUntil([this] { return !finder.agentAnswers(); }));
    EXPECT_EQ(finder.address(), QStringLiteral("192.0.2.9")); // still its last known one
    answerInterfaces(QStringLiteral("192.0.2.9"));
    EXPECT_TRUE(waitUntil([this] { return finder.agentAnswers(); }));
    agent.setGuestOpened(false);
    EXPECT_FALSE(finder.agentAnswers());
}

TEST_F(AddressFinderTest, AnAgentThatMayNotTellAnswersAllTheSame) {
    fakeAgent.answers[QStringLiteral("guest-network-get-interfaces")] = [](const QJsonObject&) {
        return QJsonObject{
            {QStringLiteral("error"),
             QJsonObject{{QStringLiteral("class"), QStringLiteral("CommandNotFound")}}}};
    };
    finder.start();
    agent.setGuestOpened(true);
    EXPECT_TRUE(waitUntil([this] { return finder.agentAnswers(); }));
    EXPECT_TRUE(finder.address().isEmpty());
}

TEST_F(AddressFinderTest, ForgetsWhenTheGuestRestarts) {
    answerInterfaces(QStringLiteral("192.0.2.9"));
    finder.start();
    agent.setGuestOpened(true);
    ASSERT_TRUE(waitUntil([this] { return !finder.address().isEmpty(); }));
    agent.setGuestOpened(false);
    finder.forget();
    EXPECT_TRUE(finder.address().isEmpty());
}

TEST_F(AddressFinderTest, AGuestThatStopsAnsweringIsSilentAndOneWhoseAgentEndsIsNot) {
    finder.setPace({20, 40, 100, 300});
    answerInterfaces(QStringLiteral("192.0.2.9"));
    finder.start();
    agent.setGuestOpened(true);
    ASSERT_TRUE(waitUntil([this] { return finder.agentAnswers(); }));
    fakeAgent.answers[QStringLiteral("guest-network-get-interfaces")] = [](const QJsonObject&) {
        return std::nullopt;
    };
    EXPECT_TRUE(waitUntil([this] { return finder.isSilent(); }));
    answerInterfaces(QStringLiteral("192.0.2.9"));
    EXPECT_TRUE(waitUntil([this] { return !finder.isSilent(); }));
    agent.setGuestOpened(false);
    EXPECT_FALSE(waitUntil([this] { return finder.isSilent(); }, 600));
}
