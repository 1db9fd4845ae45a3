// SPDX-License-Identifier: Apache-2.0
#include "qemu/launch_planner.h"

#include "core/disk/file_descriptor.h"
#include "core/disk/file_lock.h"
#include "core/machine/mac_options.h"
#include "pretended_host.h"
#include "qemu/host_features.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::qemu;

namespace {

class LaunchPlanner : public testing::Test {
protected:
    void SetUp() override {
        m_pretended.addFirmware();
        m_pretended.addEmulators();
        m_host.architecture = Architecture::Amd64;
        m_host.threads = 8;
        m_host.memory = ByteCount::fromMiB(16384);
        m_machine.name = QStringLiteral("web");
        m_machine.directory = m_folder.path();
        MachineConfig config;
        config.architecture = Architecture::Amd64;
        config.macAddress = *MacAddress::fromText(u"7e:11:22:33:44:55");
        m_machine.config = config;
        write("disk.img", "disk");
        write("nvram.bin", PretendedHost::variableStore(8192));
    }
    void write(const char* name, const QByteArray& content) {
        QFile file(path(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    QString path(const char* name) { return m_folder.filePath(QLatin1String(name)); }
    Result<LaunchPlan> check() {
        return checkLaunch(m_machine, m_options, m_pretended.paths(), m_host);
    }
    Result<LaunchPlan> goOn(const char* accelerator, const char* nat = natOfSoftnet) {
        StateFingerprint saved;
        saved.accelerator = QLatin1String(accelerator);
        saved.nat = QLatin1String(nat);
        return planToGoOn(m_machine, m_options, saved, m_pretended.paths(), m_host);
    }
    // The sentence of the refusal; empty when it is not refused.
    std::string refusal() {
        const auto plan = check();
        return plan ? std::string() : plan.error().message.toStdString();
    }
    std::string refusalOfDisk(const QString& disk, bool readOnly = false) {
        ExtraDisk extra;
        extra.path = disk;
        extra.options.readOnly = readOnly;
        m_options.disks = {extra};
        return refusal();
    }

    PretendedHost m_pretended;
    HostInfo m_host;
    QTemporaryDir m_folder;
    MachineInfo m_machine;
    RunOptions m_options;
};

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_F(LaunchPlanner, AnAmd64MachineIsPlannedWhole) {
    const auto plan = check();
    ASSERT_TRUE(plan) << refusal();
    LaunchPlan expected;
    expected.emulator = m_pretended.path("qemu-system-x86_64");
    expected.machineType = QStringLiteral("pc-q35-7.2");
    expected.cpuModel = QStringLiteral("max");
    expected.cpus = 4;
    expected.memory = ByteCount::fromMiB(4096);
    expected.diskPath = path("disk.img");
    expected.firmwareCode = m_pretended.path("OVMF_CODE_4M.fd");
    expected.firmwareVariables = path("nvram.bin");
    expected.macAddress = m_machine.config->macAddress;
    expected.display = m_machine.config->display;
    expected.audioBackend = QStringLiteral("none");
    expected.display.unit = DisplaySize::Unit::Pixels;
    expected.acceleratorNote = plan->acceleratorNote;
    EXPECT_EQ(*plan, expected);
    EXPECT_TRUE(plan->acceleratorNote.contains(QLatin1String("slow")));
}

TEST_F(LaunchPlanner, KvmIsUsedWhereItRunsGuests) {
    m_pretended.addKvm();
    const auto plan = check();
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->accelerator, Accelerator::Kvm);
    EXPECT_EQ(plan->cpuModel, QLatin1String("host,vmx=off,svm=off"));
    EXPECT_TRUE(plan->acceleratorNote.isEmpty());
}

TEST_F(LaunchPlanner, AnArm64MachineIsEmulatedOnAmd64) {
    m_pretended.addKvm();
    m_machine.config->architecture = Architecture::Arm64;
    const auto plan = check();
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->accelerator, Accelerator::Tcg);
    EXPECT_EQ(plan->machineType, QLatin1String("virt-7.2"));
    EXPECT_EQ(plan->cpuModel, QLatin1String("max,pauth-impdef=on"));
    EXPECT_EQ(plan->firmwareVariables, path("efivars-arm64.fd"));
    EXPECT_TRUE(plan->acceleratorNote.startsWith(QLatin1String("Emulated, slow")));
}

TEST_F(LaunchPlanner, CheckingWritesNothing) {
    write("nvram.bin", "Apple's");
    const QStringList before = QDir(m_folder.path()).entryList(QDir::Files);
    ASSERT_TRUE(check());
    EXPECT_EQ(QDir(m_folder.path()).entryList(QDir::Files), before);
}

TEST_F(LaunchPlanner, PlanningMakesTheVariables) {
    write("nvram.bin", "Apple's");
    const auto plan = planLaunch(m_machine, m_options, m_pretended.paths(), m_host);
    ASSERT_TRUE(plan);
    EXPECT_TRUE(QFileInfo::exists(path("efivars-amd64.fd")));
    EXPECT_EQ(plan->firmwareVariables, path("efivars-amd64.fd"));
    EXPECT_EQ(Sidecar::read(m_folder.path())->efivars, QLatin1String("separate"));
}

TEST_F(LaunchPlanner, MacMachinesAreRefusedWithTheReason) {
    m_machine.config->system = GuestSystem::Darwin;
    EXPECT_TRUE(has(refusal(), "Mac with Apple silicon"));
    EXPECT_EQ(check().error().kind, Error::Kind::Unsupported);
}

TEST_F(LaunchPlanner, ApplesDiskFormatIsRefused) {
    m_machine.config->diskFormat = DiskFormat::Asif;
    EXPECT_TRUE(has(refusal(), "ASIF"));
}

TEST_F(LaunchPlanner, ABrokenMachineGivesItsReason) {
    m_machine.state = MachineState::Broken;
    m_machine.brokenReason = QStringLiteral("config.json is not JSON.");
    m_machine.config.reset();
    EXPECT_TRUE(has(refusal(), "config.json is not JSON."));
}

TEST_F(LaunchPlanner, ACachedImageIsNotRun) {
    m_machine.isImage = true;
    EXPECT_TRUE(has(refusal(), "Clone it first"));
}

TEST_F(LaunchPlanner, AMachineThatTartSuspendedIsNotRun) {
    m_machine.state = MachineState::Suspended;
    write("state.qemu", "one of ours is no reason");
    EXPECT_TRUE(check());
    write("state.vzvmsave", "state");
    EXPECT_TRUE(has(refusal(), "--discard-state"));
}

TEST_F(LaunchPlanner, MissingProgramsNameTheirPackage) {
    QFile::remove(m_pretended.path("qemu-system-x86_64"));
    EXPECT_TRUE(has(refusal(), "\"qemu-system-x86\""));
    m_machine.config->architecture = Architecture::Arm64;
    QFile::remove(m_pretended.path("qemu-system-aarch64"));
    EXPECT_TRUE(has(refusal(), "\"qemu-system-arm\""));
}

TEST_F(LaunchPlanner, AnOldQemuIsRefused) {
    m_pretended.addProgram("qemu-system-x86_64", "5.2.0", "exit 33");
    EXPECT_TRUE(has(refusal(), "5.2.0"));
}

TEST_F(LaunchPlanner, MissingFirmwareNamesItsPackageUnlessAKernelIsGiven) {
    QFile::remove(m_pretended.path("OVMF_CODE_4M.fd"));
    EXPECT_TRUE(has(refusal(), "\"ovmf\""));
    write("vmlinuz", "kernel");
    m_options.kernel = KernelBoot{QStringLiteral("vmlinuz"), {}, QStringLiteral("quiet")};
    const auto plan = check();
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->kernel->kernel, path("vmlinuz"));
    EXPECT_TRUE(plan->firmwareCode.isEmpty());
}

TEST_F(LaunchPlanner, AMissingKernelOrInitrdIsNamed) {
    m_options.kernel = KernelBoot{QStringLiteral("vmlinuz"), QStringLiteral("initrd"), {}};
    EXPECT_TRUE(has(refusal(), "vmlinuz"));
    write("vmlinuz", "kernel");
    EXPECT_TRUE(has(refusal(), "initrd"));
    write("initrd", "files");
    EXPECT_TRUE(check());
    m_options.kernel = KernelBoot{};
    EXPECT_TRUE(has(refusal(), "name no kernel"));
}

TEST_F(LaunchPlanner, MoreMemoryThanTheComputerHasIsRefused) {
    m_machine.config->memory = ByteCount::fromMiB(16385);
    EXPECT_TRUE(has(refusal(), "this computer has 16"));
    m_machine.config->memory = ByteCount::fromMiB(16384);
    EXPECT_TRUE(check());
    m_machine.config->memory = ByteCount::fromBytes(1000);
    EXPECT_FALSE(check());
}

TEST_F(LaunchPlanner, MoreProcessorsThanTheComputerHasAreNotedAndMoreThan255Refused) {
    m_machine.config->cpuCount = 9;
    ASSERT_TRUE(check());
    EXPECT_EQ(check()->notes.size(), 1);
    EXPECT_EQ(check()->cpus, 9);
    m_machine.config->cpuCount = 256;
    EXPECT_TRUE(has(refusal(), "255"));
    m_machine.config->cpuCount = 0;
    EXPECT_FALSE(check());
}

TEST_F(LaunchPlanner, TheDisplayStaysWithinWhatQemuShows) {
    m_machine.config->display.width = 8;
    m_machine.config->display.height = 16384;
    const auto plan = check();
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->display.width, 640);
    EXPECT_EQ(plan->display.height, 2048);
    EXPECT_EQ(plan->notes.size(), 1);
}

