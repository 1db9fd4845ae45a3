// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/control_pipe.h"

#include "core/channel/local_socket.h"
#include "core/library/runtime_directory.h"
#include "tests/support/event_wait.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <array>
#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace vitrine::vz {

namespace {

using test::waitUntil;

QString s(const char* text) {
    return QString::fromUtf8(text);
}

// One end of a connection, used without waiting.
class End final {
public:
    explicit End(int fd = -1)
        : m_fd(fd) {}
    [[nodiscard]] qsizetype send(const QByteArray& bytes) const {
        return ::send(
            m_fd.get(), bytes.constData(), static_cast<size_t>(bytes.size()), MSG_DONTWAIT);
    }
    // What has come in the meantime is kept in `received`; true at the end.
    bool read() {
        std::array<char, 65536> buffer{};
        for (;;) {
            const ssize_t size = ::recv(m_fd.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
            if (size < 0)
                return errno != EAGAIN;
            if (size == 0)
                return true;
            received.append(buffer.data(), size);
        }
    }
    bool waitFor(const QByteArray& bytes) {
        return waitUntil([&] {
            read();
            return received == bytes;
        });
    }
    bool waitForEnd() {
        return waitUntil([this] { return read(); });
    }
    void endWriting() const { ::shutdown(m_fd.get(), SHUT_WR); }
    void close() { m_fd.reset(); }
    QByteArray received;

private:
    FileDescriptor m_fd;
};

class ControlPipeTest : public testing::Test {
protected:
    ControlPipeTest() {
        ::signal(SIGPIPE, SIG_IGN); // of the ends that the tests hold
        QDir().mkpath(m_directory);
    }

    void listen() {
        auto pipe = ControlPipe::listen(m_directory, [this](const ControlPipe::Opened& opened) {
            m_opened.push_back(opened);
            if (m_answers)
                answer(m_opened.size() - 1);
        });
        ASSERT_TRUE(pipe) << pipe.error().message.toStdString();
        m_pipe = std::move(*pipe);
        QObject::connect(m_pipe.get(), &ControlPipe::refused, [this] { ++m_refused; });
    }
    // The guest takes the connection; its end is the last of m_guests.
    void answer(size_t at) {
        std::array<int, 2> ends{-1, -1};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        m_guests.push_back(std::make_unique<End>(ends[1]));
        m_opened.at(at)(ends[0]);
    }
    [[nodiscard]] std::unique_ptr<End> connectClient() const {
        const auto address = SocketAddress::of(m_directory + s("/control.sock"));
        const auto fd = address ? connectToLocalSocket(address->text()) : fail(address.error());
        EXPECT_TRUE(fd) << (fd ? std::string() : fd.error().message.toStdString());
        return std::make_unique<End>(fd ? *fd : -1);
    }
    [[nodiscard]] bool waitForGuests(size_t count) {
        return waitUntil([&] { return m_guests.size() == count; });
    }
    [[nodiscard]] QString file() const { return m_directory + s("/control.sock"); }

