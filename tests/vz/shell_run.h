// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/event_wait.h"
#include "vz/check/fake/fake_framework.h"
#include "vz/plan/lifecycle.h"
#include "vz/shell/shell.h"

#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <memory>

namespace vitrine::vz {

// Plans, as the planner would make them, with files that exist.
class ShellTest : public testing::Test {
protected:
    ShellTest() { fake::reset(); }
    [[nodiscard]] QString file(const QString& name) const {
        const QString path = folder.filePath(name);
        QFile made(path);
        EXPECT_TRUE(made.open(QIODevice::Append));
        return path;
    }
    [[nodiscard]] MachinePlan linuxPlan() const {
        MachinePlan plan;
        plan.processors = 4;
        plan.memory = ByteCount::fromMiB(4096);
        GenericGuest guest;
        guest.machineIdentifier = "identifier";
        guest.boot = EfiBoot{file(QStringLiteral("nvram.bin")), false};
        plan.guest = guest;
        plan.disks = {{ImageDisk{
            file(QStringLiteral("disk.img")), false, Caching::Cached, Synchronisation::Fsync}}};
        plan.cards = {{MacAddress::random(), NatAttachment{}}};
        plan.keyboards = {KeyboardKind::Usb};
        plan.pointers = {PointerKind::UsbScreenCoordinate};
        return plan;
    }
    [[nodiscard]] MachinePlan macPlan() const {
        MachinePlan plan = linuxPlan();
        plan.guest = MacGuest{"model", "ecid", file(QStringLiteral("nvram.bin"))};
        plan.keyboards = {KeyboardKind::Mac};
        plan.pointers = {PointerKind::MacTrackpad};
        plan.savable = true;
        return plan;
    }
    QTemporaryDir folder;
};

// One run: what the lifecycle wants is done with the machine, and what the machine tells reaches
// the lifecycle. Files are not touched.
class ShellRun final : public MachineEvents {
public:
    ShellRun(const MachinePlan& plan, Lifecycle::Setup setup)
        : lifecycle(std::move(setup)) {
        auto made = makeMachineFactory()->create(plan);
        EXPECT_TRUE(made) << qPrintable(made ? QString() : made.error().message);
        machine = *std::move(made);
        machine->setEvents(this);
    }
    void perform(const Actions& actions) {
        for (const Action& action : actions)
            perform(action);
    }
    void stateChanged(VmState state) override {
        states.append(state);
        perform(lifecycle.stateChanged(state));
    }
    void guestStopped() override { perform(lifecycle.guestStopped()); }
    void stoppedWithError(const VzFailure& failure) override {
        perform(lifecycle.stoppedWithError(failure));
    }
    void networkDropped(int card, const VzFailure& failure) override {
        dropped.append(card);
        perform(lifecycle.networkDropped(card, failure));
    }
    void diskFailed(int disk, const VzFailure& failure) override {
        lostDisks.append(disk);
        lostReason = failure.description;
    }
    void displayReconfigured() override { ++reconfigurations; }
    [[nodiscard]] bool finishes() {
        return vitrine::test::waitUntil([this] { return finished.has_value(); });
    }

    Lifecycle lifecycle;
    std::unique_ptr<Machine> machine;
    QList<VmState> states;
    QList<int> dropped;
    QList<int> lostDisks;
    QString lostReason;
    int reconfigurations = 0;
    QList<Action::Kind> done;
    QStringList reports;
    std::optional<Action> finished;
    bool timerArmed = false;

private:
    [[nodiscard]] Machine::Completion answer(Operation operation) {
        return [this, operation](const std::optional<VzFailure>& failure) {
            perform(lifecycle.completed(operation, failure));
        };
    }
    void perform(const Action& action);
};

} // namespace vitrine::vz
