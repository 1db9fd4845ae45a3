// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/plan_builder.h"

#include "core/machine/mac_options.h"
#include "tests/vz/plan/pretended_mac.h"
#include "vz/plan/plan_rules.h"
#include "vz/plan/saved_state.h"

#include <gtest/gtest.h>

#include <functional>

using namespace vitrine;
using namespace vitrine::vz;
using vitrine::vz::test::pretendedMac;
using vitrine::vz::test::PretendedMachine;

namespace {

constexpr GuestSystem darwin = GuestSystem::Darwin;
constexpr GuestSystem linux_ = GuestSystem::Linux;

// Everything a plan is made of.
struct Wish {
    explicit Wish(GuestSystem system)
        : machine(system) {}
    [[nodiscard]] PlanBuilder builder() const {
        PlanBuilder b(machine.info, options, host);
        b.setIntent(intent).setLibraries({machine.outside("library")});
        return b;
    }
    // One line for each refusal.
    [[nodiscard]] std::string refusals() const {
        std::string text;
        for (const Error& error : builder().build().errors)
            text += error.message.toStdString() + '\n';
        return text;
    }
    [[nodiscard]] MachinePlan plan() const {
        const auto outcome = builder().build();
        EXPECT_TRUE(outcome.planned) << refusals();
        return outcome.planned ? outcome.planned->plan : MachinePlan{};
    }
    void mac(const MacOptions& wanted) { wanted.storeIn(options); }

