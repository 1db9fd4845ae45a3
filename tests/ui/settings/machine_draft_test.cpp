// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/machine_draft.h"

#include "ui/settings/settings_merge.h"

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::ui;

namespace {

MachineInfo machine() {
    MachineInfo info;
    info.name = QStringLiteral("build");
    info.config = MachineConfig{};
    info.config->cpuCount = 2;
    info.config->memory = ByteCount::fromMiB(2048);
    info.config->macAddress = *MacAddress::fromText(u"6a:3e:f1:99:18:c1");
    info.diskSize = ByteCount::fromGB(20);
    return info;
}

} // namespace

TEST(MachineDraft, CancellingForgetsTheEdit) {
    Draft<MachineSettings> draft(settingsOf(machine(), {}));
    EXPECT_FALSE(draft.isDirty());
    draft.edit().cpuCount = 4;
    EXPECT_TRUE(draft.isDirty());
    draft.revert();
    EXPECT_FALSE(draft.isDirty());
    EXPECT_EQ(draft.value().cpuCount, 2);
}

TEST(MachineDraft, WaitingChangesAreShownAsMade) {
    Sidecar sidecar;
    sidecar.pending = {
        {QStringLiteral("cpuCount"), 2, 6},
        {QStringLiteral("display"), QStringLiteral("1024x768"), QStringLiteral("1920x1080px")},
        {QStringLiteral("displayRefit"), QJsonValue(), true}};
    const MachineSettings settings = settingsOf(machine(), sidecar);
    EXPECT_EQ(settings.cpuCount, 6);
    EXPECT_EQ(settings.display.toText(), QStringLiteral("1920x1080px"));
    EXPECT_EQ(settings.refit, Refit::On);
}

TEST(MachineDraft, OnlyWhatDiffersIsSet) {
    const MachineSettings saved = settingsOf(machine(), {});
    MachineSettings edited = saved;
    EXPECT_TRUE(setArguments(saved, edited).isEmpty());
    edited.memory = ByteCount::fromMiB(4096);
    edited.refit = Refit::Off;
    EXPECT_EQ(setArguments(saved, edited),
              (QStringList{QStringLiteral("--memory"),
                           QStringLiteral("4096"),
                           QStringLiteral("--no-display-refit")}));
}

TEST(MachineDraft, ARunningMachineTakesHardwareChangesAtTheNextStart) {
    const MachineSettings saved = settingsOf(machine(), {});
    MachineSettings edited = saved;
    edited.cpuCount = 4;
    edited.notes = QStringLiteral("x");
    const auto running = changesBetween(saved, edited, MachinePhase::Running);
    ASSERT_EQ(running.size(), 2);
    EXPECT_EQ(running[0].effect, SettingsChange::Effect::Now);
    EXPECT_EQ(running[1].effect, SettingsChange::Effect::NextStart);
    for (const SettingsChange& change : changesBetween(saved, edited, MachinePhase::Off))
        EXPECT_EQ(change.effect, SettingsChange::Effect::Now);
}

TEST(MachineDraft, ForwardsAndADiskThatGrowsCountAtOnce) {
    const MachineSettings saved = settingsOf(machine(), {});
    MachineSettings edited = saved;
    edited.run.forwards = {{8080, 80}};
    edited.diskSize = ByteCount::fromGB(30);
    for (const SettingsChange& change : changesBetween(saved, edited, MachinePhase::Running))
        EXPECT_EQ(change.effect, SettingsChange::Effect::Now) << change.what.toStdString();
    edited.growPartition = false;
    EXPECT_TRUE(setArguments(saved, edited).contains(QStringLiteral("--no-grow-partition")));
}

TEST(MachineDraft, ForwardsOfARunningMachineAreTakenOffBeforeOthersComeOn) {
    const QList<PortForward> saved{{8080, 80}, {0, 443}, {2222, 22}};
    const QList<PortForward> edited{{8080, 81}, {2222, 22}, {0, 25}};
    const auto calls = forwardChanges(saved, edited);
    ASSERT_EQ(calls.size(), 2);
    EXPECT_EQ(calls[0].join(u' '), QStringLiteral("remove 8080"));
    EXPECT_EQ(calls[1].join(u' '), QStringLiteral("add 8080:81 25"));
    EXPECT_TRUE(forwardChanges(saved, saved).isEmpty());
}

TEST(MachineDraft, ThePortThatAnyBecameIsTakenOff) {
    const QList<PortForward> saved{{0, 443}, {8443, 443}, {0, 443}, {0, 25}};
    const QList<PortForward> live{{8443, 443}, {40000, 443}, {40001, 443}};
    EXPECT_EQ(portsInUse(saved, live),
              (QList<PortForward>{{40000, 443}, {8443, 443}, {40001, 443}, {0, 25}}));
    QList<PortForward> edited = saved;
    edited.removeAt(2);
    const auto calls = forwardChanges(saved, edited, live);
    ASSERT_EQ(calls.size(), 1);
    EXPECT_EQ(calls[0].join(u' '), QStringLiteral("remove 40001"));
}

TEST(MachineDraft, AShrinkingDiskIsAProblemWithWords) {
    const MachineInfo info = machine();
    const MachineSettings saved = settingsOf(info, {});
    MachineSettings edited = saved;
    edited.diskSize = ByteCount::fromGB(10);
    EXPECT_FALSE(problemWith(info, saved, edited).isEmpty());
    edited.diskSize = ByteCount::fromGB(30);
    EXPECT_TRUE(problemWith(info, saved, edited).isEmpty())
        << problemWith(info, saved, edited).toStdString();
    edited.name = QStringLiteral("../x");
    EXPECT_FALSE(problemWith(info, saved, edited).isEmpty());
}

TEST(MachineDraft, TheScaleIsTheWindowsAndCountsAtOnce) {
    Sidecar sidecar;
    setDisplayScale(sidecar, 200);
    Draft<MachineSettings> draft(settingsOf(machine(), sidecar));
    EXPECT_EQ(draft.value().displayScale, 200);
    draft.edit().displayScale = 150;
    for (const MachinePhase phase :
         {MachinePhase::Off, MachinePhase::Running, MachinePhase::Suspended}) {
        const auto changes = changesBetween(draft.saved(), draft.value(), phase);
        ASSERT_EQ(changes.size(), 1);
        EXPECT_EQ(changes.first().effect, SettingsChange::Effect::Now);
    }
    EXPECT_EQ(setArguments(draft.saved(), draft.value()).join(QLatin1Char(' ')),
              QStringLiteral("--display-scale 1.5"));
}

TEST(MachineDraft, WhatOnlyAMacCanIsMergedOneByOne) {
    const Sidecar before;
    Draft<MachineSettings> draft(settingsOf(machine(), before));
    MacOptions{QStringLiteral("rosetta"), true}.storeIn(draft.edit().run);
    Sidecar stored; // another program changed the other one meanwhile
    MacOptions{{}, false}.storeIn(stored.run);
    mergeInto(stored, draft.saved(), draft.value());
    EXPECT_EQ(MacOptions::of(stored.run), (MacOptions{QStringLiteral("rosetta"), false}));
    EXPECT_EQ(changesBetween(draft.saved(), draft.value(), MachinePhase::Running).first().effect,
              SettingsChange::Effect::NextStart);
}
