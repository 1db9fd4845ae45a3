// SPDX-License-Identifier: Apache-2.0
#include "qemu/launch_plan.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::qemu;

namespace {

LaunchPlan amd64Plan() {
    LaunchPlan plan;
    plan.emulator = QStringLiteral("/usr/bin/qemu-system-x86_64");
    plan.machineType = QStringLiteral("pc-q35-7.2");
    plan.cpuModel = QStringLiteral("max");
    plan.cpus = 2;
    plan.memory = ByteCount::fromMiB(1024);
    plan.diskPath = QStringLiteral("/library/vms/web/disk.img");
    plan.firmwareCode = QStringLiteral("/usr/share/OVMF/OVMF_CODE_4M.fd");
    plan.firmwareVariables = QStringLiteral("/library/vms/web/nvram.bin");
    plan.macAddress = *MacAddress::fromText(u"7e:11:22:33:44:55");
    plan.softnetSocket = 9;
    plan.display.width = 1280;
    plan.display.height = 800;
    return plan;
}

LaunchPlan arm64Plan() {
    LaunchPlan plan = amd64Plan();
    plan.guest = Architecture::Arm64;
    plan.emulator = QStringLiteral("/usr/bin/qemu-system-aarch64");
    plan.machineType = QStringLiteral("virt-7.2");
    plan.cpuModel = QStringLiteral("max,pauth-impdef=on");
    plan.firmwareCode = QStringLiteral("/usr/share/AAVMF/AAVMF_CODE.fd");
    plan.firmwareVariables = QStringLiteral("/library/vms/web/efivars-arm64.fd");
    return plan;
}

LaunchPlan kernelPlan() {
    LaunchPlan plan = amd64Plan();
    plan.firmwareCode.clear();
    plan.firmwareVariables.clear();
    plan.kernel = KernelBoot{QStringLiteral("/boot/vmlinuz, old"),
                             QStringLiteral("/boot/initrd"),
                             QStringLiteral("root=LABEL=root console=ttyS0,115200")};
    return plan;
}

// One argument a line; an option and its value on one.
QByteArray oneEachLine(const QStringList& arguments) {
    QByteArray text;
    for (const QString& argument : arguments) {
        if (argument.startsWith(QLatin1Char('-')))
            text += text.isEmpty() ? "" : "\n";
        else
            text += ' ';
        text += argument.toUtf8();
    }
    return text + '\n';
}

// VITRINE_UPDATE_GOLDEN=1 rewrites the files.
void compareWithGolden(const QString& name, const LaunchPlan& plan) {
    const QString path = QStringLiteral(VITRINE_TEST_DATA "/qemu/") + name;
    const QByteArray actual = oneEachLine(commandLine(plan));
    QFile file(path);
    if (qEnvironmentVariableIsSet("VITRINE_UPDATE_GOLDEN")) {
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(actual);
        return;
    }
    ASSERT_TRUE(file.open(QIODevice::ReadOnly)) << qPrintable(path);
    EXPECT_EQ(file.readAll().toStdString(), actual.toStdString());
}

QJsonObject blockdev(const LaunchPlan& plan, const QString& node) {
    const QStringList arguments = commandLine(plan);
    for (int i = 0; i + 1 < arguments.size(); ++i) {
        if (arguments.at(i) != QLatin1String("-blockdev"))
            continue;
        const QJsonObject object = QJsonDocument::fromJson(arguments.at(i + 1).toUtf8()).object();
        if (object.value(QStringLiteral("node-name")).toString() == node)
            return object;
    }
    return {};
}

QStringList devices(const LaunchPlan& plan) {
    QStringList list;
    const QStringList arguments = commandLine(plan);
    for (int i = 0; i + 1 < arguments.size(); ++i)
        if (arguments.at(i) == QLatin1String("-device"))
            list << arguments.at(i + 1);
    return list;
}

QJsonValue cacheOf(const DiskOptions& options, const char* key) {
    LaunchPlan plan = amd64Plan();
    plan.disk = options;
    const QJsonObject raw = blockdev(plan, QStringLiteral("disk0"));
    const QJsonValue value =
        raw.value(QStringLiteral("cache")).toObject().value(QLatin1String(key));
    const QJsonObject file = raw.value(QStringLiteral("file")).toObject();
    EXPECT_EQ(value, file.value(QStringLiteral("cache")).toObject().value(QLatin1String(key)));
    return value;
}

} // namespace

