// SPDX-License-Identifier: Apache-2.0
#include "tests/vz/plan/pretended_mac.h"
#include "vz/plan/plan_builder.h"
#include "vz/plan/plan_rules.h"
#include "vz/plan/saved_state.h"

#include <gtest/gtest.h>

#include <functional>

using namespace vitrine;
using namespace vitrine::vz;
using vitrine::vz::test::pretendedMac;
using vitrine::vz::test::PretendedMachine;

namespace {

MachinePlan soundPlan(GuestSystem system, bool suspendable = false) {
    const PretendedMachine machine(system);
    RunIntent intent;
    intent.suspendable = suspendable;
    return PlanBuilder(machine.info, {}, pretendedMac()).setIntent(intent).build().planned->plan;
}

struct Break {
    GuestSystem system;
    std::function<void(MachinePlan&, HostCaps&)> change;
    const char* flaw;
};

const Break breaks[]{
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) { p.memory = ByteCount::fromBytes((64 << 20) + 1); },
     "memory is not whole MiB"},
    {GuestSystem::Linux,
     [](MachinePlan&, HostCaps& h) { h.maximumMemory = ByteCount::fromMiB(1024); },
     "memory out of range"},
    {GuestSystem::Linux, [](MachinePlan& p, HostCaps&) { p.processors = 0; }, "processors"},
    {GuestSystem::Darwin,
     [](MachinePlan&, HostCaps& h) { h.architecture = Architecture::Amd64; },
     "without Apple silicon"},
    {GuestSystem::Darwin,
     [](MachinePlan& p, HostCaps&) { std::get<MacGuest>(p.guest).hardwareModel.clear(); },
     "no hardware model"},
    {GuestSystem::Darwin,
     [](MachinePlan& p, HostCaps&) { std::get<MacGuest>(p.guest).machineIdentifier.clear(); },
     "no machine identifier"},
    {GuestSystem::Darwin,
     [](MachinePlan& p, HostCaps&) {
         std::get<MacGuest>(p.guest).auxiliaryStorage = QStringLiteral("nvram.bin");
     },
     "auxiliary storage"},
    {GuestSystem::Linux, [](MachinePlan& p, HostCaps&) { p.recovery = true; }, "recovery"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps& h) {
         std::get<GenericGuest>(p.guest).nested = true;
         h.system = macOs14;
     },
     "nested"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps& h) {
         std::get<GenericGuest>(p.guest).nested = true;
         h.nested = false;
     },
     "nested"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) {
         std::get<GenericGuest>(p.guest).boot = KernelBoot{QStringLiteral("vmlinuz"), {}, {}};
     },
     "kernel or initrd"},
    {GuestSystem::Linux, [](MachinePlan& p, HostCaps&) { p.disks.clear(); }, "first disk"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) {
         p.disks.prepend({NetworkDisk{}, {}, {}});
     },
     "first disk"},
    {GuestSystem::Darwin,
     [](MachinePlan& p, HostCaps&) {
         p.disks.append({ImageDisk{QStringLiteral("/a")}, DiskBus::NvmExpress, {}});
     },
     "NVM Express"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps& h) {
         p.disks.append({NetworkDisk{QStringLiteral("nbd://h/e")}, DiskBus::VirtioBlock, {}});
         h.system = macOs13;
     },
     "need macOS 14"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) { p.cards.append(p.cards.constFirst()); },
     "two cards"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) {
         p.cards[0].attachment = SocketAttachment{3, 1499};
     },
     "MTU"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) {
         p.cards[0].attachment = SocketAttachment{3, 65536};
     },
     "MTU"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) {
         p.cards[0].attachment = BridgedAttachment{QStringLiteral("en9")};
     },
     "unknown interface"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps& h) {
         p.cards[0].attachment = BridgedAttachment{QStringLiteral("en0")};
         h.networkingEntitled = false;
     },
     "entitlement"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) { p.shares[0].tag = QString(18, u'ü'); },
     "tag of a wrong length"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) { p.shares[0].tag = p.shares[1].tag; },
     "two share devices"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) { p.shares[0].kind = ShareDevice::Kind::Single; },
     "single share"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) {
         p.shares[0] = {QStringLiteral("t"),
                        ShareDevice::Kind::Multiple,
                        {{QStringLiteral("a/b"), QStringLiteral("/a"), false}}};
     },
     "bad name"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps& h) {
         p.shares[0].kind = ShareDevice::Kind::Rosetta;
         h.rosetta = RosettaState::NotInstalled;
     },
     "Rosetta"},
    {GuestSystem::Darwin,
     [](MachinePlan& p, HostCaps&) { p.shares[0].kind = ShareDevice::Kind::Rosetta; },
     "Rosetta"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) { p.keyboards << KeyboardKind::Mac; },
     "Mac keyboard"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) { p.pointers << PointerKind::MacTrackpad; },
     "Mac trackpad"},
    {GuestSystem::Linux, [](MachinePlan& p, HostCaps&) { p.display.width = 0; }, "without a size"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) { p.display.kind = DisplayPlan::Kind::PointsOfMainScreen; },
     "points"},
    {GuestSystem::Darwin, [](MachinePlan&, HostCaps& h) { h.system = macOs13; }, "refit"},
    {GuestSystem::Linux, [](MachinePlan& p, HostCaps&) { p.vsock = false; }, "vsock"},
    {GuestSystem::Linux,
     [](MachinePlan& p, HostCaps&) { p.versionPort = QStringLiteral("tart-version-1.9.0"); },
     "version port"},
};

const Break savableBreaks[]{
    {GuestSystem::Darwin, [](MachinePlan& p, HostCaps&) { p.entropy = true; }, "entropy"},
    {GuestSystem::Darwin, [](MachinePlan& p, HostCaps&) { p.memoryBalloon = true; }, "balloon"},
    {GuestSystem::Darwin, [](MachinePlan& p, HostCaps&) { p.sound = Sound::Output; }, "sound"},
    {GuestSystem::Darwin,
     [](MachinePlan& p, HostCaps&) { p.keyboards << KeyboardKind::Usb; },
     "USB input"},
    {GuestSystem::Darwin,
     [](MachinePlan& p, HostCaps&) { p.pointers << PointerKind::UsbScreenCoordinate; },
     "USB input"},
    {GuestSystem::Darwin, [](MachinePlan& p, HostCaps&) { p.recovery = true; }, "recovery"},
};

void expectFlaw(MachinePlan plan, const Break& b) {
    HostCaps host = pretendedMac();
    ASSERT_EQ(flawsOf(plan, host), QStringList());
    b.change(plan, host);
    const std::string flaws = flawsOf(plan, host).join(QLatin1String("; ")).toStdString();
    EXPECT_NE(flaws.find(b.flaw), std::string::npos) << b.flaw << " not in: " << flaws;
}

} // namespace

TEST(PlanRules, EachIsKept) {
    for (const Break& b : breaks)
        expectFlaw(soundPlan(b.system), b);
}

TEST(PlanRules, EachIsKeptForWhatIsToBeSaved) {
    for (const Break& b : savableBreaks)
        expectFlaw(soundPlan(b.system, true), b);
    MachinePlan plan = soundPlan(GuestSystem::Darwin, true);
    ASSERT_TRUE(leaveOutConsoles(plan));
    EXPECT_FALSE(leaveOutConsoles(plan));
    EXPECT_EQ(flawsOf(plan, pretendedMac()), QStringList());
    plan.savable = false;
    EXPECT_NE(flawsOf(plan, pretendedMac()), QStringList());
}
