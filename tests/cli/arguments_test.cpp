// SPDX-License-Identifier: Apache-2.0
#include "cli/registry_arguments.h"
#include "cli/run_arguments.h"
#include "core/guest/ssh_arguments.h"
#include "core/machine/mac_options.h"
#include "core/machine/network_rules.h"
#include "core/machine/run_command.h"

#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine::cli {

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

RunOptions stored() {
    RunOptions options;
    options.rootDisk.caching = Caching::Cached;
    options.disks = {{s("/stored.img"), {}}};
    options.forwards = {{8080, 80}};
    options.kernel = KernelBoot{s("vmlinuz"), s("initrd"), s("quiet")};
    options.accelerator = AcceleratorChoice::Tcg;
    options.audio = false;
    return options;
}

} // namespace

TEST(Merge, NothingTypedLeavesWhatIsStored) {
    EXPECT_EQ(*merge(stored(), {}, s("/")), stored());
}

TEST(Merge, ATypedOptionReplacesTheStoredOnesOfItsKindOnly) {
    RunArguments typed;
    typed.disks = {"/typed.img:ro"};
    typed.rootDiskOptions = "sync=none";
    typed.forwards = {"22", "2222:22"};
    typed.accelerator = "kvm";
    typed.audio = true;
    typed.keyboard = false;
    const auto merged = merge(stored(), typed, s("/"));
    ASSERT_TRUE(merged);
    RunOptions expected = stored();
    expected.disks = {{s("/typed.img"), {.readOnly = true}}};
    expected.rootDisk = {.synchronisation = Synchronisation::None};
    expected.forwards = {{0, 22}, {2222, 22}};
    expected.accelerator = AcceleratorChoice::Kvm;
    expected.audio = true;
    expected.keyboard = false;
    EXPECT_EQ(*merged, expected);
}

TEST(Merge, TypedSharesReplaceStoredOnesAndCountFromHere) {
    RunOptions before;
    before.shares = {{s("old"), s("/old"), true}};
    EXPECT_EQ(merge(before, {}, s("/"))->shares, before.shares);
    RunArguments typed;
    typed.shares = {"src:src:ro", "/data:tag=data", "a:https://h/a.tar.gz"};
    const auto merged = merge(before, typed, s("/here"));
    ASSERT_TRUE(merged) << merged.error().message.toStdString();
    const QList<ShareSpec> expected{{s("src"), s("/here/src"), true},
                                    {{}, s("/data"), false, s("data")},
                                    {s("a"), s("https://h/a.tar.gz"), false}};
    EXPECT_EQ(merged->shares, expected);
    for (const std::vector<std::string>& bad :
         {std::vector<std::string>{"ro"}, {"/a:rw"}, {"/a", "/b"}, {"a:/a", "a:/b"}}) {
        RunArguments wrong;
        wrong.shares = bad;
        EXPECT_FALSE(merge({}, wrong, s("/"))) << bad.front();
    }
}

TEST(Merge, ATypedKernelTakesNeitherInitrdNorWordsOfTheStoredOne) {
    RunArguments typed;
    typed.kernel = "/boot/other";
    EXPECT_EQ(*merge(stored(), typed, s("/"))->kernel, (KernelBoot{s("/boot/other"), {}, {}}));
    RunArguments words;
    words.kernelCommandLine = "single";
    EXPECT_EQ(*merge(stored(), words, s("/"))->kernel,
              (KernelBoot{s("vmlinuz"), s("initrd"), s("single")}));
    EXPECT_EQ(merge(RunOptions(), words, s("/")).error().kind, Error::Kind::InvalidInput);
}

