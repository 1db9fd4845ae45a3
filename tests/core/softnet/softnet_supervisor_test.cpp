// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_supervisor.h"

#include "tests/support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QJsonArray>
#include <QTemporaryDir>

#include <array>
#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

using namespace vitrine;
using vitrine::test::waitUntil;

namespace {

class SoftnetSupervisorTest : public testing::Test {
protected:
    void SetUp() override {
        std::array<int, 2> ends{};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
        machine = FileDescriptor(ends[0]);
        setup.socket = FileDescriptor(ends[1]);
        setup.program = QStringLiteral(VITRINE_SOFTNET_STAND_IN);
        setup.logFile = folder.filePath(QStringLiteral("log"));
        setup.pace.first = 1;
    }
    void start() {
        supervisor = std::make_unique<SoftnetSupervisor>(std::move(setup));
        connect();
        ASSERT_TRUE(supervisor->start());
    }
    void connect() {
        SoftnetSupervisor* const s = supervisor.get();
        QObject::connect(s, &SoftnetSupervisor::ready, s, [this] { ++ready; });
        QObject::connect(
            s, &SoftnetSupervisor::ended, s, [this](const QString& how) { ended.append(how); });
        QObject::connect(
            s, &SoftnetSupervisor::gaveUp, s, [this](const Error& e) { gaveUp.append(e); });
        QObject::connect(s, &SoftnetSupervisor::stopped, s, [this] { ++stopped; });
    }
    // Whether a frame goes to the child and comes back.
    [[nodiscard]] bool carries(const QByteArray& frame) const {
        if (::send(machine.get(), frame.constData(), static_cast<size_t>(frame.size()), 0) < 0)
            return false;
        QByteArray back(2000, '\0');
        ssize_t size = -1;
        return waitUntil([&] {
                   size = ::recv(
                       machine.get(), back.data(), static_cast<size_t>(back.size()), MSG_DONTWAIT);
                   return size >= 0;
               }) &&
               back.left(size) == frame;
    }
    Result<QJsonObject> call(const char* method, const QJsonObject& parameters = {}) {
        std::optional<Result<QJsonObject>> result;
        supervisor->client()->call(QLatin1String(method),
                                   parameters,
                                   [&](const Result<QJsonObject>& answer) { result = answer; });
        return waitUntil([&] { return result.has_value(); }) ? *result
                                                             : fail(Error::Kind::Timeout, {});
    }

    QTemporaryDir folder;
    FileDescriptor machine;
    SoftnetSupervisor::Setup setup;
    std::unique_ptr<SoftnetSupervisor> supervisor;
    int ready = 0;
    int stopped = 0;
    QStringList ended;
    QList<Error> gaveUp;
};

} // namespace

TEST_F(SoftnetSupervisorTest, GivesTheChildItsSocketsAndRulesAndNoSecrets) {
    qputenv("TART_REGISTRY_PASSWORD", "secret");
    setup.arguments << QStringLiteral("--vm-mac-address=02:00:00:00:00:01");
    setup.policy = {{QStringLiteral("10.0.0.0/8"), QStringLiteral("@host")},
                    {QStringLiteral("0.0.0.0/0")}};
    start();
    ASSERT_TRUE(waitUntil([this] { return ready == 1; }));
    EXPECT_TRUE(carries("frame"));
    const auto words = call("test.arguments");
    ASSERT_TRUE(words);
    EXPECT_EQ(words->value(QLatin1String("words")).toArray().toVariantList(),
              (QVariantList{QStringLiteral("--vm-mac-address=02:00:00:00:00:01"),
                            QStringLiteral("--vm-fd=0"),
                            QStringLiteral("--control-fd=1"),
                            QStringLiteral("--allow=10.0.0.0/8,@host"),
                            QStringLiteral("--block=0.0.0.0/0")}));
    EXPECT_EQ(call("test.environment")->value(QLatin1String("token")).toString(), QString());
    qunsetenv("TART_REGISTRY_PASSWORD");
}

TEST_F(SoftnetSupervisorTest, StartsAKilledChildAgainOnTheSameSocketWithTheRulesSetLast) {
    start();
    ASSERT_TRUE(waitUntil([this] { return ready == 1; }));
    supervisor->setPolicy({{}, {QStringLiteral("10.1.0.0/16")}});
    vitrine::test::sendSignal(static_cast<pid_t>(supervisor->processId()), SIGKILL);
    ASSERT_TRUE(waitUntil([this] { return ready == 2; }));
    EXPECT_EQ(supervisor->restarts(), 1);
    EXPECT_EQ(supervisor->endedBySignal(), SIGKILL);
    ASSERT_EQ(ended.size(), 1);
    EXPECT_TRUE(ended.first().contains(QStringLiteral("signal 9"))) << qPrintable(ended.first());
    EXPECT_TRUE(carries("after"));
    EXPECT_TRUE(call("test.arguments")
                    ->value(QLatin1String("words"))
                    .toArray()
                    .contains(QStringLiteral("--block=10.1.0.0/16")));
}

TEST_F(SoftnetSupervisorTest, StartsAChildAgainThatAnswersNoMore) {
    setup.pace.watch = 300;
    start();
    ASSERT_TRUE(waitUntil([this] { return ready == 1; }));
    supervisor->client()->call(QStringLiteral("test.hang"), {}, {});
    ASSERT_TRUE(waitUntil([this] { return ready >= 2; }));
    EXPECT_EQ(supervisor->endedBySignal(), SIGKILL);
    EXPECT_TRUE(carries("after"));
}

