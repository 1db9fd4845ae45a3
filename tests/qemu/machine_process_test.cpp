// SPDX-License-Identifier: Apache-2.0
// The machine's process against a pretended QEMU: every way a run can go, in milliseconds.
#include "core/library/saved_state.h"
#include "core/sharing/share_status.h"
#include "core/snapshot/snapshot_operations.h"
#include "tests/qemu/machine_process_fixture.h"
#include "tests/support/protocol_methods.h"
#include "tests/support/send_signal.h"

#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::test;

TEST_F(MachineProcessTest, RunsUntilTheGuestShutsDown) {
    startAndConnect();
    EXPECT_EQ(client.status().processId, program->process.processId());
    EXPECT_EQ(client.status().accelerator, QStringLiteral("TCG"));
    EXPECT_EQ(library.library.stateOf(directory), MachineState::Running);
    EXPECT_TRUE(waitUntil([this] { return client.status().sshPort != 0; }));
    EXPECT_TRUE(call("shutdown"));
    expectEnd(0, "stopped");
    EXPECT_EQ(program->eventKinds(),
              (QStringList{QStringLiteral("started"),
                           QStringLiteral("shutdown-requested"),
                           QStringLiteral("stopped")}));
}

TEST_F(MachineProcessTest, ATerminalIsToldHowToGetInAndHowToStop) {
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    ASSERT_GE(master, 0);
    ASSERT_EQ(::grantpt(master), 0);
    ASSERT_EQ(::unlockpt(master), 0);
    errorsTo = ::ptsname(master);
    startAndConnect(QStringLiteral("agent,addressed"));
    QByteArray screen;
    const auto shows = [&](const char* text) {
        char buffer[4096];
        const ssize_t n = ::read(master, buffer, sizeof buffer);
        if (n > 0) {
            screen.append(buffer, n);
        }
        return screen.contains(text);
    };
    EXPECT_TRUE(waitUntil([&] { return shows("vitrinectl ssh \"m\""); })) << screen.toStdString();
    EXPECT_TRUE(screen.contains("vitrine --console \"m\"")) << screen.toStdString();
    EXPECT_TRUE(screen.contains("vitrinectl exec \"m\"")) << screen.toStdString();
    EXPECT_TRUE(screen.contains("Ctrl-C")) << screen.toStdString();
    EXPECT_TRUE(waitUntil([&] { return shows("has the address 10.0.2.15"); }, 30000))
        << screen.toStdString();
    EXPECT_TRUE(call("shutdown"));
    ASSERT_TRUE(program->waitForEnd());
    shows("");
    EXPECT_EQ(screen.count("has the address"), 1) << screen.toStdString();
    EXPECT_EQ(program->output(), QString()) << "standard output";
    ::close(master);
}

TEST_F(MachineProcessTest, NobodyIsToldHowToGetInWithoutATerminal) {
    startAndConnect();
    EXPECT_TRUE(call("shutdown"));
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_FALSE(program->output().contains(QStringLiteral("Ctrl-C")))
        << qPrintable(program->output());
}

TEST_F(MachineProcessTest, TellsWhetherAnAgentIsThere) {
    startAndConnect();
    const auto none = call("agent.state");
    ASSERT_TRUE(none) << qPrintable(none.error().message);
    EXPECT_FALSE(none->toObject().value(QLatin1String("opened")).toBool(true));
    EXPECT_FALSE(none->toObject().value(QLatin1String("seen")).toBool(true));
}

TEST_F(MachineProcessTest, TellsThatAnAgentIsThere) {
    startAndConnect(QStringLiteral("agent"));
    ASSERT_TRUE(waitUntil([this] { return client.status().agentAnswers; }));
    const QJsonObject state = call("agent.state", {{QStringLiteral("wait"), 5000}})->toObject();
    for (const char* key : {"opened", "seen", "answers"}) {
        EXPECT_TRUE(state.value(QLatin1String(key)).toBool()) << key;
    }
}