TEST_F(LaunchPlanner, DisksThatCannotBeRunAreRefusedWithTheReason) {
    EXPECT_EQ(refusalOfDisk(QStringLiteral("nbd://localhost:10809/disk")), "");
    EXPECT_TRUE(has(refusalOfDisk(QStringLiteral("nbd://localhost:0/disk")), "port"));
    EXPECT_TRUE(has(refusalOfDisk(QStringLiteral("nbd+unix:///vol?socket=/s")), "server"));
    EXPECT_TRUE(has(refusalOfDisk(QStringLiteral("ghcr.io/cirruslabs/xcode:16.0")), "image"));
    EXPECT_TRUE(has(refusalOfDisk(m_folder.path()), "folder"));
    EXPECT_TRUE(has(refusalOfDisk(QStringLiteral("/dev/null")), "not a file"));
    EXPECT_TRUE(has(refusalOfDisk(path("missing.img")), "does not exist"));
    EXPECT_TRUE(has(refusalOfDisk(QString()), "no path"));
    write("empty.img", "");
    EXPECT_TRUE(has(refusalOfDisk(path("empty.img")), "empty"));
    write("disk.qcow2", "QFI");
    EXPECT_TRUE(has(refusalOfDisk(path("disk.qcow2")), "qemu-img convert"));
    write("debian-amd64.iso", "iso");
    EXPECT_EQ(refusalOfDisk(path("debian-amd64.iso")), "");
    m_machine.config->architecture = Architecture::Arm64;
    EXPECT_TRUE(has(refusalOfDisk(path("debian-amd64.iso")), "amd64"));
}

