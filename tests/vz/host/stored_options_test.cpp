// SPDX-License-Identifier: Apache-2.0
#include "vz/host/stored_options.h"

#include "core/disk/file_lock.h"
#include "core/machine/mac_options.h"
#include "tests/vz/plan/pretended_mac.h"

#include <functional>
#include <gtest/gtest.h>

namespace vitrine::vz::test {

namespace {

using Change = std::function<void(RunOptions&, HostCaps&)>;

// What the refusal of these options says; empty when they are taken.
QString refusal(const PretendedMachine& machine, const Change& change) {
    RunOptions options;
    HostCaps host = pretendedMac();
    change(options, host);
    const auto checked = checkOptionsToStore(host, machine.info, options);
    return checked ? QString() : checked.error().message;
}

ShareSpec share(const char* name, const QString& path, bool readOnly = true) {
    ShareSpec spec;
    spec.name = QLatin1String(name);
    spec.path = path;
    spec.readOnly = readOnly;
    return spec;
}

QString s(const char* text) {
    return QString::fromLatin1(text);
}

} // namespace

TEST(StoredOptions, WhatNoRunCouldHaveIsRefusedWithItsName) {
    const PretendedMachine machine(GuestSystem::Linux);
    const QTemporaryDir folder;
    const QString half = folder.filePath(s("half.img"));
    PretendedMachine::write(half, QByteArray(700, 'x'));
    const QList<std::pair<Change, QString>> refused{
        {[](auto& o, auto&) {
             o.disks = {{s("/nosuch/data.img"), {}}};
         },
         s("/nosuch/data.img")},
        {[](auto& o, auto&) {
             o.disks = {{s("/nosuch/data.qcow2"), {}}};
         },
         s("raw disks only")},
        {[&](auto& o, auto&) {
             o.disks = {{half, {}}};
         },
         s("512 bytes")},
        {[](auto& o, auto& h) {
             o.disks = {{s("nbd://localhost"), {}}};
             h.system = macOs13;
         },
         s("macOS 14")},
        {[](auto& o, auto&) {
             o.kernel = KernelBoot{s("/nosuch/vmlinuz"), {}, {}};
         },
         s("/nosuch/vmlinuz")},
        {[](auto& o, auto&) {
             o.kernel = KernelBoot{s("/etc/passwd"), s("/nosuch/initrd"), {}};
         },
         s("/nosuch/initrd")},
        {[](auto& o, auto&) {
             o.serial = {SerialLine::Kind::Device, s("/dev/nosuch")};
         },
         s("/dev/nosuch")},
        {[](auto& o, auto&) {
             o.serial = {SerialLine::Kind::Device, s("/etc/passwd")};
         },
         s("no device")},
        {[](auto& o, auto&) {
             o.serial = {SerialLine::Kind::Device, s("cu.modem")};
         },
         s("whole path")},
        {[](auto& o, auto&) {
             o.network.mode = NetworkMode::Bridged;
             o.network.interfaces = {s("nosuch0")};
         },
         s("nosuch0")},
        {[](auto& o, auto& h) {
             o.network.mode = NetworkMode::Bridged;
             o.network.interfaces = {s("en0")};
             h.networkingEntitled = false;
             h.interfaces.clear();
         },
         s("bridged network")},
        {[](auto& o, auto&) { o.shares = {share("a", s("/nosuch/folder"))}; }, s("/nosuch/folder")},
        {[&](auto& o, auto&) {
             o.shares = {share("twice", folder.path()), share("twice", folder.path())};
         },
         s("twice")},
        {[](auto& o, auto&) {
             o.forwards = {{2222, 22}};
         },
         s("forwarded ports")},
        {[](auto& o, auto&) { o.bootOrder = {BootDevice::Cd}; }, s("boot order")},
        {[](auto& o, auto&) { o.accelerator = AcceleratorChoice::Tcg; }, s("accelerator")},
        {[](auto& o, auto& h) {
             o.nested = true;
             h.nested = false;
         },
         s("nested")}};
    for (const auto& [change, named] : refused) {
        const QString said = refusal(machine, change);
        EXPECT_TRUE(said.contains(named)) << named.toStdString() << ": " << said.toStdString();
    }
}

TEST(StoredOptions, WhatARunCouldHaveIsTaken) {
    const PretendedMachine machine(GuestSystem::Linux);
    const QTemporaryDir folder;
    const QString data = folder.filePath(s("data.img"));
    PretendedMachine::write(data, QByteArray(512, 'x'));
    const QList<Change> taken{
        [](auto&, auto&) {},
        [&](auto& o, auto&) {
            o.disks = {{data, {}}};
        },
        [&](auto& o, auto&) { o.shares = {share("a", folder.path())}; },
        [](auto& o, auto&) { o.shares = {share("a", s("https://localhost/a.tar.gz"))}; },
        [](auto& o, auto&) {
            o.serial = {SerialLine::Kind::Device, s("/dev/null")};
        },
        [](auto& o, auto&) {
            o.network.mode = NetworkMode::Bridged;
            o.network.interfaces = {s("Wi-Fi")};
        }};
    for (qsizetype i = 0; i < taken.size(); ++i)
        EXPECT_EQ(refusal(machine, taken.at(i)), QString()) << i;
}

TEST(StoredOptions, ADiskInUseHidesNoneThatIsMissing) {
    const PretendedMachine machine(GuestSystem::Linux);
    const QTemporaryDir folder;
    const QString data = folder.filePath(s("data.img"));
    PretendedMachine::write(data, QByteArray(512, 'x'));
    const auto lock = DirectoryLock::tryLock(data);
    ASSERT_TRUE(lock);
    EXPECT_EQ(refusal(machine, [&](auto& o, auto&) { o.disks = {{data, {}}}; }), QString());
    const QString said = refusal(machine, [&](auto& o, auto&) {
        o.disks = {{data, {}}, {s("/nosuch.img"), {}}};
    });
    EXPECT_TRUE(said.contains(s("/nosuch.img"))) << said.toStdString();
    EXPECT_FALSE(said.contains(s("in use"))) << said.toStdString();
}

TEST(StoredOptions, FaultsOfTheMachineAreNotTheirsAndHideNone) {
    PretendedMachine machine(GuestSystem::Linux);
    const Change fine = [](auto& o, auto&) { o.clipboard = false; };
    const Change wrong = [](auto& o, auto&) { o.disks = {{s("/nosuch.img"), {}}}; };
    machine.info.config->cpuCount = 64;
    EXPECT_EQ(refusal(machine, fine), QString());
    EXPECT_FALSE(refusal(machine, wrong).isEmpty());
    EXPECT_FALSE(refusal(machine, wrong).contains(s("64")));
    machine.info.config->cpuCount = 2;
    machine.info.config->architecture = Architecture::Amd64;
    EXPECT_EQ(refusal(machine, fine), QString());
    EXPECT_FALSE(refusal(machine, wrong).isEmpty());
}

TEST(StoredOptions, HardwareThatNoMacHasIsRefusedAndThatOfAnotherIsTold) {
    PretendedMachine machine(GuestSystem::Linux);
    MachineConfig& config = *machine.info.config;
    const HostCaps host = pretendedMac(); // 8 processors, 4 to 24576 MiB
    const auto check = [&](int processors, quint64 memory) {
        config.cpuCount = processors;
        config.memory = ByteCount::fromMiB(memory);
        const auto checked = checkHardwareToStore(host, machine.info);
        return checked ? *checked : s("refused: ") + checked.error().message;
    };
    EXPECT_EQ(check(8, 24576), QString());
    EXPECT_EQ(check(1, 64), QString());
    EXPECT_TRUE(check(0, 64).startsWith(s("refused: --cpu")));
    EXPECT_TRUE(check(1, 2).startsWith(s("refused: --memory")));
    EXPECT_TRUE(check(9, 64).contains(s("at most 8")));
    EXPECT_TRUE(check(1, 24577).contains(s("--memory")));
    EXPECT_TRUE(check(9, 30000).contains(s("--cpu")));
    // Nothing is known of a Mac that tells a program no limits.
    config.cpuCount = 64;
    EXPECT_EQ(*checkHardwareToStore(HostCaps(), machine.info), QString());
}

} // namespace vitrine::vz::test
