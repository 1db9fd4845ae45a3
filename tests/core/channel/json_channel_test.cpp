// SPDX-License-Identifier: Apache-2.0
#include "core/channel/json_channel.h"

#include "core/channel/local_socket.h"
#include "tests/support/event_wait.h"

#include <QLocalServer>
#include <QTemporaryDir>

#include <gtest/gtest.h>
#include <sys/stat.h>

using vitrine::Error;
using vitrine::JsonChannel;
using vitrine::test::waitUntil;

namespace {

// A channel and a bare socket at its other end.
class JsonChannelTest : public testing::Test {
protected:
    void connectWith(JsonChannel::Limits limits) {
        const QString path = m_folder.filePath(QStringLiteral("s"));
        m_server.listen(path);
        peer.connectToServer(path);
        ASSERT_TRUE(waitUntil([this] { return m_server.hasPendingConnections(); }));
        std::unique_ptr<QLocalSocket> socket(m_server.nextPendingConnection());
        socket->setParent(nullptr);
        channel = std::make_unique<JsonChannel>(std::move(socket), limits);
        QObject::connect(channel.get(),
                         &JsonChannel::received,
                         channel.get(),
                         [this](const QJsonObject& message) { received.append(message); });
        QObject::connect(
            channel.get(), &JsonChannel::malformed, channel.get(), [this] { ++malformed; });
        QObject::connect(channel.get(),
                         &JsonChannel::closed,
                         channel.get(),
                         [this](const Error& reason) { closed.append(reason.kind); });
    }
    void write(const QByteArray& bytes) {
        peer.write(bytes);
        peer.flush();
    }

    QTemporaryDir m_folder;
    QLocalServer m_server;
    QLocalSocket peer;
    std::unique_ptr<JsonChannel> channel;
    QList<QJsonObject> received;
    QList<Error::Kind> closed;
    int malformed = 0;
};

} // namespace

TEST_F(JsonChannelTest, CarriesObjectsBothWays) {
    connectWith({});
    write("{\"a\":1}\n{\"b\":");
    ASSERT_TRUE(waitUntil([this] { return received.size() == 1; }));
    write("2}\n");
    ASSERT_TRUE(waitUntil([this] { return received.size() == 2; }));
    EXPECT_EQ(received.at(1).value(QLatin1String("b")).toInt(), 2);
    channel->send({{QStringLiteral("c"), 3}});
    ASSERT_TRUE(waitUntil([this] { return peer.bytesAvailable() > 0; }));
    EXPECT_EQ(peer.readAll(), "{\"c\":3}\n");
}

TEST_F(JsonChannelTest, GoesOnAfterALineThatIsNoObject) {
    connectWith({});
    write("garbage\n[1,2]\n\n{\"a\":1}\n");
    ASSERT_TRUE(waitUntil([this] { return received.size() == 1; }));
    EXPECT_EQ(malformed, 2);
    EXPECT_TRUE(closed.isEmpty());
}

TEST_F(JsonChannelTest, ClosesOnALineOverTheLimit) {
    connectWith({1000, 1 << 20});
    write("{\"a\":1}\n" + QByteArray(5000, 'x'));
    ASSERT_TRUE(waitUntil([this] { return !closed.isEmpty(); }));
    EXPECT_EQ(closed, QList<Error::Kind>{Error::Kind::Integrity});
    EXPECT_EQ(received.size(), 1);
    EXPECT_FALSE(channel->isOpen());
}

TEST_F(JsonChannelTest, ReadsWhatCameBeforeTheEnd) {
    connectWith({});
    for (int i = 0; i < 200; ++i) {
        write("{\"text\":\"" + QByteArray(4000, 'x') + "\"}\n");
    }
    peer.disconnectFromServer();
    ASSERT_TRUE(waitUntil([this] { return !closed.isEmpty(); }));
    EXPECT_EQ(received.size(), 200);
    EXPECT_EQ(closed, QList<Error::Kind>{Error::Kind::NotRunning});
}

TEST_F(JsonChannelTest, DropsAPeerThatDoesNotRead) {
    connectWith({1 << 20, 1 << 20});
    peer.setReadBufferSize(1); // stops taking bytes from the kernel
    const QJsonObject message{{QStringLiteral("text"), QString(100000, QLatin1Char('x'))}};
    for (int i = 0; i < 100 && channel->isOpen(); ++i) {
        channel->send(message);
    }
    EXPECT_EQ(closed, QList<Error::Kind>{Error::Kind::Timeout});
}

TEST_F(JsonChannelTest, MayBeDestroyedByWhatItDelivers) {
    connectWith({});
    QObject::connect(channel.get(), &JsonChannel::received, &peer, [this] { channel.reset(); });
    write("{\"a\":1}\n{\"a\":2}\n");
    ASSERT_TRUE(waitUntil([this] { return !channel; }));
    EXPECT_EQ(received.size(), 1);
}

TEST(LocalSocket, ListensWithModeForTheOwnerOnly) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("s"));
    const mode_t before = ::umask(0);
    const auto fd = vitrine::listenOnLocalSocket(path);
    ::umask(before);
    ASSERT_TRUE(fd);
    struct stat info {};
    ASSERT_EQ(::stat(path.toLocal8Bit().constData(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    ::close(*fd);
}

TEST(LocalSocket, NeverTakesOverAPathThatExists) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("s"));
    const auto first = vitrine::listenOnLocalSocket(path);
    ASSERT_TRUE(first);
    const auto second = vitrine::listenOnLocalSocket(path);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, Error::Kind::AlreadyExists);
    ::close(*first);
}

TEST(LocalSocket, RefusesAPathThatIsTooLongForTheKernel) {
    const auto fd = vitrine::listenOnLocalSocket(QLatin1Char('/') + QString(200, QLatin1Char('x')));
    ASSERT_FALSE(fd);
    EXPECT_EQ(fd.error().kind, Error::Kind::InvalidInput);
}

TEST_F(JsonChannelTest, ReadsTheLastWordsOfAPeerThatCannotBeWrittenToAnyMore) {
    connectWith({});
    write("{\"event\":\"SHUTDOWN\"}\n");
    peer.abort();
    // Fails with EPIPE: the peer is gone before this side has read anything.
    channel->send({{QStringLiteral("execute"), QStringLiteral("query-status")}});
    channel->send({{QStringLiteral("execute"), QStringLiteral("query-status")}});
    ASSERT_TRUE(waitUntil([this] { return !closed.isEmpty(); }));
    EXPECT_EQ(received.size(), 1);
    EXPECT_EQ(closed, QList<Error::Kind>{Error::Kind::NotRunning});
}
