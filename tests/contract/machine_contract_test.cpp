// SPDX-License-Identifier: Apache-2.0
// The contract of a running machine, the same for the fake and for every backend. The guest is
// booted once: the cases build on each other and run in the order of this file.
#include "tests/contract/contract_machine.h"

#include "core/disk/file_lock.h"
#include "core/hypervisor/machine_exec.h"
#include "core/machine/sidecar.h"
#include "tests/support/event_wait.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>

#include <gtest/gtest.h>

using namespace vitrine;
using vitrine::test::ContractMachine;
using vitrine::test::waitUntil;

namespace {

constexpr int bootTime = 120000; // ms, emulated and on a busy computer
constexpr int endTime = 60000;   // ms

class MachineContract : public testing::Test {
protected:
    static void SetUpTestSuite() {
        machine = vitrine::test::makeContractMachine();
        ASSERT_TRUE(machine);
        client = std::make_unique<MachineClient>(machine->library().home(), machine->directory());
    }
    static void TearDownTestSuite() {
        client.reset();
        machine.reset();
    }
    static bool waitForState(MachineState state) {
        return waitUntil([state] { return client->status().state == state; }, 30000);
    }
    static Result<QJsonValue> call(const char* method, const QJsonObject& parameters = {}) {
        return client->callAndWait(QLatin1String(method), parameters, 60000);
    }
    static Result<GuestAgent::ExecResult> run(const QString& path, const QStringList& arguments) {
        const auto answer = call("agent.exec", QJsonObject());
        EXPECT_EQ(answer.error().kind, Error::Kind::InvalidInput); // nothing named
        const auto result = client->callAndWait(
            QStringLiteral("agent.exec"), execParameters(path, arguments, {}, 30000), 40000);
        return result ? execFromJson(*result) : fail(result.error());
    }
    static QByteArray configuration() {
        const auto text = ConfigFile::read(machine->directory() + QLatin1String("/config.json"));
        return text.value_or(QByteArray());
    }
    static bool isFree() {
        const auto holder =
            ConfigFile::holder(machine->directory() + QLatin1String("/config.json"));
        return holder && !holder->has_value();
    }

    static std::unique_ptr<ContractMachine> machine;
    static std::unique_ptr<MachineClient> client;
};

std::unique_ptr<ContractMachine> MachineContract::machine;
std::unique_ptr<MachineClient> MachineContract::client;

} // namespace

TEST_F(MachineContract, AStoppedMachineAnswersThatItDoesNotRun) {
    EXPECT_EQ(machine->library().stateOf(machine->directory()), MachineState::Stopped);
    EXPECT_FALSE(client->waitForConnected(100));
    for (const char* verb : {"shutdown", "forceOff", "pause", "resume", "status"}) {
        EXPECT_EQ(call(verb).error().kind, Error::Kind::NotRunning) << verb;
    }
}

TEST_F(MachineContract, AStartedMachineRunsAndSaysSo) {
    ASSERT_TRUE(machine->start());
    ASSERT_TRUE(client->waitForConnected(60000));
    ASSERT_TRUE(waitForState(MachineState::Running));
    EXPECT_GT(client->status().processId, 0);
    EXPECT_FALSE(client->status().accelerator.isEmpty());
    EXPECT_TRUE(client->status().startedAt.isValid());
    EXPECT_EQ(machine->library().stateOf(machine->directory()), MachineState::Running);
    EXPECT_TRUE(waitUntil([] { return client->status().sshPort != 0; }));
}

TEST_F(MachineContract, StartingARunningMachineIsRefusedAndHarmless) {
    EXPECT_EQ(machine->exitCodeOfSecondStart(), 2);
    EXPECT_TRUE(call("status"));
    EXPECT_EQ(client->status().state, MachineState::Running);
}

TEST_F(MachineContract, PausingAPausedMachineSucceeds) {
    EXPECT_TRUE(call("pause"));
    EXPECT_TRUE(call("pause"));
    EXPECT_TRUE(waitForState(MachineState::Paused));
}

TEST_F(MachineContract, APausedMachineStillShowsItsScreen) {
    const auto picture = call("screenshot");
    ASSERT_TRUE(picture);
    EXPECT_GT(picture->toObject().value(QLatin1String("width")).toInt(), 0);
    QFile file(picture->toObject().value(QLatin1String("path")).toString());
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.read(8).endsWith("PNG\r\n\x1a\n"));
}

TEST_F(MachineContract, ResumingARunningMachineSucceeds) {
    EXPECT_TRUE(call("resume"));
    EXPECT_TRUE(call("resume"));
    EXPECT_TRUE(waitForState(MachineState::Running));
}

TEST_F(MachineContract, ForwardsComeAndGoWhileItRuns) {
    const auto added = call("forward.add", {{QStringLiteral("guestPort"), 8080}});
    ASSERT_TRUE(added);
    const int port = added->toObject().value(QLatin1String("hostPort")).toInt();
    EXPECT_GT(port, 0);
    const auto again = call(
        "forward.add", {{QStringLiteral("guestPort"), 8081}, {QStringLiteral("hostPort"), port}});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind, Error::Kind::AlreadyExists);
    EXPECT_EQ(call("forward.list")->toObject().value(QLatin1String("forwards")).toArray().size(),
              2);
    EXPECT_TRUE(call("forward.remove", {{QStringLiteral("hostPort"), port}}));
    EXPECT_EQ(call("forward.remove", {{QStringLiteral("hostPort"), port}}).error().kind,
              Error::Kind::NotFound);
}