TEST_F(LaunchPlanner, WordsThatAKindOfDiskCannotHonourAreRefusedWithTheReason) {
    ExtraDisk disk;
    disk.path = QStringLiteral("nbd://localhost/disk");
    disk.options.synchronisation = Synchronisation::None;
    m_options.disks = {disk};
    EXPECT_EQ(refusal(), "");
    m_options.disks[0].options.synchronisation = Synchronisation::Fsync;
    EXPECT_TRUE(has(refusal(), "sync=full"));
    m_options.disks[0].options = {};
    m_options.disks[0].options.caching = Caching::Cached;
    EXPECT_TRUE(has(refusal(), "caching"));
}

// A file of this test as a block device, as long as this value lives. Root only.
class LoopDevice final {
public:
    explicit LoopDevice(const QString& file) {
        QProcess losetup;
        losetup.start(QStringLiteral("losetup"),
                      {QStringLiteral("-f"), QStringLiteral("--show"), file});
        losetup.waitForFinished(-1);
        m_path = QString::fromUtf8(losetup.readAllStandardOutput()).trimmed();
    }
    ~LoopDevice() { QProcess::execute(QStringLiteral("losetup"), {QStringLiteral("-d"), m_path}); }
    Q_DISABLE_COPY_MOVE(LoopDevice)
    [[nodiscard]] const QString& path() const { return m_path; }

private:
    QString m_path;
};

