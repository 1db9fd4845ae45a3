// SPDX-License-Identifier: Apache-2.0
#include "qemu/qmp_client.h"

#include "tests/support/event_wait.h"
#include "tests/support/fake_qmp_server.h"

#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using vitrine::qemu::QmpClient;
using vitrine::test::FakeQmpServer;
using vitrine::test::waitUntil;

namespace {

class QmpClientTest : public testing::Test {
protected:
    QmpClientTest() {
        QObject::connect(&client, &QmpClient::closed, &client, [this](const Error& e) {
            closed.append(e.kind);
        });
        QObject::connect(&client, &QmpClient::eventArrived, &client, [this](const QString& name) {
            events << name;
        });
    }
    void connectToServer() {
        server = std::make_unique<FakeQmpServer>(path());
        client.open(path(), 5000);
        ASSERT_TRUE(waitUntil([this] { return client.isReady(); }));
    }
    [[nodiscard]] QString path() const { return folder.filePath(QStringLiteral("qmp.sock")); }
    Result<QJsonValue> ask(const QString& command, int timeout = 30000) {
        std::optional<Result<QJsonValue>> answer;
        client.execute(
            command, {}, [&answer](Result<QJsonValue> result) { answer = result; }, timeout);
        EXPECT_TRUE(waitUntil([&answer] { return answer.has_value(); }));
        return answer.value_or(fail(Error::cancelled()));
    }

    QTemporaryDir folder;
    std::unique_ptr<FakeQmpServer> server;
    QmpClient client;
    QList<Error::Kind> closed;
    QStringList events;
};

} // namespace

TEST_F(QmpClientTest, NegotiatesAndKnowsTheVersion) {
    connectToServer();
    EXPECT_EQ(client.version(), QStringLiteral("7.2.22"));
    EXPECT_EQ(server->commands, QStringList{QStringLiteral("qmp_capabilities")});
}

TEST_F(QmpClientTest, WaitsForASocketThatAppearsLater) {
    client.open(path(), 5000);
    EXPECT_FALSE(waitUntil([this] { return client.isReady(); }, 100));
    server = std::make_unique<FakeQmpServer>(path());
    EXPECT_TRUE(waitUntil([this] { return client.isReady(); }));
}

TEST_F(QmpClientTest, GivesUpWhenNobodyGreets) {
    server = std::make_unique<FakeQmpServer>(path());
    server->greets = false;
    client.open(path(), 200);
    ASSERT_TRUE(waitUntil([this] { return !closed.isEmpty(); }));
    EXPECT_EQ(closed, QList<Error::Kind>{Error::Kind::Timeout});
    EXPECT_EQ(ask(QStringLiteral("stop")).error().kind, Error::Kind::NotRunning);
}

TEST_F(QmpClientTest, TellsEventsAmongAnswers) {
    connectToServer();
    server->answers[QStringLiteral("stop")] = [this](const QJsonObject&) {
        server->sendEvent("STOP");
        return FakeQmpServer::value(QJsonObject{});
    };
    EXPECT_TRUE(ask(QStringLiteral("stop")));
    EXPECT_EQ(events, QStringList{QStringLiteral("STOP")});
}

TEST_F(QmpClientTest, PassesOnWhatQemuSaysWhenItRefuses) {
    connectToServer();
    server->answers[QStringLiteral("cont")] = [](const QJsonObject&) {
        return FakeQmpServer::refusal(QStringLiteral("resetting the virtual machine is required"));
    };
    const auto answer = ask(QStringLiteral("cont"));
    ASSERT_FALSE(answer);
    EXPECT_TRUE(answer.error().message.contains(QStringLiteral("resetting the virtual machine")));
}

TEST_F(QmpClientTest, MatchesAnswersByIdAfterATimeLimit) {
    connectToServer();
    server->answers[QStringLiteral("slow")] = [](const QJsonObject&) { return std::nullopt; };
    EXPECT_EQ(ask(QStringLiteral("slow"), 50).error().kind, Error::Kind::Timeout);
    // The late answer carries an id that nobody waits for.
    server->sendBytes("{\"return\":\"late\",\"id\":2}\n");
    server->answers[QStringLiteral("quick")] = [](const QJsonObject&) {
        return FakeQmpServer::value(QStringLiteral("quick"));
    };
    EXPECT_EQ(ask(QStringLiteral("quick"))->toString(), QStringLiteral("quick"));
}

TEST_F(QmpClientTest, FailsEveryWaitingCommandWhenQemuEnds) {
    connectToServer();
    server->answers[QStringLiteral("slow")] = [](const QJsonObject&) { return std::nullopt; };
    int failures = 0;
    for (int i = 0; i < 3; ++i) {
        client.execute(QStringLiteral("slow"), {}, [&failures](const auto& result) {
            failures += result.has_value() ? 0 : 1;
        });
    }
    ASSERT_TRUE(waitUntil([this] { return server->commands.size() == 4; }));
    server->hangUp();
    ASSERT_TRUE(waitUntil([this] { return !closed.isEmpty(); }));
    EXPECT_EQ(failures, 3);
    EXPECT_EQ(closed.size(), 1);
}

TEST_F(QmpClientTest, ClosesOnGarbage) {
    connectToServer();
    server->sendBytes("garbage\n");
    ASSERT_TRUE(waitUntil([this] { return !closed.isEmpty(); }));
    EXPECT_EQ(closed, QList<Error::Kind>{Error::Kind::Integrity});
}

TEST_F(QmpClientTest, ClosesOnALineWithoutEndBeforeItUsesUpMemory) {
    connectToServer();
    const QByteArray much(1 << 20, 'x');
    EXPECT_TRUE(waitUntil(
        [&] {
            if (server->isConnected()) {
                server->sendBytes(much);
            }
            return !closed.isEmpty();
        },
        30000));
    EXPECT_EQ(closed, QList<Error::Kind>{Error::Kind::Integrity});
}

TEST_F(QmpClientTest, IgnoresMessagesItDoesNotKnow) {
    connectToServer();
    server->sendBytes("{}\n{\"id\":99,\"return\":1}\n{\"QMP\":{}}\n{\"event\":5}\n");
    EXPECT_TRUE(ask(QStringLiteral("query-status")));
    EXPECT_TRUE(closed.isEmpty());
}

TEST_F(QmpClientTest, SpeaksToTheHumanMonitor) {
    connectToServer();
    server->monitor = [](const QString& line) { return QStringLiteral("got ") + line; };
    std::optional<QString> text;
    client.executeMonitor(QStringLiteral("info usernet"),
                          [&text](const Result<QJsonValue>& answer) { text = answer->toString(); });
    ASSERT_TRUE(waitUntil([&text] { return text.has_value(); }));
    EXPECT_EQ(text, QStringLiteral("got info usernet"));
}
