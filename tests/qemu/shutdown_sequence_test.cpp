// SPDX-License-Identifier: Apache-2.0
#include "qemu/shutdown_sequence.h"

#include "tests/support/event_wait.h"
#include "tests/support/fake_guest_agent.h"
#include "tests/support/fake_qmp_server.h"

#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::qemu;
using vitrine::test::FakeGuestAgent;
using vitrine::test::FakeQmpServer;
using vitrine::test::waitUntil;

namespace {

class ShutdownSequenceTest : public testing::Test {
protected:
    ShutdownSequenceTest()
        : server(folder.filePath(QStringLiteral("qmp")))
        , fakeAgent(folder.filePath(QStringLiteral("agent")))
        , agent(folder.filePath(QStringLiteral("agent")))
        , sequence(&client, &agent) {
        sequence.setPatience({100, 100, 100, 100});
        QObject::connect(
            &sequence, &ShutdownSequence::ignored, &sequence, [this] { ++timesIgnored; });
        agent.setGuestOpened(false);
        client.open(folder.filePath(QStringLiteral("qmp")), 5000);
        EXPECT_TRUE(waitUntil([this] { return client.isReady(); }));
    }
    [[nodiscard]] qsizetype presses() const {
        return server.commands.count(QStringLiteral("system_powerdown"));
    }

    QTemporaryDir folder;
    FakeQmpServer server;
    FakeGuestAgent fakeAgent;
    QmpClient client;
    GuestAgent agent;
    ShutdownSequence sequence;
    int timesIgnored = 0;
};

} // namespace

TEST_F(ShutdownSequenceTest, PressesThePowerButtonWhereNoAgentListens) {
    sequence.begin();
    EXPECT_TRUE(waitUntil([this] { return presses() == 1; }));
    EXPECT_TRUE(fakeAgent.commands.isEmpty());
}

TEST_F(ShutdownSequenceTest, PressesTwiceAndThenSaysThatTheGuestIgnoresIt) {
    sequence.begin();
    EXPECT_TRUE(waitUntil([this] { return timesIgnored == 1; }));
    EXPECT_EQ(presses(), 2);
    EXPECT_FALSE(sequence.isUnderWay());
}

TEST_F(ShutdownSequenceTest, AsksTheAgentFirst) {
    agent.setGuestOpened(true);
    fakeAgent.answers[QStringLiteral("guest-shutdown")] = [](const QJsonObject& arguments) {
        EXPECT_EQ(arguments.value(QLatin1String("mode")).toString(), QStringLiteral("powerdown"));
        return std::nullopt; // as the real one
    };
    sequence.begin();
    ASSERT_TRUE(waitUntil([this] { return !fakeAgent.commands.isEmpty(); }));
    EXPECT_EQ(fakeAgent.commands, QStringList{QStringLiteral("guest-shutdown")});
    EXPECT_EQ(presses(), 0);
    // Nothing happens: the button is next.
    EXPECT_TRUE(waitUntil([this] { return presses() == 1; }));
}

TEST_F(ShutdownSequenceTest, LeavesAGuestAloneWhoseAgentEnds) {
    sequence.setPatience({5000, 100, 100, 200});
    agent.setGuestOpened(true);
    fakeAgent.answers[QStringLiteral("guest-shutdown")] = [](const QJsonObject&) {
        return std::nullopt;
    };
    sequence.begin();
    ASSERT_TRUE(waitUntil([this] { return !fakeAgent.commands.isEmpty(); }));
    agent.setGuestOpened(false);
    EXPECT_FALSE(waitUntil([this] { return presses() > 0; }, 120));
    // Unless it then takes very long.
    EXPECT_TRUE(waitUntil([this] { return presses() > 0; }));
}

TEST_F(ShutdownSequenceTest, GoesOnAtOnceWhenTheAgentRefuses) {
    sequence.setPatience({60000, 60000, 60000, 60000});
    agent.setGuestOpened(true);
    fakeAgent.answers[QStringLiteral("guest-shutdown")] = [](const QJsonObject&) {
        return FakeQmpServer::refusal(QStringLiteral("not allowed"));
    };
    sequence.begin();
    EXPECT_TRUE(waitUntil([this] { return presses() == 1; }));
}

TEST_F(ShutdownSequenceTest, AskedAgainPressesTheButtonAtOnce) {
    sequence.setPatience({60000, 60000, 60000, 60000});
    agent.setGuestOpened(true);
    sequence.begin();
    sequence.begin();
    EXPECT_TRUE(waitUntil([this] { return presses() == 1; }));
}

TEST_F(ShutdownSequenceTest, StoppedSaysAndDoesNothingMore) {
    sequence.begin();
    ASSERT_TRUE(waitUntil([this] { return presses() == 1; }));
    sequence.stop();
    EXPECT_FALSE(waitUntil([this] { return presses() > 1 || timesIgnored > 0; }, 400));
}
