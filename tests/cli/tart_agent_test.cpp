// SPDX-License-Identifier: Apache-2.0
// `exec` and `ip` at a machine with a `control.sock`: of another program, which holds the lock as
// `tart run` does, and of our own.
#include "tests/cli/on_terminal.h"
#include "tests/support/event_wait.h"
#include "tests/support/fake_machine.h"
#include "tests/support/send_signal.h"
#include "tests/support/tart_agent_server.h"
#include "vz/plan/control_pipe.h"

#include <sys/stat.h>

namespace vitrine::test {

namespace {

class CommandLineAtAnAgent : public OnTerminal {
protected:
    ~CommandLineAtAnAgent() override {
        if (m_holder) {
            m_holder->kill();
            m_holder->waitForFinished();
        }
    }
    [[nodiscard]] QString socket() const { return m_directory + s("/control.sock"); }
    void startAgent() { m_agent = std::make_unique<TartAgentServer>(socket()); }
    void holdAndStartAgent() {
        m_holder = hold(m_directory);
        startAgent();
    }
    // While this process answers too.
    Finished ask(const QStringList& arguments) {
        const auto process = start(arguments);
        process->closeWriteChannel();
        EXPECT_TRUE(waitUntil([&] { return process->state() == QProcess::NotRunning; }, 100000));
        return {
            process->exitCode(), process->readAllStandardOutput(), process->readAllStandardError()};
    }
    // A program that runs the machine, whose guest has no agent.
    [[nodiscard]] std::unique_ptr<vz::ControlPipe> pipeToNobody() const {
        auto pipe = vz::ControlPipe::listen(m_directory, [](const vz::ControlPipe::Opened& opened) {
            opened(fail(Error::Kind::Network, s("nobody")));
        });
        EXPECT_TRUE(pipe);
        return pipe ? *std::move(pipe) : nullptr;
    }

