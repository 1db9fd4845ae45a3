// SPDX-License-Identifier: Apache-2.0
// `vitrinectl run NAME` as on a Mac: the command line and the holders of locks are the program
// itself, the window is all of its program that runs machines (window_main.cpp), over a framework
// that is made up (pretended_services.h).
#include "core/hypervisor/machine_client.h"
#include "core/machine/mac_options.h"
#include "core/machine/sidecar.h"
#include "tests/cli/command_line_support.h"
#include "tests/support/event_wait.h"
#include "tests/support/send_signal.h"

namespace vitrine::test {

namespace {

class RunWithAWindow : public CommandLine {
protected:
    RunWithAWindow() {
        m_program = s(MAC_PROGRAMS "/vitrinectl");
        m_environment.insert(s("DISPLAY"), s(":0")); // is looked for, but not used
        m_environment.insert(s("VITRINE_TEST_WINDOWS"), m_windows.path());
        m_directory = addLinux("web");
    }
    ~RunWithAWindow() override {
        for (const pid_t window : windows())
            vitrine::test::sendSignal(window, SIGKILL);
        EXPECT_TRUE(waitUntil([this] { return windows().isEmpty(); }));
    }
    QString addLinux(const char* name) {
        MachineConfig config = SmallLibrary::smallConfig();
        config.architecture = Architecture::Arm64;
        const QString directory = m_small.add(s(name), config);
        SmallLibrary::write(directory + s("/nvram.bin"), "variables");
        return directory;
    }
    // Those that were opened and live.
    [[nodiscard]] QList<pid_t> windows() const {
        QList<pid_t> found;
        for (const QString& name : QDir(m_windows.path()).entryList(QDir::Files))
            if (QFile::symLinkTarget(s("/proc/%1/exe").arg(name)) == s(MAC_PROGRAMS "/vitrine"))
                found.append(name.toInt());
        return found;
    }
    [[nodiscard]] int opened() const {
        return static_cast<int>(QDir(m_windows.path()).entryList(QDir::Files).size());
    }
    std::unique_ptr<QProcess> runMachine(const QStringList& more = {},
                                         const QString& name = s("web")) {
        return start(QStringList{s("run"), name, s("--verbose")} + more);
    }
    [[nodiscard]] MachineState state() const { return m_small.library.stateOf(m_directory); }
    [[nodiscard]] qint64 holder() const {
        const auto found = ConfigFile::holder(m_directory + s("/config.json"));
        return found && *found ? (*found)->pid : 0;
    }
    // Until the program has written this to standard error.
    bool says(QProcess& process, const char* text) {
        return waitUntil(
            [&] {
                m_said += process.readAllStandardError();
                return m_said.contains(text);
            },
            30000);
    }
    Finished end(QProcess& process) {
        Finished finished = finish(process);
        finished.err.prepend(std::exchange(m_said, {}));
        return finished;
    }
    static void signal(const QProcess& process, int number) {
        vitrine::test::sendSignal(static_cast<pid_t>(process.processId()), number);
    }
    [[nodiscard]] QStringList leftRequests() const {
        return QDir(m_small.library.home() + s("/run"))
            .entryList({s("start-*")}, QDir::AllEntries | QDir::Hidden);
    }