TEST_F(MachineProcessTest, TellsWhyQemuDidNotStart) {
    start(QStringLiteral("refuse"));
    expectEnd(1, "start-failed");
    EXPECT_TRUE(program->output().contains(QStringLiteral("/some/disk.img\" does not exist")))
        << qPrintable(program->output());
    QFile log(program->runtime().logFile());
    ASSERT_TRUE(log.open(QIODevice::ReadOnly));
    EXPECT_TRUE(log.readAll().contains("Could not open '/some/disk.img'"));
    EXPECT_EQ(log.permissions() & (QFile::ReadGroup | QFile::ReadOther), 0);
}

TEST_F(MachineProcessTest, TellsAClientThatWaitsWhyQemuDidNotStart) {
    QStringList errors;
    QObject::connect(&client, &MachineClient::statusChanged, &client, [this, &errors] {
        errors.append(client.status().lastError);
    });
    client.attach();
    start(QStringLiteral("silent"));
    ASSERT_TRUE(waitUntil([this] { return client.isConnected(); }));
    EXPECT_EQ(client.status().state, MachineState::Starting);
    ASSERT_TRUE(waitForQemu());
    program->signalQemu(SIGKILL);
    expectEnd(1, "start-failed");
    ASSERT_TRUE(waitUntil([this] { return !client.isConnected(); }));
    EXPECT_FALSE(errors.last().isEmpty());
}

TEST_F(MachineProcessTest, RefusesAMachineThatRunsAlready) {
    startAndConnect();
    MachineProgram second(library.library, name);
    second.start();
    ASSERT_TRUE(second.waitForEnd());
    EXPECT_EQ(second.process.exitCode(), 2);
    EXPECT_FALSE(second.output().isEmpty());
    EXPECT_TRUE(client.isConnected());
    EXPECT_TRUE(call("status"));
}

TEST_F(MachineProcessTest, RefusesAMachineThatDoesNotExist) {
    MachineProgram other(library.library, QStringLiteral("other"));
    other.start();
    ASSERT_TRUE(waitUntil([&] { return other.process.state() == QProcess::NotRunning; }));
    EXPECT_EQ(other.process.exitCode(), 2);
}

TEST_F(MachineProcessTest, PausesAndResumesAnyNumberOfTimes) {
    startAndConnect();
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(call("pause"));
        EXPECT_TRUE(call("pause"));
        EXPECT_TRUE(waitForState(MachineState::Paused));
        EXPECT_TRUE(call("resume"));
        EXPECT_TRUE(call("resume"));
        EXPECT_TRUE(waitForState(MachineState::Running));
    }
}

TEST_F(MachineProcessTest, ShutsDownAPausedGuestByResumingIt) {
    startAndConnect();
    EXPECT_TRUE(call("pause"));
    EXPECT_TRUE(call("shutdown"));
    expectEnd(0, "stopped");
}

TEST_F(MachineProcessTest, ShutsDownThroughTheAgent) {
    startAndConnect(QStringLiteral("agent,ignores-powerdown"));
    ASSERT_TRUE(waitUntil([this] { return client.status().agentAnswers; }));
    EXPECT_TRUE(call("shutdown"));
    expectEnd(0, "stopped");
}

TEST_F(MachineProcessTest, ForcesOff) {
    startAndConnect(QStringLiteral("ignores-powerdown"));
    EXPECT_TRUE(call("forceOff"));
    expectEnd(0, "forced-off");
}

TEST_F(MachineProcessTest, ForcesOffAStoppedQemu) {
    startAndConnect();
    program->signalQemu(SIGSTOP);
    EXPECT_TRUE(call("forceOff"));
    expectEnd(0, "forced-off");
}

TEST_F(MachineProcessTest, TakesAKilledQemuForACrash) {
    startAndConnect();
    QStringList errors;
    QObject::connect(&client, &MachineClient::statusChanged, &client, [this, &errors] {
        errors.append(client.status().lastError);
    });
    program->signalQemu(SIGKILL);
    expectEnd(1, "crashed");
    ASSERT_TRUE(waitUntil([this] { return !client.isConnected(); }));
    EXPECT_TRUE(errors.last().contains(QStringLiteral("signal 9")));
    EXPECT_EQ(library.library.stateOf(directory), MachineState::Stopped);
}

