// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/disk_plans.h"

#include "core/disk/file_lock.h"
#include "tests/vz/plan/pretended_mac.h"

#include <gtest/gtest.h>

#include <fcntl.h>

using namespace vitrine;
using namespace vitrine::vz;
using vitrine::vz::test::pretendedMac;
using vitrine::vz::test::PretendedMachine;

namespace {

class DiskPlans : public testing::Test {
protected:
    QList<Disk> plan() {
        m_errors.clear();
        return planDisks(m_machine.info, m_options, m_host, m_copies, m_errors);
    }
    void attach(const QString& text) {
        const auto disk = ExtraDisk::fromText(text);
        ASSERT_TRUE(disk) << disk.error().message.toStdString();
        m_options.disks.append(*disk);
    }
    // Of the only extra disk; empty when it is taken.
    std::string refusal(const QString& text) {
        m_options.disks.clear();
        attach(text);
        (void)plan();
        return m_errors.isEmpty() ? std::string() : m_errors.first().message.toStdString();
    }
    QString file(const char* name, qsizetype size = 1024) {
        const QString path = m_machine.outside(name);
        PretendedMachine::write(path, QByteArray(size, 'x'));
        return path;
    }
    // A cached image in the library of the machine.
    void addImage(const char* format) {
        const QString folder =
            m_machine.outside("library/cache/OCIs/ghcr.io/a/b/sha256:") + QString(64, u'1');
        MachineConfig config;
        config.macAddress = m_machine.info.config->macAddress;
        config.diskFormat =
            QLatin1String(format) == QLatin1String("asif") ? DiskFormat::Asif : DiskFormat::Raw;
        PretendedMachine::write(folder + QStringLiteral("/config.json"), config.toJson());
        PretendedMachine::write(folder + QStringLiteral("/disk.img"), QByteArray(512, 'i'));
        PretendedMachine::write(folder + QStringLiteral("/nvram.bin"), "n");
        QFile::remove(m_machine.outside("library/cache/OCIs/ghcr.io/a/b/latest"));
        QFile::link(folder, m_machine.outside("library/cache/OCIs/ghcr.io/a/b/latest"));
    }

