// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/control_server.h"

#include "core/channel/json_channel.h"
#include "core/hypervisor/control_message.h"
#include "core/hypervisor/machine_client.h"
#include "tests/support/event_wait.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using vitrine::test::waitUntil;

namespace {

// A bare client: sees every line.
struct BareClient {
    explicit BareClient(const QString& path) {
        auto connecting = std::make_unique<QLocalSocket>();
        connecting->connectToServer(path);
        connected = connecting->waitForConnected(2000);
        channel = std::make_unique<JsonChannel>(std::move(connecting), JsonChannel::Limits{});
        QObject::connect(channel.get(),
                         &JsonChannel::received,
                         channel.get(),
                         [this](const QJsonObject& message) { received.append(message); });
        QObject::connect(
            channel.get(), &JsonChannel::closed, channel.get(), [this] { closed = true; });
    }
    void request(qint64 id, const char* method, const QJsonObject& parameters = {}) {
        channel->send(control::request(id, QLatin1String(method), parameters));
    }
    [[nodiscard]] int errorCode(qsizetype at) const {
        return received.at(at)
            .value(QLatin1String("error"))
            .toObject()
            .value(QLatin1String("code"))
            .toInt();
    }

    std::unique_ptr<JsonChannel> channel;
    QList<QJsonObject> received;
    bool connected = false;
    bool closed = false;
};

class ControlServerTest : public testing::Test {
protected:
    void SetUp() override {
        server.on(QStringLiteral("echo"), [](const QJsonObject& parameters, const auto& respond) {
            respond(QJsonValue(parameters));
        });
        server.on(QStringLiteral("later"),
                  [this](const QJsonObject&, const auto& respond) { waiting.append(respond); });
        server.on(QStringLiteral("huge"), [](const QJsonObject&, const auto& respond) {
            respond(QJsonValue(QString(2 << 20, QLatin1Char('x'))));
        });
        server.on(QStringLiteral("fails"), [](const QJsonObject&, const auto& respond) {
            respond(fail(Error::Kind::Busy, QStringLiteral("busy now")));
        });
        path = folder.filePath(QStringLiteral("vitrine.sock"));
        ASSERT_TRUE(server.listen(path));
    }

    QTemporaryDir folder;
    QString path;
    ControlServer server;
    QList<ControlServer::Respond> waiting;
};

} // namespace

TEST_F(ControlServerTest, AnswersById) {
    BareClient client(path);
    client.request(7, "echo", {{QStringLiteral("a"), 1}});
    ASSERT_TRUE(waitUntil([&] { return client.received.size() == 1; }));
    EXPECT_EQ(client.received.first().value(QLatin1String("id")).toInt(), 7);
    const auto result = control::resultOf(client.received.first());
    EXPECT_EQ(result->toObject().value(QLatin1String("a")).toInt(), 1);
}

TEST_F(ControlServerTest, MayAnswerLaterAndOutOfOrder) {
    BareClient client(path);
    client.request(1, "later");
    client.request(2, "later");
    ASSERT_TRUE(waitUntil([&] { return waiting.size() == 2; }));
    waiting.at(1)(QJsonValue(2));
    waiting.at(0)(QJsonValue(1));
    waiting.at(0)(QJsonValue(3)); // a second answer is dropped
    ASSERT_TRUE(waitUntil([&] { return client.received.size() == 2; }));
    EXPECT_EQ(client.received.at(0).value(QLatin1String("id")).toInt(), 2);
    EXPECT_EQ(client.received.at(1).value(QLatin1String("result")).toInt(), 1);
}

TEST_F(ControlServerTest, AnswerForAClientThatLeftIsDropped) {
    {
        BareClient client(path);
        client.request(1, "later");
        ASSERT_TRUE(waitUntil([&] { return waiting.size() == 1; }));
    }
    BareClient other(path);
    other.request(1, "echo");
    ASSERT_TRUE(waitUntil([&] { return other.received.size() == 1; }));
    waiting.first()(QJsonValue(1));
    EXPECT_EQ(other.received.size(), 1);
}