    PretendedMachine machine;
    RunOptions options;
    HostCaps host = pretendedMac();
    RunIntent intent;
};

struct Refusal {
    const char* name;
    GuestSystem system;
    std::function<void(Wish&)> change;
    const char* says;
};

void PrintTo(const Refusal& refusal, std::ostream* out) {
    *out << refusal.name;
}

const std::vector<Refusal> refusals{
    {"ACachedImage", linux_, [](Wish& w) { w.machine.info.isImage = true; }, "Clone it first"},
    {"ABrokenMachine",
     linux_,
     [](Wish& w) {
         w.machine.info.config.reset();
         w.machine.info.brokenReason = QStringLiteral("It lacks its disk.");
     },
     "It lacks its disk."},
    {"AnOldSystem",
     linux_,
     [](Wish& w) {
         w.host.system = {12, 7, 6};
     },
     "needs macOS 13"},
    {"AComputerWithoutVirtualization",
     linux_,
     [](Wish& w) { w.host.virtualization = false; },
     "no hardware virtualization"},
    {"ACopyThatIsNotSigned",
     linux_,
     [](Wish& w) { w.host.virtualizationEntitled = false; },
     "not signed"},
    {"AMacGuestOnIntel",
     darwin,
     [](Wish& w) { w.host.architecture = Architecture::Amd64; },
     "Mac with Apple silicon"},
    {"AnAmd64GuestOnAppleSilicon",
     linux_,
     [](Wish& w) { w.machine.info.config->architecture = Architecture::Amd64; },
     "with Rosetta"},
    {"AnArm64GuestOnIntel",
     linux_,
     [](Wish& w) { w.host.architecture = Architecture::Amd64; },
     "amd64 machines only"},
    {"TooManyProcessors",
     linux_,
     [](Wish& w) { w.machine.info.config->cpuCount = 9; },
     "between 1 and 8"},
    {"NoProcessor",
     linux_,
     [](Wish& w) { w.machine.info.config->cpuCount = 0; },
     "between 1 and 8"},
    {"FewerProcessorsThanTheMacAsksFor",
     darwin,
     [](Wish& w) { w.machine.info.config->cpuCount = 3; },
     "between 4 and 8"},
    {"MoreMemoryThanAMachineMayHave",
     linux_,
     [](Wish& w) { w.machine.info.config->memory = ByteCount::fromMiB(24577); },
     "of memory"},
    {"HugeMemory",
     linux_,
     [](Wish& w) { w.machine.info.config->memory = ByteCount::fromBytes(~quint64(0)); },
     "of memory"},
    {"LessMemoryThanTheMacAsksFor",
     darwin,
     [](Wish& w) { w.machine.info.config->memory = ByteCount::fromMiB(2048); },
     "Give it between 4.0"},
    {"LessMemoryThanTheFrameworkAsksFor",
     linux_,
     [](Wish& w) { w.machine.info.config->memory = ByteCount::fromMiB(3); },
     "of memory"},
    {"AMacWithoutAnIdentifier",
     darwin,
     [](Wish& w) { w.machine.info.config->ecid.clear(); },
     "machine identifier"},
    {"AMacWithoutAModel",
     darwin,
     [](Wish& w) { w.machine.info.config->hardwareModel.clear(); },
     "hardware model"},
    {"AMacWithoutAuxiliaryStorage",
     darwin,
     [](Wish& w) { w.machine.put("nvram.bin", {}); },
     "nvram.bin"},
    {"NestedInAMac",
     darwin,
     [](Wish& w) { w.options.nested = true; },
     "Only Linux machines can run virtual machines"},
    {"NestedBeforeMacOs15",
     linux_,
     [](Wish& w) {
         w.options.nested = true;
         w.host.system = {14, 6, 1};
     },
     "It needs macOS 15; this is macOS 14.6.1."},
    {"NestedBeforeM3",
     linux_,
     [](Wish& w) {
         w.options.nested = true;
         w.host.nested = false;
         w.host.processor = QStringLiteral("Apple M2");
     },
     "needs an M3 or later, and that no policy forbids it; this is an Apple M2."},
    {"AKernelInAMac",
     darwin,
     [](Wish& w) {
         w.options.kernel = KernelBoot{QStringLiteral("k"), {}, {}};
     },
     "Only Linux machines have that"},
    {"AKernelThatIsMissing",
     linux_,
     [](Wish& w) {
         w.options.kernel = KernelBoot{QStringLiteral("vmlinuz"), {}, {}};
     },
     "vmlinuz"},
    {"AKernelWithoutAName",
     linux_,
     [](Wish& w) { w.options.kernel = KernelBoot{}; },
     "name no kernel"},
    {"RecoveryOfLinux", linux_, [](Wish& w) { w.intent.recovery = true; }, "Only macOS machines"},
    {"RecoveryThatCanBeSuspended",
     darwin,
     [](Wish& w) {
         w.intent.recovery = true;
         w.intent.suspendable = true;
     },
     "Give --recovery or --suspendable"},
    {"RecoveryOfASuspendedMac",
     darwin,
     [](Wish& w) {
         w.intent.recovery = true;
         w.machine.info.state = MachineState::Suspended;
         w.machine.put("state.vzvmsave", "s");
     },
     "goes on where it was"},
    {"SuspendableLinux",
     linux_,
     [](Wish& w) { w.intent.suspendable = true; },
     "only macOS machines can be suspended"},
    {"SuspendableBeforeMacOs14",
     darwin,
     [](Wish& w) {
         w.intent.suspendable = true;
         w.host.system = {13, 6, 0};
     },
     "needs macOS 14"},
    {"SuspendableWithoutTrackpad",
     darwin,
     [](Wish& w) {
         w.intent.suspendable = true;
         w.mac({{}, false});
     },
     "Leave --no-trackpad out"},
    {"SuspendableWithoutKeyboard",
     darwin,
     [](Wish& w) {
         w.intent.suspendable = true;
         w.options.keyboard = false;
     },
     "Leave --no-keyboard out"},
    {"SuspendableWithoutPointer",
     darwin,
     [](Wish& w) {
         w.intent.suspendable = true;
         w.options.pointer = false;
     },
     "Leave --no-pointer out"},
    {"AStateOfQemu",
     linux_,
     [](Wish& w) {
         w.machine.info.state = MachineState::Suspended;
         w.machine.put("state.qemu", "s");
     },
     "suspended by another program"},
    {"NoTrackpadOfLinux",
     linux_,
     [](Wish& w) {
         w.mac({{}, false});
     },
     "Only macOS machines have a trackpad"},
    {"SystemKeysWithoutAWindow",
     linux_,
     [](Wish& w) {
         w.intent.capturesSystemKeys = true;
         w.intent.hasWindow = false;
     },
     "--capture-system-keys"},
    {"RosettaInAMac",
     darwin,
     [](Wish& w) {
         w.mac({QStringLiteral("rosetta"), true});
     },
     "for Linux machines"},
    {"RosettaThatIsNotInstalled",
     linux_,
     [](Wish& w) {
         w.mac({QStringLiteral("rosetta"), true});
         w.host.rosetta = RosettaState::NotInstalled;
     },
     "softwareupdate --install-rosetta"},
    {"RosettaThatIsNotSupported",
     linux_,
     [](Wish& w) {
         w.mac({QStringLiteral("rosetta"), true});
         w.host.rosetta = RosettaState::NotSupported;
     },
     "needs a Mac with Apple silicon"},
    {"RosettaWithALongTag",
     linux_,
     [](Wish& w) {
         w.mac({QString(36, u'r'), true});
     },
     "longer than 35 bytes"},
    {"RosettaWithTheTagOfASpareShare",
     linux_,
     [](Wish& w) {
         w.mac({QStringLiteral("vitrine-0"), true});
     },
     "tag of a shared folder"},
    {"BridgedWithoutTheEntitlement",
     linux_,
     [](Wish& w) {
         w.options.network.mode = NetworkMode::Bridged;
         w.options.network.interfaces = {QStringLiteral("en0")};
         w.host.networkingEntitled = false;
     },
     "com.apple.vm.networking"},
    {"BridgedToNothing",
     linux_,
     [](Wish& w) { w.options.network.mode = NetworkMode::Bridged; },
     ""},
    {"BridgedToAnUnknownInterface",
     linux_,
     [](Wish& w) {
         w.options.network.mode = NetworkMode::Bridged;
         w.options.network.interfaces = {QStringLiteral("list")};
     },
     "no interface \"list\". Choose one of these: en0 (or \"Wi-Fi\"), en7."},
    {"ForwardedPorts",
     linux_,
     [](Wish& w) {
         w.options.forwards = {{2222, 22}};
     },
     "take the forwards out"},
    {"AnotherAccelerator",
     linux_,
     [](Wish& w) { w.options.accelerator = AcceleratorChoice::Tcg; },
     "Choose \"automatic\""},
    {"ABootOrder",
     linux_,
     [](Wish& w) { w.options.bootOrder = {BootDevice::Cd}; },
     "take the order out"},
    {"AFolderThatIsMissing",
     linux_,
     [](Wish& w) { w.options.shares = {*ShareSpec::fromText(QStringLiteral("a:/none/such"))}; },
     "does not exist"},
    {"AFolderWithTheLibraryInIt",
     linux_,
     [](Wish& w) {
         ShareSpec share;
         share.name = QStringLiteral("a");
         share.path = w.machine.outside("library");
         w.options.shares = {share};
     },
     "cannot be shared so that the guest can write"},
    {"AnArchiveThatWasNotFetched",
     linux_,
     [](Wish& w) {
         w.options.shares = {*ShareSpec::fromText(QStringLiteral("a:https://h/a.tgz"))};
     },
     "has not been fetched"},
};

class RefusedPlan : public testing::TestWithParam<Refusal> {};

} // namespace

