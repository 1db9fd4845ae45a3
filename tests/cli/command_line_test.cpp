// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line_support.h"

#include "core/machine/display_scale.h"
#include "core/machine/sidecar.h"
#include "tests/support/send_signal.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonObject>
#include <QTcpServer>
#include <QTcpSocket>

#include <ctime>
#include <memory>
#include <sys/stat.h>
#include <vector>

namespace vitrine::test {

TEST_F(CommandLine, AMistypedOptionOrCommandIsNamedAndTheNearestOffered) {
    const Finished option = run({"set", "sample", "--disply", "3"});
    EXPECT_EQ(option.code, 64);
    EXPECT_TRUE(option.err.contains("--disply 3")) << option.err.toStdString();
    EXPECT_TRUE(option.err.contains("Did you mean --display?")) << option.err.toStdString();
    const Finished command = run({"lst"});
    EXPECT_EQ(command.code, 64);
    EXPECT_TRUE(command.err.contains("Did you mean list?")) << command.err.toStdString();
    const Finished nothing = run({"list", "--frobnicate"});
    EXPECT_EQ(nothing.code, 64);
    EXPECT_FALSE(nothing.err.contains("Did you mean")) << nothing.err.toStdString();
}

TEST_F(CommandLine, HelpAndVersionSucceedAndBadLinesAreUsageErrors) {
    EXPECT_EQ(run({"--version"}).out, QByteArray("vitrinectl " VITRINE_VERSION "\n"));
    const Finished help = run({"--help"});
    EXPECT_EQ(help.code, 0);
    const QStringList commands{s("list"),
                               s("get"),
                               s("set"),
                               s("clone"),
                               s("rename"),
                               s("delete"),
                               s("pull"),
                               s("login"),
                               s("logout"),
                               s("run"),
                               s("stop"),
                               s("ip"),
                               s("ssh")};
    for (const QString& command : commands) {
        EXPECT_TRUE(help.out.contains("\n  " + command.toUtf8() + " ")) << command.toStdString();
        const Finished one = run({command, s("--help")});
        EXPECT_EQ(one.code, 0);
        EXPECT_TRUE(one.out.contains("Usage: vitrinectl " + command.toUtf8()));
        for (const QByteArray& line : one.out.split('\n'))
            EXPECT_LE(QString::fromUtf8(line).size(), 86) << line.toStdString();
    }
    for (const QStringList& line : {QStringList{s("nope")},
                                    {s("list"), s("--format"), s("xml")},
                                    {s("list"), s("--sorce")},
                                    {s("get")},
                                    {s("set"), s("x"), s("--cpu"), s("many")},
                                    {s("set"), s("x"), s("--cpu"), s("0")},
                                    {s("set"), s("x"), s("--disk-size"), s("65536")},
                                    {s("pull"), s("h/i"), s("--concurrency"), s("0")},
                                    {s("run"), s("x"), s("--cpu"), s("many")},
                                    {s("stop"), s("x"), s("--timeout"), s("-1")}}) {
        const Finished refused = run(line);
        EXPECT_EQ(refused.code, 64) << line.join(QLatin1Char(' ')).toStdString();
        EXPECT_TRUE(refused.err.contains("--help"));
        EXPECT_TRUE(refused.out.isEmpty());
    }
}

TEST_F(CommandLine, AnOptionThatMayBeRepeatedLeavesTheNextWordAlone) {
    const Finished mount =
        run({"kernel", "run", "-k", "/nowhere/vmlinux", "--mount", "/tmp:/mnt:ro", "true"});
    EXPECT_NE(mount.code, 64) << mount.err.constData();
    EXPECT_TRUE(mount.err.contains("/nowhere/vmlinux")) << mount.err.constData();
    const Finished target =
        run({"kernel", "run", "--config", "/nowhere/list.toml", "--target", "a", "b"});
    EXPECT_EQ(target.code, 64) << "a list of targets and a command";
}

TEST_F(CommandLine, AnEmptyLibraryIsAnEmptyList) {
    EXPECT_EQ(run({"list", "--quiet"}).out, QByteArray());
    EXPECT_EQ(run({"list", "--format", "json"}).json().array().size(), 0);
    const Finished text = run({"list"});
    EXPECT_EQ(text.code, 0);
    EXPECT_EQ(text.out, QByteArray("Source  Name  Disk  Size  Accessed  State\n"));
    EXPECT_EQ(text.err, QByteArray());
}

TEST_F(CommandLine, TheLibraryIsMadeWhereTheVariablesSay) {
    m_environment.remove(s("VITRINE_HOME"));
    m_environment.insert(s("TART_HOME"), m_home.filePath(s("a/b")));
    EXPECT_EQ(run({"list", "-q"}).code, 0);
    EXPECT_TRUE(QDir(m_home.filePath(s("a/b/cache"))).exists());
    EXPECT_TRUE(QDir(m_home.filePath(s("a/b/tmp"))).exists());
    m_environment.insert(s("VITRINE_HOME"), s("/dev/null/x"));
    const Finished refused = run({"list"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("/dev/null"));
}

TEST_F(CommandLine, HostileNamesAndBrokenMachinesAreListedAndHarmless) {
    (void)add("plain");
    for (const char* name : {"with space",
                             ".hidden",
                             "-dash",
                             "\x1b[31mred",
                             "two\nlines",
                             "\u00fcml\u00e4ut\u6f22",
                             "%s%n",
                             "$(reboot)",
                             "quote\"'"})
        (void)add(name);
    const QString vms = m_small.library.machinesPath();
    ASSERT_TRUE(QDir(vms).mkpath(s("empty")));
    SmallLibrary::write(add("garbage") + s("/config.json"), "{ no json");
    SmallLibrary::write(add("asif") + s("/config.json"), "{}");
    ASSERT_TRUE(QFile::remove(add("diskless") + s("/disk.img")));
    ASSERT_TRUE(QFile::link(s("/nonexistent"), vms + s("/dangling")));

    const Finished quiet = run({"list", "--quiet", "--source", "local"});
    EXPECT_EQ(quiet.code, 0);
    EXPECT_FALSE(quiet.out.contains('\x1b'));
    EXPECT_TRUE(quiet.out.contains("two\\x0alines\n"));
    EXPECT_TRUE(quiet.out.contains("\nwith space\n"));
    const Finished text = run({"list"});
    EXPECT_EQ(text.code, 0);
    EXPECT_FALSE((text.out + text.err).contains('\x1b'));
    for (const char* name : {"empty", "garbage", "asif", "diskless"})
        EXPECT_TRUE(text.err.contains('"' + QByteArray(name) + "\" is broken: ")) << name;
    const QJsonArray list = run({"list", "--format", "json"}).json().array();
    QHash<QString, QJsonObject> byName;
    for (const QJsonValue& entry : list)
        byName.insert(entry[s("Name")].toString(), entry.toObject());
    EXPECT_EQ(byName.value(s("plain"))[s("State")].toString(), s("stopped"));
    EXPECT_EQ(byName.value(s("garbage"))[s("State")].toString(), s("broken"));
    EXPECT_FALSE(byName.value(s("garbage"))[s("Reason")].toString().isEmpty());
    EXPECT_TRUE(byName.contains(s("$(reboot)")));
}

TEST_F(CommandLine, GetTellsTheConfigurationOrWhyNot) {
    (void)add("web");
    const QJsonObject object = run({"get", "web", "--format", "json"}).json().object();
    EXPECT_EQ(
        object.keys().join(QLatin1Char(' ')),
        s("CPU Disk DiskFormat Display DisplayRefit DisplayScale Memory OS RunOptions Running Size "
          "State"));
    EXPECT_EQ(object[s("CPU")].toInt(), 1);
    EXPECT_EQ(object[s("Memory")].toInt(), 128);
    EXPECT_TRUE(run({"get", "web"}).out.startsWith("OS "));
    const Finished missing = run({"get", "nothing"});
    EXPECT_EQ(missing.code, 2);
    EXPECT_TRUE(missing.err.contains("nothing"));
    for (const char* name : {"a/b", "..", "", "-x"})
        EXPECT_EQ(run(QStringList{s("get"), s("--"), s(name)}).code, 64) << name;
    SmallLibrary::write(add("bad") + s("/config.json"), "[]");
    const Finished broken = run({"get", "bad"});
    EXPECT_EQ(broken.code, 1);
    EXPECT_TRUE(broken.err.contains("broken"));
}

TEST_F(CommandLine, SetChangesOnlyWhatIsGivenAndKeepsUnknownKeys) {
    const QString directory = add("web");
    const QString path = directory + s("/config.json");
    QJsonObject config = QJsonDocument::fromJson(read(path)).object();
    config.insert(s("futureKey"), s("kept"));
    config.insert(s("displayRefit"), true);
    SmallLibrary::write(path, QJsonDocument(config).toJson());
    ASSERT_EQ(run({"set", "web", "--cpu", "3", "--memory", "256", "--display", "1920x1080px"}).code,
              0);
    QJsonObject now = QJsonDocument::fromJson(read(path)).object();
    EXPECT_EQ(now[s("cpuCount")].toInt(), 3);
    EXPECT_EQ(now[s("memorySize")].toInteger(), 256 << 20);
    EXPECT_EQ(now[s("display")][s("width")].toInt(), 1920);
    EXPECT_EQ(now[s("displayRefit")].toBool(), true); // M1
    EXPECT_EQ(now[s("futureKey")].toString(), s("kept"));
    EXPECT_EQ(now[s("macAddress")], config[s("macAddress")]);
    ASSERT_EQ(run({"set", "web", "--random-mac", "--no-display-refit"}).code, 0);
    now = QJsonDocument::fromJson(read(path)).object();
    EXPECT_NE(now[s("macAddress")], config[s("macAddress")]);
    EXPECT_EQ(now[s("displayRefit")].toBool(true), false);
    ASSERT_EQ(run({"set", "web", "--display-refit-automatic", "--mac", "52:54:00:12:34:56"}).code,
              0);
    now = QJsonDocument::fromJson(read(path)).object();
    EXPECT_EQ(now[s("macAddress")].toString(), s("52:54:00:12:34:56"));
    EXPECT_FALSE(now.contains(s("displayRefit")));
}

TEST_F(CommandLine, SetKeepsTheScaleOfTheWindowOutOfConfigJson) {
    const QString directory = add("web");
    const QByteArray config = read(directory + s("/config.json"));
    ASSERT_EQ(run({"set", "web", "--display-scale", "1.5"}).code, 0);
    EXPECT_EQ(displayScaleOf(*Sidecar::read(directory)), 150);
    EXPECT_EQ(read(directory + s("/config.json")), config);
    ASSERT_EQ(run({"set", "web", "--display-scale=automatic"}).code, 0);
    EXPECT_EQ(displayScaleOf(*Sidecar::read(directory)), automaticDisplayScale);
    const Finished refused = run({"set", "web", "--display-scale", "5"});
    EXPECT_NE(refused.code, 0);
    EXPECT_TRUE(refused.err.contains("from 0.5 to 4")) << refused.err.toStdString();
}

TEST_F(CommandLine, SetGrowsTheDiskAndNeverShrinksIt) {
    const QString disk = add("web") + s("/disk.img");
    ASSERT_EQ(run({"set", "web", "--disk-size", "2"}).code, 0);
    EXPECT_EQ(QFileInfo(disk).size(), 2'000'000'000);
    EXPECT_NE(run({"set", "web", "--disk-size", "1"}).code, 0);
    EXPECT_EQ(QFileInfo(disk).size(), 2'000'000'000);
}

TEST_F(CommandLine, SetRefusesNonsenseAndWritesNothing) {
    const QString path = add("web") + s("/config.json");
    const QByteArray before = read(path);
    EXPECT_EQ(run({"set", "web"}).code, 64);
    EXPECT_EQ(run({"set", "web", "--display", "1200"}).code, 64);
    EXPECT_EQ(run({"set", "web", "--mac", "1:2:3:4:5:6"}).code, 64);
    EXPECT_EQ(run({"set", "web", "--cpu", "2", "--run-disk", "x:sync=maybe"}).code, 64);
    EXPECT_EQ(run({"set", "web", "--disk", "missing.img"}).code, 64);
    EXPECT_EQ(run({"set", "nothing", "--cpu", "2"}).code, 2);
    EXPECT_EQ(read(path), before);
}

TEST_F(CommandLine, SetStoresRunOptions) {
    const QString directory = add("web");
    const QByteArray data = m_home.filePath(s("data.img")).toUtf8();
    SmallLibrary::write(QString::fromUtf8(data), QByteArray(512, 'x'));
    const QByteArray typed = data + ":ro";
    ASSERT_EQ(run({"set",
                   "web",
                   "--run-disk",
                   typed.constData(),
                   "--forward",
                   "8080:80",
                   "--accelerator",
                   "tcg",
                   "--no-audio"})
                  .code,
              0);
    RunOptions stored = Sidecar::read(directory)->run;
    EXPECT_EQ(stored.disks, (QList<ExtraDisk>{{QString::fromUtf8(data), {.readOnly = true}}}));
    EXPECT_EQ(stored.forwards, (QList<PortForward>{{8080, 80}}));
    EXPECT_EQ(stored.accelerator, AcceleratorChoice::Tcg);
    EXPECT_FALSE(stored.audio);
    ASSERT_EQ(run({"set", "web", "--reset-run-options", "--no-pointer"}).code, 0);
    stored = Sidecar::read(directory)->run;
    EXPECT_TRUE(stored.disks.isEmpty());
    EXPECT_TRUE(stored.audio);
    EXPECT_FALSE(stored.pointer);
}

TEST_F(CommandLine, CloneMakesAnotherMachineAndNeverOverwrites) {
    const QString source = add("debian");
    SmallLibrary::write(source + s("/disk.img"), QByteArray(3 << 20, 'd'));
    ASSERT_EQ(run({"clone", "debian", "ubuntu"}).code, 0);
    EXPECT_EQ(run({"list", "--source", "local", "--quiet"}).out, QByteArray("debian\nubuntu\n"));
    const QString clone = m_small.library.machinesPath() + s("/ubuntu");
    EXPECT_EQ(read(clone + s("/disk.img")), read(source + s("/disk.img")));
    EXPECT_NE(QJsonDocument::fromJson(read(clone + s("/config.json")))[s("macAddress")],
              QJsonDocument::fromJson(read(source + s("/config.json")))[s("macAddress")]);
    const Finished taken = run({"clone", "debian", "ubuntu"});
    EXPECT_EQ(taken.code, 1);
    EXPECT_TRUE(taken.err.contains("ubuntu"));
    EXPECT_EQ(run({"clone", "nothing", "x"}).code, 2);
    EXPECT_EQ(run({"clone", "debian", "../x"}).code, 64);
    EXPECT_EQ(run({"clone", "debian", "x", "--deduplicate"}).code, 1);
    EXPECT_TRUE(QDir(m_small.library.temporaryPath()).isEmpty());
}

TEST_F(CommandLine, OfManyClonesToOneNameExactlyOneWins) {
    SmallLibrary::write(add("debian") + s("/disk.img"), QByteArray(8 << 20, 'd'));
    std::vector<std::unique_ptr<QProcess>> clones;
    for (int i = 0; i < 4; ++i)
        clones.push_back(start({s("clone"), s("debian"), s("copy")}));
    int winners = 0;
    for (const auto& clone : clones) {
        const Finished finished = finish(*clone);
        winners += finished.code == 0 ? 1 : 0;
        EXPECT_TRUE(finished.code == 0 || finished.code == 1) << finished.err.toStdString();
    }
    EXPECT_EQ(winners, 1);
    EXPECT_EQ(run({"get", "copy"}).code, 0);
    EXPECT_EQ(machineFolders().size(), 2);
    EXPECT_TRUE(QDir(m_small.library.temporaryPath()).isEmpty());
}

TEST_F(CommandLine, ProgressForProgramsIsJsonLinesWithOneLastWord) {
    (void)add("debian");
    const QList<QByteArray> lines =
        run({"clone", "--progress", "json", "--", "debian", "copy"}).out.trimmed().split('\n');
    for (const QByteArray& line : lines)
        EXPECT_TRUE(QJsonDocument::fromJson(line).isObject()) << line.toStdString();
    EXPECT_EQ(lines.last(), QByteArray("{\"finished\":true}"));
    const Finished failed = run({"clone", "--progress", "json", "debian", "copy"});
    EXPECT_EQ(failed.code, 1);
    const QJsonObject error =
        QJsonDocument::fromJson(failed.out.trimmed().split('\n').last())[s("error")].toObject();
    EXPECT_EQ(error[s("kind")].toString(), s("AlreadyExists"));
    EXPECT_FALSE(error[s("message")].toString().isEmpty());
    EXPECT_TRUE(failed.err.isEmpty());
    EXPECT_EQ(run({"rename", "--progress", "json", "--", "copy", "other"}).out,
              QByteArray("{\"finished\":true}\n"));
}

TEST_F(CommandLine, RenameAndDelete) {
    (void)add("debian");
    (void)add("third");
    ASSERT_EQ(run({"rename", "debian", "ubuntu"}).code, 0);
    EXPECT_EQ(run({"rename", "debian", "x"}).code, 2);
    EXPECT_EQ(run({"rename", "ubuntu", "third"}).code, 1);
    EXPECT_EQ(run({"rename", "ubuntu", "a/b"}).code, 64);
    EXPECT_EQ(run({"list", "--quiet"}).out, QByteArray("third\nubuntu\n"));
    // One wrong name and nothing is deleted.
    EXPECT_EQ(run({"delete", "ubuntu", "nothing"}).code, 2);
    EXPECT_EQ(machineFolders().size(), 2);
    EXPECT_EQ(run({"delete", "ubuntu", "third"}).code, 0);
    EXPECT_EQ(run({"list", "--quiet"}).out, QByteArray());
    EXPECT_TRUE(QDir(m_small.library.temporaryPath()).isEmpty());
}

TEST_F(CommandLine, BrokenMachinesCanBeDeleted) {
    ASSERT_TRUE(QDir(m_small.library.machinesPath()).mkpath(s("empty")));
    SmallLibrary::write(add("garbage") + s("/config.json"), "nonsense");
    const Finished deleted = run({"delete", "empty", "garbage"});
    EXPECT_EQ(deleted.code, 0) << deleted.err.toStdString();
    EXPECT_TRUE(machineFolders().isEmpty());
}

TEST_F(CommandLine, ARunningMachineIsLeftAlone) {
    const QString directory = add("web");
    const auto holder = hold(directory);
    const QByteArray before = read(directory + s("/config.json"));
    EXPECT_EQ(run({"get", "web", "--format", "json"}).json()[s("Running")].toBool(), true);
    EXPECT_EQ(run({"delete", "web"}).code, 2);
    EXPECT_EQ(run({"rename", "web", "x"}).code, 2);
    EXPECT_EQ(run({"clone", "web", "x"}).code, 2);
    EXPECT_EQ(run({"run", "web", "--no-graphics"}).code, 2);
    const Finished set = run({"set", "web", "--cpu", "2"});
    EXPECT_EQ(set.code, 2);
    EXPECT_TRUE(set.err.contains(QByteArray::number(holder->processId())));
    EXPECT_EQ(read(directory + s("/config.json")), before);
    EXPECT_EQ(machineFolders(), QStringList{s("web")});
}

TEST_F(CommandLine, ChangesAtTheSameTimeAllCount) {
    const QString directory = add("web");
    for (int round = 0; round < 5; ++round) {
        const QString count = QString::number(round % 2 + 1);
        const QString memory = QString::number(256 + 128 * round);
        std::vector<std::unique_ptr<QProcess>> changes;
        for (const QStringList& change : {QStringList{s("--cpu"), count},
                                          {s("--memory"), memory},
                                          {s("--run-disk"), s("/etc/hostname:ro")},
                                          {s("--display"), s("800x60") + count}})
            changes.push_back(start(QStringList{s("set"), s("web")} + change));
        for (const auto& change : changes) {
            const Finished done = finish(*change);
            EXPECT_EQ(done.code, 0) << done.err.toStdString();
            EXPECT_EQ(done.err, QByteArray());
        }
        const QJsonObject now = run({"get", "web", "--format", "json"}).json().object();
        EXPECT_EQ(now[s("CPU")].toInt(), count.toInt());
        EXPECT_EQ(now[s("Memory")].toInt(), memory.toInt());
        EXPECT_EQ(now[s("Display")].toString(), s("800x60") + count);
    }
    EXPECT_EQ(Sidecar::read(directory)->run.disks.size(), 1);
}

TEST_F(CommandLine, OutputThatCannotBeWrittenIsTold) {
    const auto toFullDisk = [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); };
    for (const QStringList& line :
         {QStringList{s("--help")}, {s("--version")}, {}, {s("set"), s("--help")}, {s("list")}}) {
        const Finished failed = run(line, {}, toFullDisk);
        EXPECT_EQ(failed.code, 1) << line.join(QLatin1Char(' ')).toStdString();
        EXPECT_TRUE(failed.err.contains("Cannot write the output")) << failed.err.toStdString();
    }
}

TEST_F(CommandLine, NewNamesThatReadAsAnotherAreRefusedAndOldOnesShownEscaped) {
    (void)add("plain");
    const QString odd = s("a\u202Egpj.exe\u200B");
    (void)m_small.add(odd);
    for (const QString& name : {odd + u'2', s(".vitrine-tmp"), s(".Trash-0")}) {
        EXPECT_EQ(run(QStringList{s("clone"), s("plain"), name}).code, 64);
        EXPECT_EQ(run(QStringList{s("rename"), s("plain"), name}).code, 64);
    }
    EXPECT_EQ(run({"list", "--quiet"}).out, QByteArray("a\\u202egpj.exe\\u200b\nplain\n"));
    EXPECT_EQ(run(QStringList{s("rename"), odd, s("better")}).code, 0);
}

TEST_F(CommandLine, OldTemporaryEntriesAreCollectedExceptByPullAndClone) {
    (void)add("web");
    const auto make = [this](const char* name, int hours) {
        const QString path = m_small.library.temporaryPath() + QLatin1Char('/') + s(name);
        EXPECT_TRUE(QDir().mkpath(path));
        struct timespec times[2]{};
        times[0].tv_sec = times[1].tv_sec = std::time(nullptr) - hours * 3600;
        EXPECT_EQ(::utimensat(AT_FDCWD, QFile::encodeName(path).constData(), times, 0), 0);
        return path;
    };
    const QString old = make("old", 30);
    const QString fresh = make("fresh", 1);
    EXPECT_EQ(run({"clone", "web", "copy"}).code, 0);
    EXPECT_TRUE(QDir(old).exists());
    EXPECT_EQ(run({"list"}).code, 0);
    EXPECT_FALSE(QDir(old).exists());
    EXPECT_TRUE(QDir(fresh).exists());
}

TEST_F(CommandLine, AFullDeviceForTheOutputIsAnError) {
    (void)add("web");
    const Finished finished = run({s("list")}, {}, [] {
        const int fd = ::open("/dev/full", O_WRONLY);
        ::dup2(fd, STDOUT_FILENO);
    });
    EXPECT_EQ(finished.code, 1);
    EXPECT_TRUE(finished.err.contains("space"));
}

TEST_F(CommandLine, FqnTellsTheDigestBehindATag) {
    const QString digest = Sha256::ofBytes("x").toText();
    const QString image = m_small.library.imagesPath() + s("/ghcr.io/a/b/") + digest;
    ASSERT_TRUE(QDir().mkpath(image));
    SmallLibrary::write(image + s("/config.json"), SmallLibrary::smallConfig().toJson());
    SmallLibrary::write(image + s("/disk.img"), QByteArray(512, 'x'));
    SmallLibrary::write(image + s("/nvram.bin"), {});
    ASSERT_TRUE(QFile::link(image, m_small.library.imagesPath() + s("/ghcr.io/a/b/latest")));
    EXPECT_EQ(run({"fqn", "ghcr.io/a/b"}).out, "ghcr.io/a/b@" + digest.toUtf8() + '\n');
    EXPECT_EQ(run({"fqn", "ghcr.io/a/b:other"}).code, 2);
    EXPECT_EQ(run({"fqn", "machine"}).code, 64);
    EXPECT_EQ(run({"list", "--quiet", "--source", "oci"}).out,
              "ghcr.io/a/b:latest\nghcr.io/a/b@" + digest.toUtf8() + '\n');
    EXPECT_EQ(run({"clone", "ghcr.io/a/b", "made"}).code, 0);
    EXPECT_EQ(run({"get", "ghcr.io/a/b"}).code, 64); // machines only
}

TEST_F(CommandLine, PullingAMachinesNameNeedsNoNetwork) {
    (void)add("web");
    const Finished pulled = run({"pull", "web"});
    EXPECT_EQ(pulled.code, 0);
    EXPECT_TRUE(pulled.err.contains("web"));
    EXPECT_EQ(run({"pull", "nothing"}).code, 64);
    EXPECT_EQ(run({"pull", "ghcr.io/a//b"}).code, 64);
}

TEST_F(CommandLine, AnInterruptCancelsAPull) {
    QTcpServer silent; // takes connections and never answers
    ASSERT_TRUE(silent.listen(QHostAddress::LocalHost));
    const QString image = QStringLiteral("127.0.0.1:%1/a/b").arg(silent.serverPort());
    const auto pull = start({s("pull"), s("--insecure"), s("--progress"), s("json"), image});
    ASSERT_TRUE(silent.waitForNewConnection(30000));
    vitrine::test::sendSignal(static_cast<pid_t>(pull->processId()), SIGINT);
    const Finished finished = finish(*pull);
    EXPECT_EQ(finished.code, 130);
    EXPECT_EQ(
        QJsonDocument::fromJson(finished.out.trimmed().split('\n').last())[s("error")][s("kind")]
            .toString(),
        s("Cancelled"));
}

TEST_F(CommandLine, LoginsCanBeKeptInAFileAndForgotten) {
    const Finished kept = run({s("login"),
                               s("ghcr.io"),
                               s("--username"),
                               s("u"),
                               s("--password-stdin"),
                               s("--no-validate"),
                               s("--store=file")},
                              "pass:word\n");
    EXPECT_EQ(kept.code, 0) << kept.err.toStdString();
    EXPECT_TRUE(kept.err.contains("unencrypted"));
    const QString path = m_home.filePath(s("config/vitrine/credentials.json"));
    EXPECT_TRUE(read(path).contains("pass:word"));
    EXPECT_EQ(QFileInfo(path).permissions() & (QFile::ReadGroup | QFile::ReadOther),
              QFile::Permissions());
    EXPECT_EQ(run({"logout", "ghcr.io"}).code, 0);
    EXPECT_FALSE(read(path).contains("pass:word"));
    EXPECT_TRUE(run({"logout", "ghcr.io"}).err.contains("no login"));
    EXPECT_EQ(run({"login", "ghcr.io", "--username", "u"}).code, 64);
    EXPECT_EQ(run({"login", "ghcr.io", "--password-stdin"}).code, 64);
    EXPECT_EQ(run({"login", "https://ghcr.io", "--username", "u", "--password-stdin"}).code, 64);
    // No secret service in this environment: refused with both ways out.
    const Finished refused = run({s("login"),
                                  s("ghcr.io"),
                                  s("--username"),
                                  s("u"),
                                  s("--password-stdin"),
                                  s("--no-validate")},
                                 "p\n");
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("docker login") && refused.err.contains("--store=file"));
}

} // namespace vitrine::test