    QTemporaryDir m_windows;
    QString m_directory;
    QByteArray m_said;
};

const char* const runs = "The machine has started.";

} // namespace

TEST_F(RunWithAWindow, OpensItAndStaysUntilTheMachineEnds) {
    const auto process = runMachine();
    ASSERT_TRUE(says(*process, runs)) << m_said.toStdString();
    EXPECT_EQ(state(), MachineState::Running);
    EXPECT_NE(holder(), process->processId()) << "a process of its own has the lock";
    EXPECT_EQ(windows().size(), 1);
    EXPECT_TRUE(leftRequests().isEmpty());
    EXPECT_EQ(run({"stop", "web"}).code, 0);
    const Finished ended = end(*process);
    EXPECT_EQ(ended.code, 0) << ended.err.toStdString();
    EXPECT_EQ(state(), MachineState::Stopped);
    EXPECT_EQ(windows().size(), 1) << "the window stays";
}

TEST_F(RunWithAWindow, ItsOptionsArriveAndAreNotStored) {
    m_environment.insert(s("TART_REGISTRY_PASSWORD"), s("secret"));
    const auto process = runMachine({s("--no-audio"), s("--rosetta"), s("rosetta")});
    ASSERT_TRUE(says(*process, runs)) << m_said.toStdString();
    MachineClient client(m_small.library.home(), m_directory);
    ASSERT_TRUE(client.waitForConnected(30000));
    const auto options = client.callAndWait(s("run.options"), {}, 10000);
    ASSERT_TRUE(options);
    const auto now = RunOptions::fromJson(options->toObject().value(s("now")).toObject());
    ASSERT_TRUE(now);
    EXPECT_FALSE(now->audio);
    EXPECT_EQ(MacOptions::of(*now).rosetta, s("rosetta"));
    EXPECT_TRUE(Sidecar::read(m_directory)->run.audio);
    ASSERT_EQ(windows().size(), 1);
    const QString window = s("/proc/%1/").arg(windows().constFirst());
    EXPECT_FALSE(read(window + s("environ")).contains("secret"));
    EXPECT_FALSE(read(window + s("cmdline")).contains("audio"));
    signal(*process, SIGTERM);
    EXPECT_EQ(end(*process).code, 0);
}

TEST_F(RunWithAWindow, CtrlCShutsDownAndASecondOneForcesOff) {
    const auto obedient = runMachine();
    ASSERT_TRUE(says(*obedient, runs));
    signal(*obedient, SIGINT);
    const Finished shutDown = end(*obedient);
    EXPECT_EQ(shutDown.code, 0);
    EXPECT_TRUE(shutDown.err.contains("The guest has shut down.")) << shutDown.err.toStdString();
    for (const pid_t window : windows())
        vitrine::test::sendSignal(window, SIGKILL);
    ASSERT_TRUE(waitUntil([this] { return windows().isEmpty(); }));

    m_environment.insert(s("VITRINE_TEST_GUEST"), s("deaf"));
    const auto deaf = runMachine();
    ASSERT_TRUE(says(*deaf, runs));
    signal(*deaf, SIGINT);
    ASSERT_TRUE(says(*deaf, "asked to shut down")) << m_said.toStdString();
    EXPECT_EQ(state(), MachineState::Running) << "its lock is held";
    signal(*deaf, SIGINT);
    const Finished off = end(*deaf);
    EXPECT_EQ(off.code, 0);
    EXPECT_TRUE(off.err.contains("was forced off")) << off.err.toStdString();
    EXPECT_EQ(state(), MachineState::Stopped);

    const auto limited = runMachine({s("--timeout"), s("1")});
    ASSERT_TRUE(says(*limited, runs));
    signal(*limited, SIGTERM);
    signal(*limited, SIGHUP); // whoever ends a session may say it often
    EXPECT_EQ(end(*limited).code, 0);
    EXPECT_EQ(windows().size(), 1);
}

TEST_F(RunWithAWindow, CtrlCWhileItStartsEndsTheStart) {
    m_environment.insert(s("VITRINE_TEST_GUEST"), s("slow"));
    const auto process = runMachine();
    ASSERT_TRUE(waitUntil([this] { return holder() != 0; }, 30000));
    signal(*process, SIGINT);
    signal(*process, SIGINT);
    SmallLibrary::write(m_small.library.home() + s("/go"), {});
    (void)end(*process);
    EXPECT_EQ(state(), MachineState::Stopped);
}

TEST_F(RunWithAWindow, AStartThatFailsIsToldWithItsReason) {
    m_environment.insert(s("VITRINE_TEST_GUEST"), s("fails"));
    const auto process = runMachine();
    const Finished failed = end(*process);
    EXPECT_EQ(failed.code, 1);
    EXPECT_FALSE(failed.err.trimmed().isEmpty());
    const auto sidecar = Sidecar::read(m_directory);
    ASSERT_TRUE(sidecar && !sidecar->events.isEmpty());
    const QJsonObject last = sidecar->events.last().toObject();
    EXPECT_EQ(last.value(s("kind")), s("start-failed"));
    EXPECT_TRUE(failed.err.contains(last.value(s("text")).toString().toUtf8()))
        << failed.err.toStdString();
    EXPECT_EQ(state(), MachineState::Stopped);
    EXPECT_EQ(windows().size(), 1) << "where it is told too";
}

TEST_F(RunWithAWindow, AMachineThatCrashesIsAFailure) {
    m_environment.insert(s("VITRINE_TEST_GUEST"), s("crashes"));
    const Finished crashed = end(*runMachine());
    EXPECT_EQ(crashed.code, 1);
    EXPECT_FALSE(crashed.err.trimmed().isEmpty());
    EXPECT_EQ(state(), MachineState::Stopped);
}

TEST_F(RunWithAWindow, TheWindowsEndIsTheMachinesEnd) {
    const auto process = runMachine();
    ASSERT_TRUE(says(*process, runs));
    ASSERT_EQ(windows().size(), 1);
    vitrine::test::sendSignal(windows().constFirst(), SIGKILL);
    const Finished lost = end(*process);
    EXPECT_EQ(lost.code, 1);
    EXPECT_TRUE(lost.err.contains("has ended, and the machine with it")) << lost.err.toStdString();
    EXPECT_EQ(state(), MachineState::Stopped);
}

TEST_F(RunWithAWindow, ItsOwnDeathIsNotTheMachinesEnd) {
    const auto process = runMachine();
    ASSERT_TRUE(says(*process, runs));
    process->kill();
    process->waitForFinished();
    EXPECT_EQ(run({"pause", "web"}).code, 0);
    EXPECT_EQ(state(), MachineState::Running);
    EXPECT_EQ(run({"stop", "--force", "web"}).code, 0);
}

TEST_F(RunWithAWindow, AnOpenWindowTakesTheSecondMachine) {
    addLinux("two");
    const auto one = runMachine();
    ASSERT_TRUE(says(*one, runs));
    QByteArray said;
    std::swap(said, m_said);
    const auto two = runMachine({}, s("two"));
    ASSERT_TRUE(says(*two, runs)) << m_said.toStdString();
    EXPECT_EQ(opened(), 1);
    signal(*two, SIGINT);
    EXPECT_EQ(end(*two).code, 0);
    EXPECT_EQ(state(), MachineState::Running);
    signal(*one, SIGINT);
    EXPECT_EQ(end(*one).code, 0);
}

TEST_F(RunWithAWindow, OfTwoAtOnceOneRuns) {
    const auto one = runMachine();
    const auto two = runMachine();
    ASSERT_TRUE(waitUntil(
        [&] {
            return one->state() == QProcess::NotRunning || two->state() == QProcess::NotRunning;
        },
        30000));
    QProcess& loser = one->state() == QProcess::NotRunning ? *one : *two;
    QProcess& winner = one->state() == QProcess::NotRunning ? *two : *one;
    const Finished refused = end(loser);
    EXPECT_EQ(refused.code, 2) << refused.err.toStdString();
    EXPECT_TRUE(refused.err.contains("is running already")) << refused.err.toStdString();
    ASSERT_TRUE(says(winner, runs)) << m_said.toStdString();
    EXPECT_EQ(run({"run", "web"}).code, 2);
    signal(winner, SIGINT);
    EXPECT_EQ(end(winner).code, 0);
}

TEST_F(RunWithAWindow, SuspendedItGoesOnLater) {
    MachineConfig config = SmallLibrary::smallConfig();
    config.architecture = Architecture::Arm64;
    config.system = GuestSystem::Darwin;
    config.ecid = "identifier";
    config.hardwareModel = "model";
    m_directory = m_small.add(s("mac"), config);
    SmallLibrary::write(m_directory + s("/nvram.bin"), "variables");
    const auto process = runMachine({s("--suspendable")}, s("mac"));
    ASSERT_TRUE(says(*process, runs)) << m_said.toStdString();
    signal(*process, SIGUSR1);
    const Finished suspended = end(*process);
    EXPECT_EQ(suspended.code, 0) << suspended.err.toStdString();
    EXPECT_EQ(state(), MachineState::Suspended);
    const auto again = runMachine({}, s("mac"));
    ASSERT_TRUE(says(*again, "goes on from its saved state")) << m_said.toStdString();
    signal(*again, SIGUSR2);
    EXPECT_EQ(end(*again).code, 0);
}

TEST_F(RunWithAWindow, WithoutADisplayItSaysSo) {
    m_environment.remove(s("DISPLAY"));
    const Finished refused = run({"run", "web"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("--no-graphics")) << refused.err.toStdString();
    EXPECT_EQ(opened(), 0);
    EXPECT_TRUE(leftRequests().isEmpty());
}

TEST_F(RunWithAWindow, WithoutAWindowTheMachineIsItsOwn) {
    const auto process = runMachine({s("--no-graphics")});
    ASSERT_TRUE(says(*process, runs)) << m_said.toStdString();
    EXPECT_EQ(holder(), process->processId());
    EXPECT_EQ(opened(), 0);
    signal(*process, SIGINT);
    EXPECT_EQ(end(*process).code, 0);
}

} // namespace vitrine::test
