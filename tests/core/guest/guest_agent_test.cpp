// SPDX-License-Identifier: Apache-2.0
#include "core/guest/guest_agent.h"

#include "tests/support/event_wait.h"
#include "tests/support/fake_guest_agent.h"

#include <QJsonArray>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using vitrine::Error;
using vitrine::GuestAgent;
using vitrine::Result;
using vitrine::test::FakeGuestAgent;
using vitrine::test::waitUntil;

namespace {

class GuestAgentTest : public testing::Test {
protected:
    GuestAgentTest()
        : fake(folder.filePath(QStringLiteral("agent")))
        , agent(folder.filePath(QStringLiteral("agent"))) {}

    Result<QJsonValue> ask(const QString& command, int timeout = 30000) {
        std::optional<Result<QJsonValue>> answer;
        agent.execute(
            command, {}, timeout, [&answer](Result<QJsonValue> result) { answer = result; });
        EXPECT_TRUE(waitUntil([&answer] { return answer.has_value(); }));
        return answer.value_or(vitrine::fail(Error::cancelled()));
    }
    Result<GuestAgent::ExecResult> run(const QString& path, int timeout = 30000) {
        std::optional<Result<GuestAgent::ExecResult>> answer;
        agent.run(path, {}, "in", timeout, [&answer](Result<GuestAgent::ExecResult> result) {
            answer = std::move(result);
        });
        EXPECT_TRUE(waitUntil([&answer] { return answer.has_value(); }));
        return answer.value_or(vitrine::fail(Error::cancelled()));
    }
    // guest-exec that ends after `polls` looks with this status.
    void answerExec(int polls, const QJsonObject& status) {
        fake.answers[QStringLiteral("guest-exec")] = [](const QJsonObject&) {
            return FakeGuestAgent::value(QJsonObject{{QStringLiteral("pid"), 7}});
        };
        const auto left = std::make_shared<int>(polls);
        fake.answers[QStringLiteral("guest-exec-status")] = [left, status](const QJsonObject&) {
            return FakeGuestAgent::value(
                (*left)-- > 0 ? QJsonObject{{QStringLiteral("exited"), false}} : status);
        };
    }

    QTemporaryDir folder;
    FakeGuestAgent fake;
    GuestAgent agent;
};

} // namespace

TEST_F(GuestAgentTest, SynchronisesOnceAndAsks) {
    fake.answers[QStringLiteral("guest-ping")] = [](const QJsonObject&) {
        return FakeGuestAgent::value(42);
    };
    EXPECT_EQ(ask(QStringLiteral("guest-ping"))->toInt(), 42);
    EXPECT_EQ(ask(QStringLiteral("guest-ping"))->toInt(), 42);
    EXPECT_EQ(fake.connections, 1);
}

TEST_F(GuestAgentTest, SendsOneCommandAtATime) {
    int answered = 0;
    for (int i = 0; i < 20; ++i) {
        agent.execute(QStringLiteral("guest-ping"), {}, 5000, [&answered](const auto& result) {
            answered += result.has_value() ? 1 : 0;
        });
    }
    EXPECT_TRUE(waitUntil([&answered] { return answered == 20; }));
    EXPECT_EQ(fake.mostOpenCommands, 1);
}

TEST_F(GuestAgentTest, TimesOutWhenNobodyListensInTheGuestAndSendsNothingButTheSync) {
    fake.listens = false;
    const auto answer = ask(QStringLiteral("guest-shutdown"), 150);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, Error::Kind::Timeout);
    fake.listens = true;
    EXPECT_TRUE(ask(QStringLiteral("guest-ping")));
    // The command that was given up never reached the guest.
    EXPECT_EQ(fake.commands, QStringList{QStringLiteral("guest-ping")});
}

TEST_F(GuestAgentTest, DoesNotTakeALateAnswerForAnotherCommands) {
    fake.answers[QStringLiteral("guest-slow")] = [](const QJsonObject&) { return std::nullopt; };
    fake.answers[QStringLiteral("guest-quick")] = [](const QJsonObject&) {
        return FakeGuestAgent::value(QStringLiteral("quick"));
    };
    EXPECT_EQ(ask(QStringLiteral("guest-slow"), 100).error().kind, Error::Kind::Timeout);
    EXPECT_EQ(ask(QStringLiteral("guest-quick"))->toString(), QStringLiteral("quick"));
    EXPECT_EQ(fake.connections, 2);
}