TEST_P(RefusedPlan, SaysWhy) {
    Wish wish(GetParam().system);
    ASSERT_EQ(wish.refusals(), ""); // before the change nothing is wrong
    GetParam().change(wish);
    const std::string text = wish.refusals();
    EXPECT_FALSE(text.empty());
    EXPECT_NE(text.find(GetParam().says), std::string::npos) << text;
    EXPECT_EQ(text.find("breaks a rule"), std::string::npos) << text;
    EXPECT_FALSE(wish.builder().build().planned);
}

INSTANTIATE_TEST_SUITE_P(PlanBuilder,
                         RefusedPlan,
                         testing::ValuesIn(refusals),
                         [](const auto& refusal) { return std::string(refusal.param.name); });

TEST(PlanBuilder, ALinuxMachineIsPlannedWhole) {
    Wish wish(linux_);
    MachinePlan expected;
    expected.processors = 4;
    expected.memory = ByteCount::fromMiB(4096);
    expected.guest = GenericGuest{{}, false, EfiBoot{wish.machine.path("nvram.bin"), false}};
    expected.disks = {{ImageDisk{wish.machine.path("disk.img"), false, Caching::Cached, {}},
                       DiskBus::VirtioBlock,
                       {}}};
    expected.cards = {{wish.machine.info.config->macAddress, NatAttachment{}}};
    for (int i = 0; i < 8; ++i)
        expected.shares.append({QStringLiteral("vitrine-%1").arg(i), ShareDevice::Kind::Empty, {}});
    expected.display = {DisplayPlan::Kind::Pixels, 1024, 768, 72, false};
    expected.keyboards = {KeyboardKind::Usb};
    expected.pointers = {PointerKind::UsbScreenCoordinate};
    expected.sound = Sound::OutputAndInput;
    expected.clipboard = true;
    expected.versionPort = QStringLiteral("tart-version-2.32.1");
    expected.serial = SerialPlan{};
    expected.entropy = true;
    expected.memoryBalloon = true;
    expected.vsock = true;
    EXPECT_EQ(wish.plan(), expected);
}