    PretendedMachine m_machine{GuestSystem::Linux};
    RunOptions m_options;
    HostCaps m_host = pretendedMac();
    QString m_copies = QStringLiteral("/copies");
    QList<Error> m_errors;
};

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_F(DiskPlans, TheRootDiskIsCachedForLinuxUnlessChosen) {
    struct Case {
        GuestSystem system;
        Caching chosen;
        Caching planned;
    };
    for (const Case& c : {Case{GuestSystem::Linux, Caching::Automatic, Caching::Cached},
                          Case{GuestSystem::Linux, Caching::Uncached, Caching::Uncached},
                          Case{GuestSystem::Linux, Caching::Cached, Caching::Cached},
                          Case{GuestSystem::Darwin, Caching::Automatic, Caching::Automatic},
                          Case{GuestSystem::Darwin, Caching::Uncached, Caching::Uncached}}) {
        m_machine.info.config->system = c.system;
        m_options.rootDisk.caching = c.chosen;
        const QList<Disk> disks = plan();
        ASSERT_TRUE(m_errors.isEmpty());
        EXPECT_EQ(std::get<ImageDisk>(disks.constFirst().source).caching, c.planned);
    }
}

TEST_F(DiskPlans, TheRootDiskHonoursItsOptions) {
    m_options.rootDisk = *DiskOptions::fromText(QStringLiteral("ro,sync=none"));
    const ImageDisk root = std::get<ImageDisk>(plan().constFirst().source);
    EXPECT_TRUE(root.readOnly); // M2
    EXPECT_EQ(root.synchronisation, Synchronisation::None);
}

TEST_F(DiskPlans, ARootDiskThatIsNoneIsRefused) {
    m_machine.put("disk.img", QByteArray(4097, 'd'));
    (void)plan();
    ASSERT_EQ(m_errors.size(), 1);
    EXPECT_TRUE(m_errors.first().message.contains(QLatin1String("512 bytes")));
    QFile::remove(m_machine.path("disk.img"));
    (void)plan();
    EXPECT_EQ(m_errors.size(), 1);
}

TEST_F(DiskPlans, AsifNeedsMacOs26) {
    m_machine.info.config->diskFormat = DiskFormat::Asif;
    m_machine.put("disk.img", QByteArray(4097, 'd')); // no rule of raw disks holds
    (void)plan();
    ASSERT_EQ(m_errors.size(), 1);
    EXPECT_TRUE(m_errors.first().message.contains(QLatin1String("macOS 26; this is macOS 15.5")));
    m_host.system = macOs26;
    (void)plan();
    EXPECT_TRUE(m_errors.isEmpty());
}

TEST_F(DiskPlans, FilesFollowInTheirOrder) {
    attach(file("a.img") + QStringLiteral(":sync=fsync,caching=uncached"));
    attach(file("b.iso"));
    const QList<Disk> disks = plan();
    ASSERT_EQ(disks.size(), 3) << m_errors.value(0).message.toStdString();
    EXPECT_EQ(
        std::get<ImageDisk>(disks[1].source),
        (ImageDisk{m_machine.outside("a.img"), false, Caching::Uncached, Synchronisation::Fsync}));
    EXPECT_TRUE(std::get<ImageDisk>(disks[2].source).readOnly);
}

TEST_F(DiskPlans, WhatIsNoDiskIsRefused) {
    EXPECT_TRUE(has(refusal(m_machine.outside("none.img")), "does not exist"));
    EXPECT_TRUE(has(refusal(file("odd.img", 1000)), "512 bytes"));
    EXPECT_TRUE(has(refusal(file("empty.img", 0)), "empty"));
    EXPECT_TRUE(has(refusal(file("a.qcow2")), "qemu-img convert"));
    EXPECT_TRUE(has(refusal(file("a.asif")), "macOS 26"));
    EXPECT_TRUE(has(refusal(file("debian-amd64.iso")), "for arm64"));
    EXPECT_TRUE(has(refusal(m_machine.outside("library")), "folder"));
    EXPECT_EQ(refusal(file("good.img")), "");
    m_host.architecture = Architecture::Amd64;
    EXPECT_EQ(refusal(file("debian-amd64.iso")), "");
}

TEST_F(DiskPlans, AFileThatAnotherProgramHoldsIsOnlyRead) {
    const QString path = file("a.img");
    const auto lock = DirectoryLock::tryLock(path);
    ASSERT_TRUE(lock);
    EXPECT_TRUE(has(refusal(path), "in use by another program"));
    EXPECT_EQ(refusal(path + QStringLiteral(":ro")), "");
}

TEST_F(DiskPlans, TheSameDiskIsNotWrittenTwice) {
    const QString path = file("a.img");
    attach(path);
    attach(path + QStringLiteral(":ro"));
    EXPECT_EQ(plan().size(), 2);
    EXPECT_EQ(m_errors.size(), 1);
    m_options.disks.clear();
    attach(path + QStringLiteral(":ro"));
    attach(path + QStringLiteral(":ro"));
    EXPECT_EQ(plan().size(), 3);
    m_options.disks.clear();
    attach(m_machine.path("disk.img"));
    EXPECT_EQ(plan().size(), 1);
}

TEST_F(DiskPlans, NetworkDisksHaveTheirOwnChoices) {
    const QString url = QStringLiteral("nbd://localhost:10809/disk");
    EXPECT_EQ(refusal(url + QStringLiteral(":sync=none,ro")), "");
    EXPECT_EQ(std::get<NetworkDisk>(plan().at(1).source), (NetworkDisk{url, 30, true, false}));
    EXPECT_EQ(refusal(url), "");
    EXPECT_EQ(std::get<NetworkDisk>(plan().at(1).source), (NetworkDisk{url, 30, false, true}));
    EXPECT_TRUE(has(refusal(url + QStringLiteral(":sync=fsync")), "sync=full or sync=none"));
    EXPECT_TRUE(has(refusal(url + QStringLiteral(":caching=cached")), "caching out"));
    EXPECT_TRUE(has(refusal(QStringLiteral("nbd://user@h/e")), "no user name"));
    EXPECT_TRUE(has(refusal(QStringLiteral("nbds://h/e?tls-certificates=/etc/ssl")), "keychain"));
    EXPECT_TRUE(has(refusal(QStringLiteral("nbd+unix:///e?socket=/none/s.sock")), "server first"));
    m_host.system = macOs13;
    EXPECT_TRUE(has(refusal(url), "need macOS 14"));
}

TEST_F(DiskPlans, AnImagesDiskIsCopied) {
    addImage("raw");
    EXPECT_EQ(refusal(QStringLiteral("ghcr.io/a/b:latest:ro")), "");
    const Disk disk = plan().at(1);
    EXPECT_EQ(std::get<ImageDisk>(disk.source).path, QLatin1String("/copies/disk-1.img"));
    EXPECT_TRUE(std::get<ImageDisk>(disk.source).readOnly);
    EXPECT_TRUE(disk.copyOf.endsWith(QLatin1String("/disk.img")));
    EXPECT_TRUE(disk.copyOf.contains(QLatin1String("OCIs")));
    EXPECT_TRUE(has(refusal(QStringLiteral("ghcr.io/a/none:latest")), "vitrinectl pull"));
    addImage("asif");
    EXPECT_TRUE(has(refusal(QStringLiteral("ghcr.io/a/b:latest")), "macOS 26"));
    addImage("raw");
    m_copies.clear();
    EXPECT_TRUE(has(refusal(QStringLiteral("ghcr.io/a/b:latest")), "cannot be used here"));
}

TEST_F(DiskPlans, DevicesAreOpenedWhenTheyAreNeeded) {
    MachinePlan plan;
    const QString path = file("device");
    plan.disks = {{ImageDisk{path}, DiskBus::VirtioBlock, {}},
                  {BlockDisk{path, -1, true, true}, DiskBus::VirtioBlock, {}},
                  {BlockDisk{path, -1, false, true}, DiskBus::VirtioBlock, {}}};
    const auto opened = openBlockDevices(plan);
    ASSERT_TRUE(opened);
    ASSERT_EQ(opened->size(), 2U);
    for (int i = 1; i <= 2; ++i) {
        const int descriptor = std::get<BlockDisk>(plan.disks[i].source).descriptor;
        EXPECT_EQ(descriptor, opened->at(static_cast<size_t>(i) - 1).get());
        EXPECT_EQ(::fcntl(descriptor, F_GETFL) & O_ACCMODE, i == 1 ? O_RDONLY : O_RDWR);
        EXPECT_NE(::fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
    }
    plan.disks = {{BlockDisk{m_machine.outside("none"), -1, true, true}, {}, {}}};
    EXPECT_EQ(openBlockDevices(plan).error().kind, Error::Kind::NotFound);
}

TEST_F(DiskPlans, ADeviceOfTheAdministratorNamesTheCommand_NeedsOrdinaryUser) {
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may open everything";
    const QString path = file("device");
    QFile::setPermissions(path, {});
    MachinePlan plan;
    plan.disks = {{BlockDisk{path, -1, true, true}, DiskBus::VirtioBlock, {}}};
    const auto opened = openBlockDevices(plan);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, Error::Kind::Permission);
    EXPECT_TRUE(opened.error().message.contains(QLatin1String("sudo chown")));
}