TEST(Merge, RelativePathsCountFromWhereTheUserStands) {
    const QTemporaryDir directory;
    for (const char* name : {"disk.img", "vmlinuz"}) {
        QFile file(directory.filePath(s(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    }
    RunArguments typed;
    typed.disks = {"disk.img:ro"};
    typed.kernel = "vmlinuz";
    typed.initrd = "not-here";
    const auto merged = merge({}, typed, directory.path());
    ASSERT_TRUE(merged);
    EXPECT_EQ(merged->disks.first().path, directory.filePath(s("disk.img")));
    EXPECT_EQ(merged->kernel->kernel, directory.filePath(s("vmlinuz")));
    EXPECT_EQ(merged->kernel->initrd, s("not-here")); // in the machine's directory then
}

TEST(Merge, BadWordsAreRefused) {
    for (const char* disk : {"", ":", "ro", "d.img:sync=maybe"}) {
        RunArguments typed;
        typed.disks = {disk};
        EXPECT_FALSE(merge({}, typed, s("/"))) << disk;
    }
    RunArguments typed;
    typed.rootDiskOptions = "nonsense";
    EXPECT_FALSE(merge({}, typed, s("/")));
}

TEST(Merge, TheLineThatAPaneShowsGivesTheOptionsItWasMadeOf) {
    RunOptions options = stored();
    options.disks = {{s("/a b.img"), {.readOnly = true}},
                     {s("nbd://h:1/x"), {.synchronisation = Synchronisation::None}}};
    options.network.mode = NetworkMode::Bridged;
    options.network.interfaces = {s("br0"), s("br1")};
    options.bootOrder = {BootDevice::Cd, BootDevice::Network};
    options.serial = {SerialLine::Kind::Device, s("/dev/ttyS0")};
    options.vncServer = true;
    options.nested = true;
    options.rootDisk = {true, Synchronisation::Fsync, Caching::Uncached};
    options.forwards = {{8080, 80}, {0, 443}};
    options.shares = {{s("src"), s("/srv/my src"), true},
                      {s("a:b").left(1), s("/srv/a:ro"), false},
                      {{}, s("/data"), false, s("data")},
                      {s("x"), s("/x"), true, s("tools")}};
    options.accelerator = AcceleratorChoice::Tcg;
    options.kernel = KernelBoot{s("/boot/vmlinuz"), s("/boot/initrd"), s("console=ttyS0 quiet")};
    options.audio = options.clipboard = options.pointer = options.keyboard = false;
    // A member that is new has to be in the line, and above; but for sharing, which is for
    // throw-away clones and never typed.
    [[maybe_unused]] const auto& [rootDisk,
                                  disks,
                                  forwards,
                                  shares,
                                  sharing,
                                  kernel,
                                  network,
                                  bootOrder,
                                  serial,
                                  vncServer,
                                  nested,
                                  accelerator,
                                  audio,
                                  clipboard,
                                  pointer,
                                  keyboard,
                                  unknown] = options;
    RunOptions mac; // what this computer refuses, as it would be typed on a Mac
    MacOptions{s("intel"), false, true}.storeIn(mac);
    EXPECT_EQ(runCommandLine(s("x"), mac),
              s("vitrinectl run x --plain --rosetta=intel --suspendable --no-trackpad"));
    RunOptions softnet;
    softnet.network.mode = NetworkMode::Softnet;
    softnet.network.allow = s("@host");
    softnet.network.block = s("0.0.0.0/0");
    softnet.network.expose = s("22:22");
    softnet.serial = {SerialLine::Kind::NewTerminal, {}};
    RunOptions host;
    host.network.mode = NetworkMode::HostOnly;
    for (const RunOptions& wanted : {RunOptions(), options, softnet, host}) {
        CLI::App app;
        RunArguments typed;
        addRunArguments(app, typed, "--disk");
        std::vector<std::string> words;
        for (const QString& word : runArguments(wanted))
            words.insert(words.begin(), word.toStdString()); // the parser wants them from behind
        app.parse(std::move(words));
        const auto merged = merge({}, typed, s("/"));
        ASSERT_TRUE(merged) << merged.error().message.toStdString();
        EXPECT_EQ(*merged, wanted) << runCommandLine(s("x"), wanted).toStdString();
    }
}

TEST(Merge, ATypedNetworkReplacesTheStoredOneAsAWhole) {
    RunOptions options;
    options.network.mode = NetworkMode::Softnet;
    options.network.allow = s("@host");
    RunArguments typed;
    typed.nat = true;
    EXPECT_EQ(merge(options, typed, s("/"))->network, NetworkOptions());
    typed.hostOnly = true;
    EXPECT_EQ(merge(options, typed, s("/")).error().kind, Error::Kind::InvalidInput);
    EXPECT_EQ(merge(options, {}, s("/"))->network, options.network);
}

TEST(RiskNotes, AReservedPortIsToldAlikeWhetherForwardedOrExposed) {
    const QStringList notes = reservedPortNotes(
        {{22, 22}, {0, 80}, {2222, 22}}, QStringLiteral("80:80,127.0.0.1:443:443,8080:80"), 1024);
    ASSERT_EQ(notes.size(), 3);
    EXPECT_TRUE(notes.at(0).startsWith(QStringLiteral("Port 22 of this computer will not lead")));
    EXPECT_TRUE(notes.at(0).contains(QStringLiteral("ports below 1024 are reserved here")));
    EXPECT_TRUE(notes.at(0).contains(QStringLiteral("instead of 22:22")));
    EXPECT_TRUE(notes.at(1).contains(QStringLiteral("Port 80 ")));
    EXPECT_TRUE(notes.at(2).contains(QStringLiteral("instead of 127.0.0.1:443:443")));
    EXPECT_TRUE(reservedPortNotes({{22, 22}}, {}, 0).isEmpty());
    RunOptions options;
    options.forwards = {{1, 22}};
    EXPECT_EQ(riskNotes(options).size(), firstOpenPort() > 1 ? 1 : 0);
}

TEST(PortForwardText, HostAndGuestOrGuestAlone) {
    EXPECT_EQ(*portForwardFromText(s("2222:22")), (PortForward{2222, 22}));
    EXPECT_EQ(*portForwardFromText(s("22")), (PortForward{0, 22}));
    for (const char* text :
         {"", ":", "0:22", "22:0", "65536:1", "1:2:3", "a:b", "-1:2", " 1:2", "1:", ":22", "1,2"})
        EXPECT_FALSE(portForwardFromText(s(text))) << text;
}

TEST(SshArguments, HostKeysAreTheMachinesOwnAndTheCommandIsNoOption) {
    const auto arguments = sshArguments(
        {s("127.0.0.1"), 40022, s("admin"), s("/home/u/key"), {s("ls"), s("-la"), s("a b")}});
    ASSERT_TRUE(arguments);
    EXPECT_EQ(arguments->join(QLatin1Char('|')),
              s("-p|40022|-o|UserKnownHostsFile=known_hosts|-o|GlobalKnownHostsFile=/dev/null|-o|"
                "HostKeyAlias=machine|-o|CheckHostIP=no|-o|StrictHostKeyChecking=accept-new|-i|"
                "/home/u/key|-l|admin|127.0.0.1|--|ls|-la|a b"));
    EXPECT_FALSE(sshArguments({s("192.0.2.7"), 22, s("admin"), {}, {}})->contains(s("--")));
    EXPECT_TRUE(sshArguments({s("192.0.2.7"), 22, s("admin"), {}, {}})->endsWith(s("192.0.2.7")));
    SshTarget target{s("127.0.0.1"), 40022, s("admin"), {}, {s("top")}};
    EXPECT_FALSE(sshArguments(target)->contains(s("-tt")));
    EXPECT_FALSE(sshArguments(target)->contains(s("-n"))) << "what is typed goes to the guest";
    target.terminal = true;
    EXPECT_TRUE(sshArguments(target)->contains(s("-tt")));
    target.input = false;
    EXPECT_TRUE(sshArguments(target)->contains(s("-n")));
    SshTarget quiet{s("127.0.0.1"), 40022, s("admin"), {}, {}};
    EXPECT_FALSE(sshArguments(quiet)->contains(s("BatchMode=yes"))) << "a password may be typed";
    quiet.asks = false;
    EXPECT_TRUE(sshArguments(quiet)->contains(s("BatchMode=yes")));
    for (const char* user : {"", "-oProxyCommand=x", "a b", "a;b", "a@b", "a\nb"})
        EXPECT_FALSE(sshArguments({s("127.0.0.1"), 22, s(user), {}, {}})) << user;
}

TEST(RegistryHost, OnlyAHostIsAccepted) {
    EXPECT_EQ(*registryHost("ghcr.io"), s("ghcr.io"));
    EXPECT_EQ(*registryHost("127.0.0.1:5000"), s("127.0.0.1:5000"));
    for (const char* text :
         {"", "https://ghcr.io", "ghcr.io/a", "ghcr.io/", "-x", "a b", "h:99999"})
        EXPECT_FALSE(registryHost(text)) << text;
}

} // namespace vitrine::cli