TEST_F(ControlServerTest, TellsSubscribersOnly) {
    BareClient subscriber(path);
    BareClient other(path);
    subscriber.request(1, "subscribe");
    other.request(1, "echo");
    ASSERT_TRUE(
        waitUntil([&] { return subscriber.received.size() == 1 && other.received.size() == 1; }));
    server.notify(QStringLiteral("event"), {{QStringLiteral("kind"), QStringLiteral("panic")}});
    ASSERT_TRUE(waitUntil([&] { return subscriber.received.size() == 2; }));
    EXPECT_EQ(subscriber.received.at(1).value(QLatin1String("method")).toString(),
              QStringLiteral("event"));
    EXPECT_EQ(other.received.size(), 1);
}

TEST_F(ControlServerTest, RefusesWhatIsNoRequestAndGoesOn) {
    BareClient client(path);
    client.channel->sendBytes("rubbish\n");
    client.channel->send({{QStringLiteral("method"), QStringLiteral("echo")}}); // no id
    client.channel->send({{QStringLiteral("id"), 1},
                          {QStringLiteral("method"), QStringLiteral("echo")},
                          {QStringLiteral("params"), QJsonArray{1}}});
    client.request(2, "no.such.method");
    client.request(3, "echo");
    ASSERT_TRUE(waitUntil([&] { return client.received.size() == 5; }));
    EXPECT_EQ(client.errorCode(0), -32700);
    EXPECT_EQ(client.errorCode(1), -32600);
    EXPECT_EQ(client.errorCode(2), -32600);
    EXPECT_EQ(client.errorCode(3), -32601);
    EXPECT_EQ(client.errorCode(4), 0);
}

TEST_F(ControlServerTest, DropsALineOverOneMebibyte) {
    BareClient client(path);
    client.channel->sendBytes(QByteArray((1 << 20) + 10, 'x'));
    EXPECT_TRUE(waitUntil([&] { return client.closed; }));
}

TEST_F(ControlServerTest, SaysSoWhenAnAnswerIsTooLong) {
    BareClient client(path);
    client.request(1, "huge");
    ASSERT_TRUE(waitUntil([&] { return client.received.size() == 1; }));
    EXPECT_EQ(control::resultOf(client.received.first()).error().kind, Error::Kind::Unsupported);
}

TEST_F(ControlServerTest, RefusesTheThirtyThirdClientSaysWhyAndTakesOneWhenAPlaceIsFree) {
    std::vector<std::unique_ptr<BareClient>> clients;
    for (int i = 0; i < 32; ++i) {
        clients.push_back(std::make_unique<BareClient>(path));
        clients.back()->request(1, i == 0 ? "later" : "subscribe");
        ASSERT_TRUE(waitUntil([&] {
            return i == 0 ? !waiting.isEmpty() : clients.back()->received.size() == 1;
        })) << i;
    }
    BareClient tooMany(path);
    EXPECT_TRUE(waitUntil([&] { return tooMany.closed; }));
    ASSERT_EQ(tooMany.received.size(), 1);
    const auto refusal = control::resultOf(tooMany.received.first());
    ASSERT_FALSE(refusal);
    EXPECT_EQ(refusal.error().kind, Error::Kind::Busy);
    EXPECT_TRUE(refusal.error().message.contains(QStringLiteral("32")));
    for (const auto& client : clients) {
        EXPECT_FALSE(client->closed);
    }
    clients.pop_back();
    ASSERT_TRUE(waitUntil([&] {
        BareClient again(path);
        again.request(1, "echo");
        return waitUntil([&] {
                   return again.closed || (!again.received.isEmpty() &&
                                           again.received.last().contains(QLatin1String("id")));
               }) &&
               !again.closed;
    }));
    waiting.first()(QJsonValue(1));
    EXPECT_TRUE(waitUntil([&] { return clients.front()->received.size() == 1; }));
}