TEST(CommandLine, AnAmd64MachineBootsByFirmware) {
    compareWithGolden(QStringLiteral("amd64-firmware.txt"), amd64Plan());
}

TEST(CommandLine, AnArm64MachineBootsByFirmware) {
    compareWithGolden(QStringLiteral("arm64-firmware.txt"), arm64Plan());
}

TEST(CommandLine, AKernelReplacesTheFirmware) {
    compareWithGolden(QStringLiteral("amd64-kernel.txt"), kernelPlan());
}

TEST(CommandLine, KvmChangesTheAcceleratorOnly) {
    LaunchPlan plan = arm64Plan();
    plan.accelerator = Accelerator::Kvm;
    plan.cpuModel = QStringLiteral("host");
    compareWithGolden(QStringLiteral("arm64-kvm.txt"), plan);
}

TEST(CommandLine, TheSecurityModelOf9pIsThePlans) {
    LaunchPlan plan = amd64Plan();
    plan.shareSecurity = QStringLiteral("mapped-xattr");
    const QString all = commandLine(plan).join(QLatin1Char(' '));
    EXPECT_EQ(all.count(QStringLiteral("security_model=mapped-xattr")), 2 * plan9Slots);
    EXPECT_FALSE(all.contains(QStringLiteral("security_model=none")));
}

TEST(CommandLine, NamesOfFilesMayHoldAnything) {
    LaunchPlan plan = amd64Plan();
    plan.diskPath = QStringLiteral("/a,b=c \"d\" \\e é\n/json:{disk}.img");
    EXPECT_EQ(blockdev(plan, QStringLiteral("disk0"))
                  .value(QStringLiteral("file"))
                  .toObject()
                  .value(QStringLiteral("filename"))
                  .toString(),
              plan.diskPath);
    plan.firmwareVariables = plan.diskPath;
    EXPECT_EQ(blockdev(plan, QStringLiteral("firmware-variables"))
                  .value(QStringLiteral("file"))
                  .toObject()
                  .value(QStringLiteral("filename"))
                  .toString(),
              plan.diskPath);
}

TEST(CommandLine, UncachedDisksBypassThePageCache) {
    DiskOptions options;
    EXPECT_EQ(cacheOf(options, "direct"), QJsonValue(false));
    options.caching = Caching::Cached;
    EXPECT_EQ(cacheOf(options, "direct"), QJsonValue(false));
    options.caching = Caching::Uncached;
    EXPECT_EQ(cacheOf(options, "direct"), QJsonValue(true));
}

TEST(CommandLine, OnlyNoSynchronisationDropsFlushes) {
    DiskOptions options;
    EXPECT_EQ(cacheOf(options, "no-flush"), QJsonValue(false));
    options.synchronisation = Synchronisation::Fsync;
    EXPECT_EQ(cacheOf(options, "no-flush"), QJsonValue(false));
    options.synchronisation = Synchronisation::None;
    EXPECT_EQ(cacheOf(options, "no-flush"), QJsonValue(true));
}

TEST(CommandLine, AReadOnlyDiskIsNeverWrittenNorTrimmed) {
    LaunchPlan plan = amd64Plan();
    plan.disk.readOnly = true;
    const QJsonObject raw = blockdev(plan, QStringLiteral("disk0"));
    EXPECT_TRUE(raw.value(QStringLiteral("read-only")).toBool());
    EXPECT_FALSE(raw.contains(QStringLiteral("discard")));
    EXPECT_FALSE(raw.contains(QStringLiteral("detect-zeroes")));
}

TEST(CommandLine, FormatsAreNeverProbed) {
    LaunchPlan plan = amd64Plan();
    plan.disks = {{QStringLiteral("/data.img"), {}}};
    for (const char* node : {"disk0", "disk1", "firmware-code", "firmware-variables"})
        EXPECT_EQ(blockdev(plan, QLatin1String(node)).value(QStringLiteral("driver")).toString(),
                  QLatin1String("raw"));
}

TEST(CommandLine, ExtraDisksFollowTheRootDiskInOrder) {
    LaunchPlan plan = amd64Plan();
    for (int i = 0; i < maximumExtraDisks; ++i)
        plan.disks << PlannedDisk{QStringLiteral("/data-%1.img").arg(i), {}};
    int expected = 0;
    static const QRegularExpression boot(QStringLiteral("bootindex=(\\d+)"));
    for (const QString& device : devices(plan))
        if (device.startsWith(QLatin1String("virtio-blk-pci"))) {
            EXPECT_EQ(boot.match(device).captured(1).toInt(), expected++);
        }
    EXPECT_EQ(expected, maximumExtraDisks + 1);
}

