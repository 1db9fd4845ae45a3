// SPDX-License-Identifier: Apache-2.0
#include "core/library/linux_machine.h"

#include "core/disk/disk_space.h"
#include "core/machine/sidecar.h"

#include "../disk/other_process.h"
#include "library_fixture.h"

#include <atomic>
#include <sys/mount.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace vitrine {
namespace {

class LinuxMachine : public test::LibraryTest {
protected:
    Result<> create(const char* machine,
                    const NewLinuxMachine& wanted = {},
                    const JobContext& context = {}) {
        return createLinuxMachine(m_library, name(machine), wanted, context);
    }
    [[nodiscard]] QString path(const char* machine, const char* file = "") const {
        return m_library.machinePath(name(machine)) + QLatin1Char('/') + QLatin1String(file);
    }
    QString outside(const char* file, const QByteArray& bytes) {
        const QString path = m_folder.filePath(QLatin1String(file));
        test::put(path, bytes);
        return path;
    }
    void expectNothing(const char* machine) const {
        EXPECT_FALSE(QFile::exists(path(machine)));
        EXPECT_TRUE(temporaryEntries().isEmpty());
    }
};

QByteArray disk(qsizetype sectors = 2048) {
    return QByteArray("boot").leftJustified(sectors * 512, 'd');
}

TEST_F(LinuxMachine, HasTartsDefaults) {
    ASSERT_TRUE(create("debian"));
    const auto info = m_library.machine(name("debian"));
    ASSERT_TRUE(info);
    EXPECT_EQ(info->state, MachineState::Stopped) << info->brokenReason.toStdString();
    EXPECT_EQ(info->config->system, GuestSystem::Linux);
    EXPECT_EQ(info->config->architecture, hostArchitecture());
    EXPECT_EQ(info->config->cpuCount, 4);
    EXPECT_EQ(info->config->cpuCountMinimum, 4);
    EXPECT_EQ(info->config->memory, ByteCount::fromMiB(4096));
    EXPECT_EQ(info->config->memoryMinimum, ByteCount::fromMiB(4096));
    EXPECT_EQ(info->config->display, DisplaySize());
    EXPECT_EQ(info->diskSize, ByteCount::fromGB(50));
    EXPECT_LT(info->allocated.bytes(), 100000U);
    EXPECT_TRUE(QFile::exists(path("debian", "nvram.bin"))); // Tart asks for it
    const auto sidecar = Sidecar::read(path("debian"));
    ASSERT_TRUE(sidecar);
    EXPECT_TRUE(sidecar->run.disks.isEmpty());
    EXPECT_EQ(sidecar->events.size(), 1);
    EXPECT_TRUE(temporaryEntries().isEmpty());
}

TEST_F(LinuxMachine, EachHasAnAddressOfItsOwn) {
    ASSERT_TRUE(create("a"));
    ASSERT_TRUE(create("b"));
    EXPECT_NE(m_library.machine(name("a"))->config->macAddress,
              m_library.machine(name("b"))->config->macAddress);
}

TEST_F(LinuxMachine, IsWhatWasAskedFor) {
    NewLinuxMachine wanted;
    wanted.architecture = Architecture::Arm64;
    wanted.cpuCount = 2;
    wanted.memory = ByteCount::fromMiB(512);
    wanted.diskSize = ByteCount::fromGB(3);
    ASSERT_TRUE(create("a", wanted));
    const auto info = m_library.machine(name("a"));
    EXPECT_EQ(info->config->architecture, Architecture::Arm64);
    EXPECT_EQ(info->config->cpuCount, 2);
    EXPECT_EQ(info->config->memory, ByteCount::fromMiB(512));
    EXPECT_LE(info->config->cpuCountMinimum, 2);
    EXPECT_LE(info->config->memoryMinimum, ByteCount::fromMiB(512));
    EXPECT_EQ(info->diskSize, ByteCount::fromGB(3));
}

TEST_F(LinuxMachine, ADiscIsAReadOnlyDiskOfItsRuns) {
    NewLinuxMachine wanted;
    wanted.installationDisc = outside("debian 12:1.iso", "disc");
    ASSERT_TRUE(create("a", wanted));
    const auto sidecar = Sidecar::read(path("a"));
    ASSERT_TRUE(sidecar);
    ASSERT_EQ(sidecar->run.disks.size(), 1);
    EXPECT_EQ(sidecar->run.disks.first().path, wanted.installationDisc);
    EXPECT_TRUE(sidecar->run.disks.first().options.readOnly);
    EXPECT_TRUE(sidecar->run.disks.first().isOptical());
    EXPECT_TRUE(sidecar->run.bootOrder.isEmpty()); // disks first: an empty one is passed over
}

TEST_F(LinuxMachine, ADiscThatIsNoneIsRefused) {
    const auto refusal = [this](const QString& path) {
        NewLinuxMachine wanted;
        wanted.installationDisc = path;
        const auto made = create("a", wanted);
        expectNothing("a");
        return made ? QString() : made.error().message;
    };
    EXPECT_TRUE(refusal(m_folder.filePath(QStringLiteral("none.iso")))
                    .contains(QLatin1String("not exist")));
    EXPECT_TRUE(refusal(m_folder.path()).contains(QLatin1String("folder")));
    EXPECT_TRUE(refusal(outside("empty.iso", {})).contains(QLatin1String("empty")));
    EXPECT_TRUE(refusal(outside("packed.iso",
                                QByteArray("\xfd"
                                           "7zXZ\0more",
                                           10)))
                    .contains(QLatin1String("xz")));
    EXPECT_TRUE(refusal(outside("disk.iso", "QFI\xfbmore")).contains(QLatin1String("qcow2")));
}

TEST_F(LinuxMachine, ADiskImageIsCopiedAndMayGrow) {
    NewLinuxMachine wanted;
    wanted.diskImage = outside("cloud.raw", disk());
    ASSERT_TRUE(create("same", wanted));
    EXPECT_EQ(test::get(path("same", "disk.img")), disk());
    EXPECT_FALSE(Sidecar::read(path("same"))->growPartition);
    wanted.diskSize = ByteCount::fromBytes(4096 * 512);
    ASSERT_TRUE(create("larger", wanted));
    EXPECT_EQ(test::get(path("larger", "disk.img")), disk() + QByteArray(2048 * 512, '\0'));
    EXPECT_TRUE(Sidecar::read(path("larger"))->growPartition);
    EXPECT_EQ(test::get(wanted.diskImage), disk());
}

TEST_F(LinuxMachine, ADiskImageStaysSparse) {
    NewLinuxMachine wanted;
    wanted.diskImage = outside("big.img", disk());
    ASSERT_TRUE(QFile::resize(wanted.diskImage, 40000000000));
    ASSERT_TRUE(create("a", wanted));
    EXPECT_EQ(fileSize(path("a", "disk.img"))->logical.bytes(), 40000000000U);
    EXPECT_LT(fileSize(path("a", "disk.img"))->allocated.bytes(), 3000000U);
}

TEST_F(LinuxMachine, ADiskImageThatCannotBeOneIsRefusedWithTheRemedy) {
    const auto refusal = [this](const QString& path, std::optional<ByteCount> size = {}) {
        NewLinuxMachine wanted;
        wanted.diskImage = path;
        wanted.diskSize = size;
        const auto made = create("a", wanted);
        expectNothing("a");
        return made ? QString() : made.error().message;
    };
    const QString qcow = outside("it's.qcow2", "QFI\xfb" + disk());
    EXPECT_TRUE(refusal(qcow).contains(QLatin1String("qemu-img convert -O raw '")));
    EXPECT_TRUE(refusal(qcow).contains(QLatin1String("it'\\''s.raw'")))
        << refusal(qcow).toStdString();
    // Whatever its name is.
    EXPECT_TRUE(refusal(outside("a.img", "QFI\xfb" + disk())).contains(QLatin1String("qcow2")));
    EXPECT_TRUE(refusal(outside("b.img", QByteArray(64, '\0') + "\x7f\x10\xda\xbe" + disk()))
                    .contains(QLatin1String("VDI")));
    EXPECT_TRUE(
        refusal(outside("c.img", "\x1f\x8b\x08" + disk())).contains(QLatin1String("Unpack")));
    EXPECT_TRUE(refusal(outside("d.img", disk() + "x")).contains(QLatin1String("512")));
    EXPECT_TRUE(refusal(outside("e.img", {})).contains(QLatin1String("empty")));
    EXPECT_TRUE(refusal(outside("f.vmdk", disk())).contains(QLatin1String("qemu-img")));
    EXPECT_TRUE(
        refusal(m_folder.filePath(QStringLiteral("none"))).contains(QLatin1String("not exist")));
    EXPECT_TRUE(refusal(outside("g.img", disk()), ByteCount::fromBytes(512))
                    .contains(QLatin1String("does not fit")));
    EXPECT_FALSE(refusal(outside("h.img", "QFI"), {}).isEmpty()); // shorter than any beginning
}

TEST_F(LinuxMachine, ADiskThatSomebodyUsesIsRefused) {
    const QString source = addMachine(QStringLiteral("running"));
    test::OtherProcess other({QStringLiteral("hold"), source + QStringLiteral("/config.json")});
    ASSERT_EQ(other.word(), "held");
    NewLinuxMachine wanted;
    wanted.diskImage = source + QStringLiteral("/disk.img");
    ASSERT_TRUE(QFile::resize(wanted.diskImage, 1024 * 1024));
    const auto made = create("a", wanted);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, Error::Kind::Busy);
    expectNothing("a");
}