TEST_F(LaunchPlanner, ABlockDeviceThatThisComputerUsesIsOnlyRead_NeedsRoot) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root can make a block device";
    write("backing.img", QByteArray(1 << 20, 'x'));
    const LoopDevice device(path("backing.img"));
    ASSERT_FALSE(device.path().isEmpty());
    EXPECT_EQ(refusalOfDisk(device.path()), "");
    EXPECT_EQ(check()->disks.first().kind, ExtraDisk::Kind::BlockDevice);
    m_options.disks[0].options.synchronisation = Synchronisation::Fsync;
    EXPECT_TRUE(has(refusal(), "sync=full"));
    // As a mounted one is.
    const FileDescriptor user(
        ::open(QFile::encodeName(device.path()).constData(), O_RDWR | O_EXCL | O_CLOEXEC));
    ASSERT_TRUE(user.isValid());
    EXPECT_TRUE(has(refusalOfDisk(device.path()), "Unmount it"));
    EXPECT_EQ(check().error().kind, Error::Kind::Busy);
    EXPECT_EQ(refusalOfDisk(device.path(), true), "");
    EXPECT_EQ(check()->notes.size(), 1);
}

TEST_F(LaunchPlanner, ABlockDeviceThatMayNotBeUsedNamesTheGroup_NeedsOrdinaryUser) {
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may use every device";
    const QStringList devices =
        QDir(QStringLiteral("/dev"))
            .entryList({QStringLiteral("loop?"), QStringLiteral("[vs]da")}, QDir::System);
    ASSERT_FALSE(devices.isEmpty());
    EXPECT_TRUE(has(refusalOfDisk(QStringLiteral("/dev/") + devices.first()), "group \"disk\""));
}

TEST_F(LaunchPlanner, AnIsoFileIsACdAndReadOnly) {
    write("installer.ISO", "iso");
    ExtraDisk disk;
    disk.path = path("installer.ISO");
    m_options.disks = {disk};
    const auto plan = check();
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->disks.first().optical);
    EXPECT_TRUE(plan->disks.first().options.readOnly);
}

TEST_F(LaunchPlanner, NestedVirtualizationIsRefusedWithTheReason) {
    m_options.nested = true;
    EXPECT_TRUE(has(refusal(), "KVM"));
}

TEST_F(LaunchPlanner, RosettaOfAnotherComputerIsRefusedWithTheReason) {
    MacOptions{QStringLiteral("rosetta"), true}.storeIn(m_options);
    EXPECT_TRUE(has(refusal(), "Apple silicon"));
    EXPECT_TRUE(has(refusal(), "Switch it off"));
}

TEST_F(LaunchPlanner, ASerialLineLeadsToTerminalsOnly) {
    m_options.serial = {SerialLine::Kind::Device, QStringLiteral("/dev/null")};
    EXPECT_TRUE(has(refusal(), "no terminal device"));
    m_options.serial.path = QStringLiteral("/dev/missing");
    EXPECT_TRUE(has(refusal(), "does not exist"));
    m_options.serial.path = QStringLiteral("ttyS0");
    EXPECT_TRUE(has(refusal(), "whole path"));
}

TEST_F(LaunchPlanner, SoundIsHeardWhereAServerRunsAndQemuCanTalkToIt) {
    m_pretended.write("pulse", "a socket");
    m_pretended.addProgram("qemu-system-x86_64", "7.2.22", "printf 'Available:\\nnone\\npa\\n'");
    ASSERT_TRUE(check());
    EXPECT_EQ(check()->audioBackend, QLatin1String("pa"));
    m_options.audio = false;
    EXPECT_TRUE(check()->audioBackend.isEmpty());
}

