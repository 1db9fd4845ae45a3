// SPDX-License-Identifier: Apache-2.0
#include "qemu/port_forwards.h"

#include "qemu/qmp_client.h"
#include "tests/support/event_wait.h"
#include "tests/support/fake_qmp_server.h"

#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::qemu;
using vitrine::test::FakeQmpServer;
using vitrine::test::waitUntil;

namespace {

// As QEMU 7.2 prints it.
const char* const usernet =
    "Hub -1 (net0):\r\n"
    "  Protocol[State]    FD  Source Address  Port   Dest. Address  Port RecvQ SendQ\r\n"
    "  TCP[ESTABLISHED]   90       10.0.2.15 45678    192.0.2.7   443     0     0\r\n"
    "  TCP[HOST_FORWARD]  88       127.0.0.1 44161       10.0.2.15    22     0     0\r\n"
    "  TCP[HOST_FORWARD]  89       127.0.0.1  8080       10.0.2.15    80     0     0\r\n"
    "  UDP[236 sec]       91       10.0.2.15 55555        10.0.2.3    53     0     0\r\n";

class PortForwardsTest : public testing::Test {
protected:
    PortForwardsTest()
        : server(folder.filePath(QStringLiteral("qmp")))
        , forwards(&client) {
        client.open(folder.filePath(QStringLiteral("qmp")), 5000);
        EXPECT_TRUE(waitUntil([this] { return client.isReady(); }));
    }
    Result<PortForward> add(PortForward forward) {
        std::optional<Result<PortForward>> answer;
        forwards.add(forward, [&answer](Result<PortForward> result) { answer = result; });
        EXPECT_TRUE(waitUntil([&answer] { return answer.has_value(); }));
        return answer.value_or(fail(Error::cancelled()));
    }
    Result<> remove(quint16 port) {
        std::optional<Result<>> answer;
        forwards.remove(port, [&answer](Result<> result) { answer = result; });
        EXPECT_TRUE(waitUntil([&answer] { return answer.has_value(); }));
        return answer.value_or(fail(Error::cancelled()));
    }

    QTemporaryDir folder;
    FakeQmpServer server;
    QmpClient client;
    PortForwards forwards;
};

} // namespace

TEST(NatConnections, AreReadFromTheMonitorsText) {
    const auto rows = parseNatConnections(QLatin1String(usernet));
    ASSERT_EQ(rows.size(), 4);
    EXPECT_EQ(rows.at(3).state, QStringLiteral("236 sec"));
    EXPECT_EQ(rows.at(0).source, QStringLiteral("10.0.2.15"));
    EXPECT_EQ(rows.at(1),
              (NatConnection{QStringLiteral("TCP"),
                             QStringLiteral("HOST_FORWARD"),
                             QStringLiteral("127.0.0.1"),
                             44161,
                             QStringLiteral("10.0.2.15"),
                             22}));
    EXPECT_TRUE(parseNatConnections({}).isEmpty());
    EXPECT_TRUE(parseNatConnections(QStringLiteral("[\n]\nTCP[X]\nTCP[X] a b c d e")).isEmpty());
}

TEST_F(PortForwardsTest, AddsAForwardOnLoopbackOnly) {
    const auto added = add({2222, 22});
    ASSERT_TRUE(added);
    EXPECT_EQ(server.monitorLines,
              QStringList{QStringLiteral("hostfwd_add net0 tcp:127.0.0.1:2222-:22")});
    EXPECT_EQ(forwards.list(), (QList<PortForward>{{2222, 22}}));
}

TEST_F(PortForwardsTest, ReadsBackThePortThatTheSystemChose) {
    server.monitor = [](const QString& line) {
        return line.startsWith(QLatin1String("info")) ? QString::fromLatin1(usernet) : QString();
    };
    EXPECT_EQ(add({0, 22})->hostPort, 44161);
    EXPECT_EQ(add({0, 80})->hostPort, 8080);
    // A second one to the same port of the guest has no row of its own here.
    EXPECT_FALSE(add({0, 22}));
}

TEST_F(PortForwardsTest, SaysWhenThePortIsTaken) {
    server.monitor = [](const QString& line) {
        return QStringLiteral("Could not set up host forwarding rule '%1'\r\n").arg(line);
    };
    const auto added = add({2222, 22});
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().kind, Error::Kind::AlreadyExists);
    EXPECT_TRUE(added.error().message.contains(QStringLiteral("2222")));
    EXPECT_TRUE(forwards.list().isEmpty());
}

TEST_F(PortForwardsTest, RemovesAForwardAndTellsAMissingOne) {
    ASSERT_TRUE(add({2222, 22}));
    server.monitor = [](const QString& line) {
        return line.contains(QLatin1String(":2222"))
                   ? QStringLiteral("host forwarding rule for tcp:127.0.0.1:2222 removed\r\n")
                   : QStringLiteral("host forwarding rule for tcp:127.0.0.1:1 not found\r\n");
    };
    EXPECT_TRUE(remove(2222));
    EXPECT_TRUE(forwards.list().isEmpty());
    EXPECT_EQ(remove(1).error().kind, Error::Kind::NotFound);
}

TEST_F(PortForwardsTest, ChangesOneAfterTheOther) {
    int answered = 0;
    for (quint16 port = 1000; port < 1020; ++port) {
        forwards.add({port, 22},
                     [&answered](const auto& result) { answered += result.has_value() ? 1 : 0; });
    }
    EXPECT_TRUE(waitUntil([&answered] { return answered == 20; }));
    EXPECT_EQ(forwards.list().size(), 20);
}

TEST_F(PortForwardsTest, RefusesPortZeroOfTheGuest) {
    EXPECT_EQ(add({2222, 0}).error().kind, Error::Kind::InvalidInput);
    EXPECT_TRUE(server.monitorLines.isEmpty());
}

TEST_F(PortForwardsTest, FailsWhenQemuIsGone) {
    server.hangUp();
    ASSERT_TRUE(waitUntil([this] { return !client.isReady(); }));
    EXPECT_EQ(add({2222, 22}).error().kind, Error::Kind::NotRunning);
}