TEST(PlanBuilder, AMacMachineIsPlannedWhole) {
    Wish wish(darwin);
    wish.intent.recovery = true;
    wish.intent.capturesSystemKeys = true;
    const MachinePlan plan = wish.plan();
    EXPECT_EQ(std::get<MacGuest>(plan.guest),
              (MacGuest{"model", "identifier", wish.machine.path("nvram.bin")}));
    EXPECT_EQ(std::get<ImageDisk>(plan.disks.constFirst().source).caching, Caching::Automatic);
    EXPECT_EQ(plan.keyboards, (QList{KeyboardKind::Mac, KeyboardKind::Usb}));
    EXPECT_EQ(plan.pointers, (QList{PointerKind::MacTrackpad, PointerKind::UsbScreenCoordinate}));
    EXPECT_EQ(plan.display.kind, DisplayPlan::Kind::PointsOfMainScreen);
    EXPECT_TRUE(plan.display.refit);
    EXPECT_TRUE(plan.recovery);
    EXPECT_TRUE(plan.capturesSystemKeys);
    EXPECT_FALSE(plan.savable);
    EXPECT_FALSE(plan.memoryBalloon);
    EXPECT_FALSE(plan.serial);
}

TEST(PlanBuilder, ASuspendableMachineHasOnlyWhatCanBeSaved) {
    for (const char* why : {"typed", "stored", "state"}) {
        Wish wish(darwin);
        wish.intent.suspendable = why == std::string("typed");
        wish.mac({{}, true, why == std::string("stored")});
        if (why == std::string("state")) { // it implies it
            wish.machine.info.state = MachineState::Suspended;
            wish.machine.put("state.vzvmsave", "s");
        }
        const MachinePlan plan = wish.plan();
        EXPECT_TRUE(plan.savable);
        EXPECT_EQ(plan.keyboards, QList{KeyboardKind::Mac});
        EXPECT_EQ(plan.pointers, QList{PointerKind::MacTrackpad});
        EXPECT_EQ(plan.sound, Sound::SilentOutput);
        EXPECT_FALSE(plan.entropy);
        EXPECT_FALSE(plan.memoryBalloon);
        EXPECT_TRUE(plan.shares.isEmpty());
        EXPECT_TRUE(plan.clipboard);
        EXPECT_TRUE(plan.vsock);
    }
}

TEST(PlanBuilder, RecoveryIsStartedThoughSuspendingIsStored) {
    Wish wish(darwin);
    wish.mac({{}, true, true});
    wish.intent.recovery = true;
    EXPECT_TRUE(wish.plan().recovery);
    EXPECT_FALSE(wish.plan().savable);
}

TEST(PlanBuilder, DevicesAreLeftOutOnWish) {
    struct Case {
        std::function<void(Wish&)> change;
        QList<KeyboardKind> keyboards;
        QList<PointerKind> pointers;
    };
    for (const Case& c : {Case{[](Wish& w) { w.options.keyboard = false; },
                               {},
                               {PointerKind::MacTrackpad, PointerKind::UsbScreenCoordinate}},
                          Case{[](Wish& w) { w.options.pointer = false; },
                               {KeyboardKind::Mac, KeyboardKind::Usb},
                               {}},
                          Case{[](Wish& w) {
                                   w.mac({{}, false});
                               },
                               {KeyboardKind::Mac, KeyboardKind::Usb},
                               {PointerKind::UsbScreenCoordinate}},
                          Case{[](Wish& w) { w.host.system = macOs13; },
                               {KeyboardKind::Usb},
                               {PointerKind::MacTrackpad, PointerKind::UsbScreenCoordinate}}}) {
        Wish wish(darwin);
        c.change(wish);
        const MachinePlan plan = wish.plan();
        EXPECT_EQ(plan.keyboards, c.keyboards);
        EXPECT_EQ(plan.pointers, c.pointers);
    }
    Wish wish(linux_);
    wish.options.audio = false;
    wish.options.clipboard = false;
    EXPECT_EQ(wish.plan().sound, Sound::None);
    EXPECT_FALSE(wish.plan().clipboard);
    wish.options.audio = true;
    wish.host.microphone = false;
    EXPECT_EQ(wish.plan().sound, Sound::Output);
}

TEST(PlanBuilder, MemoryIsWholeMebibytes) {
    Wish wish(linux_);
    wish.machine.info.config->memory = ByteCount::fromBytes((quint64(512) << 20) + 12345);
    EXPECT_EQ(wish.plan().memory, ByteCount::fromMiB(512));
}

TEST(PlanBuilder, AnEmptyVariableStoreIsMade) {
    Wish wish(linux_);
    wish.machine.put("nvram.bin", {});
    const auto generic = std::get<GenericGuest>(wish.plan().guest);
    EXPECT_TRUE(std::get<EfiBoot>(generic.boot).create);
}