TEST(CommandLine, EveryDeviceHasAnAddressOfItsOwn) {
    LaunchPlan plan = amd64Plan();
    plan.audioBackend = QStringLiteral("none");
    plan.network = NetworkMode::Bridged;
    for (int i = 0; i < maximumNetworkCards; ++i)
        plan.bridgedCards << PlannedCard{plan.macAddress, QStringLiteral("br0"), 40 + i};
    for (int i = 0; i < maximumExtraDisks; ++i)
        plan.disks << PlannedDisk{QStringLiteral("/data-%1.img").arg(i), {}};
    QStringList seen;
    static const QRegularExpression address(QStringLiteral("addr=(0x[0-9a-f]+)(\\.0x[0-7])?"));
    for (const QString& device : devices(plan)) {
        if (device.startsWith(QLatin1String("virtserialport")) ||
            device.startsWith(QLatin1String("hda-")))
            continue;
        const auto match = address.match(device);
        ASSERT_TRUE(match.hasMatch()) << qPrintable(device);
        EXPECT_LT(match.captured(1).toInt(nullptr, 16), 0x1f) << "slot 31 is the chipset's";
        EXPECT_FALSE(seen.contains(match.captured(0))) << qPrintable(device);
        seen << match.captured(0);
    }
}

TEST(CommandLine, AddressesDoNotMoveWhenDevicesComeAndGo) {
    LaunchPlan plan = amd64Plan();
    const QStringList before = devices(plan);
    plan.pointer = false;
    plan.disks = {{QStringLiteral("/data.img"), {}}};
    QStringList missing;
    const QStringList after = devices(plan);
    for (const QString& device : before)
        if (!after.contains(device))
            missing << device;
    ASSERT_EQ(missing.size(), 1);
    EXPECT_TRUE(missing.first().startsWith(QLatin1String("virtio-tablet-pci")));
}

TEST(CommandLine, TheBootOrderDecidesWhatIsTriedFirst) {
    LaunchPlan plan = amd64Plan();
    PlannedDisk cd{QStringLiteral("/installer.iso"), {.readOnly = true}};
    cd.optical = true;
    plan.disks = {cd, PlannedDisk{QStringLiteral("/data.img"), {}}};
    const auto place = [&](const char* id) {
        static const QRegularExpression boot(QStringLiteral("bootindex=(\\d+)"));
        for (const QString& device : devices(plan))
            if (device.contains(QStringLiteral("id=%1,").arg(QLatin1String(id))))
                return boot.match(device).captured(1);
        return QStringLiteral("no such device");
    };
    EXPECT_EQ(place("disk0-device") + place("disk2-device") + place("disk1-device"),
              QLatin1String("012"));
    EXPECT_EQ(place("network"), QString());
    plan.bootOrder = {BootDevice::Network, BootDevice::Cd};
    EXPECT_EQ(place("network") + place("disk1-device"), QLatin1String("01"));
    EXPECT_EQ(place("disk0-device"), QString());
    plan.kernel = KernelBoot{QStringLiteral("/vmlinuz"), {}, {}};
    EXPECT_EQ(place("network"), QString());
}

TEST(CommandLine, EachKindOfDiskHasItsDriver) {
    LaunchPlan plan = amd64Plan();
    PlannedDisk device{QStringLiteral("/dev/sdb"), {}};
    device.kind = ExtraDisk::Kind::BlockDevice;
    PlannedDisk network{QStringLiteral("nbds://server:1234/vol"), {}};
    network.kind = ExtraDisk::Kind::NetworkDisk;
    plan.disks = {device, network};
    const auto file = [&](const char* node) {
        return blockdev(plan, QLatin1String(node)).value(QStringLiteral("file")).toObject();
    };
    EXPECT_EQ(file("disk1").value(QStringLiteral("driver")).toString(),
              QLatin1String("host_device"));
    const QJsonObject nbd = file("disk2");
    EXPECT_EQ(nbd.value(QStringLiteral("driver")).toString(), QLatin1String("nbd"));
    EXPECT_EQ(nbd.value(QStringLiteral("export")).toString(), QLatin1String("vol"));
    EXPECT_EQ(nbd.value(QStringLiteral("tls-creds")).toString(), QLatin1String("disk2-tls"));
    EXPECT_EQ(
        nbd.value(QStringLiteral("server")).toObject().value(QStringLiteral("port")).toString(),
        QLatin1String("1234"));
    EXPECT_TRUE(
        commandLine(plan).join(QLatin1Char(' ')).contains(QLatin1String("\"verify-peer\":true")));
}

