// SPDX-License-Identifier: Apache-2.0
// What `set` takes, what `get` shows of it, and what the help says about options.
#include "core/machine/sidecar.h"
#include "tests/cli/command_line_support.h"

namespace vitrine::test {

// Every refusal is the one of `run`; another computer may have more memory.
TEST_F(CommandLine, SetRefusesWhatNoRunCouldHaveInItsWords) {
    const QString directory = add("web");
    const QByteArray before = read(directory + s("/config.json"));
    const QList<std::pair<QStringList, QByteArray>> refused{
        {{s("--disk"), s("/nosuch/data.img")}, "/nosuch/data.img"},
        {{s("--kernel"), s("/nosuch/vmlinuz")}, "/nosuch/vmlinuz"},
        {{s("--kernel"), s("/etc/hostname"), s("--initrd"), s("/nosuch/initrd")}, "/nosuch/initrd"},
        {{s("--serial-path"), s("/dev/nosuch")}, "/dev/nosuch"},
        {{s("--net-bridged"), s("nosuch0")}, "nosuch0"}};
    for (const auto& [options, named] : refused) {
        const std::string line = options.join(QLatin1Char(' ')).toStdString();
        const Finished ran = run(QStringList{s("run"), s("web"), s("--no-graphics")} + options);
        QStringList stored = options;
        stored.replaceInStrings(s("--disk"), s("--run-disk"));
        const Finished set = run(QStringList{s("set"), s("web"), s("--cpu"), s("2")} + stored);
        EXPECT_NE(set.code, 0) << line;
        EXPECT_EQ(set.code, ran.code) << line;
        EXPECT_TRUE(set.err.contains(named)) << set.err.toStdString();
        EXPECT_EQ(set.err, ran.err) << line;
    }
    const Finished folder = run({"set", "web", "--dir", "/nosuch/folder"});
    EXPECT_NE(folder.code, 0);
    EXPECT_TRUE(folder.err.contains("it does not exist")) << folder.err.toStdString();
    EXPECT_NE(run({"set", "web", "--dir", "/etc"}).code, 0) << "writable";
    for (const char* memory : {"0", "32", "99999999"})
        EXPECT_EQ(run({"set", "web", "--memory", memory}).code, 64) << memory;
    EXPECT_EQ(run({"set", "web", "--cpu", "300"}).code, 64);
    EXPECT_EQ(read(directory + s("/config.json")), before);
    EXPECT_EQ(Sidecar::read(directory)->run, RunOptions());
    const Finished large = run({"set", "web", "--memory", "16000000"});
    EXPECT_EQ(large.code, 0) << large.err.toStdString();
    EXPECT_TRUE(large.err.contains("this computer has")) << large.err.toStdString();
    EXPECT_NE(read(directory + s("/config.json")), before);
}

// What is stored already may be away for now: only what is typed is looked at.
TEST_F(CommandLine, SetLooksOnlyAtWhatIsTyped) {
    const QString directory = add("web");
    ASSERT_TRUE(Sidecar::update(directory, [](Sidecar& sidecar) {
        sidecar.run.disks = {{s("/nosuch.img"), {}}};
        sidecar.run.kernel = KernelBoot{s("/nosuch"), {}, {}};
        sidecar.run.network.mode = NetworkMode::Bridged;
        sidecar.run.network.interfaces = {s("nosuch0")};
    }));
    const Finished set = run({"set", "web", "--no-audio"});
    EXPECT_EQ(set.code, 0) << set.err.toStdString();
    const QString data = m_home.filePath(s("data.img"));
    SmallLibrary::write(data, QByteArray(512, 'x'));
    const auto lock = DirectoryLock::tryLock(data);
    const Finished busy = run({s("set"), s("web"), s("--run-disk"), data});
    EXPECT_EQ(busy.code, 0) << "in use now is not for ever: " << busy.err.toStdString();
}

TEST_F(CommandLine, GetShowsWhatSetKept) {
    const QString directory = add("web");
    EXPECT_EQ(run({"get", "web"}).out.count('\n'), 2) << "nothing differs from the defaults";
    const QTemporaryDir folder;
    const QByteArray share = "src:" + folder.path().toUtf8() + ":ro";
    ASSERT_EQ(run({"set",
                   "web",
                   "--dir",
                   share.constData(),
                   "--forward",
                   "8080:80",
                   "--root-disk-opts",
                   "sync=fsync,caching=cached",
                   "--net-softnet-allow",
                   "10.0.0.0/8",
                   "--kernel",
                   "/etc/hostname",
                   "--kernel-args",
                   "console=ttyS0",
                   "--no-audio",
                   "--display-refit",
                   "--display-scale",
                   "1.5"})
                  .code,
              0);
    const QByteArray text = run({"get", "web"}).out;
    for (const QByteArray& shown : QList<QByteArray>{share,
                                                     "--forward",
                                                     "8080:80",
                                                     "sync=fsync,caching=cached",
                                                     "--net-softnet",
                                                     "10.0.0.0/8",
                                                     "/etc/hostname",
                                                     "console=ttyS0",
                                                     "--no-audio",
                                                     "--display-refit",
                                                     "1.5"})
        EXPECT_TRUE(text.contains(shown)) << shown.toStdString() << "\n" << text.toStdString();
    EXPECT_FALSE(text.contains("--no-clipboard"));
    const QJsonObject json = run({"get", "web", "--format", "json"}).json().object();
    EXPECT_EQ(json[s("CPU")].toInt(), 1);
    EXPECT_EQ(json[s("DisplayRefit")].toString(), s("on"));
    EXPECT_EQ(json[s("DisplayScale")].toString(), s("1.5"));
    EXPECT_EQ(json[s("RunOptions")].toObject(), Sidecar::read(directory)->run.toJson());
}

TEST_F(CommandLine, TheHelpOfNetTellsInWhichOrderRulesDecide) {
    const QByteArray help = run({"net", "--help"}).out.simplified();
    EXPECT_TRUE(help.contains("a rule with ports before one without, then the longest prefix, then "
                              "block before allow"))
        << help.toStdString();
}

TEST_F(CommandLine, TheHelpTellsWhichSharesAreWritable) {
    for (const char* command : {"run", "set"})
        EXPECT_TRUE(run({command, "--help"}).out.simplified().contains("writable unless :ro"))
            << command;
    EXPECT_TRUE(
        run({"share", "--help"}).out.simplified().contains("read-only unless --writable is given"));
}

TEST_F(CommandLine, TheHelpOfExecNamesItsCommandAndSaysWhereOptionsGo) {
    const QByteArray exec = run({"exec", "--help"}).out;
    EXPECT_TRUE(exec.contains("Usage: vitrinectl exec [OPTIONS] name COMMAND...\n"))
        << exec.toStdString();
    EXPECT_TRUE(run({"ssh", "--help"}).out.contains(" name [COMMAND...]\n"));
    for (const char* command : {"exec", "ssh"})
        EXPECT_TRUE(run({command, "--help"}).out.simplified().contains("Options go before the"))
            << command;
}

TEST_F(CommandLine, AnOptionOfOursBehindTheMachinesNameIsHintedAt) {
    (void)add("web");
    for (const QStringList& line : {QStringList{s("exec"), s("web"), s("-i"), s("cat")},
                                    {s("exec"), s("web"), s("--user=me"), s("id")},
                                    {s("ssh"), s("web"), s("--wait"), s("5")}}) {
        const Finished hinted = run(line);
        EXPECT_EQ(hinted.code, 2);
        EXPECT_TRUE(hinted.err.contains("is part of the command")) << hinted.err.toStdString();
        EXPECT_TRUE(hinted.err.contains("before \"web\"")) << hinted.err.toStdString();
    }
    for (const QStringList& line : {QStringList{s("exec"), s("web"), s("--"), s("-i")},
                                    {s("exec"), s("web"), s("-x")},
                                    {s("exec"), s("web"), s("ls"), s("-i")},
                                    {s("exec"), s("-i"), s("web"), s("cat")}})
        EXPECT_FALSE(run(line).err.contains("is part of the command"))
            << line.join(QLatin1Char(' ')).toStdString();
}

} // namespace vitrine::test