TEST_F(LinuxMachine, AFileThatMayNotBeReadIsToldSo_NeedsAnOrdinaryUser) {
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may read everything";
    NewLinuxMachine wanted;
    wanted.diskImage = outside("secret.img", disk());
    ASSERT_TRUE(QFile::setPermissions(wanted.diskImage, QFile::WriteOwner));
    const auto made = create("a", wanted);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, Error::Kind::Permission);
}

TEST_F(LinuxMachine, ImpossibleSizesAreRefused) {
    NewLinuxMachine wanted;
    wanted.diskSize = ByteCount::fromBytes(1000);
    EXPECT_EQ(create("a", wanted).error().kind, Error::Kind::InvalidInput);
    wanted.diskSize = ByteCount();
    EXPECT_EQ(create("a", wanted).error().kind, Error::Kind::InvalidInput);
    wanted.diskSize.reset();
    wanted.cpuCount = 0;
    EXPECT_EQ(create("a", wanted).error().kind, Error::Kind::InvalidInput);
    wanted.cpuCount = 1;
    wanted.memory = ByteCount();
    EXPECT_EQ(create("a", wanted).error().kind, Error::Kind::InvalidInput);
    expectNothing("a");
}

TEST_F(LinuxMachine, ANameIsNeverOverwritten) {
    const QString there = addMachine(QStringLiteral("a"), test::configText(9));
    const auto made = create("a");
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, Error::Kind::AlreadyExists);
    EXPECT_EQ(m_library.machine(name("a"))->config->cpuCount, 9);
    EXPECT_TRUE(temporaryEntries().isEmpty());
    // Nor one that appears meanwhile.
    NewLinuxMachine wanted;
    wanted.makeVariables = [this](const QString& file) -> Result<> {
        test::put(file, "variables");
        test::fillMachine(m_library.machinePath(name("b")), test::configText(7));
        return {};
    };
    const auto second = create("b", wanted);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, Error::Kind::AlreadyExists);
    EXPECT_EQ(m_library.machine(name("b"))->config->cpuCount, 7);
    EXPECT_TRUE(temporaryEntries().isEmpty());
}

