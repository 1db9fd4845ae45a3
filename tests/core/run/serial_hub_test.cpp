// SPDX-License-Identifier: Apache-2.0
#include "core/run/serial_hub.h"

#include "tests/support/event_wait.h"

#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vitrine;
using vitrine::test::waitUntil;

namespace {

struct Viewer {
    explicit Viewer(const QString& path) {
        QObject::connect(&client, &SerialClient::history, &client, [this](const QByteArray& bytes) {
            text = bytes;
            ++connections;
        });
        QObject::connect(&client,
                         &SerialClient::received,
                         &client,
                         [this](const QByteArray& bytes) { text += bytes; });
        client.open(path);
    }
    SerialClient client;
    QByteArray text;
    int connections = 0;
};

// QEMU's end of the line.
class SerialHubTest : public testing::Test {
protected:
    SerialHubTest() {
        EXPECT_TRUE(hub.listen());
        startQemu();
        hub.open();
        EXPECT_TRUE(waitUntil([this] { return guest != nullptr; }));
    }
    void startQemu() {
        QLocalServer::removeServer(folder.filePath(QStringLiteral("serial.sock")));
        EXPECT_TRUE(qemu.listen(folder.filePath(QStringLiteral("serial.sock"))));
        QObject::connect(&qemu, &QLocalServer::newConnection, &qemu, [this] {
            guest = qemu.nextPendingConnection();
            QObject::connect(guest, &QLocalSocket::readyRead, guest, [this] {
                if (guestReads) {
                    typed += guest->readAll();
                }
            });
        });
    }
    [[nodiscard]] QString viewerPath() const {
        return folder.filePath(QStringLiteral("console.sock"));
    }

    QTemporaryDir folder;
    QLocalServer qemu;
    QLocalSocket* guest = nullptr;
    bool guestReads = true;
    QByteArray typed;
    SerialHub hub{folder.filePath(QStringLiteral("serial.sock")),
                  folder.filePath(QStringLiteral("console.sock"))};
};

} // namespace