    QString m_directory = add("web");
    std::unique_ptr<QProcess> m_holder;
    std::unique_ptr<TartAgentServer> m_agent;
};

} // namespace

TEST_F(CommandLineAtAnAgent, ACommandRunsWithItsStreamsAndItsExitCode) {
    holdAndStartAgent();
    const Finished done = run({"exec", "web", "describe", "a b", "-x"});
    EXPECT_EQ(done.code, 0) << done.err.toStdString();
    EXPECT_EQ(done.out,
              QByteArray("name=describe args=['a b', '-x'] interactive=False tty=False "
                         "detach=False env=[] workdir=\n"));
    EXPECT_EQ(done.err, QByteArray("to the errors\n"));
    EXPECT_EQ(run({"exec", "web", "exit", "42"}).code, 42);
    EXPECT_EQ(run({"exec", "web", "exit", "-1"}).code, 255);
}

TEST_F(CommandLineAtAnAgent, InputGoesInAndComesBack) {
    holdAndStartAgent();
    QByteArray input;
    for (int i = 0; input.size() < (8 << 20); ++i)
        input += QByteArray::number(i) + '\0';
    const Finished done = run({s("exec"), s("-i"), s("web"), s("cat")}, input);
    EXPECT_EQ(done.code, 0) << done.err.toStdString();
    EXPECT_TRUE(done.out == input) << done.out.size();
    EXPECT_EQ(run({s("exec"), s("-i"), s("web"), s("count")}).out, QByteArray("0\n"));
}

TEST_F(CommandLineAtAnAgent, FailuresEndWithOneAndAreSaid) {
    holdAndStartAgent();
    const Finished unknown = run({"exec", "web", "nonsense"});
    EXPECT_EQ(unknown.code, 1);
    EXPECT_TRUE(unknown.err.contains("executable file not found in $PATH\\x1b"))
        << unknown.err.toStdString();
    for (const char* how : {"no-exit", "die"}) {
        const Finished broken = run({"exec", "web", how});
        EXPECT_EQ(broken.code, 1) << how;
        EXPECT_EQ(broken.out, QByteArray("before\n"));
        EXPECT_FALSE(broken.err.isEmpty());
    }
}

TEST_F(CommandLineAtAnAgent, AMachineThatDoesNotRunIsTwoAndOneWithoutAnAgentOne) {
    startAgent();
    const Finished stopped = run({"exec", "web", "describe"});
    EXPECT_EQ(stopped.code, 2) << "nobody holds the lock";
    EXPECT_TRUE(stopped.err.contains("not running"));
    EXPECT_EQ(run({"ip", "--resolver=agent", "web"}).code, 2);
    m_agent.reset();
    m_holder = hold(m_directory);
    const Finished alone = run({"exec", "web", "describe"});
    EXPECT_EQ(alone.code, 1);
    EXPECT_TRUE(alone.err.contains("another program")) << alone.err.toStdString();
    const auto pipe = pipeToNobody();
    const Finished without = ask({s("exec"), s("web"), s("describe")});
    EXPECT_EQ(without.code, 1);
    EXPECT_TRUE(without.err.contains("tart-guest-agent")) << without.err.toStdString();
}

// As `tart ip` does: what was given to its card, or seen of it. Nothing here has that card.
TEST_F(CommandLineAtAnAgent, WithoutAnAgentThisComputerItselfIsAskedForTheAddress) {
    m_holder = hold(m_directory);
    std::unique_ptr<vz::ControlPipe> pipe;
    for (const bool silentAgent : {false, true}) {
        if (silentAgent)
            pipe = pipeToNobody();
        for (const QStringList& resolver :
             {QStringList{}, QStringList{s("--resolver=dhcp")}, QStringList{s("--resolver=arp")}}) {
            const Finished none = ask(QStringList{s("ip"), s("web")} + resolver);
            EXPECT_EQ(none.code, 1);
            EXPECT_TRUE(none.out.isEmpty());
            EXPECT_TRUE(none.err.contains("knows no address of it")) << none.err.toStdString();
        }
    }
    const Finished agent = run({"ip", "--resolver=agent", "web"});
    EXPECT_FALSE(agent.err.contains("knows no address of it")) << agent.err.toStdString();
}

TEST_F(CommandLineAtAnAgent, AnInterruptEndsTheCommandInTheGuest) {
    holdAndStartAgent();
    const auto process = start({s("exec"), s("web"), s("wait")});
    QByteArray out;
    ASSERT_TRUE(waitUntil([&] {
        out += process->readAllStandardOutput();
        return out == "waiting\n";
    }));
    ASSERT_EQ(vitrine::test::sendSignal(static_cast<pid_t>(process->processId()), SIGINT), 0);
    EXPECT_EQ(finish(*process).code, 130);
    EXPECT_TRUE(m_agent->waitForLine("cancelled"));
}

TEST_F(CommandLineAtAnAgent, AReaderThatGoesAwayEndsTheCommand) {
    holdAndStartAgent();
    m_environment.insert(s("VITRINECTL"), m_program);
    QProcess shell;
    shell.setProcessEnvironment(m_environment);
    shell.start(
        s("sh"),
        {s("-c"), s("{ \"$VITRINECTL\" exec web flood 1073741824; echo $? >&2; } | head -c 1")});
    EXPECT_EQ(finish(shell).err, QByteArray::number(128 + SIGPIPE) + '\n');
}

TEST_F(CommandLineAtAnAgent, AReaderThatIsSlowHoldsTheGuestUp) {
#ifdef VITRINE_SANITIZED
    constexpr qint64 mostMemory = 1 << 20; // KiB: what was freed is kept for a while
#else
    constexpr qint64 mostMemory = 96 << 10; // KiB; the output is 256 MiB
#endif
    holdAndStartAgent();
    const QString fifo = m_home.filePath(s("fifo"));
    ASSERT_EQ(::mkfifo(QFile::encodeName(fifo).constData(), 0600), 0);
    const int reader = ::open(QFile::encodeName(fifo).constData(), O_RDONLY | O_NONBLOCK);
    QProcess process;
    process.setProcessEnvironment(m_environment);
    process.setStandardOutputFile(fifo);
    process.start(m_program, {s("exec"), s("web"), s("flood"), s("268435456")});
    ASSERT_TRUE(m_agent->waitForLine("flooding"));
    // Until it needs no more: other commands go their way in between.
    qint64 before = -1;
    qint64 peak = 0;
    while (peak != before) {
        EXPECT_EQ(run({"exec", "web", "large", "4000000"}).out.size(), 4000000);
        before = peak;
        const QByteArray status = read(s("/proc/%1/status").arg(process.processId()));
        const qsizetype at = status.indexOf("VmHWM:");
        ASSERT_GE(at, 0);
        peak = status.mid(at + 6, 20).simplified().split(' ').first().toLongLong();
    }
    EXPECT_LT(peak, mostMemory);
    ::fcntl(reader, F_SETFL, 0);
    qint64 received = 0;
    QByteArray buffer(1 << 16, '\0');
    for (ssize_t size = 1; size > 0; received += qMax<ssize_t>(size, 0))
        size = ::read(reader, buffer.data(), 1 << 16);
    ::close(reader);
    EXPECT_EQ(received, 268435456);
    EXPECT_EQ(finish(process).code, 0);
}

TEST_F(CommandLineAtAnAgent, ATerminalHasItsSizeAndKeepsItWhenItChanges) {
    holdAndStartAgent();
    begin({s("exec"), s("-t"), s("web"), s("sizes"), s("1")}, 40, 100);
    ASSERT_TRUE(waitFor("40x100")) << screen().toStdString();
    setSize(41, 101);
    ASSERT_TRUE(waitFor("41x101")) << screen().toStdString();
    EXPECT_EQ(end(), 0);
}

TEST_F(CommandLineAtAnAgent, KeysGoToTheGuestAndTheTerminalIsPutBack) {
    holdAndStartAgent();
    begin({s("exec"), s("-i"), s("-t"), s("web"), s("cat")}, 24, 80);
    ASSERT_TRUE(waitUntil([this] { return !showsWhatIsTyped(); }));
    type("a\x03z");
    ASSERT_TRUE(waitFor("a\x03z")) << "Ctrl-C is for the guest: " << screen().toStdString();
    ASSERT_EQ(vitrine::test::sendSignal(static_cast<pid_t>(process()), SIGTERM), 0);
    EXPECT_EQ(end(), 130);
    EXPECT_TRUE(showsWhatIsTyped());
}

TEST_F(CommandLineAtAnAgent, TheAddressComesFromTheAgent) {
    holdAndStartAgent();
    for (const QStringList& line : {QStringList{s("ip"), s("web")},
                                    {s("ip"), s("--resolver=agent"), s("--wait=5"), s("web")}}) {
        const Finished done = run(line);
        EXPECT_EQ(done.code, 0) << done.err.toStdString();
        EXPECT_EQ(done.out, QByteArray("192.168.64.7\n"));
    }
    m_agent->restart({s("--exec-only")});
    const Finished old = run({"ip", "--resolver=agent", "--wait=60", "web"});
    EXPECT_EQ(old.code, 1);
    EXPECT_TRUE(old.err.contains("/Agent/ResolveIP")) << old.err.toStdString();
    m_agent.reset();
    const auto pipe = pipeToNobody();
    const Finished none = ask({s("ip"), s("--resolver=agent"), s("--wait=1"), s("web")});
    EXPECT_EQ(none.code, 1);
    EXPECT_TRUE(none.out.isEmpty());
    EXPECT_TRUE(none.err.contains("tart-guest-agent")) << none.err.toStdString();
}

TEST_F(CommandLineAtAnAgent, AMachineOfOurOwnIsAskedTheSameWayAndOtherwiseWithoutIt) {
    FakeMachine machine(m_small.library, s("web"));
    ASSERT_TRUE(machine.start());
    MachineStatus status = machine.status();
    status.agentAnswers = true;
    machine.setStatus(status);
    startAgent();
    const Finished tart = ask({s("exec"), s("web"), s("describe")});
    EXPECT_EQ(tart.code, 0) << tart.err.toStdString();
    EXPECT_TRUE(tart.out.startsWith("name=describe"));
    m_agent.reset();
    const auto pipe = pipeToNobody();
    const Finished other = ask({s("exec"), s("web"), s("echo"), s("hello")});
    EXPECT_EQ(other.code, 0) << other.err.toStdString();
    EXPECT_EQ(other.out, QByteArray("hello\n")) << "by qemu-guest-agent";
    // What was typed ahead is still there for ssh.
    const QTemporaryDir bin;
    SmallLibrary::write(bin.filePath(s("ssh")), "#!/bin/sh\nexec cat\n");
    QFile::setPermissions(bin.filePath(s("ssh")), QFile::ReadOwner | QFile::ExeOwner);
    m_environment.insert(s("PATH"), bin.path() + s(":") + qEnvironmentVariable("PATH"));
    const auto process = start({s("exec"), s("-i"), s("web"), s("cat")});
    process->write("typed ahead");
    process->closeWriteChannel();
    ASSERT_TRUE(waitUntil([&] { return process->state() == QProcess::NotRunning; }, 100000));
    EXPECT_EQ(process->readAllStandardOutput(), QByteArray("typed ahead"));
}

} // namespace vitrine::test
