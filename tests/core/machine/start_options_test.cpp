// SPDX-License-Identifier: Apache-2.0
#include "core/machine/disk_durability.h"
#include "core/machine/nbd_address.h"
#include "core/machine/network_rules.h"
#include "core/machine/run_command.h"

#include <gtest/gtest.h>

namespace vitrine {
namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

} // namespace

TEST(NbdAddress, HostsSocketsAndEncryptionAreRead) {
    const auto plain = NbdAddress::fromText(s("nbd://localhost:10809/myDisk"));
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->host, s("localhost"));
    EXPECT_EQ(plain->port, 10809);
    EXPECT_EQ(plain->exportName, s("myDisk"));
    EXPECT_FALSE(plain->encrypted);
    EXPECT_EQ(NbdAddress::fromText(s("nbd://h"))->port, 10809);
    EXPECT_EQ(NbdAddress::fromText(s("nbd://h:1/a/b%20c"))->exportName, s("a/b c"));
    EXPECT_EQ(NbdAddress::fromText(s("nbd://[::1]:5/x"))->host, s("::1"));
    const auto local = NbdAddress::fromText(s("nbd+unix:///vol?socket=/tmp/s.sock"));
    ASSERT_TRUE(local);
    EXPECT_EQ(local->socket, s("/tmp/s.sock"));
    EXPECT_EQ(local->exportName, s("vol"));
    const auto encrypted = NbdAddress::fromText(s("nbds://h/x?tls-certificates=/etc/pki/nbd"));
    ASSERT_TRUE(encrypted);
    EXPECT_TRUE(encrypted->encrypted);
    EXPECT_EQ(encrypted->certificates, s("/etc/pki/nbd"));
    EXPECT_TRUE(NbdAddress::fromText(s("nbds+unix:///x?socket=/s"))->encrypted);
}

TEST(NbdAddress, WhatCannotBeMeantIsRefused) {
    for (const char* text : {"",
                             "nbd://",
                             "nbd:///x",
                             "nbd+unix:///x",
                             "nbd+unix:///x?socket=relative",
                             "nbd+unix://host/x?socket=/s",
                             "nbd://user:secret@h/x",
                             "nbd://h/x#y",
                             "nbd://h:0/x",
                             "nbd://h:70000/x",
                             "nbd://h/x?socket=/s",
                             "nbd://h/x?tls-certificates=/d",
                             "nbds://h/x?tls-certificates=d",
                             "http://h/x"})
        EXPECT_FALSE(NbdAddress::fromText(s(text))) << text;
}

TEST(NetworkOptions, ListsOfSoftnetAreCheckedBeforeTheyAreStored) {
    for (const char* list : {"66.66.0.0/16",
                             "33.33.33.33/32,33.33.33.0/24",
                             "@host",
                             "0.0.0.0/0",
                             "in 10.0.0.0/8,out  @host:53",
                             "10.0.0.0/8:8000-8100"})
        EXPECT_TRUE(checkNetworkList(s(list))) << list;
    for (const char* list : {"",
                             "10.0.0.0/33",
                             "10.0.0/8",
                             "10.0.0.256/8",
                             "host",
                             "::/0",
                             "@host,",
                             "from 10.0.0.0/8",
                             "in\t10.0.0.0/8",
                             "10.0.0.0/8:0",
                             "10.0.0.0/8:9-8",
                             "10.0.0.0/8:70000"})
        EXPECT_FALSE(checkNetworkList(s(list))) << list;
    EXPECT_TRUE(checkNetworkList(s("192.168.178.20")).error().message.contains(s("/32")));
    EXPECT_EQ(wholeAddressRule(s("in 192.168.178.20:80")), s("in 192.168.178.20/32:80"));
    EXPECT_EQ(wholeAddressRule(s("192.168.178/24")), QString());
    EXPECT_TRUE(checkNetworkRule(s("@host:x")).error().message.contains(s("@host:443")));
    QStringList many;
    for (int i = 0; i < 4097; ++i)
        many << s("10.0.0.0/8");
    EXPECT_TRUE(checkNetworkList(many.join(s(","))).error().message.contains(s("4097")));
    EXPECT_TRUE(checkExposeList(s("2222:22,0:65535,127.0.0.1:8080:80")));
    for (const char* list : {"", "22", "1:2:3", "a:b", "65536:1", "-1:2", "1:", ":1", "+1:2"})
        EXPECT_FALSE(checkExposeList(s(list))) << list;
}

