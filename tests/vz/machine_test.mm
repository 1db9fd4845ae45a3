// SPDX-License-Identifier: Apache-2.0
// The shell together with the lifecycle, against a framework that fails when it is told to.
#include "tests/vz/shell_run.h"

#include <QPointer>

#include <unistd.h>

@interface VZVirtualMachine (Peek)
- (BOOL)recovery;
- (NSURL*)stateURL;
@end
@interface VZGraphicsDisplay (Peek)
- (id)observer;
@end

namespace vitrine::vz {

namespace {

using MachineTest = ShellTest;

Lifecycle::Setup setup() {
    Lifecycle::Setup value;
    value.machine = QStringLiteral("vm");
    return value;
}

Lifecycle::Setup savable() {
    Lifecycle::Setup value = setup();
    value.savable = true;
    return value;
}

#define BEGINS(run)                                                                                \
    (run).perform((run).lifecycle.begin());                                                        \
    ASSERT_TRUE(test::waitUntil([&] { return (run).lifecycle.state() == MachineState::Running; }))

} // namespace

TEST_F(MachineTest, RunsUntilTheGuestShutsDown) {
    ShellRun run(linuxPlan(), setup());
    BEGINS(run);
    EXPECT_EQ(run.machine->state(), VmState::Running);
    fake::guestStops();
    ASSERT_TRUE(run.finishes());
    EXPECT_EQ(run.finished->exitCode, 0);
    EXPECT_FALSE(run.finished->error);
    EXPECT_TRUE(test::waitUntil([&] {
        return run.states == QList<VmState>{VmState::Starting, VmState::Running, VmState::Stopped};
    }));
}

TEST_F(MachineTest, AStartThatFailsEndsTheRunWithTheReason) {
    fake::failNext("start", VzInternal, "the hypervisor said no");
    ShellRun run(linuxPlan(), setup());
    run.perform(run.lifecycle.begin());
    ASSERT_TRUE(run.finishes());
    EXPECT_EQ(run.finished->exitCode, 1);
    ASSERT_TRUE(run.finished->error);
    EXPECT_TRUE(run.finished->error->message.contains(QStringLiteral("\"vm\" cannot be started.")));
    EXPECT_TRUE((run.finished->error->message + run.finished->error->detail)
                    .contains(QStringLiteral("the hypervisor said no")));
}

TEST_F(MachineTest, AThirdMacMachineIsToldWhichTwoRun) {
    fake::failNext("start", VzLimitExceeded, "limit");
    ShellRun run(macPlan(), savable());
    run.lifecycle.setRunningMacMachines({QStringLiteral("sequoia"), QStringLiteral("sonoma")});
    run.perform(run.lifecycle.begin());
    ASSERT_TRUE(run.finishes());
    ASSERT_TRUE(run.finished->error);
    EXPECT_TRUE(run.finished->error->message.contains(QStringLiteral("sequoia")));
    EXPECT_TRUE(run.finished->error->message.contains(QStringLiteral("sonoma")));
}

TEST_F(MachineTest, RecoveryIsAskedForWithItsOption) {
    Lifecycle::Setup recovery = savable();
    recovery.recovery = true;
    ShellRun run(macPlan(), recovery);
    BEGINS(run);
    EXPECT_TRUE([fake::lastMachine() recovery]);
}

TEST_F(MachineTest, AnOrdinaryStartAsksForNoRecovery) {
    ShellRun run(macPlan(), savable());
    BEGINS(run);
    EXPECT_FALSE([fake::lastMachine() recovery]);
}

TEST_F(MachineTest, ForceOffDuringTheStartWaitsUntilItIsPossible) {
    fake::hold("start");
    ShellRun run(linuxPlan(), setup());
    run.perform(run.lifecycle.begin());
    ASSERT_TRUE(test::waitUntil([&] { return run.machine->state() == VmState::Starting; }));
    run.perform(run.lifecycle.forceOff());
    fake::release("start");
    ASSERT_TRUE(run.finishes());
    EXPECT_EQ(run.finished->exitCode, 0);
    EXPECT_EQ(run.machine->state(), VmState::Stopped);
}

TEST_F(MachineTest, ACrashOfTheGuestIsAFailure) {
    ShellRun run(linuxPlan(), setup());
    BEGINS(run);
    fake::stopsWithError(VzInternal, "the guest fell over");
    ASSERT_TRUE(run.finishes());
    EXPECT_EQ(run.finished->exitCode, 1);
    ASSERT_TRUE(run.finished->error);
}

TEST_F(MachineTest, ADroppedCardIsPluggedInAgain) {
    MachinePlan plan = linuxPlan();
    plan.cards.append({MacAddress::random(), NatAttachment{}});
    ShellRun run(plan, setup());
    BEGINS(run);
    fake::dropNetwork(1, "the network is gone");
    EXPECT_EQ(run.dropped, QList<int>{1});
    EXPECT_TRUE(run.done.contains(Action::Kind::Reattach));
    VZNetworkDevice* const card = [fake::lastMachine().networkDevices objectAtIndex:1];
    EXPECT_TRUE(card.attachment != nil);
    EXPECT_FALSE(run.finished);
}

TEST_F(MachineTest, ACardThatIsNotThereIsRefused) {
    ShellRun run(linuxPlan(), setup());
    EXPECT_FALSE(run.machine->setAttachment(7, {MacAddress::random(), NatAttachment{}}));
}

TEST_F(MachineTest, ALostNetworkDiskIsToldWithItsNumber) {
    MachinePlan plan = linuxPlan();
    plan.disks.append({NetworkDisk{QStringLiteral("nbd://localhost/a")}});
    plan.disks.append({NetworkDisk{QStringLiteral("nbd://localhost/b")}});
    ShellRun run(plan, setup());
    BEGINS(run);
    fake::loseDisk(2, "the server is gone");
    ASSERT_TRUE(test::waitUntil([&] { return !run.lostDisks.isEmpty(); }));
    EXPECT_EQ(run.lostDisks, QList<int>{2});
    EXPECT_EQ(run.lostReason, QStringLiteral("the server is gone"));
}

TEST_F(MachineTest, SuspendsAndGoesOn) {
    {
        ShellRun run(macPlan(), savable());
        BEGINS(run);
        run.perform(run.lifecycle.suspend());
        ASSERT_TRUE(run.finishes());
        EXPECT_EQ(run.finished->exitCode, 0);
        EXPECT_EQ(run.lifecycle.state(), MachineState::Suspended);
        EXPECT_TRUE([[fake::lastMachine() stateURL].path hasSuffix:@".part"]);
    }
    Lifecycle::Setup suspended = savable();
    suspended.hasSavedState = true;
    ShellRun run(macPlan(), suspended);
    BEGINS(run);
    EXPECT_EQ(fake::calls("restore"), 1);
    EXPECT_EQ(fake::calls("start"), 1); // of the run before
    EXPECT_EQ(run.machine->state(), VmState::Running);
}

TEST_F(MachineTest, AStateThatCannotBeSavedLeavesTheGuestRunning) {
    ShellRun run(macPlan(), savable());
    BEGINS(run);
    fake::failNext("save", VzSave, "no space");
    run.perform(run.lifecycle.suspend());
    ASSERT_TRUE(test::waitUntil([&] { return !run.reports.isEmpty(); }));
    EXPECT_TRUE(test::waitUntil([&] { return run.lifecycle.state() == MachineState::Running; }));
    EXPECT_FALSE(run.finished);
    EXPECT_TRUE(run.done.contains(Action::Kind::DeletePartial));
}

TEST_F(MachineTest, AStateThatDoesNotFitIsNotLost) {
    fake::failNext("restore", VzRestore, "made on another computer");
    Lifecycle::Setup suspended = savable();
    suspended.hasSavedState = true;
    ShellRun run(macPlan(), suspended);
    run.perform(run.lifecycle.begin());
    ASSERT_TRUE(run.finishes());
    EXPECT_EQ(run.finished->exitCode, 1);
    EXPECT_FALSE(run.done.contains(Action::Kind::DeleteState));
}

TEST_F(MachineTest, AGuestThatRefusesThePowerButtonIsReported) {
    ShellRun run(linuxPlan(), setup());
    BEGINS(run);
    fake::failNext("requestStop", VzInvalidState, "not now");
    run.perform(run.lifecycle.shutDown());
    ASSERT_TRUE(test::waitUntil([&] { return !run.reports.isEmpty(); }));
    EXPECT_FALSE(run.finished);
}

TEST_F(MachineTest, NothingIsToldAfterItIsGone) {
    fake::hold("start");
    MachinePlan plan = linuxPlan();
    plan.disks.append({NetworkDisk{QStringLiteral("nbd://localhost/a")}});
    auto run = std::make_unique<ShellRun>(plan, setup());
    bool answered = false;
    run->machine->start(false, [&](const auto&) { answered = true; });
    run->machine->connectVsock(1, [&](const auto&) { answered = true; });
    fake::loseDisk(1, "gone");
    fake::reconfigured();
    run->machine.reset();
    fake::release("start");
    bool last = false;
    bool* const seen = &last;
    QMetaObject::invokeMethod(
        qApp, [seen] { *seen = true; }, Qt::QueuedConnection);
    ASSERT_TRUE(test::waitUntil([&] { return last; }));
    EXPECT_FALSE(answered);
    EXPECT_TRUE(run->lostDisks.isEmpty());
    EXPECT_EQ(run->reconfigurations, 0);
    EXPECT_TRUE(fake::lastMachine().delegate == nil);
    VZGraphicsDisplay* const screen =
        fake::lastMachine().graphicsDevices.firstObject.displays.firstObject;
    EXPECT_TRUE([screen observer] == nil);
}

TEST_F(MachineTest, AsLongAsThereIsAMachineItsProcessDoesNotNap) {
    {
        ShellRun run(linuxPlan(), setup());
        EXPECT_EQ(fake::calls("activity"), 1);
        EXPECT_EQ(fake::calls("activityEnd"), 0);
    }
    EXPECT_EQ(fake::calls("activityEnd"), 1);
    fake::failNext("validate", VzInvalidConfiguration, "no");
    EXPECT_FALSE(makeMachineFactory()->create(linuxPlan()));
    EXPECT_EQ(fake::calls("activity"), fake::calls("activityEnd"));
}

TEST_F(MachineTest, AShareIsChangedWhileItRuns) {
    MachinePlan plan = linuxPlan();
    plan.shares = {{QStringLiteral("vitrine-0"), ShareDevice::Kind::Empty, {}}};
    ShellRun run(plan, setup());
    BEGINS(run);
    auto* const device = static_cast<VZVirtioFileSystemDevice*>(
        fake::lastMachine().directorySharingDevices.firstObject);
    EXPECT_TRUE(device.share == nil);
    ShareDevice filled = plan.shares.constFirst();
    filled.kind = ShareDevice::Kind::Single;
    filled.folders = {{{}, folder.path(), true}};
    EXPECT_TRUE(run.machine->setShare(filled));
    EXPECT_TRUE([device.share isKindOfClass:[VZSingleDirectoryShare class]]);
    EXPECT_TRUE(run.machine->setShare(plan.shares.constFirst()));
    EXPECT_TRUE(device.share == nil);
    filled.tag = QStringLiteral("unknown");
    EXPECT_FALSE(run.machine->setShare(filled));
    filled = {QStringLiteral("vitrine-0"),
              ShareDevice::Kind::Multiple,
              {{QStringLiteral("a/b"), folder.path(), false}}};
    EXPECT_FALSE(run.machine->setShare(filled)); // the framework would raise
}

TEST_F(MachineTest, TheScreenIsResizedAndTheGuestTellsWhenItIsDone) {
    ShellRun run(linuxPlan(), setup());
    BEGINS(run);
    EXPECT_TRUE(run.machine->resizeDisplay({1280, 800}));
    const CGSize size =
        fake::lastMachine().graphicsDevices.firstObject.displays.firstObject.sizeInPixels;
    EXPECT_EQ(size.width, 1280);
    EXPECT_EQ(size.height, 800);
    fake::reconfigured();
    EXPECT_TRUE(test::waitUntil([&] { return run.reconfigurations == 1; }));
    fake::failNext("resize", VzInvalidState, "not now");
    EXPECT_FALSE(run.machine->resizeDisplay({640, 480}));
}

TEST_F(MachineTest, TheBalloonTakesWholeMebibytes) {
    MachinePlan plan = linuxPlan();
    ShellRun without(plan, setup());
    EXPECT_FALSE(without.machine->setBalloon(ByteCount::fromMiB(512)));
    plan.memoryBalloon = true;
    ShellRun run(plan, setup());
    EXPECT_TRUE(run.machine->setBalloon(ByteCount::fromBytes((512ULL << 20) + 5)));
    auto* const balloon = static_cast<VZVirtioTraditionalMemoryBalloonDevice*>(
        fake::lastMachine().memoryBalloonDevices.firstObject);
    EXPECT_EQ(balloon.targetVirtualMachineMemorySize, 512ULL << 20);
}

TEST_F(MachineTest, AVsockConnectionBelongsToTheReceiver) {
    ShellRun run(linuxPlan(), setup());
    BEGINS(run);
    std::optional<int> descriptor;
    run.machine->connectVsock(8080, [&](const Result<int>& connected) {
        ASSERT_TRUE(connected);
        descriptor = *connected;
    });
    ASSERT_TRUE(test::waitUntil([&] { return descriptor.has_value(); }));
    // The framework closes its own end now.
    bool closed = false;
    bool* const seen = &closed;
    QMetaObject::invokeMethod(
        qApp, [seen] { *seen = true; }, Qt::QueuedConnection);
    ASSERT_TRUE(test::waitUntil([&] { return closed; }));
    quint32 port = 0;
    ASSERT_EQ(::read(*descriptor, &port, sizeof(port)), ssize_t{sizeof(port)});
    EXPECT_EQ(port, 8080U);
    ::close(*descriptor);
}

TEST_F(MachineTest, AVsockConnectionThatFailsSaysWhy) {
    ShellRun run(linuxPlan(), setup());
    BEGINS(run);
    fake::failNext("connect", VzInternal, "nobody listens");
    std::optional<vitrine::Error> error;
    run.machine->connectVsock(8080,
                              [&](const Result<int>& connected) { error = connected.error(); });
    ASSERT_TRUE(test::waitUntil([&] { return error.has_value(); }));
    EXPECT_TRUE((error->message + error->detail).contains(QStringLiteral("nobody listens")));

    MachinePlan plan = linuxPlan();
    plan.vsock = false;
    ShellRun without(plan, setup());
    error.reset();
    without.machine->connectVsock(8080,
                                  [&](const Result<int>& connected) { error = connected.error(); });
    ASSERT_TRUE(test::waitUntil([&] { return error.has_value(); }));
    EXPECT_EQ(error->kind, vitrine::Error::Kind::Unsupported);
}

TEST_F(MachineTest, AGuestIsHandedOnWhileSomebodyListensOnThePort) {
    ShellRun run(linuxPlan(), setup());
    BEGINS(run);
    EXPECT_FALSE(fake::connectsTo(1024, "early"));
    QByteArrayList first;
    QByteArrayList second;
    const auto readInto = [](QByteArrayList& said) {
        return [&said](int descriptor) {
            QByteArray bytes(16, '\0');
            bytes.resize(qMax<ssize_t>(::read(descriptor, bytes.data(), 16), 0));
            said.append(bytes);
            ::close(descriptor);
        };
    };
    ASSERT_TRUE(run.machine->listenVsock(1024, readInto(first)));
    EXPECT_FALSE(fake::connectsTo(1025, "elsewhere"));
    EXPECT_TRUE(fake::connectsTo(1024, "one"));
    EXPECT_TRUE(first.isEmpty()) << "told from the event loop";
    ASSERT_TRUE(test::waitUntil([&] { return first.size() == 1; }));
    EXPECT_EQ(first.constFirst(), QByteArray("one"));
    ASSERT_TRUE(run.machine->listenVsock(1024, readInto(second)));
    EXPECT_TRUE(fake::connectsTo(1024, "two"));
    ASSERT_TRUE(test::waitUntil([&] { return second.size() == 1; }));
    EXPECT_EQ(first.size(), 1);
    ASSERT_TRUE(run.machine->listenVsock(1024, {}));
    EXPECT_FALSE(fake::connectsTo(1024, "late"));
    ASSERT_TRUE(run.machine->listenVsock(1024, readInto(second)));
    run.machine.reset();
    EXPECT_FALSE(fake::connectsTo(1024, "nobody"));

    MachinePlan plan = linuxPlan();
    plan.vsock = false;
    ShellRun without(plan, setup());
    const auto refused = without.machine->listenVsock(1024, readInto(first));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, vitrine::Error::Kind::Unsupported);
}

} // namespace vitrine::vz