TEST_F(GuestAgentTest, WaitingCommandsHaveTheirOwnLimit) {
    fake.answers[QStringLiteral("guest-slow")] = [](const QJsonObject&) { return std::nullopt; };
    QStringList ended;
    agent.execute(QStringLiteral("guest-slow"), {}, 400, [&ended](const auto&) {
        ended.append(QStringLiteral("slow"));
    });
    agent.execute(QStringLiteral("guest-ping"), {}, 50, [&ended](const auto& result) {
        EXPECT_EQ(result.error().kind, Error::Kind::Timeout);
        ended.append(QStringLiteral("ping"));
    });
    EXPECT_TRUE(waitUntil([&ended] { return ended.size() == 2; }));
    EXPECT_EQ(ended, (QStringList{QStringLiteral("ping"), QStringLiteral("slow")}));
}

TEST_F(GuestAgentTest, AnswersAtOnceWhenTheGuestIsKnownNotToListen) {
    agent.setGuestOpened(false);
    const auto answer = ask(QStringLiteral("guest-ping"), 60000);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, Error::Kind::Timeout);
    EXPECT_EQ(fake.connections, 0);
    agent.setGuestOpened(true);
    EXPECT_TRUE(ask(QStringLiteral("guest-ping")));
}

TEST_F(GuestAgentTest, FailsWhatIsUnderWayWhenTheAgentEnds) {
    fake.answers[QStringLiteral("guest-slow")] = [](const QJsonObject&) { return std::nullopt; };
    int failures = 0;
    for (int i = 0; i < 3; ++i) {
        agent.execute(QStringLiteral("guest-slow"), {}, 60000, [&failures](const auto& result) {
            failures += result.has_value() ? 0 : 1;
        });
    }
    ASSERT_TRUE(waitUntil([this] { return fake.commands.size() == 1; }));
    agent.setGuestOpened(false);
    EXPECT_EQ(failures, 3);
}

TEST_F(GuestAgentTest, ConnectsAgainAfterTheSocketWasClosed) {
    EXPECT_TRUE(ask(QStringLiteral("guest-ping")));
    fake.hangUp();
    // One that was sent into the closing socket is not sent twice: it may have been carried out.
    const auto next = ask(QStringLiteral("guest-ping"));
    EXPECT_TRUE(next || next.error().kind == Error::Kind::NotRunning);
    EXPECT_TRUE(ask(QStringLiteral("guest-ping")));
}

TEST_F(GuestAgentTest, SurvivesGarbageAndRefusesAnEndlessLine) {
    fake.answers[QStringLiteral("guest-garbage")] = [this](const QJsonObject&) {
        fake.sendBytes("this is not JSON\n");
        return std::nullopt;
    };
    EXPECT_EQ(ask(QStringLiteral("guest-garbage")).error().kind, Error::Kind::Integrity);
    fake.answers[QStringLiteral("guest-endless")] = [this](const QJsonObject&) {
        const QByteArray much(8 << 20, 'x');
        for (int i = 0; i < 9; ++i) {
            fake.sendBytes(much);
        }
        return std::nullopt;
    };
    EXPECT_EQ(ask(QStringLiteral("guest-endless"), 30000).error().kind, Error::Kind::Integrity);
}

TEST_F(GuestAgentTest, TellsAnUnknownCommandFromARefusal) {
    fake.answers[QStringLiteral("guest-new")] = [](const QJsonObject&) {
        return QJsonObject{
            {QStringLiteral("error"),
             QJsonObject{{QStringLiteral("class"), QStringLiteral("CommandNotFound")},
                         {QStringLiteral("desc"), QStringLiteral("no such command")}}}};
    };
    fake.answers[QStringLiteral("guest-fails")] = [](const QJsonObject&) {
        return QJsonObject{{QStringLiteral("error"),
                            QJsonObject{{QStringLiteral("class"), QStringLiteral("GenericError")},
                                        {QStringLiteral("desc"), QStringLiteral("no hwclock")}}}};
    };
    EXPECT_EQ(ask(QStringLiteral("guest-new")).error().kind, Error::Kind::Unsupported);
    const auto refused = ask(QStringLiteral("guest-fails"));
    EXPECT_EQ(refused.error().kind, Error::Kind::Internal);
    EXPECT_TRUE(refused.error().message.contains(QStringLiteral("no hwclock")));
}

