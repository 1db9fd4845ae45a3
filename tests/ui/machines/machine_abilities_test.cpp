// SPDX-License-Identifier: Apache-2.0
#include "ui/machines/machine_abilities.h"

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::ui;

namespace {

MachineInfo machineIn(MachineState state) {
    MachineInfo info;
    info.name = QStringLiteral("build");
    info.state = state;
    info.config = MachineConfig{};
    return info;
}

HypervisorInfo linuxHost() {
    HypervisorInfo host;
    host.features[Feature::LinuxGuests] = {true, {}};
    host.features[Feature::Suspend] = {true, {}};
    host.features[Feature::Arm64Guests] = {true, QStringLiteral("emulated, slow")};
    host.features[Feature::Amd64Guests] = {true, {}};
    host.features[Feature::DarwinGuests] = {false, QStringLiteral("macOS needs a Mac.")};
    host.features[Feature::Recovery] = {false, QStringLiteral("Recovery needs a Mac.")};
    return host;
}

} // namespace

TEST(MachineAbilities, AStoppedMachineCanBeStartedAndChanged) {
    const HypervisorInfo host = linuxHost();
    const MachineAbilities can = abilitiesOf(machineIn(MachineState::Stopped), nullptr, &host);
    EXPECT_TRUE(can.start);
    EXPECT_TRUE(can.clone);
    EXPECT_TRUE(can.rename);
    EXPECT_TRUE(can.remove);
    EXPECT_FALSE(can.shutDown);
    EXPECT_FALSE(can.pause);
    EXPECT_FALSE(can.forceOff);
}

TEST(MachineAbilities, ARunningMachineCanBePausedAndShutDown) {
    MachineStatus status;
    status.sshPort = 2222;
    const MachineAbilities can = abilitiesOf(machineIn(MachineState::Running), &status, nullptr);
    EXPECT_TRUE(can.pause);
    EXPECT_TRUE(can.shutDown);
    EXPECT_TRUE(can.forceOff);
    EXPECT_TRUE(can.openTerminal);
    EXPECT_FALSE(can.start);
    EXPECT_FALSE(can.clone);
    EXPECT_FALSE(can.remove);
}

TEST(MachineAbilities, ASuspendedMachineGoesOnOrLosesItsState) {
    const HypervisorInfo host = linuxHost();
    const MachineStatus status;
    EXPECT_TRUE(abilitiesOf(machineIn(MachineState::Running), &status, &host).suspend);
    EXPECT_TRUE(abilitiesOf(machineIn(MachineState::Paused), &status, &host).suspend);
    const MachineAbilities can = abilitiesOf(machineIn(MachineState::Suspended), nullptr, &host);
    EXPECT_TRUE(can.start);
    EXPECT_TRUE(can.discardState);
    EXPECT_FALSE(can.suspend);
    EXPECT_FALSE(can.shutDown);
    EXPECT_FALSE(abilitiesOf(machineIn(MachineState::Stopped), nullptr, &host).discardState);
    HypervisorInfo other = host;
    other.features[Feature::Suspend] = {false, QStringLiteral("Not here.")};
    EXPECT_EQ(abilitiesOf(machineIn(MachineState::Running), &status, &other).suspend.reason,
              QStringLiteral("Not here."));
}

TEST(MachineAbilities, APausedMachineCanOnlyGoOnOrBeForcedOff) {
    const MachineStatus status;
    const MachineAbilities can = abilitiesOf(machineIn(MachineState::Paused), &status, nullptr);
    EXPECT_TRUE(can.resume);
    EXPECT_TRUE(can.forceOff);
    EXPECT_FALSE(can.pause);
    EXPECT_FALSE(can.shutDown);
}

TEST(MachineAbilities, ABrokenMachineCanOnlyBeDeleted) {
    MachineInfo info = machineIn(MachineState::Broken);
    info.config.reset();
    info.brokenReason = QStringLiteral("config.json is missing.");
    const MachineAbilities can = abilitiesOf(info, nullptr, nullptr);
    EXPECT_TRUE(can.remove);
    EXPECT_FALSE(can.start);
    EXPECT_EQ(can.start.reason, info.brokenReason);
}