    QTemporaryDir m_folder;
    QString m_directory = m_folder.filePath(s("machine"));
    bool m_answers = true;
    std::vector<ControlPipe::Opened> m_opened;
    std::vector<std::unique_ptr<End>> m_guests;
    std::unique_ptr<ControlPipe> m_pipe;
    int m_refused = 0;
};

} // namespace

TEST_F(ControlPipeTest, EachConnectionIsJoinedWithOneOfItsOwn) {
    listen();
    const auto first = connectClient();
    ASSERT_TRUE(waitForGuests(1));
    const auto second = connectClient();
    ASSERT_TRUE(waitForGuests(2));
    const QByteArray bytes("PRI * \0\xff\r\n", 10);
    EXPECT_EQ(first->send(bytes), bytes.size());
    EXPECT_EQ(m_guests[1]->send("to the second"), 13);
    EXPECT_TRUE(m_guests[0]->waitFor(bytes));
    EXPECT_TRUE(second->waitFor("to the second"));
    EXPECT_TRUE(first->received.isEmpty());
    EXPECT_EQ(m_pipe->connections(), 2);
}

TEST_F(ControlPipeTest, TheEndOfOneDirectionLeavesTheOther) {
    listen();
    const auto client = connectClient();
    ASSERT_TRUE(waitForGuests(1));
    EXPECT_EQ(client->send("question"), 8);
    client->endWriting();
    EXPECT_TRUE(m_guests[0]->waitForEnd());
    EXPECT_EQ(m_guests[0]->received, QByteArray("question"));
    EXPECT_EQ(m_guests[0]->send("answer"), 6);
    EXPECT_TRUE(client->waitFor("answer"));
    EXPECT_FALSE(client->read());
    m_guests[0]->endWriting();
    EXPECT_TRUE(client->waitForEnd());
    EXPECT_TRUE(waitUntil([this] { return m_pipe->connections() == 0; }));
}

TEST_F(ControlPipeTest, AClientThatVanishesEndsTheGuestsConnection) {
    listen();
    auto client = connectClient();
    ASSERT_TRUE(waitForGuests(1));
    EXPECT_EQ(client->send("last words"), 10);
    client->close();
    EXPECT_TRUE(m_guests[0]->waitForEnd());
    EXPECT_EQ(m_guests[0]->received, QByteArray("last words"));
    (void)m_guests[0]->send("nobody reads this");
    m_guests[0]->close();
    EXPECT_TRUE(waitUntil([this] { return m_pipe->connections() == 0; }));
}

TEST_F(ControlPipeTest, AGuestThatDoesNotReadMakesTheClientWait) {
    constexpr qsizetype most = 4 << 20; // what the sockets take between them, and more
    listen();
    const auto client = connectClient();
    ASSERT_TRUE(waitForGuests(1));
    const QByteArray block(65536, 'x');
    qsizetype sent = 0;
    int idle = 0;
    ASSERT_TRUE(waitUntil([&] {
        const qsizetype now = client->send(block);
        sent += qMax<qsizetype>(now, 0);
        idle = now > 0 ? 0 : idle + 1;
        return idle > 5 || sent > most;
    }));
    EXPECT_LT(sent, most);
    client->endWriting();
    EXPECT_TRUE(m_guests[0]->waitForEnd());
    EXPECT_EQ(m_guests[0]->received.size(), sent) << "nothing is lost";
}

TEST_F(ControlPipeTest, AGuestThatRefusesClosesTheConnection) {
    m_answers = false;
    listen();
    const auto client = connectClient();
    ASSERT_TRUE(waitUntil([this] { return m_opened.size() == 1; }));
    EXPECT_EQ(client->send("early"), 5);
    m_opened[0](fail(Error::Kind::Network, s("refused")));
    EXPECT_TRUE(client->waitForEnd());
    EXPECT_EQ(m_refused, 1);
    EXPECT_EQ(m_pipe->connections(), 0);
}

TEST_F(ControlPipeTest, WhatIsSentBeforeTheGuestAnswersIsNotLost) {
    m_answers = false;
    listen();
    const auto client = connectClient();
    ASSERT_TRUE(waitUntil([this] { return m_opened.size() == 1; }));
    EXPECT_EQ(client->send("early"), 5);
    client->endWriting();
    answer(0);
    EXPECT_TRUE(m_guests[0]->waitForEnd());
    EXPECT_EQ(m_guests[0]->received, QByteArray("early"));
}

TEST_F(ControlPipeTest, AnAnswerThatComesTooLateIsClosed) {
    m_answers = false;
    listen();
    const auto client = connectClient();
    ASSERT_TRUE(waitUntil([this] { return m_opened.size() == 1; }));
    m_pipe.reset();
    answer(0);
    EXPECT_TRUE(m_guests[0]->waitForEnd());
    m_opened.clear();
    EXPECT_TRUE(client->waitForEnd());
}

TEST_F(ControlPipeTest, TheFileIsForItsOwnerAndGoesWithThePipe) {
    QFile stale(file());
    ASSERT_TRUE(stale.open(QIODevice::WriteOnly));
    stale.close();
    const mode_t before = ::umask(0);
    listen();
    ::umask(before);
    struct stat info {};
    ASSERT_EQ(::stat(QFile::encodeName(file()).constData(), &info), 0);
    EXPECT_TRUE(S_ISSOCK(info.st_mode));
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    const auto client = connectClient();
    ASSERT_TRUE(waitForGuests(1));
    m_pipe.reset();
    EXPECT_FALSE(QFile::exists(file()));
    EXPECT_TRUE(client->waitForEnd());
    EXPECT_TRUE(m_guests[0]->waitForEnd());
}

TEST_F(ControlPipeTest, AFileOfTheNextRunIsLeftAndARenamedDirectoryIsFollowed) {
    listen();
    std::unique_ptr<ControlPipe> earlier = std::move(m_pipe);
    listen();
    const QString renamed = m_folder.filePath(s("renamed"));
    ASSERT_TRUE(QDir().rename(m_directory, renamed));
    m_directory = renamed;
    earlier.reset();
    EXPECT_TRUE(QFile::exists(file()));
    const auto client = connectClient();
    EXPECT_TRUE(waitForGuests(1));
    m_pipe.reset();
    EXPECT_FALSE(QFile::exists(file()));
}

TEST_F(ControlPipeTest, ALongPathIsNoObstacle) {
    m_directory = m_folder.filePath(QString(120, QLatin1Char('l')) + s("/machine"));
    ASSERT_TRUE(QDir().mkpath(m_directory));
    listen();
    const auto client = connectClient();
    ASSERT_TRUE(waitForGuests(1));
    EXPECT_EQ(client->send("hello"), 5);
    EXPECT_TRUE(m_guests[0]->waitFor("hello"));
    m_pipe.reset();
    EXPECT_FALSE(QFile::exists(file()));
}

TEST_F(ControlPipeTest, WhatCannotBeListenedOnIsSaid) {
    const auto open = [](const ControlPipe::Opened&) {};
    const auto nowhere = ControlPipe::listen(m_folder.filePath(s("none")), open);
    ASSERT_FALSE(nowhere);
    EXPECT_TRUE(nowhere.error().message.contains(s("none")));
    ASSERT_TRUE(QDir().mkpath(file())); // a folder in the file's place
    const auto folder = ControlPipe::listen(m_directory, open);
    ASSERT_FALSE(folder);
    EXPECT_TRUE(folder.error().message.contains(s("control.sock")));
}

TEST_F(ControlPipeTest, MoreThanTheLimitWaitUntilOneEnds) {
    listen();
    std::vector<std::unique_ptr<End>> clients;
    for (int i = 0; i < ControlPipe::maximumConnections + 1; ++i) {
        clients.push_back(connectClient());
        (void)clients.back()->send("x");
    }
    ASSERT_TRUE(waitForGuests(ControlPipe::maximumConnections));
    for (const auto& guest : m_guests)
        ASSERT_TRUE(guest->waitFor("x"));
    EXPECT_EQ(m_opened.size(), static_cast<size_t>(ControlPipe::maximumConnections));
    clients.front()->close();
    m_guests.front()->close();
    EXPECT_TRUE(waitForGuests(ControlPipe::maximumConnections + 1));
}

} // namespace vitrine::vz