TEST_F(ControlServerTest, ThoseWhoSayNothingMakeRoomTheOldestFirst) {
    BareClient subscriber(path);
    subscriber.request(1, "subscribe");
    BareClient spoke(path);
    spoke.request(1, "echo");
    ASSERT_TRUE(
        waitUntil([&] { return spoke.received.size() == 1 && subscriber.received.size() == 1; }));
    std::vector<std::unique_ptr<BareClient>> silent;
    for (int i = 0; i < 30; ++i) {
        silent.push_back(std::make_unique<BareClient>(path));
        ASSERT_TRUE(silent.back()->connected);
    }
    BareClient fresh(path);
    fresh.request(1, "echo");
    ASSERT_TRUE(waitUntil([&] { return fresh.closed || fresh.received.size() == 1; }));
    EXPECT_FALSE(fresh.closed);
    EXPECT_TRUE(waitUntil([&] { return silent.front()->closed; }));
    EXPECT_FALSE(silent.back()->closed);
    EXPECT_FALSE(spoke.closed);
    EXPECT_FALSE(subscriber.closed);
}

TEST_F(ControlServerTest, WhoSpokeOnceAndIsIdleMakesRoomToo) {
    std::vector<std::unique_ptr<BareClient>> clients;
    for (int i = 0; i < 32; ++i) {
        clients.push_back(std::make_unique<BareClient>(path));
        clients.back()->request(1, "echo");
        ASSERT_TRUE(waitUntil([&] { return clients.back()->received.size() == 1; })) << i;
    }
    clients.front()->request(2, "echo"); // so the second is the one that was idle for longest
    ASSERT_TRUE(waitUntil([&] { return clients.front()->received.size() == 2; }));
    BareClient fresh(path);
    fresh.request(1, "echo");
    EXPECT_TRUE(waitUntil([&] { return fresh.received.size() == 1; }));
    EXPECT_TRUE(waitUntil([&] { return clients.at(1)->closed; }));
    EXPECT_FALSE(clients.front()->closed);
}

TEST_F(ControlServerTest, DropsWhoSaysNothingCompleteForSomeSeconds) {
    BareClient silent(path);
    BareClient half(path);
    half.channel->sendBytes("{\"id\":1");
    BareClient spoke(path);
    spoke.request(1, "echo");
    EXPECT_TRUE(waitUntil([&] { return silent.closed && half.closed; }, 60000));
    EXPECT_FALSE(spoke.closed);
}

TEST_F(ControlServerTest, LimitsTheRequestsOfOneClient) {
    BareClient client(path);
    for (int i = 0; i < 65; ++i) {
        client.request(i, "later");
    }
    ASSERT_TRUE(waitUntil([&] { return client.received.size() == 1; }));
    EXPECT_EQ(control::resultOf(client.received.first()).error().kind, Error::Kind::Busy);
    EXPECT_EQ(waiting.size(), 64);
}

TEST_F(ControlServerTest, RemovesItsSocketWhenClosed) {
    EXPECT_TRUE(QFileInfo::exists(path));
    BareClient client(path);
    client.request(1, "echo");
    ASSERT_TRUE(waitUntil([&] { return client.received.size() == 1; }));
    server.close();
    EXPECT_FALSE(QFileInfo::exists(path));
    EXPECT_TRUE(waitUntil([&] { return client.closed; }));
}

TEST(ControlServer, ListensBelowAPathThatIsTooLongForASocket) {
    const QTemporaryDir folder;
    const QString deep = folder.path() + QLatin1Char('/') + QString(120, QLatin1Char('d'));
    ASSERT_TRUE(QDir().mkpath(deep));
    ControlServer server;
    ASSERT_TRUE(server.listen(deep + QLatin1String("/vitrine.sock")));
    EXPECT_TRUE(QFileInfo::exists(deep + QLatin1String("/vitrine.sock")));
    server.close();
    EXPECT_FALSE(QFileInfo::exists(deep + QLatin1String("/vitrine.sock")));
}