TEST(MachineAbilities, AMachineOfAnotherProgramIsLeftAlone) {
    MachineInfo info = machineIn(MachineState::RunningElsewhere);
    info.holderPid = 4711;
    const MachineAbilities can = abilitiesOf(info, nullptr, nullptr);
    for (const Ability& verb : {can.start, can.shutDown, can.forceOff, can.clone, can.remove}) {
        EXPECT_FALSE(verb);
        EXPECT_TRUE(verb.reason.contains(QStringLiteral("4711")));
    }
}

TEST(MachineAbilities, AMacGuestSaysWhyItCannotStart) {
    MachineInfo info = machineIn(MachineState::Stopped);
    info.config->system = GuestSystem::Darwin;
    const HypervisorInfo host = linuxHost();
    const MachineAbilities can = abilitiesOf(info, nullptr, &host);
    EXPECT_FALSE(can.start);
    EXPECT_EQ(can.start.reason, QStringLiteral("macOS needs a Mac."));
    EXPECT_TRUE(can.clone);
}

TEST(MachineAbilities, OnlyAMacGuestStartsIntoItsRecovery) {
    HypervisorInfo host = linuxHost();
    host.features[Feature::DarwinGuests] = host.features[Feature::Recovery] = {true, {}};
    MachineInfo info = machineIn(MachineState::Stopped);
    EXPECT_FALSE(abilitiesOf(info, nullptr, &host).startRecovery);
    info.config->system = GuestSystem::Darwin;
    EXPECT_TRUE(abilitiesOf(info, nullptr, &host).startRecovery);
    info.state = MachineState::Suspended;
    EXPECT_TRUE(abilitiesOf(info, nullptr, &host).start);
    EXPECT_FALSE(abilitiesOf(info, nullptr, &host).startRecovery) << "its state would be lost";
    info.state = MachineState::Stopped;
    host.features[Feature::Recovery] = {false, QStringLiteral("It needs macOS 13.")};
    EXPECT_EQ(abilitiesOf(info, nullptr, &host).startRecovery.reason,
              QStringLiteral("It needs macOS 13."));
}

TEST(MachineAbilities, AMachineThatCannotBeSuspendedInThisRunSaysWhy) {
    const HypervisorInfo host = linuxHost();
    MachineStatus status;
    status.suspendRefusal = QStringLiteral("It was not started as suspendable.");
    const MachineAbilities can = abilitiesOf(machineIn(MachineState::Running), &status, &host);
    EXPECT_FALSE(can.suspend);
    EXPECT_EQ(can.suspend.reason, status.suspendRefusal);
    EXPECT_EQ(MachineStatus::fromJson(status.toJson()), status);
}

TEST(MachineAbilities, AnImageCanBeClonedAndDeleted) {
    MachineInfo info = machineIn(MachineState::Stopped);
    info.isImage = true;
    const MachineAbilities can = abilitiesOf(info, nullptr, nullptr);
    EXPECT_TRUE(can.clone);
    EXPECT_TRUE(can.remove);
    EXPECT_FALSE(can.start);
}

TEST(MachineAbilities, EveryRefusalHasAReason) {
    const HypervisorInfo host = linuxHost();
    for (const MachineState state : {MachineState::Stopped,
                                     MachineState::Starting,
                                     MachineState::Running,
                                     MachineState::Paused,
                                     MachineState::ShuttingDown,
                                     MachineState::Suspended,
                                     MachineState::RunningElsewhere}) {
        for (const bool connected : {false, true}) {
            const MachineStatus status;
            const MachineAbilities can =
                abilitiesOf(machineIn(state), connected ? &status : nullptr, &host);
            for (const Ability& verb : {can.start,
                                        can.startRecovery,
                                        can.suspend,
                                        can.pause,
                                        can.resume,
                                        can.shutDown,
                                        can.forceOff,
                                        can.clone,
                                        can.rename,
                                        can.remove,
                                        can.openTerminal,
                                        can.console,
                                        can.settings})
                EXPECT_EQ(verb.possible, verb.reason.isEmpty());
        }
    }
}