TEST_F(MachineProcessTest, FirstInterruptShutsDown) {
    startAndConnect();
    program->signal(SIGINT);
    expectEnd(0, "stopped");
}

TEST_F(MachineProcessTest, SecondInterruptForcesOff) {
    startAndConnect(QStringLiteral("ignores-powerdown"));
    program->signal(SIGINT);
    ASSERT_TRUE(waitForState(MachineState::ShuttingDown));
    program->signal(SIGINT);
    expectEnd(0, "forced-off");
}

TEST_F(MachineProcessTest, ForcesOffWhenTheTimeAfterAnInterruptIsOver) {
    startAndConnect(QStringLiteral("ignores-powerdown"), 1);
    program->signal(SIGINT);
    expectEnd(0, "forced-off");
    EXPECT_TRUE(program->output().contains(QStringLiteral("forced off")));
}

TEST_F(MachineProcessTest, EndOfTheSessionShutsDown) {
    for (const int number : {SIGTERM, SIGHUP}) {
        startAndConnect();
        program->signal(number);
        expectEnd(0, "stopped");
        ASSERT_TRUE(waitUntil([this] { return !client.isConnected(); }));
    }
}

TEST_F(MachineProcessTest, SignalsToTheWholeGroupDoNotCutTheGuestOff) {
    startAndConnect(QStringLiteral("ignores-powerdown"));
    const auto qemu = static_cast<pid_t>(program->qemuPid());
    for (const int number : {SIGTERM, SIGHUP, SIGINT}) {
        vitrine::test::sendSignal(qemu, number);
    }
    EXPECT_TRUE(call("pause")); // it lives and answers
    EXPECT_NE(::getpgid(qemu), ::getpgid(static_cast<pid_t>(program->process.processId())));
}

TEST_F(MachineProcessTest, ASignalSuspendsAndTheNextStartGoesOn) {
    startAndConnect();
    program->signal(SIGUSR1);
    expectEnd(0, "suspended");
    EXPECT_EQ(library.library.stateOf(program->directory()), MachineState::Suspended);
    EXPECT_TRUE(QFile::exists(program->directory() + QStringLiteral("/state.qemu.json")));
    startAndConnect();
    EXPECT_FALSE(QFile::exists(program->directory() + QStringLiteral("/state.qemu")));
    EXPECT_FALSE(QFile::exists(program->directory() + QStringLiteral("/state.qemu.used")));
    program->signal(SIGUSR2);
    expectEnd(0, "stopped");
}

TEST_F(MachineProcessTest, GoesOnWithoutAnArchiveThatCannotBeFetchedAnyMore) {
    startAndConnect();
    program->signal(SIGUSR1);
    expectEnd(0, "suspended");
    auto saved = StateFingerprint::read(directory);
    ASSERT_TRUE(saved);
    ShareSpec archive; // nobody listens there
    archive.path = QStringLiteral("http://127.0.0.1:1/tools.tar.gz");
    archive.tag = QStringLiteral("tools");
    saved->run.shares = {archive};
    ASSERT_TRUE(saved->write(directory));
    startAndConnect();
    const auto list = call("share.list");
    ASSERT_TRUE(list);
    const QList<ShareStatus> shares = ShareList::fromJson(*list).shares;
    ASSERT_EQ(shares.size(), 1);
    EXPECT_EQ(shares.first().state, ShareState::Failed);
    EXPECT_EQ(shares.first().spec.path, archive.path);
    EXPECT_TRUE(shares.first().message.contains(archive.path))
        << qPrintable(shares.first().message);
    EXPECT_EQ(call("share.mount", {{QStringLiteral("tag"), archive.tag}}).error().message,
              shares.first().message);
    // It is still wished for, and no part of what is saved.
    program->signal(SIGUSR1);
    expectEnd(0, "suspended");
    EXPECT_EQ(StateFingerprint::read(directory)->run.shares, QList<ShareSpec>{archive});
}