TEST(PlanBuilder, AKernelTakesThePlaceOfTheFirmware) {
    Wish wish(linux_);
    wish.machine.put("vmlinuz", "k");
    wish.machine.put("initrd", "i");
    wish.options.kernel =
        KernelBoot{QStringLiteral("vmlinuz"), QStringLiteral("initrd"), QStringLiteral("quiet")};
    const auto generic = std::get<GenericGuest>(wish.plan().guest);
    EXPECT_EQ(std::get<KernelBoot>(generic.boot),
              (KernelBoot{wish.machine.path("vmlinuz"),
                          wish.machine.path("initrd"),
                          QStringLiteral("quiet")}));
}

TEST(PlanBuilder, NestedAndRosettaAreForLinux) {
    Wish wish(linux_);
    wish.options.nested = true;
    wish.mac({QStringLiteral("rosetta"), true});
    const MachinePlan plan = wish.plan();
    EXPECT_TRUE(std::get<GenericGuest>(plan.guest).nested);
    EXPECT_EQ(plan.shares.constLast(),
              (ShareDevice{QStringLiteral("rosetta"), ShareDevice::Kind::Rosetta, {}}));
}

TEST(PlanBuilder, RosettaIsLeftOutWithAWordOnIntel) {
    Wish wish(linux_);
    wish.host.architecture = Architecture::Amd64;
    wish.host.rosetta = RosettaState::NotSupported;
    wish.machine.info.config->architecture = Architecture::Amd64;
    wish.mac({QStringLiteral("rosetta"), true});
    const MachinePlan plan = wish.plan();
    EXPECT_EQ(plan.notes.size(), 1);
    EXPECT_EQ(plan.shares.size(), spareShares);
}

TEST(PlanBuilder, TheNetworkIsWhatWasChosen) {
    Wish wish(linux_);
    for (const NetworkMode mode : {NetworkMode::Softnet, NetworkMode::HostOnly}) {
        wish.options.network.mode = mode;
        const MachinePlan plan = wish.plan();
        ASSERT_EQ(plan.cards.size(), 1);
        EXPECT_EQ(std::get<SocketAttachment>(plan.cards.constFirst().attachment),
                  (SocketAttachment{-1, 1500}));
    }
    wish.options.network.mode = NetworkMode::Bridged;
    wish.options.network.interfaces = {QStringLiteral("Wi-Fi"), QStringLiteral("en7")};
    const MachinePlan plan = wish.plan();
    ASSERT_EQ(plan.cards.size(), 2);
    EXPECT_EQ(std::get<BridgedAttachment>(plan.cards[0].attachment).interface,
              QLatin1String("en0"));
    EXPECT_EQ(std::get<BridgedAttachment>(plan.cards[1].attachment).interface,
              QLatin1String("en7"));
    EXPECT_EQ(plan.cards[0].macAddress, wish.machine.info.config->macAddress);
    EXPECT_NE(plan.cards[1].macAddress, plan.cards[0].macAddress);
}

TEST(PlanBuilder, TheSerialLineOfAMacIsThereOnWish) {
    Wish wish(darwin);
    wish.options.serial.kind = SerialLine::Kind::NewTerminal;
    EXPECT_TRUE(wish.plan().serial);
}

TEST(PlanBuilder, AllFaultsAreToldAtOnce) {
    Wish wish(linux_);
    wish.options.nested = true;
    wish.host.nested = false;
    wish.options.forwards = {{2222, 22}};
    wish.machine.info.config->cpuCount = 99;
    EXPECT_EQ(wish.builder().build().errors.size(), 3);
    const auto failed = wish.builder().buildOrFail();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message.count(QLatin1Char('\n')), 2);
}

TEST(PlanBuilder, EveryPlanKeepsTheRulesOfTheFramework) {
    for (const GuestSystem system : {darwin, linux_})
        for (const SystemVersion version : {macOs13, macOs14, macOs15, macOs26})
            for (const bool suspendable : {false, true})
                for (const bool screen : {false, true})
                    for (const Refit refit : {Refit::Automatic, Refit::On, Refit::Off}) {
                        Wish wish(system);
                        wish.host.system = version;
                        wish.host.nested = version >= macOs15;
                        wish.intent.suspendable = suspendable;
                        wish.machine.info.config->refit = refit;
                        if (!screen)
                            wish.host.screens.clear();
                        const auto outcome = wish.builder().build();
                        const bool possible =
                            !suspendable || (system == darwin && version >= macOs14);
                        ASSERT_EQ(outcome.planned.has_value(), possible) << wish.refusals();
                        if (outcome.planned) {
                            EXPECT_EQ(flawsOf(outcome.planned->plan, wish.host), QStringList());
                        }
                    }
}
