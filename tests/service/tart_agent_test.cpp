// SPDX-License-Identifier: Apache-2.0
// Tart's guest agent played by gRPC's own server with messages of protobuf's own library.
#include "core/guest/tart_agent.h"

#include "core/channel/local_socket.h"
#include "tests/support/event_wait.h"
#include "tests/support/tart_agent_server.h"
#include "vz/plan/control_pipe.h"

#include <QFile>

#include <gtest/gtest.h>
#include <optional>

namespace vitrine::test {

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

#ifdef VITRINE_SANITIZED
constexpr qint64 keptByTheSanitizer = 512 << 20; // what was freed, for a while
#else
constexpr qint64 keptByTheSanitizer = 0;
#endif

// Most that this process has had in memory, in bytes.
qint64 peakMemory() {
    QFile file(s("/proc/self/status"));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    for (const QByteArray& line : file.readAll().split('\n'))
        if (line.startsWith("VmHWM:"))
            return line.mid(6).simplified().split(' ').first().toLongLong() * 1024;
    ADD_FAILURE();
    return 0;
}

class TartAgentAtAServer : public testing::Test {
protected:
    TartAgentAtAServer() { connectAnew(); }
    void connectAnew() {
        const auto descriptor = connectToLocalSocket(m_server.socket());
        ASSERT_TRUE(descriptor) << descriptor.error().message.toStdString();
        m_agent = std::make_unique<TartAgent>(*descriptor);
        m_output.clear();
        m_errors.clear();
        m_end.reset();
    }
    void exec(const char* name, const QStringList& arguments = {}, TartAgentCommand more = {}) {
        more.name = s(name);
        more.arguments = arguments;
        TartAgent::ExecListener listener;
        listener.output = [this](const QByteArray& bytes) { m_output += bytes; };
        listener.errors = [this](const QByteArray& bytes) { m_errors += bytes; };
        listener.finished = [this](const Result<int>& end) { m_end = end; };
        m_agent->exec(more, std::move(listener));
    }
    bool waitForEnd() {
        return waitUntil([this] { return m_end.has_value(); }, 60000);
    }

    TartAgentServer m_server;
    std::unique_ptr<TartAgent> m_agent;
    QByteArray m_output;
    QByteArray m_errors;
    std::optional<Result<int>> m_end;
};

} // namespace

TEST_F(TartAgentAtAServer, ACommandArrivesAsItIsAndItsStreamsStayApart) {
    TartAgentCommand command;
    command.interactive = command.terminal = command.detach = true;
    command.size = {50, 300};
    command.environment = {{s("LANG"), s("C")}, {s("EMPTY"), QString()}};
    command.workingDirectory = s("/tmp/ü");
    exec("describe", {s("a b"), QString(), s("-x"), s("ü€")}, command);
    ASSERT_TRUE(waitForEnd());
    ASSERT_TRUE(*m_end) << m_end->error().message.toStdString();
    EXPECT_EQ(m_output,
              QByteArray("name=describe args=['a b', '', '-x', 'ü€'] interactive=True tty=True "
                         "size=50x300 detach=True env=[('EMPTY', ''), ('LANG', 'C')] "
                         "workdir=/tmp/ü\n"));
    EXPECT_EQ(m_errors, QByteArray("to the errors\n"));
    connectAnew();
    exec("describe");
    ASSERT_TRUE(waitForEnd());
    EXPECT_EQ(m_output,
              QByteArray("name=describe args=[] interactive=False tty=False detach=False env=[] "
                         "workdir=\n"));
}

TEST_F(TartAgentAtAServer, ExitCodesAreThoseOfTheCommandAndASignalIs255) {
    for (const auto& [sent, expected] :
         {std::pair{"0", 0}, {"1", 1}, {"42", 42}, {"255", 255}, {"-1", 255}}) {
        connectAnew();
        exec("exit", {s(sent)});
        ASSERT_TRUE(waitForEnd());
        ASSERT_TRUE(*m_end);
        EXPECT_EQ(**m_end, expected);
    }
}

