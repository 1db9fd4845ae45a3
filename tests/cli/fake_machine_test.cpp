// SPDX-License-Identifier: Apache-2.0
// `exec` and `net` at a machine without a guest: it answers what a test wants.
#include "core/machine/sidecar.h"
#include "tests/cli/command_line_support.h"
#include "tests/support/event_wait.h"
#include "tests/support/fake_firewall.h"
#include "tests/support/fake_machine.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>

namespace vitrine::test {

namespace {

class CommandLineAtAFakeMachine : public CommandLine {
protected:
    CommandLineAtAFakeMachine()
        : m_directory(add("web"))
        , m_machine(m_small.library, s("web")) {
        // ssh tells what it was called with.
        SmallLibrary::write(m_bin.filePath(s("ssh")), "#!/bin/sh\necho ssh \"$@\"\n");
        QFile::setPermissions(m_bin.filePath(s("ssh")),
                              QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        m_environment.insert(s("PATH"), m_bin.path() + s(":") + qEnvironmentVariable("PATH"));
    }
    // The machine answers meanwhile.
    Finished ask(const QStringList& arguments, const std::function<void(QProcess&)>& meanwhile) {
        const auto process = start(arguments);
        process->closeWriteChannel();
        meanwhile(*process);
        EXPECT_TRUE(waitUntil([&] { return process->state() == QProcess::NotRunning; }, 100000));
        m_err += process->readAllStandardError();
        return {process->exitCode(), process->readAllStandardOutput(), m_err};
    }
    Finished ask(const QStringList& arguments) {
        return ask(arguments, [](QProcess&) {});
    }
    void setAgent(bool opened, bool answers) {
        m_machine.agentOpened = opened;
        MachineStatus status = m_machine.status();
        status.agentAnswers = answers;
        m_machine.setStatus(status);
    }
    bool waitForError(QProcess& process, const char* text) {
        return waitUntil(
            [&] {
                m_err += process.readAllStandardError();
                return m_err.contains(text);
            },
            60000);
    }

    QTemporaryDir m_bin;
    QString m_directory;
    FakeMachine m_machine;
    QByteArray m_err;
};

const QStringList execEcho{s("exec"), s("web"), s("echo"), s("hello")};

} // namespace

TEST_F(CommandLineAtAFakeMachine, ExecWaitsForAnAgentThatIsSlowToAnswer) {
    m_machine.bootTime = 1 << 30;
    ASSERT_TRUE(m_machine.start());
    setAgent(true, false);
    const Finished done = ask(execEcho, [this](QProcess& process) {
        EXPECT_TRUE(waitForError(process, "does not answer yet")) << m_err.toStdString();
        setAgent(true, true);
    });
    EXPECT_EQ(done.code, 0) << done.err.toStdString();
    EXPECT_EQ(done.out, QByteArray("hello\n"));
    EXPECT_FALSE(done.err.contains("over ssh as")) << done.err.toStdString();
}

TEST_F(CommandLineAtAFakeMachine, ExecSaysThatItGoesOverSshBecauseNoAgentAnswers) {
    m_machine.bootTime = 1 << 30;
    ASSERT_TRUE(m_machine.start());
    const Finished done = ask(execEcho);
    EXPECT_EQ(done.code, 0) << done.err.toStdString();
    EXPECT_TRUE(done.out.startsWith("ssh ")) << done.out.toStdString();
    EXPECT_EQ(done.err.count("over ssh as the user \"admin\""), 1) << done.err.toStdString();
    EXPECT_FALSE(done.err.contains("does not answer yet")) << "nothing is there to wait for";
    m_err.clear();
    const Finished asked = ask({s("exec"), s("-i"), s("web"), s("cat")});
    EXPECT_TRUE(asked.out.startsWith("ssh "));
    EXPECT_FALSE(asked.err.contains("over ssh as")) << "asked for: " << asked.err.toStdString();
}

TEST_F(CommandLineAtAFakeMachine, LearningSaysWhatItOpens) {
    FakeFirewall firewall;
    ASSERT_TRUE(m_machine.start());
    firewall.answer(m_machine.server());
    const Finished started = ask({s("net"), s("web"), s("learn"), s("start")});
    EXPECT_EQ(started.code, 0) << started.err.toStdString();
    EXPECT_TRUE(started.err.contains("everything passes, but for the services of this computer"))
        << started.err.toStdString();
    EXPECT_TRUE(firewall.learning);
}

TEST_F(CommandLineAtAFakeMachine, ARuleOfARunThatHasSoftnetForItselfIsSaidNotToBeKept) {
    FakeFirewall firewall;
    ASSERT_TRUE(m_machine.start());
    firewall.answer(m_machine.server());
    m_machine.server().on(
        s("net.policy.edit"),
        [](const QJsonObject&, const ControlServer::Respond& respond) { respond(QJsonObject()); });
    const auto allow = [this](const QStringList& options) {
        m_err.clear();
        const Finished done =
            ask(QStringList{s("net"), s("web"), s("allow"), s("10.0.0.0/8")} + options);
        EXPECT_EQ(done.code, 0) << done.err.toStdString();
        return done.err;
    };
    EXPECT_TRUE(allow({}).contains("This holds until the machine stops"));
    EXPECT_FALSE(allow({s("--once")}).contains("This holds")) << "that is what was wished";
    ASSERT_TRUE(Sidecar::update(
        m_directory, [](Sidecar& sidecar) { sidecar.run.network.mode = NetworkMode::Softnet; }));
    EXPECT_FALSE(allow({}).contains("This holds"));
}

TEST_F(CommandLineAtAFakeMachine, WhatWasLearnedCanBePastedAndNothingIsSaidToBeNothing) {
    FakeFirewall firewall;
    ASSERT_TRUE(m_machine.start());
    firewall.answer(m_machine.server());
    ASSERT_EQ(ask({s("net"), s("web"), s("learn"), s("start")}).code, 0);
    const Finished nothing = ask({s("net"), s("web"), s("learn"), s("show")});
    EXPECT_EQ(nothing.code, 0);
    EXPECT_EQ(nothing.out, QByteArray());
    EXPECT_TRUE(nothing.err.contains("Nothing was seen")) << nothing.err.toStdString();
    firewall.see(destinationOf("8.8.8.8", 443, true));
    const Finished shown = ask({s("net"), s("web"), s("learn"), s("stop")});
    EXPECT_EQ(shown.out,
              QByteArray("'--net-softnet-allow=out 8.8.8.8/32:443'\n"
                         "'--net-softnet-block=out 0.0.0.0/0'\n"))
        << shown.out.toStdString();
}

TEST_F(CommandLineAtAFakeMachine, ADirectionNeedsNoQuotesAndAnAddressNoPrefixLength) {
    FakeFirewall firewall;
    ASSERT_TRUE(m_machine.start());
    firewall.answer(m_machine.server());
    QJsonObject edit;
    m_machine.server().on(s("net.policy.edit"),
                          [&edit](const QJsonObject& asked, const ControlServer::Respond& respond) {
                              edit = asked;
                              respond(QJsonObject());
                          });
    const Finished done = ask({s("net"),
                               s("web"),
                               s("block"),
                               s("out"),
                               s("8.8.8.8"),
                               s("9.9.9.9:53"),
                               s("in 7.7.7.7"),
                               s("10.0.0.0/8")});
    EXPECT_EQ(done.code, 0) << done.err.toStdString();
    EXPECT_EQ(edit.value(s("add")).toObject().value(s("block")).toArray(),
              QJsonArray::fromStringList(
                  {s("out 8.8.8.8/32"), s("9.9.9.9/32:53"), s("in 7.7.7.7/32"), s("10.0.0.0/8")}));
    const Finished lonely = ask({s("net"), s("web"), s("block"), s("out")});
    EXPECT_NE(lonely.code, 0);
    EXPECT_TRUE(lonely.err.contains("\"out\" is not a network")) << lonely.err.toStdString();
}

TEST_F(CommandLineAtAFakeMachine, OfSeveralPortsAllAreExposedOrNone) {
    FakeFirewall firewall;
    firewall.exposed = {s("8080:80")};
    ASSERT_TRUE(m_machine.start());
    firewall.answer(m_machine.server());
    m_machine.server().on(
        s("net.expose.add"),
        [&firewall](const QJsonObject& asked, const ControlServer::Respond& respond) {
            const QString spec = asked.value(s("spec")).toString();
            if (spec == s("5701:22")) {
                respond(fail(Error::Kind::Busy, s("Port 5701 is taken.")));
                return;
            }
            firewall.exposed.append(spec);
            respond(QJsonObject());
        });
    const Finished refused = ask({s("net"), s("web"), s("expose"), s("7774:22"), s("5701:22")});
    EXPECT_NE(refused.code, 0);
    EXPECT_TRUE(refused.err.contains("5701"));
    EXPECT_EQ(firewall.exposed, QStringList{s("8080:80")});
}

TEST_F(CommandLineAtAFakeMachine, ASuspendedMachineIsSaidToBeSuspended) {
    SmallLibrary::write(m_directory + s("/state.qemu"), "state");
    const Finished rules = ask({s("net"), s("web"), s("rules")});
    EXPECT_NE(rules.code, 0);
    EXPECT_TRUE(rules.err.contains("suspended")) << rules.err.toStdString();
}

TEST_F(CommandLineAtAFakeMachine, ARuleThatIsNotStoredIsMarked) {
    FakeFirewall firewall;
    firewall.policy = {{s("10.0.0.0/8"), s("8.8.8.8/32")}, {}};
    firewall.exposed = {s("2222:22"), s("8080:80")};
    ASSERT_TRUE(m_machine.start());
    firewall.answer(m_machine.server());
    ASSERT_TRUE(Sidecar::update(m_directory, [](Sidecar& sidecar) {
        sidecar.run.network.mode = NetworkMode::Softnet;
        sidecar.run.network.allow = s("10.0.0.0/8");
        sidecar.run.network.expose = s("2222:22");
    }));
    const QList<QByteArray> lines = ask({s("net"), s("web"), s("rules")}).out.split('\n');
    const auto isMarked = [&lines](const char* rule) {
        for (const QByteArray& line : lines)
            if (line.contains(rule))
                return line.contains("the machine stops");
        ADD_FAILURE() << rule;
        return false;
    };
    EXPECT_FALSE(isMarked("10.0.0.0/8"));
    EXPECT_TRUE(isMarked("8.8.8.8/32"));
    EXPECT_FALSE(isMarked("2222:22"));
    EXPECT_TRUE(isMarked("8080:80"));
    const QJsonObject once =
        QJsonDocument::fromJson(ask({s("net"), s("web"), s("rules"), s("--format"), s("json")}).out)
            .object()
            .value(s("once"))
            .toObject();
    EXPECT_EQ(once.value(s("allow")).toArray(), (QJsonArray{s("8.8.8.8/32")}));
    EXPECT_EQ(once.value(s("expose")).toArray(), (QJsonArray{s("8080:80")}));
}

TEST_F(CommandLineAtAFakeMachine, WhatNeedsTheGuestSaysAtOnceThatTheMachineIsPaused) {
    const QTemporaryDir folder;
    ASSERT_TRUE(m_machine.start());
    MachineStatus status = m_machine.status();
    status.state = MachineState::Paused;
    m_machine.setStatus(status);
    for (const QStringList& line : {execEcho,
                                    {s("exec"), s("-i"), s("web"), s("cat")},
                                    {s("ssh"), s("web"), s("true")},
                                    {s("ssh"), s("--wait"), s("60"), s("web")},
                                    {s("share"), s("web"), s("add"), folder.path()}}) {
        m_err.clear();
        const Finished refused = ask(line);
        EXPECT_EQ(refused.code, 1) << line.join(QLatin1Char(' ')).toStdString();
        EXPECT_TRUE(refused.out.isEmpty()) << refused.out.toStdString();
        EXPECT_TRUE(refused.err.contains("\"web\" is paused")) << refused.err.toStdString();
        EXPECT_TRUE(refused.err.contains("vitrinectl resume web")) << refused.err.toStdString();
    }
    EXPECT_TRUE(Sidecar::read(m_directory)->run.shares.isEmpty());
    status.note = s("The disk of this computer is full.");
    m_machine.setStatus(status);
    m_err.clear();
    EXPECT_TRUE(ask(execEcho).err.contains("disk of this computer is full"));
    EXPECT_EQ(ask({s("share"), s("web"), s("list")}).code, 0);
}

TEST_F(CommandLineAtAFakeMachine, StopSaysThatAPausedMachineIsResumedForIt) {
    ASSERT_TRUE(m_machine.start());
    MachineStatus status = m_machine.status();
    status.state = MachineState::Paused;
    m_machine.setStatus(status);
    const Finished stopped = ask({s("stop"), s("web")});
    EXPECT_EQ(stopped.code, 0);
    EXPECT_TRUE(stopped.err.contains("\"web\" is paused and is resumed to shut down"))
        << stopped.err.toStdString();
    EXPECT_TRUE(stopped.err.contains("has shut down"));
}

TEST_F(CommandLineAtAFakeMachine, StopForcesAMachineOffThatCannotGoOnAndSaysWhy) {
    m_machine.shutdownTime = 1 << 30;
    ASSERT_TRUE(m_machine.start());
    MachineStatus status = m_machine.status();
    status.state = MachineState::Paused;
    status.note = s("The disk of this computer is full.");
    m_machine.setStatus(status);
    const Finished stopped = ask({s("stop"), s("web"), s("--timeout"), s("1")});
    EXPECT_EQ(stopped.code, 0);
    EXPECT_TRUE(stopped.err.contains("within 1 s and was forced off")) << stopped.err.toStdString();
    EXPECT_EQ(stopped.err.count("disk of this computer is full"), 2) << stopped.err.toStdString();
}

TEST_F(CommandLineAtAFakeMachine, GetListsWhatWaitsForTheNextStart) {
    ASSERT_TRUE(m_machine.start());
    ASSERT_EQ(ask({s("set"), s("web"), s("--cpu"), s("3"), s("--memory"), s("256")}).code, 0);
    const QByteArray text = ask({s("get"), s("web")}).out;
    EXPECT_TRUE(text.contains("Waiting for the next start")) << text.toStdString();
    const QByteArray waiting = text.mid(text.indexOf("Waiting")).simplified();
    EXPECT_TRUE(waiting.contains("CPU 1 3")) << waiting.toStdString();
    EXPECT_TRUE(waiting.contains("Memory 128 256")) << waiting.toStdString();
    const QJsonObject object = ask({s("get"), s("web"), s("--format"), s("json")}).json().object();
    EXPECT_EQ(object[s("CPU")].toInt(), 1);
    EXPECT_EQ(object[s("Pending")], (QJsonObject{{s("CPU"), 3}, {s("Memory"), 256}}));
}

TEST_F(CommandLineAtAFakeMachine, GetTellsStoredOptionsThatTheRunHasNotFromThoseItHas) {
    ASSERT_EQ(run({"set", "web", "--forward", "8080:80", "--no-audio"}).code, 0);
    const RunOptions started = Sidecar::read(m_directory)->run;
    RunOptions now = started;
    now.forwards.append({9090, 90}); // added while it runs
    ASSERT_TRUE(m_machine.start());
    m_machine.server().on(
        s("run.options"), [&](const QJsonObject&, const ControlServer::Respond& respond) {
            respond(QJsonObject{{s("started"), started.toJson()}, {s("now"), now.toJson()}});
        });
    EXPECT_FALSE(ask({s("get"), s("web")}).out.contains("Waiting"));
    ASSERT_EQ(ask({s("set"),
                   s("web"),
                   s("--forward"),
                   s("8080:80"),
                   s("--forward"),
                   s("9090:90"),
                   s("--forward"),
                   s("7070:70"),
                   s("--no-pointer")})
                  .code,
              0);
    const QByteArray text = ask({s("get"), s("web")}).out;
    const qsizetype begin = text.indexOf("Waiting for the next start");
    ASSERT_GE(begin, 0) << text.toStdString();
    const QByteArray waiting = text.mid(begin, text.indexOf("\n\n", begin) - begin);
    EXPECT_TRUE(waiting.contains("7070:70")) << text.toStdString();
    EXPECT_TRUE(waiting.contains("--no-pointer")) << text.toStdString();
    EXPECT_FALSE(waiting.contains("8080:80")) << text.toStdString();
    EXPECT_FALSE(waiting.contains("9090:90")) << text.toStdString();
    EXPECT_FALSE(waiting.contains("--no-audio")) << text.toStdString();
    EXPECT_EQ(
        ask({s("get"), s("web"), s("--format"), s("json")}).json().object()[s("Pending")],
        (QJsonObject{{s("RunOptions"), QJsonArray{s("--forward 7070:70"), s("--no-pointer")}}}));
}

TEST_F(CommandLineAtAFakeMachine, SharesHaveTheirShownNameInJsonToo) {
    const QTemporaryDir folder;
    ASSERT_EQ(run({s("share"), s("web"), s("add"), folder.path()}).code, 0);
    const QStringList list{s("share"), s("web"), s("list"), s("--format"), s("json")};
    const QString name = QFileInfo(folder.path()).fileName();
    EXPECT_EQ(run(list).json()[0][s("name")].toString(), name);
    ASSERT_TRUE(m_machine.start());
    ASSERT_EQ(ask({s("share"), s("web"), s("add"), m_bin.path()}).code, 0);
    const QJsonDocument running = ask(list).json();
    EXPECT_FALSE(running[0][s("name")].toString().isEmpty()) << running.toJson().toStdString();
}

TEST_F(CommandLineAtAFakeMachine, ExecOfAMissingProgramIsACommandNotFound) {
    ASSERT_TRUE(m_machine.start());
    ASSERT_TRUE(waitUntil([this] { return m_machine.status().agentAnswers; }));
    const Finished missing = ask({s("exec"), s("web"), s("nosuch"), s("-x")});
    EXPECT_EQ(missing.code, 127);
    EXPECT_TRUE(missing.err.contains("nosuch: command not found")) << missing.err.toStdString();
    EXPECT_EQ(ask({s("exec"), s("web"), s("false")}).code, 1);
}

TEST_F(CommandLineAtAFakeMachine, WhoHasWaitedForAnAddressIsNotToldToWait) {
    m_machine.bootTime = 1 << 30;
    ASSERT_TRUE(m_machine.start());
    const Finished waited = ask({s("ip"), s("web"), s("--wait"), s("1")});
    EXPECT_EQ(waited.code, 1);
    EXPECT_TRUE(waited.err.contains("after 1 s")) << waited.err.toStdString();
    EXPECT_FALSE(waited.err.contains("--wait")) << waited.err.toStdString();
    m_err.clear();
    EXPECT_TRUE(ask({s("ip"), s("web")}).err.contains("--wait"));
    MachineStatus status = m_machine.status();
    status.sshPort = 0;
    m_machine.setStatus(status);
    m_err.clear();
    const Finished unreachable = ask({s("ssh"), s("--wait"), s("1"), s("web")});
    EXPECT_TRUE(unreachable.err.contains("after 1 s")) << unreachable.err.toStdString();
    EXPECT_FALSE(unreachable.err.contains("--wait")) << unreachable.err.toStdString();
}

TEST_F(CommandLineAtAFakeMachine, WhatABackendCannotHaveIsToldWithItsReason) {
    m_machine.unavailable = {{s("snapshot.create"), s("Not while it runs here.")},
                             {s("net.learn"), s("The rules are those of the start.")}};
    ASSERT_TRUE(m_machine.start());
    const Finished snapshot = ask({s("snapshot"), s("web"), s("create")});
    EXPECT_EQ(snapshot.code, 1);
    EXPECT_TRUE(snapshot.err.contains("Not while it runs here.")) << snapshot.err.toStdString();
    m_err.clear();
    MachineStatus status = m_machine.status();
    status.network = s("softnet");
    m_machine.setStatus(status);
    const Finished learning = ask({s("net"), s("web"), s("learn"), s("start")});
    EXPECT_EQ(learning.code, 1);
    EXPECT_TRUE(learning.err.contains("The rules are those of the start."))
        << learning.err.toStdString();
}

} // namespace vitrine::test
