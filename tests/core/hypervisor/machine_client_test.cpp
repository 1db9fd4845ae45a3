// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/machine_client.h"

#include "core/channel/local_socket.h"
#include "core/hypervisor/control_server.h"
#include "tests/support/event_wait.h"
#include "tests/support/held_machine.h"

#include <QJsonArray>
#include <QLocalServer>

#include <gtest/gtest.h>

using namespace vitrine;
using vitrine::test::HeldMachine;
using vitrine::test::SmallLibrary;
using vitrine::test::waitUntil;

namespace {

class MachineClientTest : public testing::Test {
protected:
    MachineClientTest()
        : directory(library.add(QStringLiteral("m")))
        , client(library.library.home(), directory) {}

    // The machine "runs": its locks are held and its socket answers.
    void run() {
        held = HeldMachine::take(library.library, directory);
        ASSERT_TRUE(held);
        serve();
    }
    void serve() {
        server = std::make_unique<ControlServer>();
        server->on(QStringLiteral("hello"), [this](const QJsonObject&, const auto& respond) {
            if (answersHello) {
                respond(QJsonObject{
                    {QStringLiteral("protocol"), 1},
                    {QStringLiteral("methods"), QJsonArray::fromStringList(server->methods())}});
            }
        });
        server->on(QStringLiteral("subscribe"),
                   [this](const QJsonObject&, const auto& respond) { respond(status.toJson()); });
        server->on(QStringLiteral("twice"), [](const QJsonObject& parameters, const auto& respond) {
            respond(QJsonValue(parameters.value(QLatin1String("n")).toInt() * 2));
        });
        server->on(QStringLiteral("never"), [](const QJsonObject&, const auto&) {});
        ASSERT_TRUE(server->listen(held->runtime.controlSocket()));
    }
    void stop() {
        server.reset();
        held.reset();
    }

    SmallLibrary library;
    QString directory;
    std::optional<HeldMachine> held;
    std::unique_ptr<ControlServer> server;
    MachineStatus status;
    bool answersHello = true;
    MachineClient client;
};

} // namespace

TEST_F(MachineClientTest, ConnectsToARunningMachineAndKnowsItsStatus) {
    status.state = MachineState::Running;
    status.sshPort = 2222;
    run();
    ASSERT_TRUE(client.waitForConnected(30000));
    EXPECT_EQ(client.status(), status);
    EXPECT_TRUE(client.supports(QStringLiteral("twice")));
    EXPECT_FALSE(client.supports(QStringLiteral("fly")));
    EXPECT_EQ(client.displaySocket(), held->runtime.displaySocket());
    EXPECT_EQ(client.logFile(), held->runtime.logFile());
    const auto answer =
        client.callAndWait(QStringLiteral("twice"), {{QStringLiteral("n"), 21}}, 5000);
    EXPECT_EQ(answer->toInt(), 42);
}

TEST_F(MachineClientTest, DoesNotConnectWhileTheLockIsFree) {
    run();
    stop();
    EXPECT_FALSE(client.waitForConnected(300));
    const auto answer = client.callAndWait(QStringLiteral("twice"), {}, 1000);
    EXPECT_EQ(answer.error().kind, Error::Kind::NotRunning);
}

TEST_F(MachineClientTest, WaitsForAMachineThatStartsLater) {
    client.attach();
    EXPECT_FALSE(waitUntil([&] { return client.isConnected(); }, 200));
    run();
    EXPECT_TRUE(waitUntil([&] { return client.isConnected(); }));
}

TEST_F(MachineClientTest, FollowsStatusAndEvents) {
    run();
    ASSERT_TRUE(client.waitForConnected(30000));
    QStringList kinds;
    QObject::connect(&client,
                     &MachineClient::eventHappened,
                     &client,
                     [&kinds](const QString& kind) { kinds.append(kind); });
    status.state = MachineState::ShuttingDown;
    server->notify(QStringLiteral("status"), status.toJson());
    server->notify(QStringLiteral("event"), {{QStringLiteral("kind"), QStringLiteral("panic")}});
    ASSERT_TRUE(waitUntil([&] { return !kinds.isEmpty(); }));
    EXPECT_EQ(client.status().state, MachineState::ShuttingDown);
    EXPECT_EQ(kinds, QStringList{QStringLiteral("panic")});
}