TEST_F(MachineProcessTest, WhatForbidsSuspendingIsSaidAndTheGuestGoesOn) {
    startAndConnect(QStringLiteral("blocked"));
    const auto refused = call("suspend");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(refused.error().message.contains(QStringLiteral("share")))
        << qPrintable(refused.error().message);
    EXPECT_TRUE(waitUntil([this] { return client.status().state == MachineState::Running; }));
    EXPECT_FALSE(QFile::exists(program->directory() + QStringLiteral("/state.qemu.part")));
    program->signal(SIGUSR2);
    expectEnd(0, "stopped");
}

TEST_F(MachineProcessTest, ASaveThatFailsLetsTheGuestGoOn) {
    startAndConnect(QStringLiteral("unsaved"));
    EXPECT_FALSE(call("suspend"));
    EXPECT_TRUE(waitUntil([this] { return client.status().state == MachineState::Running; }));
    EXPECT_FALSE(QFile::exists(program->directory() + QStringLiteral("/state.qemu.part")));
    EXPECT_TRUE(waitUntil(
        [this] { return program->eventKinds().contains(QStringLiteral("suspend-failed")); }));
    program->signal(SIGUSR2);
    expectEnd(0, "stopped");
}

TEST_F(MachineProcessTest, ASignalBeforeQemuAnswersEndsTheStart) {
    start(QStringLiteral("silent"));
    ASSERT_TRUE(waitForQemu());
    program->signal(SIGINT);
    expectEnd(0, "forced-off");
}

TEST_F(MachineProcessTest, ItsDeathEndsQemu) {
    startAndConnect();
    const qint64 qemu = program->qemuPid();
    ASSERT_TRUE(MachineProgram::isRunning(qemu));
    program->signal(SIGKILL);
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_TRUE(waitUntil([qemu] { return !MachineProgram::isRunning(qemu); }));
    EXPECT_TRUE(
        waitUntil([this] { return library.library.stateOf(directory) == MachineState::Stopped; }));
    // What it left behind does not stop the next start.
    ASSERT_TRUE(waitUntil([this] { return !client.isConnected(); }));
    startAndConnect();
}

TEST_F(MachineProcessTest, ItsDeathBeforeQemuHasConnectedEndsQemu) {
    start(QStringLiteral("silent"));
    ASSERT_TRUE(waitForQemu());
    const qint64 qemu = program->qemuPid();
    program->signal(SIGKILL);
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_TRUE(waitUntil([qemu] { return !MachineProgram::isRunning(qemu); }));
}

TEST_F(MachineProcessTest, AFullDiskPausesAndResumeTriesAgain) {
    startAndConnect();
    program->signalQemu(SIGUSR1);
    ASSERT_TRUE(waitForState(MachineState::Paused));
    EXPECT_TRUE(client.status().note.contains(QStringLiteral("full")));
    EXPECT_TRUE(call("resume"));
    ASSERT_TRUE(waitForState(MachineState::Running));
    EXPECT_TRUE(client.status().note.isEmpty());
    EXPECT_TRUE(
        waitUntil([this] { return program->eventKinds().contains(QStringLiteral("disk-full")); }));
}

TEST_F(MachineProcessTest, ErrorsNameTheMachinesFolderAsPeopleKnowIt) {
    startAndConnect();
    // Its first event is written aside: that would repair what is damaged here.
    ASSERT_TRUE(
        waitUntil([this] { return program->eventKinds().contains(QStringLiteral("started")); }));
    SmallLibrary::write(directory + QLatin1String("/vitrine.json"), "{");
    const auto changed = call("change", {{QStringLiteral("cpuCount"), 2}});
    ASSERT_FALSE(changed);
    EXPECT_TRUE(changed.error().message.contains(directory)) << qPrintable(changed.error().message);
    EXPECT_FALSE(changed.error().message.contains(QLatin1String("/proc/")));
    EXPECT_TRUE(call("shutdown"));
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_FALSE(program->output().contains(QLatin1String("/proc/self")))
        << qPrintable(program->output());
}