TEST_F(SoftnetSupervisorTest, TellsTheExitStatusAndTheLastLineAndLogsThem) {
    start();
    ASSERT_TRUE(waitUntil([this] { return ready == 1; }));
    const auto cut = call("test.exit", {{QStringLiteral("code"), 7}});
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().kind, Error::Kind::NotRunning);
    ASSERT_TRUE(waitUntil([this] { return ready == 2; }));
    EXPECT_EQ(supervisor->exitCode(), 7);
    EXPECT_TRUE(ended.value(0).contains(QStringLiteral("exit status 7: no more addresses")))
        << qPrintable(ended.value(0));
    QFile log(folder.filePath(QStringLiteral("log")));
    ASSERT_TRUE(log.open(QIODevice::ReadOnly));
    EXPECT_EQ(log.readAll(), "first line\nno more addresses\n");
    EXPECT_EQ(log.permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
}

TEST_F(SoftnetSupervisorTest, WaitsLongerAfterEachEndAndGivesUpAtLast) {
    setup.arguments << QStringLiteral("--dies");
    setup.pace.attempts = 4;
    QElapsedTimer clock;
    clock.start();
    setup.pace.first = 20;
    start();
    ASSERT_TRUE(waitUntil([this] { return !gaveUp.isEmpty(); }));
    EXPECT_GE(clock.elapsed(), 20 + 40 + 80 + 160 - 20);
    EXPECT_EQ(ended.size(), 4);
    EXPECT_TRUE(gaveUp.first().message.contains(QStringLiteral("no network today")));
    EXPECT_EQ(ready, 0);
}

TEST_F(SoftnetSupervisorTest, DoesNotRepeatAWrongCommandLine) {
    setup.arguments << QStringLiteral("--wrong");
    start();
    ASSERT_TRUE(waitUntil([this] { return !gaveUp.isEmpty(); }));
    EXPECT_TRUE(ended.isEmpty());
    EXPECT_TRUE(gaveUp.first().message.contains(QStringLiteral("--wrong")));
}

TEST_F(SoftnetSupervisorTest, KillsAChildThatDoesNotAnswerAndStartsAnother) {
    setup.arguments << QStringLiteral("--mute");
    setup.pace.greeting = 100;
    setup.pace.attempts = 1;
    start();
    ASSERT_TRUE(waitUntil([this] { return !gaveUp.isEmpty(); }));
    EXPECT_EQ(ended.size(), 1);
    EXPECT_EQ(supervisor->endedBySignal(), SIGKILL);
}

TEST_F(SoftnetSupervisorTest, EndsTheChildInOrderAndAStubbornOneByForce) {
    start();
    ASSERT_TRUE(waitUntil([this] { return ready == 1; }));
    supervisor->stop();
    ASSERT_TRUE(waitUntil([this] { return stopped == 1; }));
    EXPECT_EQ(supervisor->endedBySignal(), SIGINT);
    EXPECT_EQ(supervisor->processId(), 0);

    SetUp();
    setup.arguments << QStringLiteral("--stubborn");
    setup.pace.patience = 50;
    start();
    ASSERT_TRUE(waitUntil([this] { return ready == 2; }));
    supervisor->stop();
    ASSERT_TRUE(waitUntil([this] { return stopped == 2; }));
    EXPECT_EQ(supervisor->endedBySignal(), SIGKILL);
    EXPECT_TRUE(ended.isEmpty());
}

TEST_F(SoftnetSupervisorTest, IsNotStartedAgainWhenTheMachineIsGone) {
    start();
    ASSERT_TRUE(waitUntil([this] { return ready == 1; }));
    machine.reset();
    ASSERT_TRUE(waitUntil([this] { return supervisor->processId() == 0; }));
    EXPECT_TRUE(ended.isEmpty());
    supervisor->stop();
    EXPECT_TRUE(waitUntil([this] { return stopped == 1; }));
    EXPECT_EQ(supervisor->restarts(), 0);
}

TEST_F(SoftnetSupervisorTest, WorksWithAProgramWithoutControlChannel) {
    setup.hasControl = false;
    start();
    ASSERT_TRUE(waitUntil([this] { return ready == 1; }));
    EXPECT_EQ(supervisor->client(), nullptr);
    EXPECT_TRUE(carries("frame"));
}

TEST_F(SoftnetSupervisorTest, SaysWhatCannotBeExecuted) {
    setup.program = folder.filePath(QStringLiteral("none"));
    supervisor = std::make_unique<SoftnetSupervisor>(std::move(setup));
    const auto started = supervisor->start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().kind, Error::Kind::NotFound);
    EXPECT_TRUE(started.error().message.contains(folder.path()));
}

TEST(SoftnetOrphanTest, TheChildEndsWhenItsParentIsKilled) {
    QProcess parent;
    parent.start(QStringLiteral(VITRINE_SOFTNET_STAND_IN),
                 {QStringLiteral("parent"), QStringLiteral(VITRINE_SOFTNET_STAND_IN)});
    ASSERT_TRUE(waitUntil([&] { return parent.canReadLine(); }));
    const auto child = static_cast<pid_t>(parent.readLine().trimmed().toInt());
    ASSERT_GT(child, 1);
    ASSERT_EQ(vitrine::test::sendSignal(child, 0), 0);
    parent.kill();
    EXPECT_TRUE(
        waitUntil([&] { return vitrine::test::sendSignal(child, 0) != 0 && errno == ESRCH; }));
}