TEST_F(LinuxMachine, OfTwoAtOnceOneIsMade) {
    std::atomic<int> made = 0;
    std::atomic<int> refused = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([this, &made, &refused] {
                const auto done = createLinuxMachine(m_library, name("a"), {}, {});
                if (done)
                    ++made;
                else if (done.error().kind == Error::Kind::AlreadyExists)
                    ++refused;
            });
    }
    EXPECT_EQ(made, 1);
    EXPECT_EQ(refused, 3);
    EXPECT_TRUE(temporaryEntries().isEmpty());
}

TEST_F(LinuxMachine, TheVariablesCanBeMadeByTheBackend) {
    NewLinuxMachine wanted;
    wanted.makeVariables = [](const QString& file) -> Result<> {
        test::put(file, "store");
        return {};
    };
    ASSERT_TRUE(create("a", wanted));
    EXPECT_EQ(test::get(path("a", "nvram.bin")), "store");
    wanted.makeVariables = [](const QString&) -> Result<> {
        return fail(Error::Kind::DiskFull, QStringLiteral("No room."));
    };
    EXPECT_EQ(create("b", wanted).error().kind, Error::Kind::DiskFull);
    expectNothing("b");
}

TEST_F(LinuxMachine, ACancelLeavesNothing) {
    std::stop_source stop;
    JobContext context;
    context.stop = stop.get_token();
    context.report = [&stop](const Progress&) { stop.request_stop(); };
    NewLinuxMachine wanted;
    wanted.diskImage = outside("cloud.raw", disk());
    const auto made = create("a", wanted, context);
    ASSERT_FALSE(made);
    EXPECT_TRUE(made.error().isCancelled());
    expectNothing("a");
    EXPECT_TRUE(create("b", {}, context).error().isCancelled()); // before it began
    expectNothing("b");
}

TEST_F(LinuxMachine, AFullVolumeIsToldBeforehand_NeedsRootForATmpfs) {
    const QString small = m_folder.filePath(QStringLiteral("small"));
    ASSERT_TRUE(QDir().mkpath(small));
    if (::mount("vitrine-test", QFile::encodeName(small).constData(), "tmpfs", 0, "size=1m") != 0)
        GTEST_SKIP() << "mounting needs root";
    const auto library = Library::open(small + QStringLiteral("/home"));
    NewLinuxMachine wanted;
    wanted.diskImage = outside("cloud.raw", disk(8192));
    const auto made = createLinuxMachine(*library, name("a"), wanted, {});
    const auto machines = library->machines();
    const bool left = !QDir(library->temporaryPath()).isEmpty();
    ::umount2(QFile::encodeName(small).constData(), MNT_DETACH);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, Error::Kind::DiskFull);
    EXPECT_TRUE(machines->isEmpty());
    EXPECT_FALSE(left);
}

} // namespace
} // namespace vitrine