TEST_F(MachineContract, AChangeWaitsAndTheConfigurationStaysAsItIs) {
    const QByteArray before = configuration();
    ASSERT_TRUE(call("change", {{QStringLiteral("memorySize"), 805306368}}));
    EXPECT_TRUE(waitUntil([] { return client->status().pending.size() == 1; }));
    EXPECT_EQ(configuration(), before);
    EXPECT_EQ(call("change", {{QStringLiteral("cpuCount"), 0}}).error().kind,
              Error::Kind::InvalidInput);
}

TEST_F(MachineContract, AnUnknownRequestIsUnsupportedAndTheConnectionGoesOn) {
    EXPECT_EQ(call("levitate").error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(call("status"));
}

TEST_F(MachineContract, EveryClientSeesTheSame) {
    MachineClient other(machine->library().home(), machine->directory());
    ASSERT_TRUE(other.waitForConnected(10000));
    EXPECT_TRUE(call("pause"));
    EXPECT_TRUE(waitUntil([&] { return other.status().state == MachineState::Paused; }));
    EXPECT_TRUE(other.callAndWait(QStringLiteral("resume"), {}, 10000));
    EXPECT_TRUE(waitForState(MachineState::Running));
    // One that leaves disturbs nobody.
    other.detach();
    EXPECT_TRUE(call("status"));
}

TEST_F(MachineContract, TheAgentAnswersAndTellsTheAddress) {
    ASSERT_TRUE(waitUntil(
        [] { return client->status().agentAnswers && !client->status().address.isEmpty(); },
        bootTime));
    EXPECT_EQ(client->status().addressSource, QStringLiteral("agent"));
    const auto interfaces = call("agent.interfaces");
    ASSERT_TRUE(interfaces);
    EXPECT_FALSE(interfaces->toObject().value(QLatin1String("interfaces")).toArray().isEmpty());
}

TEST_F(MachineContract, RunsAProgramInTheGuest) {
    const auto result = run(QStringLiteral("/bin/echo"), {QStringLiteral("hello")});
    ASSERT_TRUE(result) << qPrintable(result.error().message);
    EXPECT_EQ(result->exitCode, 0);
    EXPECT_EQ(result->standardOutput, "hello\n");
    EXPECT_EQ(run(QStringLiteral("/bin/false"), {})->exitCode, 1);
    EXPECT_FALSE(run(QStringLiteral("/no/such/program"), {}));
}

TEST_F(MachineContract, SuspendingEndsItAndTheNextStartGoesOn) {
    EXPECT_TRUE(call("suspend"));
    ASSERT_TRUE(machine->waitForEnd());
    ASSERT_TRUE(waitUntil([] { return !client->isConnected(); }, endTime));
    EXPECT_TRUE(waitUntil([] {
        return machine->library().stateOf(machine->directory()) == MachineState::Suspended;
    }));
    ASSERT_TRUE(machine->start());
    ASSERT_TRUE(client->waitForConnected(60000));
    ASSERT_TRUE(waitForState(MachineState::Running));
    EXPECT_TRUE(waitUntil([] { return client->status().agentAnswers; }, bootTime));
    EXPECT_EQ(machine->library().stateOf(machine->directory()), MachineState::Running);
}

TEST_F(MachineContract, ShuttingDownTwiceSucceedsAndEndsTheMachine) {
    EXPECT_TRUE(call("shutdown"));
    const auto second = call("shutdown");
    EXPECT_TRUE(second || second.error().kind == Error::Kind::NotRunning);
    ASSERT_TRUE(machine->waitForEnd());
    ASSERT_TRUE(waitUntil([] { return !client->isConnected(); }, endTime));
    EXPECT_EQ(client->status().state, MachineState::Stopped);
    EXPECT_TRUE(client->status().lastError.isEmpty()) << qPrintable(client->status().lastError);
    EXPECT_TRUE(isFree());
    EXPECT_EQ(machine->library().stateOf(machine->directory()), MachineState::Stopped);
}

TEST_F(MachineContract, TheWaitingChangeWasTheLastAct) {
    EXPECT_TRUE(configuration().contains("805306368"));
    EXPECT_TRUE(Sidecar::read(machine->directory())->pending.isEmpty());
}

TEST_F(MachineContract, ForcingOffEndsAMachineThatHasNotBooted) {
    ASSERT_TRUE(machine->start());
    ASSERT_TRUE(client->waitForConnected(60000));
    EXPECT_TRUE(call("forceOff"));
    const auto second = call("forceOff");
    EXPECT_TRUE(second || second.error().kind == Error::Kind::NotRunning);
    ASSERT_TRUE(machine->waitForEnd());
    ASSERT_TRUE(waitUntil([] { return !client->isConnected(); }, endTime));
    EXPECT_TRUE(isFree());
}

TEST_F(MachineContract, ForcingOffAPausedMachineEndsIt) {
    ASSERT_TRUE(machine->start());
    ASSERT_TRUE(client->waitForConnected(60000));
    ASSERT_TRUE(waitForState(MachineState::Running));
    EXPECT_TRUE(call("pause"));
    EXPECT_TRUE(call("forceOff"));
    ASSERT_TRUE(machine->waitForEnd());
    EXPECT_TRUE(waitUntil([] { return isFree(); }));
}

TEST_F(MachineContract, WhatHappenedIsAmongTheEvents) {
    const auto sidecar = Sidecar::read(machine->directory());
    ASSERT_TRUE(sidecar);
    QStringList kinds;
    for (const QJsonValue& event : sidecar->events) {
        kinds.append(event.toObject().value(QLatin1String("kind")).toString());
    }
    for (const char* kind :
         {"started", "paused", "suspended", "shutdown-requested", "stopped", "forced-off"}) {
        EXPECT_TRUE(kinds.contains(QLatin1String(kind))) << kind;
    }
}
