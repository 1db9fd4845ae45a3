// SPDX-License-Identifier: Apache-2.0
// The guest's agent of a machine of this process, played by gRPC's own server.
#include "core/channel/local_socket.h"
#include "core/hypervisor/machine_exec.h"
#include "core/sharing/share_status.h"
#include "tests/support/tart_agent_server.h"
#include "tests/vz/host/hosted_machine_fixture.h"
#include "vz/host/guest_services.h"

#include <sys/socket.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::vz;
using namespace vitrine::vz::test;
using vitrine::test::TartAgentServer;

namespace {

// What connects to the agent's port gets to the server.
class AgentMachine final : public FakeVzMachine {
public:
    explicit AgentMachine(QString socket)
        : m_socket(std::move(socket)) {}
    void connectVsock(quint32, Connection done) override { done(connectToLocalSocket(m_socket)); }

private:
    QString m_socket;
};

class VzAgentTest : public HostedMachineTest {
protected:
    void SetUp() override {
        addLinux();
        factory->make = [this] { return std::make_unique<AgentMachine>(agent.socket()); };
        services.openServices = [this](const OpenedMachine& opened) {
            GuestServices::Neighbours nobody;
            nobody.leases = small.library.home() + QLatin1String("/none");
            nobody.arp = [](const MacAddress&) { return QString(); };
            return std::make_unique<GuestServices>(opened, nobody);
        };
    }
    void start() {
        run(request(QStringLiteral("linux")));
        ASSERT_TRUE(waitUntil([this] { return client->status().agentAnswers; }));
    }
    Result<GuestAgent::ExecResult> exec(const char* program,
                                        const QStringList& arguments = {},
                                        const QByteArray& input = {},
                                        int timeout = 30000) {
        const auto answer =
            client->callAndWait(QStringLiteral("agent.exec"),
                                execParameters(QLatin1String(program), arguments, input, timeout),
                                60000);
        return answer ? execFromJson(*answer) : fail(answer.error());
    }

    TartAgentServer agent;
};

} // namespace

TEST_F(VzAgentTest, RunsProgramsWithTheirInputAndKeepsTheirStreamsApart) {
    start();
    EXPECT_EQ(client->status().agentAddress, QStringLiteral("192.168.64.7"));
    const auto described = exec("describe", {QStringLiteral("a b")});
    ASSERT_TRUE(described) << described.error().message.toStdString();
    EXPECT_TRUE(described->standardOutput.startsWith(
        "name=describe args=['a b'] interactive=False tty=False"));
    EXPECT_EQ(described->standardError, QByteArray("to the errors\n"));
    EXPECT_EQ(exec("exit", {QStringLiteral("42")})->exitCode, 42);
    const QByteArray input(700 * 1024, 'i'); // a line of the socket holds no more
    EXPECT_EQ(exec("cat", {}, input)->standardOutput, input);
    EXPECT_EQ(exec("count", {}, input)->standardOutput, QByteArray("716800\n"));
}

TEST_F(VzAgentTest, OutputIsCutAtTheLimitOfEveryAgentAndTheRestIsDrained) {
    start();
    constexpr qsizetype limit = GuestCommands::longestOutput;
    const auto flood = exec("flood", {QString::number(limit + (4 << 20))});
    ASSERT_TRUE(flood) << flood.error().message.toStdString();
    EXPECT_EQ(flood->exitCode, 0);
    EXPECT_TRUE(flood->truncated);
    EXPECT_EQ(flood->standardOutput.size(), limit);
    EXPECT_FALSE(exec("flood", {QString::number(limit)})->truncated);
}

TEST_F(VzAgentTest, FailuresHaveTheKindsOfEveryAgent) {
    start();
    EXPECT_EQ(call("agent.exec").error().kind, Error::Kind::InvalidInput);
    const auto missing = exec("/no/such/program");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, Error::Kind::NotFound);
    EXPECT_EQ(exec("no-exit").error().kind, Error::Kind::Network);
    EXPECT_EQ(exec("die").error().kind, Error::Kind::Network);
    EXPECT_EQ(exec("describe").error().kind, Error::Kind::Timeout) << "the agent is gone";
}

TEST_F(VzAgentTest, WhatDoesNotEndInTimeIsEnded) {
    start();
    const auto late = exec("wait", {}, {}, 300);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().kind, Error::Kind::Timeout);
    EXPECT_TRUE(late.error().message.contains(QLatin1String("ended there")));
    EXPECT_TRUE(agent.waitForLine("cancelled"));
}

TEST_F(VzAgentTest, WhatRunsIsAnsweredWhenTheMachineEnds) {
    start();
    std::optional<Result<QJsonValue>> answer;
    client->call(
        QStringLiteral("agent.exec"),
        execParameters(QStringLiteral("wait"), {}, {}, 60000),
        [&](const Result<QJsonValue>& told) { answer = told; },
        60000);
    ASSERT_TRUE(call("status"));
    factory->last->events->guestStopped();
    ASSERT_TRUE(waitUntil([&] { return answer.has_value(); }));
    EXPECT_EQ(answer->error().kind, Error::Kind::NotRunning);
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 0);
}

