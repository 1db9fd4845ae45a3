// SPDX-License-Identifier: Apache-2.0
#include "core/machine/mac_options.h"
#include "core/machine/sidecar.h"
#include "tests/support/fake_machine_host.h"
#include "tests/support/gui_support.h"
#include "ui/machines/machine_clients.h"

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::ui;
using vitrine::test::FakeMachine;
using vitrine::test::FakeMachineHost;
using vitrine::test::SmallLibrary;
using vitrine::test::waitUntil;

namespace {

const QString build = QStringLiteral("build");

// Machines that live in the window's process, as on a Mac.
class HostedMachinesTest : public testing::Test {
protected:
    void SetUp() override {
        small.add(build);
        model = std::make_unique<LibraryModel>(small.library);
        model->setNamesInView({build});
        clients = std::make_unique<MachineClients>(model.get(), &host);
        ASSERT_TRUE(waitUntil([this] { return model->isLoaded(); }));
        QObject::connect(clients.get(),
                         &MachineClients::ended,
                         clients.get(),
                         [this](const QString&, const QString& why) { ends.append(why); });
        QObject::connect(clients.get(),
                         &MachineClients::startFailed,
                         clients.get(),
                         [this](const QString&, const StartFailure& why) { failure = why; });
    }
    [[nodiscard]] MachineState shown() const {
        const MachineInfo* info = model->infoAt(model->rowOf(build));
        return info != nullptr ? info->state : MachineState::Broken;
    }
    bool startAndWait() {
        clients->start(build);
        return waitUntil([this] { return clients->status(build) != nullptr; });
    }
    SmallLibrary small;
    FakeMachineHost host;
    std::unique_ptr<LibraryModel> model;
    std::unique_ptr<MachineClients> clients;
    QStringList ends;
    std::optional<StartFailure> failure;
};

} // namespace

TEST_F(HostedMachinesTest, AStartGoesThroughTheHostWithTheStoredOptions) {
    ASSERT_TRUE(Sidecar::update(model->infoAt(0)->directory, [](Sidecar& sidecar) {
        sidecar.run.nested = true;
        MacOptions mac;
        mac.captureSystemKeys = true;
        mac.storeIn(sidecar.run);
    }));
    host.answersLate = true;
    clients->start(build, StartMode::Recovery);
    EXPECT_TRUE(clients->isStarting(build));
    EXPECT_EQ(shown(), MachineState::Starting);
    ASSERT_TRUE(waitUntil([this] { return host.requests.size() == 1; }));
    const Hypervisor::RunRequest& request = host.requests.first();
    EXPECT_EQ(request.name, build);
    EXPECT_TRUE(request.options.nested);
    EXPECT_TRUE(MacOptions::of(request.options).captureSystemKeys);
    EXPECT_TRUE(request.recovery);
    EXPECT_TRUE(request.capturesSystemKeys);
    EXPECT_EQ(shown(), MachineState::Starting) << "until the host says that it runs";
    host.answerStarts();
    ASSERT_TRUE(waitUntil([this] { return clients->status(build) != nullptr; }));
    EXPECT_EQ(shown(), MachineState::Running);
    EXPECT_FALSE(clients->isStarting(build));
    EXPECT_EQ(clients->hostedNames(), QStringList{build});
    EXPECT_EQ(clients->runningNames(), QStringList{build});
    EXPECT_FALSE(failure);
}

TEST_F(HostedMachinesTest, ItIsNeverShownAsStoppedBetweenStartingAndRunning) {
    QList<MachineState> states;
    QObject::connect(model.get(), &LibraryModel::dataChanged, model.get(), [&] {
        if (states.isEmpty() || states.last() != shown())
            states.append(shown());
    });
    ASSERT_TRUE(startAndWait());
    EXPECT_EQ(states, (QList<MachineState>{MachineState::Starting, MachineState::Running}));
}

TEST_F(HostedMachinesTest, AStartThatTheHostRefusesSaysWhyAndIsKept) {
    host.refusal = Error{Error::Kind::Unsupported, QStringLiteral("Two run already."), {}};
    clients->start(build);
    ASSERT_TRUE(waitUntil([this] { return failure.has_value(); }));
    EXPECT_EQ(failure->message, QStringLiteral("Two run already."));
    EXPECT_FALSE(clients->isStarting(build));
    EXPECT_EQ(clients->client(build), nullptr);
    EXPECT_TRUE(waitUntil([this] { return shown() == MachineState::Stopped; }));
    const auto sidecar = Sidecar::read(model->infoAt(0)->directory);
    ASSERT_TRUE(sidecar);
    ASSERT_FALSE(sidecar->events.isEmpty());
    EXPECT_EQ(sidecar->events.last()[QLatin1String("text")].toString(), failure->message);
    // It can be tried again.
    host.refusal.reset();
    EXPECT_TRUE(startAndWait());
}

TEST_F(HostedMachinesTest, AStartThatWasCancelledIsNoFailure) {
    host.refusal = Error::cancelled();
    clients->start(build);
    ASSERT_TRUE(waitUntil([this] { return clients->client(build) == nullptr; }));
    EXPECT_FALSE(clients->isStarting(build));
    EXPECT_TRUE(waitUntil([this] { return shown() == MachineState::Stopped; }));
    EXPECT_FALSE(failure);
}

TEST_F(HostedMachinesTest, ADamagedSidecarIsToldAndTheHostIsNotAsked) {
    SmallLibrary::write(model->infoAt(0)->directory + QStringLiteral("/vitrine.json"), "{");
    clients->start(build);
    ASSERT_TRUE(waitUntil([this] { return failure.has_value(); }));
    EXPECT_TRUE(failure->message.contains(QStringLiteral("vitrine.json")))
        << qPrintable(failure->message);
    EXPECT_TRUE(host.requests.isEmpty());
}

TEST_F(HostedMachinesTest, AShutDownEndsItWithoutAnError) {
    ASSERT_TRUE(startAndWait());
    clients->shutDown(build);
    ASSERT_TRUE(waitUntil([this] { return shown() == MachineState::Stopped; }));
    ASSERT_TRUE(waitUntil([this] { return !ends.isEmpty(); }));
    EXPECT_EQ(ends, QStringList{QString()});
    EXPECT_TRUE(clients->hostedNames().isEmpty());
    EXPECT_TRUE(waitUntil([this] { return clients->client(build) == nullptr; }));
}

TEST_F(HostedMachinesTest, AMachineThatFailsIsToldOnceWithTheReason) {
    ASSERT_TRUE(startAndWait());
    host.crash(build, {Error::Kind::Internal, QStringLiteral("The framework stopped it."), {}});
    ASSERT_TRUE(waitUntil([this] { return shown() == MachineState::Stopped; }));
    ASSERT_TRUE(waitUntil([this] { return !ends.isEmpty(); }));
    EXPECT_EQ(ends, QStringList{QStringLiteral("The framework stopped it.")});
}

TEST_F(HostedMachinesTest, OneOfACommandLineIsConnectedButNotHosted) {
    FakeMachine elsewhere(small.library, build);
    ASSERT_TRUE(elsewhere.start());
    model->refresh();
    ASSERT_TRUE(waitUntil([this] { return clients->status(build) != nullptr; }));
    EXPECT_EQ(clients->runningNames(), QStringList{build});
    EXPECT_TRUE(clients->hostedNames().isEmpty());
}
