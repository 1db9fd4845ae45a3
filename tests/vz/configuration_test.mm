// SPDX-License-Identifier: Apache-2.0
// A plan reaches the framework member for member.
#include "tests/vz/shell_run.h"

#include <functional>
#include <vector>

// Values that the framework only takes.
@interface NSObject (Peek)
- (VZDiskImageCachingMode)cachingMode;
- (NSInteger)synchronizationMode;
- (NSTimeInterval)timeout;
- (BOOL)forcedReadOnly;
- (BOOL)readOnly;
- (NSURL*)URL;
- (VZStorageDeviceAttachment*)attachment;
- (VZBridgedNetworkInterface*)interface;
- (NSFileHandle*)fileHandle;
- (NSFileHandle*)fileHandleForReading;
- (NSFileHandle*)fileHandleForWriting;
- (VZSharedDirectory*)directory;
- (NSDictionary*)directories;
- (NSInteger)widthInPixels;
- (NSInteger)heightInPixels;
- (NSInteger)pixelsPerInch;
@end

namespace vitrine::vz {

namespace {

class ConfigurationTest : public ShellTest {
protected:
    void build(const MachinePlan& plan) {
        auto made = makeMachineFactory()->create(plan);
        ASSERT_TRUE(made) << qPrintable(made ? QString() : made.error().message);
        machine = *std::move(made);
        configuration = fake::lastConfiguration();
    }
    [[nodiscard]] QString refusal(const MachinePlan& plan) {
        const auto made = makeMachineFactory()->create(plan);
        return made ? QString() : made.error().message + made.error().detail;
    }
    [[nodiscard]] id disk(unsigned number) const {
        return [(id)[configuration.storageDevices objectAtIndex:number] attachment];
    }
    std::unique_ptr<Machine> machine;
    VZVirtualMachineConfiguration* configuration = nil;
};

bool is(id object, Class wanted) {
    return [object isKindOfClass:wanted];
}
QString plain(NSString* text) {
    return QString::fromUtf8(text.UTF8String);
}

} // namespace

TEST_F(ConfigurationTest, HasTheProcessorsAndTheMemory) {
    build(linuxPlan());
    EXPECT_EQ(configuration.CPUCount, 4U);
    EXPECT_EQ(configuration.memorySize, 4096ULL << 20);
}

TEST_F(ConfigurationTest, OfALinuxMachineHasItsIdentifierItsVariablesAndNoMacDevice) {
    build(linuxPlan());
    auto* const platform = static_cast<VZGenericPlatformConfiguration*>(configuration.platform);
    EXPECT_TRUE(is(platform, [VZGenericPlatformConfiguration class]));
    EXPECT_EQ(platform.machineIdentifier.dataRepresentation.length, 10U);
    EXPECT_FALSE([platform isNestedVirtualizationEnabled]);
    auto* const loader = static_cast<VZEFIBootLoader*>(configuration.bootLoader);
    EXPECT_TRUE([loader.variableStore.URL.path hasSuffix:@"nvram.bin"]);
    EXPECT_EQ(fake::calls("efi"), 0);
    EXPECT_TRUE(is(configuration.keyboards.firstObject, [VZUSBKeyboardConfiguration class]));
    EXPECT_EQ(configuration.pointingDevices.count, 1U);
    auto* const graphics = static_cast<VZVirtioGraphicsDeviceConfiguration*>(
        configuration.graphicsDevices.firstObject);
    EXPECT_EQ([graphics.scanouts.firstObject widthInPixels], 1024);
    EXPECT_EQ([graphics.scanouts.firstObject heightInPixels], 768);
}

TEST_F(ConfigurationTest, MakesTheVariableStoreOnlyWhenThePlanSaysSo) {
    MachinePlan plan = linuxPlan();
    std::get<EfiBoot>(std::get<GenericGuest>(plan.guest).boot).create = true;
    build(plan);
    EXPECT_EQ(fake::calls("efi"), 1);
    fake::failNext("efi", VzOutOfDiskSpace, "the disk is full");
    EXPECT_TRUE(refusal(plan).contains(QStringLiteral("the disk is full")));
}

TEST_F(ConfigurationTest, NestsWhereThePlanSaysSo) {
    MachinePlan plan = linuxPlan();
    std::get<GenericGuest>(plan.guest).nested = true;
    build(plan);
    EXPECT_TRUE([static_cast<VZGenericPlatformConfiguration*>(configuration.platform)
        isNestedVirtualizationEnabled]);
}

TEST_F(ConfigurationTest, BootsAKernel) {
    MachinePlan plan = linuxPlan();
    std::get<GenericGuest>(plan.guest).boot = KernelBoot{
        QStringLiteral("/k"), QStringLiteral("/i"), QStringLiteral("console=hvc0 root=/dev/vda")};
    build(plan);
    auto* const loader = static_cast<VZLinuxBootLoader*>(configuration.bootLoader);
    ASSERT_TRUE(is(loader, [VZLinuxBootLoader class]));
    EXPECT_EQ(plain(loader.kernelURL.path), QStringLiteral("/k"));
    EXPECT_EQ(plain(loader.initialRamdiskURL.path), QStringLiteral("/i"));
    EXPECT_EQ(plain(loader.commandLine), QStringLiteral("console=hvc0 root=/dev/vda"));
    std::get<KernelBoot>(std::get<GenericGuest>(plan.guest).boot).initrd.clear();
    build(plan);
    EXPECT_TRUE(static_cast<VZLinuxBootLoader*>(configuration.bootLoader).initialRamdiskURL == nil);
}

TEST_F(ConfigurationTest, OfAMacHasItsThreeIdentitiesAndMacDevices) {
    build(macPlan());
    auto* const platform = static_cast<VZMacPlatformConfiguration*>(configuration.platform);
    ASSERT_TRUE(is(platform, [VZMacPlatformConfiguration class]));
    EXPECT_EQ(platform.hardwareModel.dataRepresentation.length, 5U);
    EXPECT_EQ(platform.machineIdentifier.dataRepresentation.length, 4U);
    EXPECT_TRUE([platform.auxiliaryStorage.URL.path hasSuffix:@"nvram.bin"]);
    EXPECT_TRUE(is(configuration.bootLoader, [VZMacOSBootLoader class]));
    EXPECT_TRUE(is(configuration.keyboards.firstObject, [VZMacKeyboardConfiguration class]));
    EXPECT_TRUE(is(configuration.pointingDevices.firstObject, [VZMacTrackpadConfiguration class]));
    EXPECT_EQ(fake::calls("validateSave"), 1);
}

TEST_F(ConfigurationTest, RefusesAMacThatThisOneDoesNotKnow) {
    MachinePlan plan = macPlan();
    std::get<MacGuest>(plan.guest).hardwareModel = "old";
    EXPECT_TRUE(refusal(plan).contains(QStringLiteral("hardware model")));
    plan = macPlan();
    std::get<MacGuest>(plan.guest).machineIdentifier.clear();
    EXPECT_TRUE(refusal(plan).contains(QStringLiteral("ECID")));
}

TEST_F(ConfigurationTest, GivesAMacDisplayPointsOrPixels) {
    MachinePlan plan = macPlan();
    plan.display = {DisplayPlan::Kind::PointsOfMainScreen, 1024, 768, 0, false};
    build(plan);
    const auto display = [this] {
        return static_cast<VZMacGraphicsDeviceConfiguration*>(
                   configuration.graphicsDevices.firstObject)
            .displays.firstObject;
    };
    EXPECT_EQ([display() widthInPixels], 2048); // the screen is Retina
    fake::setScreens(false, true);              // no window has the keyboard
    build(plan);
    EXPECT_EQ([display() widthInPixels], 2048);
    fake::setScreens(false, false); // over ssh: CoreGraphics lists screens, AppKit has none
    plan.display.pixelsPerInch = 72;
    build(plan);
    EXPECT_EQ([display() widthInPixels], 1024);
    EXPECT_EQ([display() pixelsPerInch], 72);
    fake::setScreens(true, true);
    plan.display = {DisplayPlan::Kind::Pixels, 1920, 1080, 144, false};
    build(plan);
    EXPECT_EQ([display() widthInPixels], 1920);
    EXPECT_EQ([display() heightInPixels], 1080);
    EXPECT_EQ([display() pixelsPerInch], 144);
}

TEST_F(ConfigurationTest, KeepsTheTwoEnumerationsOfDisksApart) {
    struct Case {
        Caching caching;
        Synchronisation synchronisation;
        int wantedCaching;
        int wantedSynchronisation;
    };
    // The numbers of the framework.
    for (const Case& one : {Case{Caching::Automatic, Synchronisation::Full, 0, 1},
                            Case{Caching::Uncached, Synchronisation::Fsync, 1, 2},
                            Case{Caching::Cached, Synchronisation::None, 2, 3}}) {
        MachinePlan plan = linuxPlan();
        auto& image = std::get<ImageDisk>(plan.disks[0].source);
        image.caching = one.caching;
        image.synchronisation = one.synchronisation;
        image.readOnly = one.wantedCaching == 2;
        build(plan);
        EXPECT_EQ(int([disk(0) cachingMode]), one.wantedCaching);
        EXPECT_EQ(int([disk(0) synchronizationMode]), one.wantedSynchronisation);
        EXPECT_EQ(bool([disk(0) readOnly]), image.readOnly);
    }
    for (const bool synchronised : {true, false}) {
        MachinePlan plan = linuxPlan();
        plan.disks.append({NetworkDisk{QStringLiteral("nbd://host/x"), 7, true, synchronised}});
        plan.disks.append({BlockDisk{QStringLiteral("/dev/disk4"), 0, true, synchronised}});
        build(plan);
        EXPECT_EQ([disk(1) synchronizationMode], synchronised ? 0 : 1);
        EXPECT_EQ([disk(1) timeout], 7);
        EXPECT_TRUE([disk(1) forcedReadOnly]);
        EXPECT_EQ([disk(2) synchronizationMode], synchronised ? 0 : 1);
        EXPECT_EQ([[disk(2) fileHandle] fileDescriptor], 0);
        EXPECT_TRUE([disk(2) readOnly]);
    }
}

TEST_F(ConfigurationTest, KeepsTheDisksInTheirOrderOnTheirBuses) {
    MachinePlan plan = linuxPlan();
    plan.disks.append({ImageDisk{file(QStringLiteral("b"))}, DiskBus::UsbMassStorage, {}});
    plan.disks.append({ImageDisk{file(QStringLiteral("c"))}, DiskBus::NvmExpress, {}});
    build(plan);
    ASSERT_EQ(configuration.storageDevices.count, 3U);
    EXPECT_TRUE([[disk(0) URL].path hasSuffix:@"disk.img"]);
    id const second = [configuration.storageDevices objectAtIndex:1];
    id const third = [configuration.storageDevices objectAtIndex:2];
    EXPECT_TRUE(
        is(configuration.storageDevices.firstObject, [VZVirtioBlockDeviceConfiguration class]));
    EXPECT_TRUE(is(second, [VZUSBMassStorageDeviceConfiguration class]));
    EXPECT_TRUE(is(third, [VZNVMExpressControllerDeviceConfiguration class]));
}

TEST_F(ConfigurationTest, SaysWhichDiskIsNotThere) {
    MachinePlan plan = linuxPlan();
    plan.disks.append({ImageDisk{QStringLiteral("/nonexistent/disk.img")}});
    EXPECT_TRUE(refusal(plan).contains(QStringLiteral("no such image")));
    plan = linuxPlan();
    plan.disks.append({NetworkDisk{QStringLiteral("http://host/x")}});
    EXPECT_TRUE(refusal(plan).contains(QStringLiteral("no NBD address")));
}

TEST_F(ConfigurationTest, ConnectsCards) {
    MachinePlan plan = linuxPlan();
    const MacAddress address = *MacAddress::fromText(QStringLiteral("7a:65:c8:0e:01:02"));
    plan.cards = {{address, NatAttachment{}},
                  {MacAddress::random(), BridgedAttachment{QStringLiteral("en0")}},
                  {MacAddress::random(), SocketAttachment{0, 9000}}};
    build(plan);
    ASSERT_EQ(configuration.networkDevices.count, 3U);
    EXPECT_EQ(plain(configuration.networkDevices.firstObject.MACAddress.string),
              QStringLiteral("7a:65:c8:0e:01:02"));
    std::vector<id> attachments;
    for (VZNetworkDeviceConfiguration* card in configuration.networkDevices)
        attachments.push_back(card.attachment);
    EXPECT_TRUE(is(attachments[0], [VZNATNetworkDeviceAttachment class]));
    EXPECT_EQ(plain([attachments[1] interface].identifier), QStringLiteral("en0"));
    auto* const socket = static_cast<VZFileHandleNetworkDeviceAttachment*>(attachments[2]);
    EXPECT_EQ(socket.maximumTransmissionUnit, 9000);
    EXPECT_EQ([[socket fileHandle] fileDescriptor], 0);

    plan.cards = {{MacAddress::random(), BridgedAttachment{QStringLiteral("en7")}}};
    EXPECT_TRUE(refusal(plan).contains(QStringLiteral("en7")));
}

TEST_F(ConfigurationTest, SharesFoldersByTag) {
    MachinePlan plan = linuxPlan();
    plan.shares = {
        {QStringLiteral("one"), ShareDevice::Kind::Single, {{{}, QStringLiteral("/a"), true}}},
        {QStringLiteral("many"),
         ShareDevice::Kind::Multiple,
         {{QStringLiteral("x"), QStringLiteral("/x"), false},
          {QStringLiteral("y"), QStringLiteral("/y"), true}}},
        {QStringLiteral("spare"), ShareDevice::Kind::Empty, {}},
        {QStringLiteral("rosetta"), ShareDevice::Kind::Rosetta, {}}};
    build(plan);
    std::vector<VZVirtioFileSystemDeviceConfiguration*> devices;
    for (VZDirectorySharingDeviceConfiguration* device in configuration.directorySharingDevices)
        devices.push_back(static_cast<VZVirtioFileSystemDeviceConfiguration*>(device));
    ASSERT_EQ(devices.size(), 4U);
    EXPECT_EQ(plain(devices[0].tag), QStringLiteral("one"));
    EXPECT_TRUE([[devices[0].share directory] readOnly]);
    EXPECT_EQ([[devices[1].share directories] count], 2U);
    id const x = [[devices[1].share directories] objectForKey:@"x"];
    EXPECT_EQ(plain([x URL].path), QStringLiteral("/x"));
    EXPECT_FALSE([x readOnly]);
    EXPECT_TRUE(devices[2].share == nil);
    EXPECT_TRUE(is(devices[3].share, [VZLinuxRosettaDirectoryShare class]));

    fake::failNext("rosetta", VzInternal, "not installed");
    EXPECT_TRUE(refusal(plan).contains(QStringLiteral("not installed")));
    plan.shares = {{QString(36, QLatin1Char('t')), ShareDevice::Kind::Empty, {}}};
    EXPECT_TRUE(refusal(plan).contains(QStringLiteral("bad tag")));
    plan.shares = {{QStringLiteral("t"),
                    ShareDevice::Kind::Multiple,
                    {{QStringLiteral("a/b"), QStringLiteral("/x"), false}}}};
    EXPECT_TRUE(refusal(plan).contains(QStringLiteral("bad name"))); // instead of an exception
    plan.shares = {{QStringLiteral("t"), ShareDevice::Kind::Single, {}}};
    EXPECT_FALSE(refusal(plan).isEmpty());
}

TEST_F(ConfigurationTest, HasSoundAsPlanned) {
    const auto streams = [this] {
        return static_cast<VZVirtioSoundDeviceConfiguration*>(
                   configuration.audioDevices.firstObject)
            .streams;
    };
    MachinePlan plan = linuxPlan();
    plan.sound = Sound::None;
    build(plan);
    EXPECT_EQ(configuration.audioDevices.count, 0U);
    plan.sound = Sound::SilentOutput;
    build(plan);
    ASSERT_EQ(streams().count, 1U);
    EXPECT_TRUE(
        static_cast<VZVirtioSoundDeviceOutputStreamConfiguration*>(streams().firstObject).sink ==
        nil);
    plan.sound = Sound::Output;
    build(plan);
    ASSERT_EQ(streams().count, 1U);
    EXPECT_TRUE(
        static_cast<VZVirtioSoundDeviceOutputStreamConfiguration*>(streams().firstObject).sink !=
        nil);
    plan.sound = Sound::OutputAndInput;
    build(plan);
    EXPECT_EQ(streams().count, 2U);
}

TEST_F(ConfigurationTest, HasTheClipboardBeforeThePortThatTartsAgentLooksFor) {
    build(linuxPlan());
    ASSERT_EQ(configuration.consoleDevices.count, 2U);
    std::vector<VZVirtioConsolePortConfiguration*> ports;
    for (VZConsoleDeviceConfiguration* device in configuration.consoleDevices)
        ports.push_back([static_cast<VZVirtioConsoleDeviceConfiguration*>(device).ports
            objectAtIndexedSubscript:0]);
    auto* const spice = static_cast<VZSpiceAgentPortAttachment*>(ports[0].attachment);
    EXPECT_EQ(plain(ports[0].name), QStringLiteral("com.redhat.spice.0"));
    EXPECT_TRUE(spice.sharesClipboard);
    EXPECT_EQ(plain(ports[1].name), QLatin1String(tartVersionPort));
    EXPECT_TRUE(ports[1].attachment == nil);
    MachinePlan plan = linuxPlan();
    plan.clipboard = false;
    plan.versionPort.clear();
    build(plan);
    EXPECT_EQ(configuration.consoleDevices.count, 0U);
}

TEST_F(ConfigurationTest, PutsTheSerialLineTheRightWayRound) {
    MachinePlan plan = linuxPlan();
    plan.serial = SerialPlan{0, 2};
    build(plan);
    id const attachment = configuration.serialPorts.firstObject.attachment;
    EXPECT_EQ([[attachment fileHandleForReading] fileDescriptor], 0);
    EXPECT_EQ([[attachment fileHandleForWriting] fileDescriptor], 2);
}

TEST_F(ConfigurationTest, HasOnlyTheSmallDevicesThatArePlanned) {
    MachinePlan plan = linuxPlan();
    plan.memoryBalloon = true;
    build(plan);
    EXPECT_EQ(configuration.entropyDevices.count, 1U);
    EXPECT_EQ(configuration.memoryBalloonDevices.count, 1U);
    EXPECT_EQ(configuration.socketDevices.count, 1U);
    plan.entropy = plan.memoryBalloon = plan.vsock = false;
    build(plan);
    EXPECT_EQ(configuration.entropyDevices.count, 0U);
    EXPECT_EQ(configuration.memoryBalloonDevices.count, 0U);
    EXPECT_EQ(configuration.socketDevices.count, 0U);
}

TEST_F(ConfigurationTest, IsValidatedBeforeAMachineIsMade) {
    MachinePlan plan = linuxPlan();
    plan.memory = ByteCount::fromBytes((4096ULL << 20) + 1);
    EXPECT_TRUE(refusal(plan).contains(QStringLiteral("invalid configuration")));
    EXPECT_TRUE(fake::lastMachine() == nil);
    fake::failNext("validate", VzInvalidConfiguration, "the entitlement is missing");
    EXPECT_TRUE(refusal(linuxPlan()).contains(QStringLiteral("the entitlement is missing")));
    fake::failNext("validateSave", VzSave, "a device cannot be saved");
    EXPECT_TRUE(refusal(macPlan()).contains(QStringLiteral("a device cannot be saved")));
    EXPECT_TRUE(fake::lastMachine() == nil);
}

} // namespace vitrine::vz