TEST(CommandLine, HostOnlyAndBridgedReplaceTheNat) {
    LaunchPlan plan = amd64Plan();
    plan.network = NetworkMode::HostOnly;
    EXPECT_TRUE(commandLine(plan).contains(QLatin1String("user,id=net0,restrict=on")));
    plan.softnetSocket = 17;
    for (const NetworkMode mode : {NetworkMode::Softnet, NetworkMode::Nat}) {
        plan.network = mode;
        EXPECT_TRUE(
            commandLine(plan).contains(QLatin1String("dgram,id=net0,local.type=fd,local.str=17")));
    }
    plan.qemuNat = true; // a state saved with it goes on
    EXPECT_TRUE(commandLine(plan).contains(QLatin1String("user,id=net0")));
    plan.network = NetworkMode::Bridged;
    plan.bridgedCards = {{plan.macAddress, QStringLiteral("br0"), 33}};
    EXPECT_TRUE(commandLine(plan).contains(QLatin1String("tap,id=net0,fd=33")));
}

TEST(CommandLine, ViewersGetALoopbackPortThatAsksForAPassword) {
    LaunchPlan plan = amd64Plan();
    const QString vnc =
        QStringLiteral("127.0.0.1:0,to=99,id=viewers,password=on,share=force-shared");
    EXPECT_FALSE(commandLine(plan).contains(vnc));
    plan.vncServer = true;
    EXPECT_TRUE(commandLine(plan).contains(vnc));
}

TEST(CommandLine, TheSerialLineKeepsItsLogWhereverItLeads) {
    LaunchPlan plan = amd64Plan();
    const QString log = QStringLiteral(",logfile=serial.log,logappend=on");
    plan.serial = {SerialLine::Kind::NewTerminal, {}};
    EXPECT_TRUE(commandLine(plan).contains(QStringLiteral("pty,id=serial") + log));
    plan.serial = {SerialLine::Kind::Device, QStringLiteral("/dev/a,b")};
    EXPECT_TRUE(
        commandLine(plan).contains(QStringLiteral("serial,id=serial,path=/dev/a,,b") + log));
}

TEST(CommandLine, SixteenRootPortsStandReady) {
    int count = 0;
    for (const QString& device : devices(amd64Plan()))
        if (device.startsWith(QLatin1String("pcie-root-port,"))) {
            EXPECT_TRUE(device.contains(QStringLiteral("id=rp%1,").arg(count++)));
        }
    EXPECT_EQ(count, spareRootPorts);
}

TEST(CommandLine, TheClipboardIsAPlainSocketSoThatSuspendIsNotForbidden) {
    const QString all = commandLine(amd64Plan()).join(QLatin1Char(' '));
    EXPECT_TRUE(all.contains(QLatin1String("socket,id=clipboard,path=spice.sock")));
    EXPECT_TRUE(all.contains(QLatin1String("chardev=clipboard,name=com.redhat.spice.0")));
    EXPECT_FALSE(all.contains(QLatin1String("vdagent")));
    LaunchPlan off = amd64Plan();
    off.clipboard = false; // the devices of a machine do not depend on it
    EXPECT_EQ(commandLine(off), commandLine(amd64Plan()));
}

TEST(CommandLine, SocketsAreNamesInTheRuntimeDirectory) {
    for (const QString& argument : commandLine(amd64Plan()))
        for (const char* name : {qmpSocketName,
                                 displaySocketName,
                                 serialSocketName,
                                 agentSocketName,
                                 clipboardSocketName})
            if (argument.contains(QLatin1String(name))) {
                EXPECT_FALSE(argument.contains(QLatin1Char('/'))) << qPrintable(argument);
            }
}

TEST(CommandLine, WithoutPointerOrKeyboardThePs2PairIsGoneToo) {
    LaunchPlan plan = amd64Plan();
    EXPECT_FALSE(commandLine(plan).join(QLatin1Char(' ')).contains(QLatin1String("i8042=off")));
    plan.keyboard = false;
    EXPECT_TRUE(commandLine(plan).join(QLatin1Char(' ')).contains(QLatin1String("i8042=off")));
    EXPECT_TRUE(devices(plan).filter(QStringLiteral("virtio-keyboard")).isEmpty());
    EXPECT_FALSE(devices(plan).filter(QStringLiteral("virtio-tablet")).isEmpty());
}