TEST_F(LaunchPlanner, AFileIsPreferredToAnImageOfTheSameName) {
    ASSERT_TRUE(QDir(m_folder.path()).mkpath(QStringLiteral("images")));
    write("images/data.img", "data");
    const QString before = QDir::currentPath();
    QDir::setCurrent(m_folder.path());
    ExtraDisk disk;
    disk.path = QStringLiteral("images/data.img");
    m_options.disks = {disk};
    const auto plan = check();
    QDir::setCurrent(before);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->disks.first().path, path("images/data.img"));
}

TEST_F(LaunchPlanner, ADiskThatAnotherProgramHoldsIsRefusedUnlessReadOnly) {
    write("data.img", "data");
    const auto lock = DirectoryLock::tryLock(path("data.img"));
    ASSERT_TRUE(lock);
    EXPECT_TRUE(has(refusalOfDisk(path("data.img")), "in use"));
    EXPECT_EQ(refusalOfDisk(path("data.img"), true), "");
}

TEST_F(LaunchPlanner, NoDiskIsAttachedTwiceToBeWritten) {
    EXPECT_TRUE(has(refusalOfDisk(path("disk.img")), "twice"));
    EXPECT_TRUE(has(refusalOfDisk(path("disk.img"), true), "twice"));
    write("data.img", "data");
    ASSERT_TRUE(QFile::link(path("data.img"), path("link.img")));
    ExtraDisk first, second;
    first.path = path("data.img");
    second.path = path("link.img");
    m_options.disks = {first, second};
    EXPECT_TRUE(has(refusal(), "twice"));
    m_options.disks[0].options.readOnly = true;
    EXPECT_TRUE(has(refusal(), "twice"));
    m_options.disks[1].options.readOnly = true;
    EXPECT_EQ(refusal(), "");
}

TEST_F(LaunchPlanner, TheThirteenthExtraDiskIsRefused) {
    ExtraDisk disk;
    for (int i = 0; i <= maximumExtraDisks; ++i) {
        disk.path = m_folder.filePath(QStringLiteral("data-%1.img").arg(i));
        write(qPrintable(QStringLiteral("data-%1.img").arg(i)), "data");
        m_options.disks << disk;
    }
    EXPECT_TRUE(has(refusal(), "room for 12"));
    m_options.disks.removeLast();
    EXPECT_EQ(refusal(), "");
}

TEST_F(LaunchPlanner, AMissingRootDiskIsNamed) {
    QFile::remove(path("disk.img"));
    EXPECT_TRUE(has(refusal(), "disk.img"));
}

TEST_F(LaunchPlanner, KvmForAnotherArchitectureIsRefused) {
    m_machine.config->architecture = Architecture::Arm64;
    m_options.accelerator = AcceleratorChoice::Kvm;
    EXPECT_TRUE(has(refusal(), "arm64"));
}

TEST_F(LaunchPlanner, EmulationByHandAsksNoKvm) {
    m_pretended.addKvm();
    m_pretended.addProgram("qemu-system-x86_64", "7.2.22", "touch asked; exit 1");
    m_options.accelerator = AcceleratorChoice::Tcg;
    const auto plan = check();
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->accelerator, Accelerator::Tcg);
    EXPECT_FALSE(QFileInfo::exists(QStringLiteral("asked")));
}

TEST_F(LaunchPlanner, EveryFeatureHasAReasonWhenItIsMissing) {
    const HypervisorInfo info =
        describeHost(m_pretended.paths(), m_host, Hypervisor::Refresh::UseCache);
    EXPECT_EQ(info.name, QLatin1String("QEMU 7.2.22"));
    const int last = static_cast<int>(Feature::TrackpadChoice);
    for (int i = 0; i <= last; ++i) {
        const auto feature = static_cast<Feature>(i);
        EXPECT_TRUE(info.features.contains(feature)) << i;
        EXPECT_TRUE(info.has(feature) || !info.status(feature).reason.isEmpty()) << i;
    }
    EXPECT_FALSE(info.has(Feature::HardwareAcceleration));
    EXPECT_TRUE(info.has(Feature::Arm64Guests));
    EXPECT_TRUE(info.status(Feature::Arm64Guests).reason.startsWith(QLatin1String("Emulated")));
}

