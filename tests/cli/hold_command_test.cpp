// SPDX-License-Identifier: Apache-2.0
// The process that holds a machine's lock for a window, with this test as the window.
#include "core/machine/sidecar.h"
#include "tests/cli/command_line_support.h"
#include "tests/support/send_signal.h"

#include <QJsonArray>
#include <QJsonObject>

#include <array>
#include <poll.h>
#include <sys/socket.h>

namespace vitrine::test {

namespace {

class HoldCommand : public CommandLine {
protected:
    HoldCommand() { m_directory = m_small.add(s("web")); }

    std::unique_ptr<QProcess> hold(const QString& name = s("web")) {
        std::array<int, 2> ends{-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        m_window = FileDescriptor(ends[0]);
        const FileDescriptor theirs(ends[1]);
        return start({s("hold"), name}, [end = ends[1]] { ::dup2(end, STDIN_FILENO); });
    }
    // The next line; null when the other end is gone or silent for too long.
    QJsonObject hear() {
        while (m_heard.indexOf('\n') < 0) {
            pollfd waited{m_window.get(), POLLIN, 0};
            char bytes[512];
            if (::poll(&waited, 1, 20000) <= 0)
                return {};
            const ssize_t n = ::read(m_window.get(), bytes, sizeof(bytes));
            if (n <= 0)
                return {};
            m_heard.append(bytes, n);
        }
        const qsizetype end = m_heard.indexOf('\n');
        const QJsonObject line = QJsonDocument::fromJson(m_heard.left(end)).object();
        m_heard.remove(0, end + 1);
        return line;
    }
    QString event() { return hear().value(s("event")).toString(); }
    void say(const QByteArray& line) const {
        ASSERT_EQ(::write(m_window.get(), line.constData(), static_cast<size_t>(line.size())),
                  line.size());
    }
    [[nodiscard]] qint64 holder() const {
        const auto found = ConfigFile::holder(m_directory + s("/config.json"));
        return found && *found ? (*found)->pid : 0;
    }

    QString m_directory;
    FileDescriptor m_window;
    QByteArray m_heard;
};

} // namespace

TEST_F(HoldCommand, IsTheProcessThatRunsTheMachineForEverybody) {
    const auto process = hold();
    const QJsonObject held = hear();
    EXPECT_EQ(held.value(s("event")), s("held"));
    EXPECT_EQ(held.value(s("remarks")), QJsonArray());
    EXPECT_EQ(holder(), process->processId());
    EXPECT_TRUE(run({"list"}).out.contains("running"));
    m_window = FileDescriptor(); // the window is gone
    EXPECT_EQ(finish(*process).code, 0);
    EXPECT_EQ(holder(), 0);
}

TEST_F(HoldCommand, TurnsSignalsIntoWishes) {
    const auto process = hold();
    ASSERT_EQ(event(), s("held"));
    const auto pid = static_cast<pid_t>(process->processId());
    for (const auto& [number, wish] : {std::pair{SIGINT, "interrupt"},
                                       std::pair{SIGUSR1, "suspend"},
                                       std::pair{SIGUSR2, "shut-down"},
                                       std::pair{SIGHUP, "shut-down"},
                                       std::pair{SIGTERM, "interrupt"},
                                       std::pair{SIGINT, "interrupt"}}) {
        ASSERT_EQ(vitrine::test::sendSignal(pid, number), 0);
        EXPECT_EQ(event(), s(wish));
    }
    EXPECT_EQ(holder(), pid); // none of them ended it
    m_window = FileDescriptor();
    EXPECT_EQ(finish(*process).code, 0);
}

TEST_F(HoldCommand, ItsOwnDeathIsSeenByTheWindow) {
    const auto process = hold();
    ASSERT_EQ(event(), s("held"));
    process->kill();
    EXPECT_TRUE(hear().isEmpty());
    process->waitForFinished();
    EXPECT_EQ(holder(), 0);
}

TEST_F(HoldCommand, MakesWhatWaitsWhenTheMachineHasEnded) {
    const auto process = hold();
    ASSERT_EQ(event(), s("held"));
    const Result<> noted = Sidecar::update(m_directory, [](Sidecar& sidecar) {
        sidecar.pending = {{s("cpuCount"), 1, 2}};
        return Result<>();
    });
    ASSERT_TRUE(noted);
    say("{\"do\": \"something newer\"}\n{\"do\": \"rel");
    say("ease\"}\n");
    EXPECT_EQ(event(), s("released"));
    EXPECT_EQ(finish(*process).code, 0);
    const auto text = ConfigFile::read(m_directory + s("/config.json"));
    ASSERT_TRUE(text);
    EXPECT_EQ(MachineConfig::fromJson(*text)->cpuCount, 2);
}

TEST_F(HoldCommand, GivesAnotherAddressToATwinOfARunningMachine) {
    const auto config = MachineConfig::fromJson(*ConfigFile::read(m_directory + s("/config.json")));
    const QString twin = m_small.add(s("twin"), *config);
    const auto held = HeldMachine::take(m_small.library, twin);
    ASSERT_TRUE(held);
    const auto process = hold();
    const QJsonObject line = hear();
    ASSERT_EQ(line.value(s("event")), s("held"));
    EXPECT_TRUE(line.value(s("remarks")).toArray().first().toString().contains(s("twin")));
    m_window = FileDescriptor();
    EXPECT_EQ(finish(*process).code, 0);
    const auto now = MachineConfig::fromJson(*ConfigFile::read(m_directory + s("/config.json")));
    EXPECT_NE(now->macAddress, config->macAddress);
}

TEST_F(HoldCommand, LeavesTheRuntimeDirectoryToTheWindow) {
    const auto process = hold();
    ASSERT_EQ(event(), s("held"));
    const auto runtime = RuntimeDirectory::locate(m_small.library.home(), m_directory);
    ASSERT_TRUE(runtime);
    EXPECT_FALSE(runtime->isAlive());
    EXPECT_TRUE(runtime->claim());
    m_window = FileDescriptor();
    EXPECT_EQ(finish(*process).code, 0);
}

TEST_F(HoldCommand, NamesATwinThatASuspendedMachineHas) {
    const auto config = MachineConfig::fromJson(*ConfigFile::read(m_directory + s("/config.json")));
    const auto held = HeldMachine::take(m_small.library, m_small.add(s("twin"), *config));
    ASSERT_TRUE(held);
    SmallLibrary::write(m_directory + s("/state.vzvmsave"), "state");
    const auto process = hold();
    const QJsonObject line = hear();
    EXPECT_EQ(line.value(s("event")), s("held"));
    EXPECT_EQ(line.value(s("twin")), s("twin"));
    m_window = FileDescriptor();
    EXPECT_EQ(finish(*process).code, 0);
}

TEST_F(HoldCommand, ASecondOneIsRefused) {
    const auto process = hold();
    ASSERT_EQ(event(), s("held"));
    FileDescriptor first = std::move(m_window);
    const auto second = hold();
    const Finished refused = finish(*second);
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(refused.err.contains(QByteArray::number(process->processId())))
        << refused.err.data();
    const QJsonObject told = hear();
    EXPECT_EQ(told.value(s("event")), s("refused"));
    EXPECT_EQ(told.value(s("kind")), s("already-running"));
    EXPECT_FALSE(told.value(s("message")).toString().isEmpty());
    EXPECT_TRUE(hear().isEmpty());
    first = FileDescriptor();
    EXPECT_EQ(finish(*process).code, 0);
}

TEST_F(HoldCommand, AMachineThatIsNotThereIsTold) {
    const auto process = hold(s("nobody"));
    EXPECT_EQ(finish(*process).code, 2);
}

TEST_F(HoldCommand, IsNotForPeople) {
    const Finished typed = run({s("hold"), s("web")});
    EXPECT_NE(typed.code, 0);
    EXPECT_TRUE(typed.err.contains("vitrinectl run")) << typed.err.data();
    EXPECT_EQ(holder(), 0);
}

TEST_F(HoldCommand, AWindowThatTalksWithoutEndIsNone) {
    const auto process = hold();
    ASSERT_EQ(event(), s("held"));
    say(QByteArray(8192, 'x'));
    EXPECT_EQ(finish(*process).code, 0);
    EXPECT_EQ(holder(), 0);
}

} // namespace vitrine::test