TEST_F(GuestAgentTest, RunsAProgramAndWaitsForItsEnd) {
    answerExec(3,
               {{QStringLiteral("exited"), true},
                {QStringLiteral("exitcode"), 3},
                {QStringLiteral("out-data"), QString::fromLatin1(QByteArray("hello").toBase64())},
                {QStringLiteral("err-data"), QString::fromLatin1(QByteArray("oops").toBase64())},
                {QStringLiteral("out-truncated"), true}});
    const auto result = run(QStringLiteral("/bin/thing"));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->exitCode, 3);
    EXPECT_EQ(result->standardOutput, "hello");
    EXPECT_EQ(result->standardError, "oops");
    EXPECT_TRUE(result->truncated);
    EXPECT_EQ(fake.commands.count(QStringLiteral("guest-exec-status")), 4);
}

TEST_F(GuestAgentTest, ReportsASignalAsShellsDo) {
    answerExec(0, {{QStringLiteral("exited"), true}, {QStringLiteral("signal"), 9}});
    EXPECT_EQ(run(QStringLiteral("/bin/thing"))->exitCode, 137);
}

TEST_F(GuestAgentTest, GivesUpOnAProgramThatDoesNotEnd) {
    answerExec(1000000, {});
    const auto result = run(QStringLiteral("/bin/forever"), 300);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, Error::Kind::Timeout);
}

TEST_F(GuestAgentTest, GivesUpOnAGuestThatFallsSilentWhileAProgramRuns) {
    answerExec(0, {});
    fake.answers[QStringLiteral("guest-exec-status")] = [](const QJsonObject&) {
        return std::nullopt;
    };
    agent.setSilenceLimit(200);
    const auto result = run(QStringLiteral("/bin/thing"), 24 * 3600 * 1000);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, Error::Kind::Timeout);
    EXPECT_TRUE(result.error().message.contains(QStringLiteral("crashed or hangs")))
        << result.error().message.toStdString();
}

TEST_F(GuestAgentTest, APauseIsNoSilence) {
    answerExec(0, {{QStringLiteral("exited"), true}, {QStringLiteral("exitcode"), 3}});
    const auto answered = fake.answers.at(QStringLiteral("guest-exec-status"));
    fake.answers[QStringLiteral("guest-exec-status")] = [](const QJsonObject&) {
        return std::nullopt;
    };
    agent.setSilenceLimit(300);
    std::optional<Result<GuestAgent::ExecResult>> answer;
    agent.run(QStringLiteral("/bin/thing"), {}, {}, 60000, [&answer](const auto& result) {
        answer = result;
    });
    ASSERT_TRUE(waitUntil([this] { return fake.commands.size() == 2; }));
    agent.setPaused(true);
    // Three times the limit.
    EXPECT_FALSE(waitUntil([&answer] { return answer.has_value(); }, 900));
    agent.setPaused(false);
    fake.sendBytes(QJsonDocument(*answered({})).toJson(QJsonDocument::Compact) + '\n');
    ASSERT_TRUE(waitUntil([&answer] { return answer.has_value(); }));
    ASSERT_TRUE(*answer) << answer->error().message.toStdString();
    EXPECT_EQ((*answer)->exitCode, 3);
}

TEST_F(GuestAgentTest, RefusesOutputThatIsNoBase64) {
    answerExec(0,
               {{QStringLiteral("exited"), true},
                {QStringLiteral("exitcode"), 0},
                {QStringLiteral("out-data"), QStringLiteral("***")}});
    EXPECT_EQ(run(QStringLiteral("/bin/thing")).error().kind, Error::Kind::Integrity);
}

TEST_F(GuestAgentTest, MayBeDestroyedByAReply) {
    auto own = std::make_unique<GuestAgent>(folder.filePath(QStringLiteral("agent")));
    own->execute(QStringLiteral("guest-ping"), {}, 5000, [&own](const auto&) { own.reset(); });
    EXPECT_TRUE(waitUntil([&own] { return !own; }));
}