TEST_F(VzAgentTest, TooManyAtOnceAreRefused) {
    start();
    int refused = 0;
    for (int i = 0; i <= GuestCommands::most; ++i)
        client->call(
            QStringLiteral("agent.exec"),
            execParameters(QStringLiteral("wait"), {}, {}, 60000),
            [&refused](const Result<QJsonValue>& answer) {
                refused += !answer && answer.error().kind == Error::Kind::Busy ? 1 : 0;
            },
            60000);
    EXPECT_TRUE(waitUntil([&] { return refused == 1; }));
    EXPECT_TRUE(call("forceOff"));
    EXPECT_TRUE(ends());
}

TEST_F(VzAgentTest, TheStateOfTheAgentIsAskedForOnWish) {
    start();
    const auto state = [this](int wait) {
        const auto answer = call("agent.state", {{QStringLiteral("wait"), wait}});
        EXPECT_TRUE(answer);
        QStringList set;
        for (const char* key : {"opened", "seen", "answers"})
            if (answer && answer->toObject().value(QLatin1String(key)).toBool())
                set << QLatin1String(key);
        return set.join(QLatin1Char(' ')).toStdString();
    };
    EXPECT_EQ(state(0), "opened seen answers");
    agent.stop();
    EXPECT_EQ(state(2000), "seen");
    agent.restart({QStringLiteral("--exec-only")});
    EXPECT_EQ(state(2000), "opened seen answers") << "one that knows no address";
}

TEST_F(VzAgentTest, AnAgentThatKnowsNoAddressAnswers) {
    agent.restart({QStringLiteral("--exec-only")});
    start();
    EXPECT_EQ(client->status().agentAddress, QString());
    EXPECT_EQ(exec("exit", {QStringLiteral("3")})->exitCode, 3);
}

TEST_F(VzAgentTest, WithoutAnAgentItIsSaidAtOnce) {
    agent.stop();
    run(request(QStringLiteral("linux")));
    const auto nobody = exec("describe");
    ASSERT_FALSE(nobody);
    EXPECT_EQ(nobody.error().kind, Error::Kind::Timeout);
    const auto state = call("agent.state", {{QStringLiteral("wait"), 60000}});
    ASSERT_TRUE(state) << "nobody listens: nobody is waited for";
    EXPECT_FALSE(state->toObject().value(QLatin1String("answers")).toBool(true));
    // A folder waits for somebody who mounts it.
    ASSERT_TRUE(call("share.add", {{QStringLiteral("path"), makeFolder("data")}}));
    const auto share = ShareList::fromJson(*call("share.list")).shares.constFirst();
    EXPECT_EQ(share.state, ShareState::Waiting);
    const auto mounted = call("share.mount", {{QStringLiteral("tag"), share.spec.tag}});
    ASSERT_FALSE(mounted);
    EXPECT_EQ(mounted.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(mounted.error().message.contains(share.mountLine));
}

TEST_F(VzAgentTest, FoldersAreMountedAsSoonAsThereIsAnAgent) {
    ShareSpec own;
    own.path = makeFolder("own");
    own.tag = QStringLiteral("own");
    ShareSpec named;
    named.path = makeFolder("named");
    named.name = QStringLiteral("named");
    agent.stop();
    auto wish = request(QStringLiteral("linux"));
    wish.options.shares = {own, named};
    run(wish);
    EXPECT_EQ(ShareList::fromJson(*call("share.list")).shares.constFirst().state,
              ShareState::Waiting);
    agent.restart({QStringLiteral("--guest"), outside.filePath(QStringLiteral("folders.json"))});
    ASSERT_TRUE(call("agent.state", {{QStringLiteral("wait"), 5000}}));
    EXPECT_TRUE(waitUntil([this] { return client->status().agentAnswers; }));
    EXPECT_TRUE(waitUntil([this] {
        const auto shares = ShareList::fromJson(*call("share.list")).shares;
        return std::all_of(shares.begin(), shares.end(), [](const ShareStatus& share) {
            return share.state == ShareState::Mounted;
        });
    }));
    const auto shares = ShareList::fromJson(*call("share.list")).shares;
    ASSERT_EQ(shares.size(), 2);
    EXPECT_EQ(shares.at(0).guestPath, QStringLiteral("/mnt/vitrine/own"));
    // The device is mounted, and the folder is in it.
    const QString device = shares.at(1).guestPath.section(QLatin1Char('/'), 0, -2);
    EXPECT_EQ(shares.at(1).guestPath, device + QStringLiteral("/named"));
    EXPECT_TRUE(shares.at(1).mountLine.endsWith(QLatin1Char('\'') + device + QLatin1Char('\'')))
        << shares.at(1).mountLine.toStdString();
    EXPECT_TRUE(shares.at(1).mountLine.contains(QLatin1String(defaultShareTag)));
}

TEST_F(VzAgentTest, AGuestThatCannotMountSaysWhy) {
    start(); // its agent knows no /bin/sh
    const auto added = call("share.add", {{QStringLiteral("path"), makeFolder("data")}});
    ASSERT_TRUE(added);
    const auto share = ShareStatus::fromJson(added->toObject());
    EXPECT_EQ(share.state, ShareState::NotMounted);
    EXPECT_TRUE(share.message.contains(QLatin1String("/bin/sh"))) << share.message.toStdString();
    EXPECT_FALSE(share.mountLine.isEmpty()) << "to do it by hand";
    EXPECT_TRUE(call("share.remove", {{QStringLiteral("tag"), share.spec.tag}}));
}