TEST_F(TartAgentAtAServer, SixtyFourMebibytesGoBothWaysWithoutPilingUp) {
    constexpr qint64 total = 64 << 20;
    constexpr qint64 mostMemory = (24 << 20) + keptByTheSanitizer; // more than before
    const qint64 before = peakMemory();
    TartAgentCommand command;
    command.name = s("cat");
    command.interactive = true;
    const QByteArray block = [] {
        QByteArray bytes(TartAgent::longestInput, Qt::Uninitialized);
        for (qsizetype i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<char>(i * 7 % 251);
        return bytes;
    }();
    qint64 sent = 0;
    qint64 received = 0;
    bool same = true;
    const auto feed = [&] {
        const qint64 start = sent;
        while (sent < total && m_agent->isInputWanted()) {
            EXPECT_LT(sent - start, 2 << 20) << "not everything at once";
            m_agent->writeInput(block);
            sent += block.size();
            if (sent == total)
                m_agent->closeInput();
        }
    };
    TartAgent::ExecListener listener;
    listener.output = [&](const QByteArray& bytes) {
        const qsizetype at = received % block.size();
        same = same && at + bytes.size() <= block.size() && block.mid(at, bytes.size()) == bytes;
        received += bytes.size();
        // Somebody who reads slowly: now and then nothing is taken for a turn.
        if (received % (8 << 20) == 0) {
            m_agent->setPaused(true);
            QMetaObject::invokeMethod(
                m_agent.get(), [this] { m_agent->setPaused(false); }, Qt::QueuedConnection);
        }
    };
    listener.inputWanted = feed;
    listener.finished = [this](const Result<int>& end) { m_end = end; };
    m_agent->exec(command, std::move(listener));
    ASSERT_TRUE(waitForEnd());
    ASSERT_TRUE(*m_end) << m_end->error().message.toStdString();
    EXPECT_EQ(received, total);
    EXPECT_TRUE(same);
    EXPECT_LT(peakMemory() - before, mostMemory);
}

TEST_F(TartAgentAtAServer, AListenerThatTakesNothingHoldsTheAgentUp) {
    constexpr qint64 window = 8 << 20; // more than ours and gRPC's own queue
    exec("flood", {s("67108864")});
    m_agent->setPaused(true);
    ASSERT_TRUE(m_server.waitForLine("flooding"));
    const qint64 before = peakMemory();
    // Another call, whose whole course gives the flood time.
    const auto other = connectToLocalSocket(m_server.socket());
    ASSERT_TRUE(other);
    TartAgent second(*other);
    std::optional<Result<int>> end;
    TartAgentCommand command;
    command.name = s("large");
    command.arguments = {s("4000000")};
    TartAgent::ExecListener listener;
    listener.finished = [&end](const Result<int>& result) { end = result; };
    second.exec(command, std::move(listener));
    ASSERT_TRUE(waitUntil([&end] { return end.has_value(); }));
    EXPECT_TRUE(m_output.isEmpty());
    EXPECT_LT(peakMemory() - before, 2 * window + keptByTheSanitizer);
    m_agent->setPaused(false);
    ASSERT_TRUE(waitForEnd());
    EXPECT_EQ(m_output.size(), 64 << 20);
}

TEST_F(TartAgentAtAServer, AMessageLargerThanTheWindowArrives) {
    exec("large", {s("4000000")});
    ASSERT_TRUE(waitForEnd());
    ASSERT_TRUE(*m_end);
    EXPECT_EQ(m_output.size(), 4000000);
    connectAnew();
    exec("large", {s("5000000")});
    ASSERT_TRUE(waitForEnd());
    ASSERT_FALSE(*m_end);
    EXPECT_TRUE(m_end->error().message.contains(s("4 MiB")));
}

TEST_F(TartAgentAtAServer, SizesOfTheTerminalFollow) {
    TartAgentCommand command;
    command.terminal = true;
    command.size = {24, 80};
    exec("sizes", {s("2")}, command);
    m_agent->resize({25, 81});
    ASSERT_TRUE(waitUntil([this] { return m_output == "24x80\n25x81\n"; })) << m_output.constData();
    m_agent->resize({1000, 1});
    ASSERT_TRUE(waitForEnd());
    EXPECT_EQ(m_output, QByteArray("24x80\n25x81\n1000x1\n"));
}

TEST_F(TartAgentAtAServer, WhatTheAgentSaysWhenItFailsIsToldAsPlainText) {
    exec("nonsense");
    ASSERT_TRUE(waitForEnd());
    ASSERT_FALSE(*m_end);
    EXPECT_TRUE(m_end->error().message.contains(
        s("exec: \"nonsense\": executable file not found in $PATH\\x1b[31m")))
        << m_end->error().message.toStdString();
    EXPECT_EQ(exitCode(m_end->error()), 1);
}

TEST_F(TartAgentAtAServer, AnAgentThatDiesOrForgetsTheExitCodeIsAnError) {
    exec("no-exit");
    ASSERT_TRUE(waitForEnd());
    EXPECT_EQ(m_output, QByteArray("before\n"));
    ASSERT_FALSE(*m_end) << "not 0";
    connectAnew();
    exec("die");
    ASSERT_TRUE(waitForEnd());
    EXPECT_EQ(m_output, QByteArray("before\n"));
    ASSERT_FALSE(*m_end);
    EXPECT_EQ(m_end->error().kind, Error::Kind::Network);
}

TEST_F(TartAgentAtAServer, CancellingReachesTheAgent) {
    exec("wait");
    ASSERT_TRUE(waitUntil([this] { return m_output == "waiting\n"; }));
    m_agent->cancel();
    ASSERT_TRUE(waitForEnd());
    EXPECT_TRUE(m_end->error().isCancelled());
    EXPECT_TRUE(m_server.waitForLine("cancelled"));
    connectAnew();
    exec("wait");
    ASSERT_TRUE(waitUntil([this] { return m_output == "waiting\n"; }));
    m_agent.reset();
    EXPECT_TRUE(m_server.waitForLine("cancelled")) << "also when it is destroyed";
}

TEST_F(TartAgentAtAServer, TellsTheAddressUnlessItDoesNotKnowTheQuestion) {
    std::optional<Result<QString>> address;
    const auto ask = [&] {
        address.reset();
        m_agent->resolveIp(5000, [&](const Result<QString>& result) { address = result; });
        return waitUntil([&] { return address.has_value(); });
    };
    ASSERT_TRUE(ask());
    ASSERT_TRUE(*address) << address->error().message.toStdString();
    EXPECT_EQ(**address, s("192.168.64.7"));
    m_server.restart({s("--exec-only")});
    connectAnew();
    ASSERT_TRUE(ask());
    ASSERT_FALSE(*address);
    EXPECT_EQ(address->error().kind, Error::Kind::Unsupported);
}

TEST_F(TartAgentAtAServer, IsReachedThroughTheControlPipeOfAMachine) {
    const QTemporaryDir machine;
    const auto pipe =
        vz::ControlPipe::listen(machine.path(), [this](const vz::ControlPipe::Opened& opened) {
            opened(connectToLocalSocket(m_server.socket()));
        });
    ASSERT_TRUE(pipe);
    const auto connectToPipe = [&] {
        const auto descriptor = connectToLocalSocket(machine.filePath(s("control.sock")));
        ASSERT_TRUE(descriptor);
        m_agent = std::make_unique<TartAgent>(*descriptor);
    };
    connectToPipe();
    exec("flood", {s("67108864")});
    ASSERT_TRUE(waitForEnd());
    ASSERT_TRUE(*m_end) << m_end->error().message.toStdString();
    EXPECT_EQ(m_output.size(), 64 << 20);
    m_end.reset();
    m_server.stop();
    connectToPipe();
    exec("describe");
    ASSERT_TRUE(waitForEnd());
    ASSERT_FALSE(*m_end);
    EXPECT_EQ(m_end->error().kind, Error::Kind::Timeout) << "no agent";
}

} // namespace vitrine::test
