// SPDX-License-Identifier: Apache-2.0
#include "vz/host/vz_hypervisor.h"

#include "core/hypervisor/creation_request.h"
#include "core/hypervisor/display.h"
#include "core/hypervisor/machine_host.h"
#include "tests/vz/host/vz_library.h"
#include "tests/vz/plan/fake_creation_services.h"

using namespace vitrine;
using namespace vitrine::vz;
using namespace vitrine::vz::test;
using vitrine::test::waitUntil;

namespace {

class VzHypervisorTest : public VzLibrary {};

} // namespace

TEST_F(VzHypervisorTest, TellsWhatTheMacCanAndReadsItOnce) {
    const auto hypervisor = makeHypervisor(services);
    EXPECT_TRUE(hypervisor->info().has(Feature::DarwinGuests));
    EXPECT_TRUE(hypervisor->info().has(Feature::Recovery));
    EXPECT_FALSE(hypervisor->info().has(Feature::PortForwards));
    EXPECT_FALSE(hypervisor->info().status(Feature::PortForwards).reason.isEmpty());
    EXPECT_EQ(probe->reads, 1);
    probe->host.virtualization = false;
    EXPECT_TRUE(hypervisor->info().has(Feature::DarwinGuests));
    EXPECT_FALSE(hypervisor->info(Hypervisor::Refresh::TestAgain).has(Feature::DarwinGuests));
    EXPECT_EQ(probe->reads, 2);
}

TEST_F(VzHypervisorTest, RefusesWithEveryReason) {
    const auto hypervisor = makeHypervisor(services);
    addLinux();
    auto machine = *small.library.find(QStringLiteral("linux"));
    EXPECT_TRUE(hypervisor->validate(machine, {}));
    RunOptions options;
    options.forwards = {{2222, 22}};
    options.bootOrder = {BootDevice::Cd};
    const auto refused = hypervisor->validate(machine, options);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.contains(QLatin1String("forwarded ports")));
    EXPECT_TRUE(refused.error().message.contains(QLatin1String("boot order")));
    // Archives are fetched later, and copies made.
    RunOptions archive;
    ShareSpec share;
    share.path = QStringLiteral("https://localhost/a.tar.gz");
    archive.shares = {share};
    EXPECT_TRUE(hypervisor->validate(machine, archive));
}

TEST_F(VzHypervisorTest, HasMachinesInTheWindowAndNoScreenElsewhere) {
    const auto hypervisor = makeHypervisor(services);
    EXPECT_NE(hypervisor->makeMachineHost(), nullptr);
    const auto display = hypervisor->openDisplay(QString());
    ASSERT_NE(display, nullptr);
    QString reason;
    QObject::connect(display.get(), &Display::failed, display.get(), [&](const QString& message) {
        reason = message;
    });
    display->connectToGuest();
    EXPECT_TRUE(waitUntil([&] { return !reason.isEmpty(); }));
    EXPECT_EQ(display->state(), Display::State::Disconnected);
}

namespace {

class FakeRosetta final : public Rosetta {
public:
    [[nodiscard]] RosettaState state() const override { return RosettaState::NotInstalled; }
    void install(std::function<void(std::optional<VzFailure>)> done) override { done(failure); }
    std::optional<VzFailure> failure;
};

} // namespace

TEST_F(VzHypervisorTest, RosettaIsInstalledOrTheReasonIsTold) {
    const auto rosetta = std::make_shared<FakeRosetta>();
    services.rosetta = rosetta;
    const auto hypervisor = makeHypervisor(services);
    std::optional<Result<>> answer;
    const auto note = [&answer](const Result<>& result) { answer = result; };
    hypervisor->install(Feature::Rosetta, note);
    ASSERT_TRUE(answer);
    EXPECT_TRUE(*answer);
    rosetta->failure = VzFailure{};
    rosetta->failure->code = VzCancelled;
    hypervisor->install(Feature::Rosetta, note);
    EXPECT_EQ(answer->error().kind, Error::Kind::Cancelled);
    rosetta->failure->code = VzNetwork;
    hypervisor->install(Feature::Rosetta, note);
    EXPECT_NE(answer->error().kind, Error::Kind::Cancelled);
    EXPECT_FALSE(answer->error().message.isEmpty());
    answer.reset();
    hypervisor->install(Feature::Audio, note);
    ASSERT_TRUE(waitUntil([&] { return answer.has_value(); }));
    EXPECT_EQ(answer->error().kind, Error::Kind::Unsupported);
}

TEST_F(VzHypervisorTest, MakesMachinesWithTheVariableStoreOfTheFramework) {
    const auto files = std::make_shared<FakeMacFiles>();
    services.macFiles = files;
    const auto hypervisor = makeHypervisor(services);
    NewLinuxMachine linux;
    linux.architecture = Architecture::Arm64;
    linux.diskSize = ByteCount::fromGB(1);
    const auto made = hypervisor->createMachine(
        {small.library, *MachineName::fromText(QStringLiteral("new")), linux}, {});
    ASSERT_TRUE(made) << made.error().message.toStdString();
    const auto machine = small.library.find(QStringLiteral("new"));
    ASSERT_TRUE(machine);
    QFile variables(machine->directory + QLatin1String("/nvram.bin"));
    ASSERT_TRUE(variables.open(QIODevice::ReadOnly));
    EXPECT_GT(variables.size(), 0);
}
