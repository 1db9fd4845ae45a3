// SPDX-License-Identifier: Apache-2.0
#include "core/bench/guest_shell.h"

#include "core/hypervisor/control_server.h"
#include "tests/core/bench/bench_support.h"
#include "tests/support/held_machine.h"

#include <QJsonArray>
#include <QJsonObject>

#include <memory>

namespace vitrine::bench {

namespace {

// What a shell makes of a machine in that state, which answers as given.
Result<Executor::Output> runIn(const MachineStatus& status, const ControlServer::Handler& exec) {
    test::SmallLibrary library;
    const QString directory = library.add(s("m"));
    const auto held = test::HeldMachine::take(library.library, directory);
    EXPECT_TRUE(held);
    ControlServer server;
    server.on(s("hello"), [&server](const QJsonObject&, const auto& respond) {
        respond(QJsonObject{{s("protocol"), 1},
                            {s("methods"), QJsonArray::fromStringList(server.methods())}});
    });
    server.on(s("subscribe"),
              [&status](const QJsonObject&, const auto& respond) { respond(status.toJson()); });
    server.on(s("agent.exec"), exec);
    EXPECT_TRUE(server.listen(held->runtime.controlSocket()));
    MachineClient client(library.library.home(), directory);
    EXPECT_TRUE(client.waitForConnected(30000));
    return agentShell(client)->run(s("true"), {}, {}, 30000);
}

} // namespace

TEST(AgentShell, AMachineThatStaysPausedIsNoMeasurement) {
    MachineStatus status;
    status.state = MachineState::Paused;
    status.note = s("The disk of this computer is full.");
    const auto output = runIn(status, [](const QJsonObject&, const auto&) {}); // it does not go on
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().kind, Error::Kind::Busy) << output.error().message.toStdString();
    EXPECT_TRUE(output.error().message.contains(s("The disk of this computer is full.")))
        << output.error().message.toStdString();
}

TEST(AgentShell, AMachineThatIsShutDownMeanwhileIsNamedAsTheReason) {
    const auto exec = [](const QJsonObject&, const auto& respond) {
        respond(fail(Error::Kind::Unsupported, s("Install the agent.")));
    };
    MachineStatus status;
    status.state = MachineState::ShuttingDown;
    const auto output = runIn(status, exec);
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().kind, Error::Kind::NotRunning);
    EXPECT_TRUE(output.error().message.contains(s("shut down")))
        << output.error().message.toStdString();
    status.state = MachineState::Running;
    EXPECT_EQ(runIn(status, exec).error().message, s("Install the agent."));
}

namespace {

// Where the program ssh is this script.
class SshShellTest : public testing::Test {
protected:
    void SetUp() override {
        QFile program(m_folder.filePath(s("ssh")));
        ASSERT_TRUE(program.open(QIODevice::WriteOnly));
        program.write("#!/bin/sh\n[ ! -e '" + QFile::encodeName(dead()) +
                      "' ] || { echo 'Connection timed out' >&2; exit 255; }\necho \"$@\"\n");
        program.close();
        ASSERT_TRUE(program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        qputenv("PATH", m_folder.path().toUtf8() + ':' + m_path);
    }
    void TearDown() override { qputenv("PATH", m_path); }
    [[nodiscard]] QString dead() const { return m_folder.filePath(s("dead")); }
    [[nodiscard]] std::unique_ptr<GuestShell> shell() const {
        SshTarget target;
        target.host = s("127.0.0.1");
        target.port = 22;
        target.user = s("admin");
        return sshShell(target, m_folder.path(), {});
    }

private:
    QTemporaryDir m_folder;
    QByteArray m_path = qgetenv("PATH");
};

} // namespace

TEST_F(SshShellTest, AGuestThatHasCrashedIsNoticed) {
    const auto output = shell()->run(s("true"), {}, {}, 30000);
    ASSERT_TRUE(output) << output.error().message.toStdString();
    EXPECT_TRUE(output->out.contains("ServerAliveInterval=")) << output->out.toStdString();
    EXPECT_TRUE(output->out.contains("ServerAliveCountMax=")) << output->out.toStdString();
}

TEST_F(SshShellTest, AGuestThatHasAnsweredAndIsGoneIsNotToldToLetAKeyIn) {
    const auto known = shell();
    ASSERT_TRUE(known->run(s("true"), {}, {}, 30000));
    ASSERT_TRUE(QFile(dead()).open(QIODevice::WriteOnly));
    const auto gone = known->run(s("true"), {}, {}, 30000);
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().kind, Error::Kind::NotRunning);
    EXPECT_TRUE(gone.error().message.contains(s("Connection timed out")))
        << gone.error().message.toStdString();
    const auto never = shell()->run(s("true"), {}, {}, 30000);
    ASSERT_FALSE(never);
    EXPECT_NE(never.error().kind, Error::Kind::NotRunning);
}

} // namespace vitrine::bench