TEST_F(SerialHubTest, ShowsEveryViewerTheSameAndTheLateOneTheHistory) {
    Viewer first(viewerPath());
    ASSERT_TRUE(waitUntil([&] { return first.connections == 1; }));
    guest->write("hello ");
    ASSERT_TRUE(waitUntil([&] { return first.text == "hello "; }));
    Viewer second(viewerPath());
    ASSERT_TRUE(waitUntil([&] { return second.connections == 1; }));
    EXPECT_EQ(second.text, "hello ");
    guest->write("world");
    ASSERT_TRUE(
        waitUntil([&] { return first.text == "hello world" && second.text == first.text; }));
    EXPECT_EQ(hub.viewers(), 2);
    struct stat status {};
    ASSERT_EQ(::stat(viewerPath().toLocal8Bit().constData(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(SerialHubTest, KeysOfEveryViewerReachTheGuest) {
    Viewer first(viewerPath());
    Viewer second(viewerPath());
    ASSERT_TRUE(waitUntil([&] { return first.connections == 1 && second.connections == 1; }));
    EXPECT_TRUE(first.client.send("one\r"));
    ASSERT_TRUE(waitUntil([&] { return typed == "one\r"; }));
    EXPECT_TRUE(second.client.send("two\r"));
    EXPECT_TRUE(waitUntil([&] { return typed == "one\rtwo\r"; }));
}

TEST_F(SerialHubTest, DrainsTheLineWithoutViewersAndKeepsTheLastOfIt) {
    qint64 written = 0;
    for (int i = 0; i < 40; ++i) {
        written += guest->write(QByteArray(32 << 10, static_cast<char>('a' + i % 26)));
    }
    guest->write("the end");
    ASSERT_TRUE(waitUntil([&] { return hub.history().endsWith("the end"); }));
    EXPECT_GT(written, serial::maximumHistory);
    EXPECT_LE(hub.history().size(), serial::maximumHistory);
    EXPECT_GE(hub.history().size(), serial::maximumHistory / 2);
    Viewer viewer(viewerPath());
    ASSERT_TRUE(waitUntil([&] { return viewer.connections == 1; }));
    EXPECT_EQ(viewer.text, hub.history());
}

TEST_F(SerialHubTest, ViewersThatDoNotReadHoldUpNobody) {
    QLocalSocket lazy;
    lazy.setReadBufferSize(1);
    lazy.connectToServer(viewerPath());
    ASSERT_TRUE(waitUntil([&] { return hub.viewers() == 1; }));
    Viewer viewer(viewerPath());
    ASSERT_TRUE(waitUntil([&] { return viewer.connections == 1; }));
    qint64 sent = 0;
    for (int i = 0; i < 100; ++i) {
        sent += guest->write(QByteArray(64 << 10, 'x'));
        ASSERT_TRUE(waitUntil([&] { return guest->bytesToWrite() == 0; }));
    }
    EXPECT_TRUE(waitUntil([&] { return hub.viewers() == 1; })) << "the lazy one is let go";
    EXPECT_TRUE(waitUntil([&] { return viewer.text.size() == sent; }));
    EXPECT_EQ(viewer.connections, 1);
}

TEST_F(SerialHubTest, AGuestThatDoesNotReadMakesViewersWaitNotTheProcessGrow) {
    guestReads = false;
    guest->setReadBufferSize(1024);
    Viewer viewer(viewerPath());
    ASSERT_TRUE(waitUntil([&] { return viewer.connections == 1; }));
    int accepted = 0;
    // Written without a turn of the loop in between: what does not fit is refused, not kept.
    while (viewer.client.send(QByteArray(64 << 10, 'k')) && accepted < 1000) {
        ++accepted;
    }
    EXPECT_LT(accepted, 64);
    guest->write("still read");
    EXPECT_TRUE(waitUntil([&] { return viewer.text.endsWith("still read"); }));
}

TEST_F(SerialHubTest, FindsQemuAgainAndViewersFindTheHubAgain) {
    Viewer viewer(viewerPath());
    ASSERT_TRUE(waitUntil([&] { return viewer.connections == 1; }));
    guest->write("before ");
    ASSERT_TRUE(waitUntil([&] { return viewer.text == "before "; }));
    QLocalSocket* const old = std::exchange(guest, nullptr);
    old->abort();
    ASSERT_TRUE(waitUntil([&] { return guest != nullptr; }));
    guest->write("after");
    EXPECT_TRUE(waitUntil([&] { return viewer.text == "before after"; }));
    hub.close();
    EXPECT_TRUE(waitUntil([&] { return !viewer.client.isConnected(); }));
    EXPECT_FALSE(QFile::exists(viewerPath()));
}

TEST_F(SerialHubTest, ALineThatLeadsElsewhereIsExplained) {
    hub.explain(QStringLiteral("It leads to /dev/pts/7."));
    Viewer viewer(viewerPath());
    EXPECT_TRUE(waitUntil([&] { return viewer.text == "It leads to /dev/pts/7.\r\n"; }));
}

TEST_F(SerialHubTest, NoMoreViewersThanAllowed) {
    std::vector<std::unique_ptr<QLocalSocket>> many;
    for (int i = 0; i < SerialHub::maximumViewers + 5; ++i) {
        many.push_back(std::make_unique<QLocalSocket>());
        many.back()->connectToServer(viewerPath());
    }
    ASSERT_TRUE(waitUntil([&] {
        int closed = 0;
        for (const auto& socket : many) {
            closed += socket->state() == QLocalSocket::UnconnectedState ? 1 : 0;
        }
        return closed == 5 && hub.viewers() == SerialHub::maximumViewers;
    }));
}

TEST(SerialClient, LeavesAServerThatSpeaksSomethingElse) {
    QTemporaryDir folder;
    QLocalServer server;
    const QString path = folder.filePath(QStringLiteral("other.sock"));
    ASSERT_TRUE(server.listen(path));
    int connections = 0;
    QObject::connect(&server, &QLocalServer::newConnection, &server, [&] {
        ++connections;
        server.nextPendingConnection()->write("SSH-2.0-something\r\n");
    });
    Viewer viewer(path);
    ASSERT_TRUE(waitUntil([&] { return connections >= 2; }));
    EXPECT_EQ(viewer.connections, 0);
    EXPECT_TRUE(viewer.text.isEmpty());
}

TEST(SerialHub, ALineOfThisProcessIsShownAndTypedInto) {
    const QTemporaryDir folder;
    SerialHub hub({}, folder.filePath(QStringLiteral("console.sock")));
    ASSERT_TRUE(hub.listen());
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const FileDescriptor guest(ends[0]);
    ASSERT_TRUE(hub.open(FileDescriptor(ends[1])));
    Viewer viewer(hub.viewerSocket());
    ASSERT_EQ(::write(guest.get(), "login: ", 7), 7);
    EXPECT_TRUE(waitUntil([&] { return viewer.text.contains("login: "); }));
    viewer.client.send("root");
    char typed[4];
    ASSERT_TRUE(
        waitUntil([&] { return ::recv(guest.get(), typed, sizeof(typed), MSG_DONTWAIT) == 4; }));
    EXPECT_EQ(QByteArray(typed, 4), "root");
}