TEST_F(MachineProcessTest, WhoFindsNoPlaceAtTheSocketIsToldWhy) {
    startAndConnect();
    std::vector<std::unique_ptr<MachineClient>> others;
    for (int i = 1; i < 32; ++i) {
        others.push_back(std::make_unique<MachineClient>(library.library.home(), directory));
        ASSERT_TRUE(others.back()->waitForConnected(20000)) << i;
    }
    const Spoken refused = vitrinectl({"ip", "m"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("32")) << refused.err.toStdString();
    EXPECT_FALSE(refused.err.contains("another program"));
}

TEST_F(MachineProcessTest, APanicIsToldAndResumeRestarts) {
    startAndConnect();
    program->signalQemu(SIGUSR2);
    ASSERT_TRUE(waitForState(MachineState::Paused));
    EXPECT_FALSE(client.status().note.isEmpty());
    EXPECT_TRUE(call("resume"));
    ASSERT_TRUE(waitForState(MachineState::Running));
    EXPECT_TRUE(client.status().note.isEmpty());
}

TEST_F(MachineProcessTest, ShuttingDownACrashedGuestSwitchesItOff) {
    startAndConnect(QStringLiteral("ignores-powerdown"));
    program->signalQemu(SIGUSR2);
    ASSERT_TRUE(waitForState(MachineState::Paused));
    EXPECT_TRUE(call("shutdown"));
    expectEnd(0, "forced-off");
}

TEST_F(MachineProcessTest, ChangesWaitAndAreItsLastAct) {
    startAndConnect();
    const auto answer = call("change", {{QStringLiteral("cpuCount"), 2}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->toArray().size(), 1);
    EXPECT_TRUE(waitUntil([this] { return client.status().pending.size() == 1; }));
    EXPECT_EQ(library.library.machine(*MachineName::fromText(name))->config->cpuCount, 1);
    EXPECT_FALSE(call("change", {{QStringLiteral("cpuCount"), 0}}));
    EXPECT_TRUE(call("shutdown"));
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_EQ(library.library.machine(*MachineName::fromText(name))->config->cpuCount, 2);
    EXPECT_TRUE(Sidecar::read(directory)->pending.isEmpty());
}

TEST_F(MachineProcessTest, ASnapshotIsTakenBeforeChangesThatWaitedAreMade) {
    ASSERT_TRUE(setAutomaticSnapshots(directory, true));
    startAndConnect();
    ASSERT_TRUE(call("change", {{QStringLiteral("cpuCount"), 2}}));
    EXPECT_TRUE(readSnapshots(directory)->all().isEmpty());
    EXPECT_TRUE(call("shutdown"));
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_EQ(library.library.machine(*MachineName::fromText(name))->config->cpuCount, 2);
    const auto tree = readSnapshots(directory);
    ASSERT_TRUE(tree);
    ASSERT_EQ(tree->all().size(), 1);
    EXPECT_TRUE(tree->all().first().automatic);
    ASSERT_TRUE(restoreSnapshot(library.library,
                                *MachineName::fromText(name),
                                {tree->all().first().id, false, false, false},
                                {}));
    EXPECT_EQ(library.library.machine(*MachineName::fromText(name))->config->cpuCount, 1);
}

TEST_F(MachineProcessTest, ASnapshotIsTakenBeforeChangesThatAKilledRunLeft) {
    ASSERT_TRUE(setAutomaticSnapshots(directory, true));
    ASSERT_TRUE(Sidecar::update(directory, [](Sidecar& sidecar) {
        sidecar.pending = {{QStringLiteral("cpuCount"), 1, 2}};
    }));
    startAndConnect();
    EXPECT_TRUE(client.status().pending.isEmpty());
    EXPECT_EQ(readSnapshots(directory)->all().size(), 1);
    EXPECT_EQ(library.library.machine(*MachineName::fromText(name))->config->cpuCount, 2);
    // What is asked for now counts from there.
    EXPECT_EQ(call("change", {{QStringLiteral("cpuCount"), 2}})->toArray().size(), 0);
    EXPECT_TRUE(call("shutdown"));
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_EQ(readSnapshots(directory)->all().size(), 1) << "nothing was risked any more";
}

TEST_F(MachineProcessTest, AMovedMachineKeepsItsOwnEventsAndChanges) {
    startAndConnect();
    const QString moved = library.library.machinesPath() + QStringLiteral("/moved");
    ASSERT_TRUE(QDir().rename(directory, moved));
    // Another machine under the old name.
    const QString other = library.add(name);
    ASSERT_EQ(other, directory);
    ASSERT_TRUE(call("change", {{QStringLiteral("cpuCount"), 2}}));
    EXPECT_TRUE(call("shutdown"));
    ASSERT_TRUE(program->waitForEnd());
    const auto machine = [this](const QString& machineName) {
        return library.library.machine(*MachineName::fromText(machineName))->config->cpuCount;
    };
    EXPECT_EQ(machine(QStringLiteral("moved")), 2);
    EXPECT_EQ(machine(name), 1);
    EXPECT_TRUE(Sidecar::read(directory)->events.isEmpty());
    EXPECT_FALSE(Sidecar::read(moved)->events.isEmpty());
}

TEST_F(MachineProcessTest, AReplacedConfigLeavesTheMachineReachable) {
    startAndConnect();
    const QString config = directory + QLatin1String("/config.json");
    ASSERT_TRUE(QFile::copy(config, config + QLatin1String(".edited")));
    ASSERT_EQ(::rename(QFile::encodeName(config + QLatin1String(".edited")).constData(),
                       QFile::encodeName(config).constData()),
              0);
    MachineClient later(library.library.home(), directory);
    ASSERT_TRUE(later.waitForConnected(20000));
    EXPECT_TRUE(later.callAndWait(QStringLiteral("forceOff"), {}, 20000));
    EXPECT_TRUE(program->waitForEnd());
}

TEST_F(MachineProcessTest, ChangesLeftByAKilledRunAreAppliedAtTheNextStart) {
    startAndConnect();
    ASSERT_TRUE(call("change", {{QStringLiteral("cpuCount"), 2}}));
    program->signal(SIGKILL);
    ASSERT_TRUE(program->waitForEnd());
    ASSERT_TRUE(waitUntil([this] { return !client.isConnected(); }));
    startAndConnect();
    EXPECT_EQ(library.library.machine(*MachineName::fromText(name))->config->cpuCount, 2);
}

TEST_F(MachineProcessTest, GetsANewMacAddressWhenARunningMachineHasTheSame) {
    auto config = SmallLibrary::smallConfig();
    config.macAddress = library.library.machine(*MachineName::fromText(name))->config->macAddress;
    const QString twin = library.add(QStringLiteral("twin"), config);
    const auto mac = [this] {
        return library.library.machine(*MachineName::fromText(name))->config->macAddress;
    };
    startAndConnect(); // the twin is stopped: nothing to avoid
    EXPECT_EQ(mac(), config.macAddress);
    EXPECT_TRUE(call("shutdown"));
    ASSERT_TRUE(program->waitForEnd());
    ASSERT_TRUE(waitUntil([this] { return !client.isConnected(); }));
    // "Running" is a lock of another process.
    QProcess holder;
    holder.start(QStringLiteral("python3"),
                 {QStringLiteral("-c"),
                  QStringLiteral("import fcntl,sys\nf=open(sys.argv[1],'r+')\n"
                                 "fcntl.lockf(f,fcntl.LOCK_EX)\nprint('held',flush=True)\n"
                                 "sys.stdin.read()"),
                  twin + QLatin1String("/config.json")});
    ASSERT_TRUE(holder.waitForReadyRead(30000));
    startAndConnect();
    EXPECT_NE(mac(), config.macAddress);
    EXPECT_TRUE(
        waitUntil([this] { return program->eventKinds().contains(QStringLiteral("remark")); }));
    holder.closeWriteChannel();
    holder.waitForFinished(10000);
}

TEST_F(MachineProcessTest, QemuGetsNoSecretsAndNobodyElsesFiles) {
    startAndConnect();
    const qint64 qemu = program->qemuPid();
    QFile environment(QStringLiteral("/proc/%1/environ").arg(qemu));
    ASSERT_TRUE(environment.open(QIODevice::ReadOnly));
    const QByteArray variables = environment.readAll();
    EXPECT_TRUE(variables.contains("PATH="));
    EXPECT_FALSE(variables.contains("MY_TOKEN"));
    int inherited = 0;
    const QFileInfoList descriptors = QDir(QStringLiteral("/proc/%1/fd").arg(qemu))
                                          .entryInfoList(QDir::System | QDir::AllEntries);
    for (const QFileInfo& descriptor : descriptors) {
        const QString target = descriptor.symLinkTarget();
        EXPECT_FALSE(target.endsWith(QLatin1String("config.json"))) << qPrintable(target);
        inherited += target == program->runtime().path() ? 1 : 0;
    }
    EXPECT_EQ(inherited, 1); // `alive`
    EXPECT_EQ(QFileInfo(QStringLiteral("/proc/%1/cwd").arg(qemu)).symLinkTarget(),
              program->runtime().path());
}

TEST_F(MachineProcessTest, AnswersTheOtherRequests) {
    startAndConnect();
    ASSERT_TRUE(waitUntil([this] { return client.status().sshPort != 0; }));
    const QJsonObject hello = client.hello();
    EXPECT_EQ(hello.value(QLatin1String("protocol")).toInt(), control::protocolVersion);
    // Each of them, and none that was not decided for the other backends.
    QStringList methods;
    for (const QJsonValue& method : hello.value(QLatin1String("methods")).toArray()) {
        methods << method.toString();
    }
    methods.sort();
    QStringList all = protocolMethods();
    all.sort();
    EXPECT_EQ(methods, all);
    EXPECT_FALSE(hello.contains(QLatin1String("unavailable")));
    const auto picture = call("screenshot");
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->toObject().value(QLatin1String("width")).toInt(), 1024);
    EXPECT_TRUE(QFileInfo::exists(picture->toObject().value(QLatin1String("path")).toString()));
    const auto added = call("forward.add", {{QStringLiteral("guestPort"), 80}});
    ASSERT_TRUE(added) << qPrintable(added.error().message);
    const QJsonValue hostPort = added->toObject().value(QLatin1String("hostPort"));
    const auto again = call(
        "forward.add", {{QStringLiteral("hostPort"), hostPort}, {QStringLiteral("guestPort"), 80}});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind, Error::Kind::AlreadyExists);
    EXPECT_TRUE(again.error().message.contains(QString::number(hostPort.toInt())));
    EXPECT_EQ(call("forward.list")->toObject().value(QLatin1String("forwards")).toArray().size(),
              2);
    EXPECT_TRUE(call("forward.remove", {{QStringLiteral("hostPort"), hostPort}}));
    EXPECT_EQ(call("forward.list")->toObject().value(QLatin1String("forwards")).toArray().size(),
              1);
    EXPECT_EQ(
        call("forward.add", {{QStringLiteral("guestPort"), QStringLiteral("x")}}).error().kind,
        Error::Kind::InvalidInput);
    EXPECT_EQ(
        call("agent.exec", {{QStringLiteral("path"), QStringLiteral("/bin/true")}}).error().kind,
        Error::Kind::Timeout);
    EXPECT_EQ(call("agent.exec").error().kind, Error::Kind::InvalidInput);
    EXPECT_EQ(call("display.info")->toObject().value(QLatin1String("socket")).toString(),
              program->runtime().displaySocket());
    EXPECT_EQ(call("log")->toObject().value(QLatin1String("path")).toString(),
              program->runtime().logFile());
}