TEST_F(MachineClientTest, AttachesAgainWhenTheMachineIsStartedAgain) {
    run();
    ASSERT_TRUE(client.waitForConnected(30000));
    stop();
    ASSERT_TRUE(waitUntil([&] { return !client.isConnected(); }));
    EXPECT_EQ(client.status().state, MachineState::Stopped);
    run();
    EXPECT_TRUE(waitUntil([&] { return client.isConnected(); }));
}

TEST_F(MachineClientTest, KeepsWhyTheMachineEnded) {
    run();
    ASSERT_TRUE(client.waitForConnected(30000));
    status.lastError = QStringLiteral("QEMU crashed.");
    server->notify(QStringLiteral("status"), status.toJson());
    stop();
    ASSERT_TRUE(waitUntil([&] { return !client.isConnected(); }));
    EXPECT_EQ(client.status().lastError, QStringLiteral("QEMU crashed."));
}

TEST_F(MachineClientTest, KnowsWhyItFoundNoPlace) {
    run();
    std::vector<std::unique_ptr<MachineClient>> others;
    for (int i = 0; i < 32; ++i) {
        others.push_back(std::make_unique<MachineClient>(library.library.home(), directory));
        ASSERT_TRUE(others.back()->waitForConnected(5000)) << i;
    }
    client.attach();
    EXPECT_TRUE(waitUntil(
        [&] { return client.status().lastError.contains(QStringLiteral("32 programs")); }));
    EXPECT_FALSE(client.isConnected());
    others.pop_back();
    EXPECT_TRUE(waitUntil([&] { return client.isConnected(); }));
    EXPECT_TRUE(client.status().lastError.isEmpty());
}

TEST_F(MachineClientTest, TimesOutOnAProcessThatHangs) {
    run();
    ASSERT_TRUE(client.waitForConnected(30000));
    const auto answer = client.callAndWait(QStringLiteral("never"), {}, 100);
    EXPECT_EQ(answer.error().kind, Error::Kind::Timeout);
    EXPECT_TRUE(client.isConnected());
}

TEST_F(MachineClientTest, FailsWaitingCallsWhenTheMachineEnds) {
    run();
    ASSERT_TRUE(client.waitForConnected(30000));
    std::optional<Error::Kind> kind;
    client.call(QStringLiteral("never"), {}, [&kind](const Result<QJsonValue>& answer) {
        kind = answer.error().kind;
    });
    stop();
    ASSERT_TRUE(waitUntil([&] { return kind.has_value(); }));
    EXPECT_EQ(kind, Error::Kind::NotRunning);
}

TEST_F(MachineClientTest, IsNotConnectedToAProcessThatDoesNotSayHello) {
    answersHello = false;
    run();
    EXPECT_FALSE(client.waitForConnected(300));
}

TEST_F(MachineClientTest, RefusesARequestThatDoesNotFitIntoALine) {
    run();
    ASSERT_TRUE(client.waitForConnected(30000));
    const auto answer = client.callAndWait(
        QStringLiteral("twice"), {{QStringLiteral("n"), QString(2 << 20, QLatin1Char('x'))}}, 1000);
    EXPECT_EQ(answer.error().kind, Error::Kind::InvalidInput);
    EXPECT_TRUE(client.isConnected());
}

TEST_F(MachineClientTest, DetachedStaysDetached) {
    run();
    ASSERT_TRUE(client.waitForConnected(30000));
    client.detach();
    EXPECT_FALSE(client.isConnected());
    EXPECT_FALSE(waitUntil([&] { return client.isConnected(); }, 300));
    EXPECT_TRUE(client.waitForConnected(30000));
}

TEST_F(MachineClientTest, MayBeDestroyedByWhatItTells) {
    run();
    auto own = std::make_unique<MachineClient>(library.library.home(), directory);
    QObject::connect(own.get(), &MachineClient::connectedChanged, own.get(), [&own] {
        own.release()->deleteLater();
    });
    own->attach();
    EXPECT_TRUE(waitUntil([&own] { return !own; }));
}