TEST(NetworkOptions, JsonIsReadAsItWasWritten) {
    NetworkOptions bridged;
    bridged.mode = NetworkMode::Bridged;
    bridged.interfaces = {s("br0"), s("br1")};
    NetworkOptions softnet;
    softnet.mode = NetworkMode::Softnet;
    softnet.allow = s("10.0.0.0/8");
    softnet.expose = s("2222:22");
    NetworkOptions host;
    host.mode = NetworkMode::HostOnly;
    for (const NetworkOptions& options : {NetworkOptions(), bridged, softnet, host})
        EXPECT_EQ(*NetworkOptions::fromJson(options.toJson()), options);
    EXPECT_TRUE(NetworkOptions().toJson().isEmpty());
    EXPECT_FALSE(NetworkOptions::fromJson({{s("mode"), s("wifi")}}));
    EXPECT_FALSE(NetworkOptions::fromJson({{s("mode"), s("bridged")}}));
    EXPECT_FALSE(NetworkOptions::fromJson({{s("interfaces"), s("br0")}}));
    EXPECT_FALSE(NetworkOptions::fromJson({{s("mode"), s("softnet")}, {s("allow"), s("x")}}));
}

TEST(BootOrder, EachDeviceStandsOnce) {
    EXPECT_EQ(*bootOrderFromText(s("cd,disk,network")),
              (BootOrder{BootDevice::Cd, BootDevice::Disk, BootDevice::Network}));
    EXPECT_EQ(toText(*bootOrderFromText(s("network,,disk"))), s("network,disk"));
    EXPECT_TRUE(bootOrderFromText({})->isEmpty());
    for (const char* text : {"disk,disk", "floppy", "Disk"})
        EXPECT_FALSE(bootOrderFromText(s(text))) << text;
}

TEST(DiskDurability, OnlyIgnoredFlushesAreRiskyAndSaySo) {
    DiskOptions options;
    for (const Caching caching : {Caching::Automatic, Caching::Cached, Caching::Uncached}) {
        options.caching = caching;
        options.synchronisation = Synchronisation::None;
        EXPECT_TRUE(isRisky(options));
        EXPECT_TRUE(durabilityText(options).startsWith(s("Risky")));
        options.synchronisation = Synchronisation::Full;
        EXPECT_FALSE(isRisky(options));
        EXPECT_FALSE(durabilityText(options).contains(s("Risky")));
    }
    options.synchronisation = Synchronisation::None;
    options.readOnly = true;
    EXPECT_FALSE(isRisky(options));
}

TEST(RunCommand, TheLineIsCompleteAndQuoted) {
    EXPECT_EQ(runCommandLine(s("web"), {}), s("vitrinectl run web --plain"));
    RunOptions options;
    options.disks = {ExtraDisk{s("/data/my disk.img"), {.readOnly = true}}};
    options.network.mode = NetworkMode::HostOnly;
    options.forwards = {{8080, 80}, {0, 22}};
    options.bootOrder = {BootDevice::Cd};
    options.audio = false;
    EXPECT_EQ(runCommandLine(s("my web"), options),
              s("vitrinectl run 'my web' --plain '--disk=/data/my disk.img:ro' --net-host "
                "--forward=8080:80 --forward=22 --boot=cd --no-audio"));
    EXPECT_EQ(shareCommandLine(s("web"), {}), s("vitrinectl share web list"));
    EXPECT_EQ(shareCommandLine(s("web"),
                               {{{}, s("/srv/my src"), true, s("src")},
                                {s("a"), s("/a"), false},
                                {s("z"), s("https://h/z.tar.gz"), true}}),
              s("vitrinectl share web add '/srv/my src:ro,tag=src' && vitrinectl share web add "
                "a:/a --writable"));
    EXPECT_EQ(quotedForShell(s("it's")), s("'it'\\''s'"));
    EXPECT_EQ(quotedForShell(QString()), s("''"));
}

TEST(RunOptionsStart, WhatIsNewSurvivesTheFile) {
    RunOptions options;
    options.network.mode = NetworkMode::Bridged;
    options.network.interfaces = {s("br0")};
    options.bootOrder = {BootDevice::Network, BootDevice::Disk};
    options.serial = {SerialLine::Kind::NewTerminal, {}};
    options.vncServer = true;
    options.nested = true;
    EXPECT_EQ(*RunOptions::fromJson(options.toJson()), options);
    options.serial = {SerialLine::Kind::Device, s("/dev/ttyS0")};
    EXPECT_EQ(*RunOptions::fromJson(options.toJson()), options);
    for (const char* key : {"network", "bootOrder", "serial", "vncServer", "nested"})
        EXPECT_FALSE(RunOptions::fromJson({{s(key), 7}})) << key;
}

} // namespace vitrine