TEST_F(LaunchPlanner, ThisComputersPageNamesWhatIsMissing) {
    QFile::remove(m_pretended.path("qemu-system-aarch64"));
    QFile::remove(m_pretended.path("OVMF_CODE_4M.fd"));
    m_pretended.addKvm();
    m_host.processor = QStringLiteral("AMD Ryzen 7 7840U");
    m_host.threads = 16;
    const HypervisorInfo info =
        describeHost(m_pretended.paths(), m_host, Hypervisor::Refresh::UseCache);
    QStringList lines;
    for (const HostCheck& check : info.checks)
        lines << QStringLiteral("%1|%2|%3")
                     .arg(static_cast<int>(check.verdict))
                     .arg(check.subject, check.finding);
    const QString all = lines.join(QLatin1Char('\n'));
    EXPECT_TRUE(
        all.contains(QLatin1String("0|Hardware virtualization|KVM, AMD Ryzen 7 7840U, 16 threads")))
        << qPrintable(all);
    EXPECT_TRUE(all.contains(QLatin1String("0|Machines for amd64|QEMU 7.2.22")));
    EXPECT_TRUE(all.contains(QLatin1String("\"qemu-system-arm\"")));
    EXPECT_TRUE(all.contains(QLatin1String("\"ovmf\"")));
    EXPECT_TRUE(all.contains(QLatin1String("|Shared folders|Folders ")));
    EXPECT_FALSE(info.has(Feature::EfiBoot));
}

TEST_F(LaunchPlanner, ASuspendedMachineKeepsItsAcceleratorAndTellsTheTrueReason) {
    const auto planned = check();
    ASSERT_TRUE(planned);
    ASSERT_EQ(planned->accelerator, Accelerator::Tcg);
    const auto again = goOn("tcg");
    ASSERT_TRUE(again) << again.error().message.toStdString();
    EXPECT_EQ(again->acceleratorNote, planned->acceleratorNote) << "as at its start";
    // Meanwhile KVM works here, but the saved state is of an emulated machine.
    m_pretended.addKvm();
    const auto emulated = goOn("tcg");
    ASSERT_TRUE(emulated) << emulated.error().message.toStdString();
    EXPECT_EQ(emulated->accelerator, Accelerator::Tcg);
    EXPECT_TRUE(emulated->acceleratorNote.contains(QLatin1String("suspended")))
        << emulated->acceleratorNote.toStdString();
    const auto fast = goOn("kvm");
    ASSERT_TRUE(fast) << fast.error().message.toStdString();
    EXPECT_EQ(fast->accelerator, Accelerator::Kvm);
    EXPECT_EQ(fast->acceleratorNote, QString());
    // What the settings say is the reason only when they say it.
    m_options.accelerator = AcceleratorChoice::Tcg;
    const auto chosen = goOn("tcg");
    ASSERT_TRUE(chosen);
    EXPECT_TRUE(chosen->acceleratorNote.contains(QLatin1String("settings")));
}

TEST_F(LaunchPlanner, PlainNatIsSoftnetsProgramAndASuspendedMachineKeepsTheNatItHad) {
    const auto planned = check();
    ASSERT_TRUE(planned);
    EXPECT_TRUE(planned->usesSoftnet());
    const auto now = goOn("tcg", natOfSoftnet);
    ASSERT_TRUE(now);
    EXPECT_TRUE(now->usesSoftnet());
    EXPECT_TRUE(now->notes.isEmpty());
    const auto old = goOn("tcg", natOfQemu);
    ASSERT_TRUE(old);
    EXPECT_FALSE(old->usesSoftnet());
    EXPECT_TRUE(old->notes.join(QLatin1Char(' ')).contains(QLatin1String("127.0.0.1")));
    m_options.network.mode = NetworkMode::HostOnly;
    EXPECT_FALSE(check()->usesSoftnet());
}
