// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/softnet_session.h"

#include "tests/support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QJsonArray>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>

using namespace vitrine;
using namespace vitrine::vz;
using vitrine::test::waitUntil;

namespace {

class SoftnetSessionTest : public testing::Test {
protected:
    void SetUp() override {
        m_program.path = QStringLiteral(VITRINE_SOFTNET_STAND_IN);
        m_program.isRaised = true;
        m_program.hasControl = true;
        m_options.mode = NetworkMode::Softnet;
        m_pace.first = 1;
    }
    Result<std::unique_ptr<SoftnetSession>> make() {
        return SoftnetSession::make(m_program,
                                    *MacAddress::fromText(u"7e:11:22:33:44:55"),
                                    m_options,
                                    m_folder.filePath(QStringLiteral("log")),
                                    m_pace);
    }
    // Whether a frame goes to the child and comes back.
    static bool carries(int socket, const QByteArray& frame) {
        if (::send(socket, frame.constData(), static_cast<size_t>(frame.size()), 0) < 0)
            return false;
        QByteArray back(2000, '\0');
        ssize_t size = -1;
        return waitUntil([&] {
                   size =
                       ::recv(socket, back.data(), static_cast<size_t>(back.size()), MSG_DONTWAIT);
                   return size >= 0;
               }) &&
               back.left(size) == frame;
    }

    QTemporaryDir m_folder;
    SoftnetProgram m_program;
    NetworkOptions m_options;
    SoftnetSupervisor::Pace m_pace;
};

} // namespace

TEST_F(SoftnetSessionTest, TheSocketIsOfFramesAndNotInherited) {
    const auto session = make();
    ASSERT_TRUE(session);
    const int socket = (*session)->machineSocket();
    int type = 0;
    int buffer = 0;
    socklen_t length = sizeof(int);
    ASSERT_EQ(::getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &length), 0);
    EXPECT_EQ(type, SOCK_DGRAM);
    EXPECT_NE(::fcntl(socket, F_GETFD) & FD_CLOEXEC, 0);
    // Larger than without a wish, whatever this system's limit is.
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
    const FileDescriptor first(ends[0]);
    const FileDescriptor second(ends[1]);
    int usual = 0;
    for (const int option : {SO_SNDBUF, SO_RCVBUF}) {
        ASSERT_EQ(::getsockopt(first.get(), SOL_SOCKET, option, &usual, &length), 0);
        ASSERT_EQ(::getsockopt(socket, SOL_SOCKET, option, &buffer, &length), 0);
        EXPECT_GT(buffer, usual);
    }
    EXPECT_GE(SoftnetSession::receiveBuffer, 2 * SoftnetSession::sendBuffer);
}

TEST_F(SoftnetSessionTest, TheProgramGetsTartsPlacesAndCarriesFrames) {
    m_options.allow = QStringLiteral("10.0.0.0/8");
    m_options.expose = QStringLiteral("2222:22");
    auto session = make();
    ASSERT_TRUE(session) << session.error().message.toStdString();
    bool ready = false;
    QObject::connect((*session)->supervisor(),
                     &SoftnetSupervisor::ready,
                     (*session)->supervisor(),
                     [&ready] { ready = true; });
    ASSERT_TRUE((*session)->start());
    ASSERT_TRUE(waitUntil([&] { return ready; }));
    std::optional<Result<QJsonObject>> answer;
    (*session)->supervisor()->client()->call(
        QStringLiteral("test.arguments"), {}, [&](const Result<QJsonObject>& r) { answer = r; });
    ASSERT_TRUE(waitUntil([&] { return answer.has_value(); }));
    QStringList words;
    for (const QJsonValue& word : (**answer).value(QLatin1String("words")).toArray())
        words << word.toString();
    const QString line = words.join(QLatin1Char(' '));
    EXPECT_TRUE(line.contains(QLatin1String("--vm-fd=0"))) << line.toStdString();
    EXPECT_TRUE(line.contains(QLatin1String("--vm-mac-address=7e:11:22:33:44:55")));
    EXPECT_TRUE(line.contains(QLatin1String("--allow=10.0.0.0/8"))) << line.toStdString();
    EXPECT_TRUE(line.contains(QLatin1String("--expose=2222:22")));
    EXPECT_TRUE(carries((*session)->machineSocket(), QByteArray(1514, 'f')));
}

TEST_F(SoftnetSessionTest, TheNetworkGoesOnWhenTheProgramIsStartedAgain) {
    auto session = make();
    ASSERT_TRUE(session);
    int ready = 0;
    SoftnetSupervisor* const supervisor = (*session)->supervisor();
    QObject::connect(supervisor, &SoftnetSupervisor::ready, supervisor, [&ready] { ++ready; });
    ASSERT_TRUE((*session)->start());
    ASSERT_TRUE(waitUntil([&] { return ready == 1; }));
    vitrine::test::sendSignal(static_cast<pid_t>(supervisor->processId()), SIGKILL);
    ASSERT_TRUE(waitUntil([&] { return ready == 2; }));
    EXPECT_TRUE(carries((*session)->machineSocket(), QByteArray(64, 'a')));
}

TEST_F(SoftnetSessionTest, AProgramThatDoesNotComeBackIsTold) {
    m_program.path = QStringLiteral("/bin/false");
    m_pace.attempts = 2;
    m_pace.longest = 1;
    auto session = make();
    ASSERT_TRUE(session);
    std::optional<Error> lost;
    QObject::connect(
        session->get(), &SoftnetSession::lost, session->get(), [&](const Error& e) { lost = e; });
    ASSERT_TRUE((*session)->start());
    ASSERT_TRUE(waitUntil([&] { return lost.has_value(); }));
    EXPECT_FALSE(lost->message.isEmpty());
}

TEST_F(SoftnetSessionTest, StoppingIsTold) {
    auto session = make();
    ASSERT_TRUE(session);
    bool stopped = false;
    QObject::connect(
        session->get(), &SoftnetSession::stopped, session->get(), [&] { stopped = true; });
    ASSERT_TRUE((*session)->start());
    const auto child = static_cast<pid_t>((*session)->supervisor()->processId());
    (*session)->stop();
    ASSERT_TRUE(waitUntil([&] { return stopped; }));
    EXPECT_EQ(vitrine::test::sendSignal(child, 0), -1);
    EXPECT_EQ(errno, ESRCH);
}

TEST_F(SoftnetSessionTest, AProgramWithoutRightsIsRefusedWithTheCommand) {
    m_program.isRaised = false;
    const auto session = make();
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error().kind, Error::Kind::Permission);
    EXPECT_TRUE(session.error().message.contains(QLatin1String("sudo")));
}
