// SPDX-License-Identifier: Apache-2.0
// `run`, `stop`, `ip` and `ssh` without a guest: locks held by another program.
#include "core/machine/sidecar.h"
#include "tests/cli/command_line_support.h"

namespace vitrine::test {

TEST_F(CommandLine, CommandsForRunningMachinesSayWhenOneIsStopped) {
    (void)add("web");
    for (const char* command : {"stop", "ip", "ssh", "pause", "resume"}) {
        const Finished stopped = run({command, "web"});
        EXPECT_EQ(stopped.code, 2) << command;
        EXPECT_TRUE(stopped.err.contains("not running"));
        EXPECT_EQ(run({command, "nothing"}).code, 2) << command;
    }
    EXPECT_EQ(run({"ip", "web", "--resolver", "arp"}).code, 2);
    EXPECT_EQ(run({"run", "nothing", "--no-graphics"}).code, 2);
}

TEST_F(CommandLine, SharesOfAStoppedMachineAreStoredChangedAndRemoved) {
    (void)add("web");
    const QTemporaryDir folder;
    const QByteArray source = "src:" + folder.path().toUtf8();
    const Finished added = run({"share", "web", "add", source.constData()});
    EXPECT_EQ(added.code, 0) << added.err.toStdString();
    EXPECT_EQ(added.out.trimmed(), "/mnt/vitrine/src");
    EXPECT_TRUE(run({"share", "web"}).out.contains("at next start"));
    EXPECT_EQ(run({"share", "web", "change", "src", "--writable", "--rename", "work"}).code, 0);
    const QByteArray json = run({"share", "web", "list", "--format", "json"}).out;
    EXPECT_TRUE(json.contains("\"tag\": \"work\"")) << json.toStdString();
    EXPECT_TRUE(json.contains("\"readOnly\": false"));
    EXPECT_EQ(run({"share", "web", "remove", "src"}).code, 2);
    EXPECT_EQ(run({"share", "web", "remove", "work"}).code, 0);
    EXPECT_EQ(run({"share", "web", "mount", "work"}).code, 2);
    EXPECT_EQ(run({"share", "web", "add"}).code, 64);
    EXPECT_EQ(run({"share", "web", "add", "/etc", "--writable"}).code, 64);
}

TEST_F(CommandLine, TheHelpOfIpSaysThatItsAddressCannotBeReachedFromHere) {
    EXPECT_TRUE(run({"ip", "--help"}).out.simplified().contains("cannot be reached from this"));
}

TEST_F(CommandLine, AStartThatFailsBeforeTheMachineIsOneOfItsEvents) {
    const QString directory = add("web");
    const Finished failed = run({"run", "web", "--no-graphics", "--disk", "/nowhere/at/all.img"});
    EXPECT_NE(failed.code, 0);
    const auto sidecar = Sidecar::read(directory);
    ASSERT_TRUE(sidecar);
    ASSERT_EQ(sidecar->events.size(), 1) << failed.err.toStdString();
    const QJsonObject event = sidecar->events.first().toObject();
    EXPECT_EQ(event.value(s("kind")).toString(), s("start-failed"));
    EXPECT_TRUE(failed.err.contains(event.value(s("text")).toString().toUtf8()));
}

TEST_F(CommandLine, WordsBehindTheMachineOfSshAreTheGuestsOwn) {
    (void)add("web");
    for (const QStringList& line :
         {QStringList{s("ssh"), s("web"), s("ls"), s("-la")},
          {s("ssh"), s("--wait"), s("1"), s("web"), s("--"), s("--version")},
          {s("ssh"), s("-l"), s("me"), s("web"), s("--help")},
          {s("ssh"), s("--user=me"), s("--"), s("web"), s("x")}}) {
        const Finished stopped = run(line);
        EXPECT_EQ(stopped.code, 2) << line.join(QLatin1Char(' ')).toStdString();
        EXPECT_TRUE(stopped.err.contains("not running"));
    }
    for (const QStringList& line : {QStringList{s("ssh")},
                                    {s("ssh"), s("--wait"), s("x"), s("web")},
                                    {s("ssh"), s("--nope"), s("web")}})
        EXPECT_EQ(run(line).code, 64) << line.join(QLatin1Char(' ')).toStdString();
}

TEST_F(CommandLine, StopLetsAnotherProgramShutDown) {
    const QString directory = add("web");
    const auto holder = hold(directory);
    const Finished stopped = run({"stop", "web"});
    EXPECT_EQ(stopped.code, 0) << stopped.err.toStdString();
    EXPECT_TRUE(stopped.err.contains("has shut down"));
    ASSERT_TRUE(holder->waitForFinished(30000));
    EXPECT_EQ(run({"stop", "web"}).code, 2);
}

TEST_F(CommandLine, StopForcesAProgramOffOnlyAfterTheTimeAndSaysSo) {
    const QString directory = add("web");
    const auto holder = hold(directory, "hold", true);
    const Finished stopped = run({"stop", "web", "--timeout", "1"});
    EXPECT_EQ(stopped.code, 0) << stopped.err.toStdString();
    EXPECT_TRUE(stopped.err.contains("did not shut down within 1 s and was forced off"));
    ASSERT_TRUE(holder->waitForFinished(30000));
    EXPECT_EQ(holder->exitStatus(), QProcess::CrashExit);
}

TEST_F(CommandLine, StopForcesOffAtOnceOnWish) {
    const QString directory = add("web");
    for (const QStringList& wish : {QStringList{s("--force")}, {s("--timeout"), s("0")}}) {
        const auto holder = hold(directory, "hold", true);
        const Finished stopped = run(QStringList{s("stop"), s("web")} + wish);
        EXPECT_EQ(stopped.code, 0);
        EXPECT_TRUE(stopped.err.contains("was forced off"));
        EXPECT_FALSE(stopped.err.contains("within"));
        ASSERT_TRUE(holder->waitForFinished(30000));
    }
}

TEST_F(CommandLine, AMachineThatRunsElsewhereIsNeverSignalled) {
    const QString directory = add("web");
    const auto holder = hold(directory, "ofd");
    const Finished stopped = run({"stop", "web", "--force"});
    EXPECT_EQ(stopped.code, 1);
    EXPECT_EQ(holder->state(), QProcess::Running);
    EXPECT_EQ(run({"run", "web", "--no-graphics"}).code, 2);
}

TEST_F(CommandLine, ASuspendedMachineLosesItsStateOnlyOnWish) {
    const QString directory = add("web");
    SmallLibrary::write(directory + s("/state.qemu"), "state");
    const Finished refused = run({"stop", "web"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(refused.err.contains("--discard-state"));
    EXPECT_TRUE(QFile::exists(directory + s("/state.qemu")));
    const Finished resumed = run({"resume", "web"});
    EXPECT_EQ(resumed.code, 2);
    EXPECT_TRUE(resumed.err.contains("vitrinectl run web")) << resumed.err.toStdString();
    EXPECT_EQ(run({"stop", "web", "--discard-state"}).code, 0);
    EXPECT_FALSE(QFile::exists(directory + s("/state.qemu")));
    EXPECT_EQ(run({"get", "web", "--format", "json"}).json()[s("State")].toString(), s("stopped"));
}

TEST_F(CommandLine, AMachineThatWasKilledJustAfterGoingOnIsSuspendedAndKeptBeforeItsStateGoes) {
    const QString directory = add("web");
    SmallLibrary::write(directory + s("/state.qemu.used"), "state");
    EXPECT_EQ(run({"get", "web", "--format", "json"}).json()[s("State")].toString(),
              s("suspended"));
    const Finished refused = run({"run", "web", "--no-graphics", "--no-pointer"});
    EXPECT_NE(refused.code, 0);
    EXPECT_TRUE(refused.err.contains("suspended")) << refused.err.toStdString();
    EXPECT_EQ(run({"snapshot", "web", "automatic", "on"}).code, 0);
    EXPECT_EQ(run({"stop", "web", "--discard-state"}).code, 0);
    EXPECT_FALSE(QFile::exists(directory + s("/state.qemu.used")));
    const QStringList kept =
        QDir(directory + s("/snapshots")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    ASSERT_EQ(kept.size(), 1);
    EXPECT_TRUE(QFile::exists(directory + s("/snapshots/") + kept.first() + s("/state.qemu.used")));
}

TEST_F(CommandLine, OptionsThatThisHostCannotHonourAreRefusedWithTheReason) {
    (void)add("web");
    const QList<QStringList> refused{
        {s("--rosetta"), s("tag")}, {s("--recovery")}, {s("--no-trackpad")}};
    for (const QStringList& option : refused) {
        const Finished finished = run(QStringList{s("run"), s("web"), s("--no-graphics")} + option);
        EXPECT_EQ(finished.code, 1) << option.first().toStdString();
        EXPECT_TRUE(finished.err.startsWith(option.first().toUtf8() + " is not available. "))
            << finished.err.toStdString();
        EXPECT_GT(finished.err.size(), option.first().size() + 30);
    }
}

TEST_F(CommandLine, WhatTheConsoleDoesByItselfIsAccepted) {
    (void)add("web");
    const Finished finished =
        run({"run", "web", "--no-graphics", "--capture-system-keys", "--recovery"});
    EXPECT_TRUE(finished.err.startsWith("--recovery is not available. "))
        << finished.err.toStdString();
}

TEST_F(CommandLine, NetworksThatThisHostCannotOfferAreRefusedWithTheReason) {
    (void)add("web");
    const QList<std::pair<QStringList, QByteArray>> refused{
        {{s("--net-bridged"), s("en0")}, "en0"},
        {{s("--net-softnet-allow"), s("10.0.0.0/8,north")}, "\"north\" is not a network"},
        {{s("--net-softnet-allow"), s("10.0.0.0/8:0")}, "10.0.0.0/8:443"},
        {{s("--net-softnet-control-fd"), s("3")}, "vitrinectl net"},
        {{s("--net-softnet-block"), s("10.0.0.1")}, "10.0.0.1/32"},
        {{s("--net-softnet-expose"), s("2222")}, "EXTERNAL:INTERNAL"},
        {{s("--net-host"), s("--net-softnet")}, "one of"},
        {{s("--boot"), s("floppy")}, "boot order"},
        {{s("--serial-path"), s("/dev/null")}, "terminal"},
        {{s("--vnc"), s("--vnc-experimental")}, "excludes"}};
    for (const auto& [option, reason] : refused) {
        const Finished finished = run(QStringList{s("run"), s("web"), s("--no-graphics")} + option);
        EXPECT_NE(finished.code, 0) << option.first().toStdString();
        EXPECT_TRUE(finished.err.contains(reason)) << finished.err.toStdString();
    }
}

TEST_F(CommandLine, RulesOfTheFirewallAreStored) {
    const QString directory = add("web");
    EXPECT_EQ(
        run({"set", "web", "--net-softnet-allow", "10.0.0.0/8,out @host:53", "--boot", "cd,disk"})
            .code,
        0);
    const auto sidecar = Sidecar::read(directory);
    ASSERT_TRUE(sidecar);
    EXPECT_EQ(sidecar->run.network.mode, NetworkMode::Softnet);
    EXPECT_EQ(sidecar->run.network.allow, s("10.0.0.0/8,out @host:53"));
    EXPECT_EQ(toText(sidecar->run.bootOrder), s("cd,disk"));
}

TEST_F(CommandLine, TheFirewallOfAStoppedMachineIsStoredAndChanged) {
    const QString directory = add("web");
    EXPECT_TRUE(run({"net", "web", "allow", "@host"}).err.contains("--net-softnet"));
    ASSERT_EQ(run({"set", "web", "--net-softnet"}).code, 0);
    EXPECT_TRUE(run({"net", "web"}).err.contains("There is no rule"));
    EXPECT_EQ(run({"net", "web", "allow", "10.4.0.9/16,@host", "in 10.0.0.0/8:22"}).code, 0);
    EXPECT_EQ(run({"net", "web", "block", "10.4.0.0/16"}).code, 0);
    EXPECT_EQ(run({"net", "web", "expose", "2222:22", "127.0.0.1:8080:80"}).code, 0);
    const auto stored = [&directory] { return Sidecar::read(directory)->run.network; };
    EXPECT_EQ(stored().allow, s("@host,in 10.0.0.0/8:22"));
    EXPECT_EQ(stored().block, s("10.4.0.0/16"));
    EXPECT_EQ(stored().expose, s("2222:22,127.0.0.1:8080:80"));
    EXPECT_NE(run({"net", "web", "expose", "2222:23"}).code, 0) << "exposed twice";
    EXPECT_EQ(stored().expose, s("2222:22,127.0.0.1:8080:80"));
    EXPECT_NE(run({"set", "web", "--forward", "7900:22", "--forward", "7900:23"}).code, 0);
    const QByteArray json = run({"net", "web", "rules", "--format", "json"}).out;
    EXPECT_TRUE(json.contains("\"in 10.0.0.0/8:22\"")) << json.toStdString();
    EXPECT_EQ(run({"net", "web", "allow", "in  10.0.0.0/8:22", "--remove"}).code, 0);
    EXPECT_EQ(run({"net", "web", "expose", "2222:22", "--remove"}).code, 0);
    EXPECT_EQ(stored().allow, s("@host"));
    EXPECT_EQ(stored().expose, s("127.0.0.1:8080:80"));
    EXPECT_EQ(run({"net", "web", "allow", "@host", "--remove", "--once"}).code, 2);
    EXPECT_EQ(run({"net", "web", "block", "1.0.0.0/8", "--remove"}).code, 2);
    const Finished noPort = run({"net", "web", "test", "10.0.0.5"});
    EXPECT_EQ(noPort.code, 64) << "1 would say that it does not pass";
    EXPECT_TRUE(noPort.err.contains("10.0.0.5:443")) << noPort.err.toStdString();
    EXPECT_EQ(run({"net", "web", "test", "10.0.0.5", "--protocol", "icmp"}).code, 2);
    EXPECT_EQ(run({"net", "web", "log"}).code, 2);
    EXPECT_EQ(run({"net", "web", "test", "8.8.8.8:53"}).code, 2);
    EXPECT_EQ(run({"net", "web", "allow", "in", "10.0.0.1"}).code, 0);
    EXPECT_EQ(stored().allow, s("@host,in 10.0.0.1/32"));
    EXPECT_EQ(run({"net", "web", "allow", "in", "10.0.0.1", "--remove"}).code, 0);
    const Finished wrong = run({"set", "web", "--net-softnet-allow", "10.0.0.1"});
    EXPECT_EQ(wrong.code, 64);
    EXPECT_TRUE(wrong.err.contains("10.0.0.1/32")) << wrong.err.toStdString();
    const Finished reserved = run({"net", "web", "expose", "22:22"});
    EXPECT_EQ(reserved.code, 0);
    EXPECT_EQ(run({"net", "web", "expose", "22:22", "--remove"}).code, 0);
    EXPECT_EQ(run({"set", "web", "--forward", "22:22"}).err, reserved.err) << "the same rule";
    EXPECT_EQ(run({"net", "web", "expose", "22"}).code, 64);
    EXPECT_EQ(run({"net", "web", "allow"}).code, 64);
    EXPECT_EQ(run({"net", "web", "rules", "x"}).code, 64);
    EXPECT_EQ(stored().allow, s("@host"));
    // What is typed replaces its own list only.
    ASSERT_EQ(run({"set", "web", "--net-softnet"}).code, 0);
    EXPECT_EQ(stored().allow, s("@host"));
    EXPECT_EQ(stored().block, s("10.4.0.0/16"));
    ASSERT_EQ(run({"set", "web", "--net-softnet-allow", "10.0.0.0/8"}).code, 0);
    EXPECT_EQ(stored().allow, s("10.0.0.0/8"));
    EXPECT_EQ(stored().block, s("10.4.0.0/16"));
}

TEST_F(CommandLine, RiskyDisksAreToldWhenTheyAreStored) {
    (void)add("web");
    const Finished finished = run({"set", "web", "--root-disk-opts", "sync=none"});
    EXPECT_EQ(finished.code, 0);
    EXPECT_TRUE(finished.err.contains("Risky")) << finished.err.toStdString();
}

TEST_F(CommandLine, ADiskThatGrewWhileTheMachineWasOffIsFinishedAtItsNextStart) {
    const QString directory = add("web");
    EXPECT_EQ(run({"set", "web", "--disk-size", "60"}).code, 0);
    EXPECT_TRUE(Sidecar::read(directory)->growPartition);
    EXPECT_EQ(run({"set", "web", "--disk-size", "61", "--no-grow-partition"}).code, 0);
}

TEST_F(CommandLine, ForwardsNeedARunningMachineAndPorts) {
    (void)add("web");
    EXPECT_EQ(run({"forward", "web", "list"}).code, 2);
    EXPECT_EQ(run({"forward", "web", "add"}).code, 64);
    EXPECT_EQ(run({"forward", "web", "add", "0:80"}).code, 64);
    EXPECT_EQ(run({"forward", "web", "open", "80"}).code, 64);
}

TEST_F(CommandLine, AWindowNeedsADisplay) {
    (void)add("web");
    const Finished finished = run({"run", "web"});
    EXPECT_EQ(finished.code, 1);
    EXPECT_TRUE(finished.err.contains("--no-graphics")) << finished.err.toStdString();
}

} // namespace vitrine::test
